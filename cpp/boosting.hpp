// Region-gated boosting over cells (DESIGN 1.4).
//
// cell = leaf * n_slots + slot     [leaf 0: bins.. missing | leaf 1: bins.. missing | ...]
//
// Eight bags are boosted at once, one per SIMD lane: they share every cell code, so a row's code is
// read once and its eight residuals, step heights and histogram entries are neighbours in memory.
// A round visits the features in turn. Within a round the loss is its quadratic expansion
//     gradient - hessian * shift          (shift: what the round has added to a row's score so far)
// which is exact for squared error, and for log loss is renewed at the start of every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "lanes.hpp"

namespace calmgam {

// What a row does in a bag.
constexpr std::uint8_t TRAINS = 1, VALIDATES = 2;

struct BoostingFeature {
    const std::uint16_t* cells;  // one per row
    std::size_t n_leaves;
    std::size_t n_slots;
    bool ordered;            // numeric: bins on a line, the last slot is missing; otherwise a set of levels
    std::size_t first_cell;  // where the feature's cells begin among all cells
    std::size_t n_cells() const { return n_leaves * n_slots; }
};

struct BoostingData {
    std::size_t n_rows;
    std::vector<BoostingFeature> features;
    const double* target;         // standardised y, or 0/1
    const double* weight;         // sample weight of each row
    const std::uint8_t* roles;    // n_rows x LANES: TRAINS, VALIDATES or both
    std::size_t n_cells() const {
        return features.empty() ? 0 : features.back().first_cell + features.back().n_cells();
    }
};

struct BoostingSettings {
    bool logistic;
    double learning_rate;
    int max_rounds;
    int patience;          // rounds without a better validation loss before a bag stops
    double tolerance;      // smallest relative improvement that counts
    int max_leaves;        // of the small tree fitted in a leaf: 2 or 3
    int smoothing_rounds;  // first rounds, whose cuts are random
    double min_samples_leaf;
    double l2;
    double momentum;         // share of a curve's last change that is made again: heavy-ball acceleration,
                             // which moves correlated features together in far fewer rounds
    double level_smoothing;  // rows at rest added to every level of a categorical feature
};

// One step of one curve: `value` on cells first..last (in the feature's own cell numbering + first_cell).
struct Step {
    std::uint32_t first, last;
    float value;
};

struct BoostingState {
    int round = 0;
    std::vector<float> gradient, hessian, shift, score;  // n_rows x LANES
    std::vector<float> weight_prefix;                    // n_cells x LANES: in-bag weight, summed within a leaf
    std::vector<float> velocity;                         // n_cells x LANES: the last change of each height
    std::vector<double> gradient_sum, hessian_sum;       // n_cells x LANES
    std::vector<Step> steps[LANES];                      // everything ever added, in order
    std::vector<std::size_t> steps_until[LANES];         // steps_until[lane][k]: after k rounds
    double intercept[LANES] = {}, best_loss[LANES] = {};
    double validation_weight[LANES] = {};
    int best_round[LANES] = {};
    bool active[LANES] = {};
    std::uint64_t random[LANES] = {};
    bool finished() const { return std::none_of(active, active + LANES, [](bool a) { return a; }); }
};

// Rounds between two sums of the hessians (log loss): they only scale steps, and drift slowly.
constexpr int RENEW_HESSIAN = 4;

namespace boosting_detail {

// row pass: apply the step heights of the feature before, collect the gradients of the next one
CALMGAM_CLONES
static void shift_and_collect(std::size_t n_rows, const std::uint16_t* __restrict previous_cells,
                              const float* __restrict heights, const std::uint16_t* __restrict cells,
                              const float* __restrict gradient, const float* __restrict hessian,
                              float* __restrict shift, double* __restrict gradient_sum) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const float* height = heights + previous_cells[row] * LANES;
        double* sum = gradient_sum + cells[row] * LANES;
        const std::size_t at = row * LANES;
        for (int lane = 0; lane < LANES; ++lane) {
            const float moved = shift[at + lane] + height[lane];
            shift[at + lane] = moved;
            sum[lane] += gradient[at + lane] - hessian[at + lane] * moved;
        }
    }
}

CALMGAM_CLONES
static void shift_rows(std::size_t n_rows, const std::uint16_t* __restrict cells,
                       const float* __restrict heights, float* __restrict shift) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const float* height = heights + cells[row] * LANES;
        for (int lane = 0; lane < LANES; ++lane) shift[row * LANES + lane] += height[lane];
    }
}

CALMGAM_CLONES
static void keep_moving(std::size_t n_cells, float momentum, float* __restrict velocity, float* __restrict heights) {
    for (std::size_t at = 0; at < n_cells * LANES; ++at) velocity[at] = heights[at] += momentum * velocity[at];
}

CALMGAM_CLONES
static void collect(std::size_t n_rows, const std::uint16_t* __restrict cells,
                    const float* __restrict values, double* __restrict sums) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        double* sum = sums + cells[row] * LANES;
        for (int lane = 0; lane < LANES; ++lane) sum[lane] += values[row * LANES + lane];
    }
}

// Log loss: add the round's shift to the score, renew gradient and hessian, sum the validation loss.
CALMGAM_CLONES
static void renew_logistic(std::size_t n_rows, const double* __restrict target,
                           const double* __restrict weight, const std::uint8_t* __restrict roles,
                           float* __restrict score, float* __restrict shift, float* __restrict gradient,
                           float* __restrict hessian, double* __restrict loss) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const float y = static_cast<float>(target[row]);
        const float w = static_cast<float>(weight[row]);
        const std::size_t at = row * LANES;
        for (int lane = 0; lane < LANES; ++lane) {
            const float s = score[at + lane] + shift[at + lane];
            score[at + lane] = s;
            shift[at + lane] = 0.0f;
            const float decay = fast_exp(-std::fabs(s));          // in (0, 1]
            const float share = 1.0f / (1.0f + decay);
            const float p = s >= 0.0f ? share : decay * share;
            const float trains = roles[at + lane] & TRAINS ? w : 0.0f;
            const float validates = roles[at + lane] & VALIDATES ? w : 0.0f;
            gradient[at + lane] = trains * (y - p);
            hessian[at + lane] = trains * std::max(p * (1.0f - p), 1e-6f);
            const float log_loss = fast_log(1.0f + decay) + std::max(s, 0.0f) - s * y;
            loss[lane] += validates * log_loss;
        }
    }
}

CALMGAM_CLONES
static void squared_loss(std::size_t n_rows, const double* __restrict target,
                         const double* __restrict weight, const std::uint8_t* __restrict roles,
                         const float* __restrict score, const float* __restrict shift,
                         double* __restrict loss) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const float y = static_cast<float>(target[row]);
        const float w = static_cast<float>(weight[row]);
        const std::size_t at = row * LANES;
        for (int lane = 0; lane < LANES; ++lane) {
            const float residual = y - score[at + lane] - shift[at + lane];
            loss[lane] += (roles[at + lane] & VALIDATES ? w : 0.0f) * residual * residual;
        }
    }
}

// The best cut after the slots of [0, n_bins - 1), given an earlier cut (or -1), for every lane.
// Prefix sums make each candidate O(1); lanes are independent, so the inner loop vectorises.
CALMGAM_CLONES
static void best_cut(std::size_t n_bins, const float* __restrict gradient_prefix,
                     const float* __restrict hessian_prefix, const float* __restrict weight_prefix,
                     const std::int32_t* __restrict earlier_cut, float min_weight, float l2,
                     float* __restrict best_gain, std::int32_t* __restrict best_position) {
    const float* gradient_total = gradient_prefix + (n_bins - 1) * LANES;
    const float* hessian_total = hessian_prefix + (n_bins - 1) * LANES;
    const float* weight_total = weight_prefix + (n_bins - 1) * LANES;
    float gradient_cut[LANES], hessian_cut[LANES], weight_cut[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        const std::size_t at = static_cast<std::size_t>(std::max(earlier_cut[lane], 0)) * LANES + lane;
        const bool has = earlier_cut[lane] >= 0;
        gradient_cut[lane] = has ? gradient_prefix[at] : 0.0f;
        hessian_cut[lane] = has ? hessian_prefix[at] : 0.0f;
        weight_cut[lane] = has ? weight_prefix[at] : 0.0f;
        best_gain[lane] = 0.0f;
        best_position[lane] = -1;
    }
    for (std::size_t bin = 0; bin + 1 < n_bins; ++bin) {
        const std::int32_t position = static_cast<std::int32_t>(bin);
        for (int lane = 0; lane < LANES; ++lane) {
            // the segment that holds this position: [0, earlier] or (earlier, end]
            const bool before = position < earlier_cut[lane];
            const std::size_t at = bin * LANES + lane;
            const float g_low = before ? 0.0f : gradient_cut[lane];
            const float h_low = before ? 0.0f : hessian_cut[lane];
            const float w_low = before ? 0.0f : weight_cut[lane];
            const float g_high = before ? gradient_cut[lane] : gradient_total[lane];
            const float h_high = before ? hessian_cut[lane] : hessian_total[lane];
            const float w_high = before ? weight_cut[lane] : weight_total[lane];
            const float g_left = gradient_prefix[at] - g_low, g_right = g_high - gradient_prefix[at];
            const float h_left = hessian_prefix[at] - h_low, h_right = h_high - hessian_prefix[at];
            const float w_left = weight_prefix[at] - w_low, w_right = w_high - weight_prefix[at];
            const float g_all = g_high - g_low, h_all = h_high - h_low;
            float gain = g_left * g_left / (h_left + l2) + g_right * g_right / (h_right + l2) -
                         g_all * g_all / (h_all + l2);
            gain = (w_left >= min_weight) & (w_right >= min_weight) ? gain : 0.0f;
            const bool better = gain > best_gain[lane];
            best_gain[lane] = better ? gain : best_gain[lane];
            best_position[lane] = better ? position : best_position[lane];
        }
    }
}


inline std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

inline int random_cut(std::uint64_t& state, std::size_t n_bins) {  // uniform on 0 .. n_bins - 2
    return static_cast<int>((next_random(state) >> 32) * (n_bins - 1) >> 32);
}

// Reused over leaves and rounds, so that a round allocates nothing.
struct Scratch {
    std::vector<double> gradient_prefix, hessian_prefix;
    std::vector<float> gradient_float, hessian_float, heights;
};

inline float step_height(const BoostingSettings& settings, double gradient, double hessian) {
    return hessian > 0.0 ? static_cast<float>(settings.learning_rate * gradient / (hessian + settings.l2)) : 0.0f;
}

inline void add_step(BoostingState& state, int lane, std::size_t first, std::size_t last, float height) {
    state.steps[lane].push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), height});
}

// A small tree on the bins of one leaf of a numeric feature; missing is a leaf of its own.
inline void fit_ordered_leaf(const BoostingFeature& feature, std::size_t leaf, const BoostingSettings& settings,
                             BoostingState& state, Scratch& scratch) {
    const std::size_t first_cell = feature.first_cell + leaf * feature.n_slots;
    const std::size_t n_bins = feature.n_slots - 1;
    const double* gradient = state.gradient_sum.data() + first_cell * LANES;
    const double* hessian = state.hessian_sum.data() + first_cell * LANES;
    const float* weight_prefix = state.weight_prefix.data() + first_cell * LANES;
    double* gradient_prefix = scratch.gradient_prefix.data();
    double* hessian_prefix = scratch.hessian_prefix.data();
    double gradient_total[LANES] = {}, hessian_total[LANES] = {};
    for (std::size_t at = 0; at < n_bins * LANES; at += LANES)
        for (int lane = 0; lane < LANES; ++lane) {
            gradient_prefix[at + lane] = gradient_total[lane] += gradient[at + lane];
            hessian_prefix[at + lane] = hessian_total[lane] += hessian[at + lane];
            scratch.gradient_float[at + lane] = static_cast<float>(gradient_total[lane]);
            scratch.hessian_float[at + lane] = static_cast<float>(hessian_total[lane]);
        }

    const float min_weight = static_cast<float>(settings.min_samples_leaf);
    std::int32_t cuts[2][LANES];  // the first found, the second found
    float gain[LANES];
    std::fill(cuts[0], cuts[0] + LANES, -1);
    std::fill(cuts[1], cuts[1] + LANES, -1);
    if (state.round < settings.smoothing_rounds) {
        for (int lane = 0; lane < LANES; ++lane)
            for (int cut = 0; cut + 1 < settings.max_leaves && n_bins > 1; ++cut)
                cuts[cut][lane] = random_cut(state.random[lane], n_bins);
    } else {
        const std::int32_t none[LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
        const float l2 = static_cast<float>(settings.l2) + 1e-12f;
        for (int cut = 0; cut + 1 < settings.max_leaves; ++cut)
            best_cut(n_bins, scratch.gradient_float.data(), scratch.hessian_float.data(), weight_prefix,
                     cut == 0 ? none : cuts[0], min_weight, l2, gain, cuts[cut]);
    }

    std::int32_t ends[3][LANES];  // last bin of each of up to three segments, ascending
    float heights[3][LANES], missing_height[LANES];
    const std::int32_t last_bin = static_cast<std::int32_t>(n_bins) - 1;
    for (int lane = 0; lane < LANES; ++lane) {
        int sorted[3] = {std::min(cuts[0][lane], cuts[1][lane]), std::max(cuts[0][lane], cuts[1][lane]), last_bin};
        double gradient_before = 0.0, hessian_before = 0.0;
        float weight_before = 0.0f;
        const float weight_all = weight_prefix[last_bin * LANES + lane];
        std::int32_t start = 0;
        for (int segment = 0; segment < 3; ++segment) {
            std::int32_t end = sorted[segment];
            const std::size_t at = static_cast<std::size_t>(std::max(end, 0)) * LANES + lane;
            // a (random) cut that leaves too few rows on a side is not made
            const bool cut_made = end >= start && (segment == 2 || (weight_prefix[at] - weight_before >= min_weight &&
                                                                    weight_all - weight_prefix[at] >= min_weight));
            if (!cut_made || !state.active[lane]) {
                ends[segment][lane] = -1;
                heights[segment][lane] = 0.0f;
                if (segment == 2) ends[segment][lane] = last_bin;
                continue;
            }
            ends[segment][lane] = end;
            heights[segment][lane] =
                step_height(settings, gradient_prefix[at] - gradient_before, hessian_prefix[at] - hessian_before);
            add_step(state, lane, first_cell + start, first_cell + end, heights[segment][lane]);
            gradient_before = gradient_prefix[at];
            hessian_before = hessian_prefix[at];
            weight_before = weight_prefix[at];
            start = end + 1;
        }
        const std::size_t missing = n_bins * LANES + lane;
        missing_height[lane] = state.active[lane] ? step_height(settings, gradient[missing], hessian[missing]) : 0.0f;
        if (missing_height[lane] != 0.0f) add_step(state, lane, first_cell + n_bins, first_cell + n_bins, missing_height[lane]);
    }

    float* height = scratch.heights.data() + leaf * feature.n_slots * LANES;
    for (std::int32_t bin = 0; bin <= last_bin; ++bin)
        for (int lane = 0; lane < LANES; ++lane)
            height[bin * LANES + lane] = bin <= ends[0][lane]   ? heights[0][lane]
                                         : bin <= ends[1][lane] ? heights[1][lane]
                                                                : heights[2][lane];
    for (int lane = 0; lane < LANES; ++lane) height[n_bins * LANES + lane] = missing_height[lane];
}

// Every level of a categorical leaf moves by its own mean, shrunk as if `level_smoothing` rows at rest
// were added to it: levels are unordered, and a rare one learns slowly.
inline void fit_unordered_leaf(const BoostingFeature& feature, std::size_t leaf, const BoostingSettings& settings,
                               BoostingState& state, Scratch& scratch) {
    const std::size_t first_cell = feature.first_cell + leaf * feature.n_slots;
    const double* gradient = state.gradient_sum.data() + first_cell * LANES;
    const double* hessian = state.hessian_sum.data() + first_cell * LANES;
    const float* weight_total = state.weight_prefix.data() + (first_cell + feature.n_slots - 1) * LANES;
    float* height = scratch.heights.data() + leaf * feature.n_slots * LANES;
    double shrinkage[LANES] = {};
    for (std::size_t at = 0; at < feature.n_slots * LANES; ++at) shrinkage[at % LANES] += hessian[at];
    for (int lane = 0; lane < LANES; ++lane)
        shrinkage[lane] *= settings.level_smoothing / std::max(weight_total[lane], 1e-30f);  // rows -> hessian
    for (std::size_t slot = 0; slot < feature.n_slots; ++slot)
        for (int lane = 0; lane < LANES; ++lane) {
            const std::size_t at = slot * LANES + lane;
            height[at] = state.active[lane] ? step_height(settings, gradient[at], hessian[at] + shrinkage[lane]) : 0.0f;
            if (height[at] != 0.0f) add_step(state, lane, first_cell + slot, first_cell + slot, height[at]);
        }
}

}  // namespace boosting_detail

inline BoostingState start_boosting(const BoostingData& data, const BoostingSettings& settings,
                                    const std::uint64_t* seeds, int n_bags) {
    using namespace boosting_detail;
    BoostingState state;
    const std::size_t size = data.n_rows * LANES, cells = data.n_cells() * LANES;
    state.gradient.assign(size, 0.0f);
    state.hessian.assign(size, 0.0f);
    state.shift.assign(size, 0.0f);
    state.score.assign(size, 0.0f);
    state.gradient_sum.assign(cells, 0.0);
    state.hessian_sum.assign(cells, 0.0);
    state.velocity.assign(cells, 0.0f);
    state.weight_prefix.assign(cells, 0.0f);
    double mean[LANES] = {}, training_weight[LANES] = {};
    for (std::size_t row = 0; row < data.n_rows; ++row)
        for (int lane = 0; lane < LANES; ++lane) {
            const std::uint8_t role = data.roles[row * LANES + lane];
            if (role & VALIDATES) state.validation_weight[lane] += data.weight[row];
            if (!(role & TRAINS)) continue;
            training_weight[lane] += data.weight[row];
            mean[lane] += data.weight[row] * data.target[row];
        }
    for (int lane = 0; lane < LANES; ++lane) {
        state.random[lane] = seeds[lane];
        state.active[lane] = lane < n_bags;
        state.steps_until[lane].push_back(0);
        mean[lane] /= std::max(training_weight[lane], 1e-300);
        const double p = std::min(std::max(mean[lane], 1e-6), 1.0 - 1e-6);
        state.intercept[lane] = settings.logistic ? std::log(p / (1.0 - p)) : mean[lane];
        state.best_loss[lane] = std::numeric_limits<double>::infinity();
    }
    for (std::size_t row = 0; row < data.n_rows; ++row)
        for (int lane = 0; lane < LANES; ++lane) {
            const std::size_t at = row * LANES + lane;
            state.score[at] = static_cast<float>(state.intercept[lane]);
            state.hessian[at] = data.roles[at] & TRAINS ? static_cast<float>(data.weight[row]) : 0.0f;
            // squared error: the expansion never changes, so it is laid down once
            state.gradient[at] = state.hessian[at] * static_cast<float>(data.target[row] - state.intercept[lane]);
        }
    for (const auto& feature : data.features) {
        double* sums = state.hessian_sum.data() + feature.first_cell * LANES;
        collect(data.n_rows, feature.cells, state.hessian.data(), sums);
        for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf)
            for (int lane = 0; lane < LANES; ++lane) {
                double total = 0.0;
                for (std::size_t slot = 0; slot < feature.n_slots; ++slot) {
                    const std::size_t at = (leaf * feature.n_slots + slot) * LANES + lane;
                    total += sums[at];
                    state.weight_prefix[feature.first_cell * LANES + at] = static_cast<float>(total);
                }
            }
    }
    return state;
}

// Boost until n_rounds more are done or every bag has stopped.
inline void advance(const BoostingData& data, const BoostingSettings& settings, BoostingState& state, int n_rounds) {
    using namespace boosting_detail;
    Scratch scratch;
    std::size_t most_cells = 0, most_slots = 0;
    for (const auto& feature : data.features) {
        most_cells = std::max(most_cells, feature.n_cells());
        most_slots = std::max(most_slots, feature.n_slots);
    }
    scratch.gradient_prefix.resize(most_slots * LANES);
    scratch.hessian_prefix.resize(most_slots * LANES);
    scratch.gradient_float.resize(most_slots * LANES);
    scratch.hessian_float.resize(most_slots * LANES);
    std::vector<float> heights_before(most_cells * LANES, 0.0f);
    scratch.heights.assign(most_cells * LANES, 0.0f);

    for (int done = 0; done < n_rounds; ++done) {
        double loss[LANES] = {};
        if (settings.logistic)
            renew_logistic(data.n_rows, data.target, data.weight, data.roles, state.score.data(), state.shift.data(),
                           state.gradient.data(), state.hessian.data(), loss);
        else
            squared_loss(data.n_rows, data.target, data.weight, data.roles, state.score.data(), state.shift.data(), loss);
        for (int lane = 0; lane < LANES; ++lane) {
            if (!state.active[lane]) continue;
            loss[lane] /= std::max(state.validation_weight[lane], 1e-300);
            if (loss[lane] < state.best_loss[lane] * (1.0 - settings.tolerance) || state.round == 0) {
                state.best_loss[lane] = loss[lane];
                state.best_round[lane] = state.round;
            }
            state.active[lane] =
                state.round < settings.max_rounds && state.round - state.best_round[lane] < settings.patience;
        }
        if (state.finished()) return;

        const BoostingFeature* before = nullptr;
        for (const auto& feature : data.features) {
            double* gradient_sum = state.gradient_sum.data() + feature.first_cell * LANES;
            double* hessian_sum = state.hessian_sum.data() + feature.first_cell * LANES;
            std::fill(gradient_sum, gradient_sum + feature.n_cells() * LANES, 0.0);
            if (before == nullptr) before = &feature;  // heights_before is still all zero
            shift_and_collect(data.n_rows, before->cells, heights_before.data(), feature.cells, state.gradient.data(),
                              state.hessian.data(), state.shift.data(), gradient_sum);
            if (settings.logistic && state.round % RENEW_HESSIAN == 0) {
                std::fill(hessian_sum, hessian_sum + feature.n_cells() * LANES, 0.0);
                collect(data.n_rows, feature.cells, state.hessian.data(), hessian_sum);
            }
            for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf)
                (feature.ordered ? fit_ordered_leaf : fit_unordered_leaf)(feature, leaf, settings, state, scratch);
            keep_moving(feature.n_cells(), static_cast<float>(settings.momentum),
                        state.velocity.data() + feature.first_cell * LANES, scratch.heights.data());
            std::swap(heights_before, scratch.heights);
            before = &feature;
        }
        if (before != nullptr) shift_rows(data.n_rows, before->cells, heights_before.data(), state.shift.data());
        std::fill(heights_before.begin(), heights_before.end(), 0.0f);
        ++state.round;
        for (int lane = 0; lane < LANES; ++lane) state.steps_until[lane].push_back(state.steps[lane].size());
    }
}

// The curve heights of one bag after its best round, one per cell.
// A step of height v made k rounds before the end has moved its cells by v (1 + m + ... + m^(k-1)).
inline void curves_of(const BoostingData& data, const BoostingSettings& settings, const BoostingState& state, int lane,
                      double* values) {
    std::vector<double> change(data.n_cells() + 1, 0.0);
    for (int round = 0; round < state.best_round[lane]; ++round) {
        const double times =
            (1.0 - std::pow(settings.momentum, state.best_round[lane] - round)) / (1.0 - settings.momentum);
        for (std::size_t k = state.steps_until[lane][round]; k < state.steps_until[lane][round + 1]; ++k) {
            const Step& step = state.steps[lane][k];
            change[step.first] += times * step.value;
            change[step.last + 1] -= times * step.value;
        }
    }
    double height = 0.0;
    for (std::size_t cell = 0; cell < data.n_cells(); ++cell) values[cell] = height += change[cell];
}

}  // namespace calmgam
