// Curves that run one way: after every step a node's curve goes back to the nearest one that never falls or never
// rises (pool adjacent violators), or that is convex or concave, bins weighted by their hessians. So every curve of
// every round keeps the promise, and what is taken back counts as part of the step: momentum does not push against
// the constraint.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "convex.hpp"
#include "lanes.hpp"

namespace calmgam::boosting_detail {

// Neighbouring slots that share a height.
struct Block {
    double height, weight;
    std::size_t n_slots;
};

// The nearest heights that never fall; blocks: of a call before, for their memory.
inline void pool(std::size_t n_slots, const double* heights, const double* weights, std::vector<Block>& blocks) {
    blocks.clear();
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
        blocks.push_back({heights[slot], weights[slot], 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].height > blocks.back().height) {
            const Block last = blocks.back();
            blocks.pop_back();
            Block& block = blocks.back();
            const double weight = block.weight + last.weight;
            block = {(block.height * block.weight + last.height * last.weight) / weight, weight,
                     block.n_slots + last.n_slots};
        }
    }
}

// Heights and weights of one lane's slots, and where they go.
class OneWay {
   public:
    // direction: 1 for curves that never fall, -1 for those that never rise; with `centres` of bins: 1 for convex,
    // -1 for concave ones. `ordered`: hessians are running sums.
    OneWay(std::size_t n_slots, int direction, const std::vector<double>& centres, bool ordered,
           const double* hessian_sum)
        : n_slots_(n_slots), direction_(direction), centres_(centres), ordered_(ordered), hessian_sum_(hessian_sum) {}

    // Change the curve, and with it the velocity and, of nodes that have them, the moves of its rows.
    void hold(float* curve, float* velocity, float* moves) {
        for (int lane = 0; lane < LANES; ++lane)
            if (is_broken(curve, lane)) hold_lane(lane, curve, velocity, moves);
    }

   private:
    bool is_broken(const float* curve, int lane) const {
        if (!centres_.empty()) return bends_the_wrong_way(curve, lane);
        for (std::size_t slot = 1; slot < n_slots_; ++slot)
            if (direction_ * (curve[slot * LANES + lane] - curve[(slot - 1) * LANES + lane]) < 0.0f) return true;
        return false;
    }

    // By more than floats may: they are rounded, the curve is not convex to the last bit.
    bool bends_the_wrong_way(const float* curve, int lane) const {
        float largest = 0.0f;
        for (std::size_t slot = 0; slot < n_slots_; ++slot)
            largest = std::max(largest, std::abs(curve[slot * LANES + lane]));
        for (std::size_t slot = 1; slot + 1 < n_slots_; ++slot) {
            const double right = (centres_[slot] - centres_[slot - 1]) / (centres_[slot + 1] - centres_[slot - 1]);
            const float low = curve[(slot - 1) * LANES + lane], high = curve[(slot + 1) * LANES + lane];
            const double above_chord = curve[slot * LANES + lane] - ((1.0 - right) * low + right * high);
            if (direction_ * above_chord > FLOAT_ROUNDING * largest) return true;
        }
        return false;
    }

    void hold_lane(int lane, float* curve, float* velocity, float* moves) {
        heights_.resize(n_slots_);
        weights_.resize(n_slots_);
        const double all = hessian_of(n_slots_ - 1, lane) + (ordered_ ? 0.0 : 1.0);
        const double least = 1e-9 * (all > 0.0 ? all : 1.0);  // of slots without rows
        double before = 0.0;
        for (std::size_t slot = 0; slot < n_slots_; ++slot) {
            const double sum = hessian_of(slot, lane);
            heights_[slot] = direction_ * static_cast<double>(curve[slot * LANES + lane]);
            const double hessian = sum - before;
            weights_[slot] = (hessian > 0.0 ? hessian : 0.0) + least;
            if (ordered_) before = sum;
        }
        find_nearest();
        for (std::size_t slot = 0; slot < n_slots_; ++slot) {
            const std::size_t at = slot * LANES + static_cast<std::size_t>(lane);
            const float height = static_cast<float>(direction_ * heights_[slot]), change = height - curve[at];
            curve[at] = height;
            velocity[at] += change;
            if (moves) moves[at] += change;
        }
    }

    // Of heights that should not fall, or be convex.
    void find_nearest() {
        if (!centres_.empty()) return NearestConvex(centres_).project(heights_.data(), weights_.data());
        pool(n_slots_, heights_.data(), weights_.data(), blocks_);
        auto height = heights_.begin();
        for (const Block& block : blocks_) height = std::fill_n(height, block.n_slots, block.height);
    }

    double hessian_of(std::size_t slot, int lane) const {
        return hessian_sum_[slot * LANES + static_cast<std::size_t>(lane)];
    }

    static constexpr double FLOAT_ROUNDING = 1e-6;  // of the largest height

    std::size_t n_slots_;
    int direction_;
    const std::vector<double>& centres_;
    bool ordered_;
    const double* hessian_sum_;
    std::vector<double> heights_, weights_;
    std::vector<Block> blocks_;
};

}  // namespace calmgam::boosting_detail
