// Boosting of many classes: softmax of one score per class, over the regions that all classes share.
//
// Every class has a state of its own (boosting.hpp), eight bags in lanes. Once a round the classes meet: their
// scores become probabilities, and the loss is expanded class by class,
//     gradient = [y = class] - p          hessian = K / (K - 1) p (1 - p)
// where the factor makes up for classes that move at the same time (at equal probabilities it is the exact
// curvature along differences between classes). Bags are judged on the log loss of all classes together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting.hpp"

namespace calmgam {

// Negative log-likelihood of a class, 0 .. n_classes - 1; a score per class.
struct Softmax {
    static constexpr bool QUADRATIC = false;
    std::size_t n_classes;
    double least(double) const { return 0.0; }
};

namespace boosting_detail {

struct ClassRows {
    float *score, *shift, *gradient, *hessian;  // n_rows x LANES each
};

// The rows make the last change of a class's curves.
CALMGAM_CLONES
static void finish_move(const BoostingData& data, const BoostingFeature& moved, const float* heights, RowState& rows) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const float* height = heights + moved.cells[row] * LANES;
        float* shift = rows.shift.data() + row * LANES;
        CALMGAM_FOR_LANES shift[lane] += height[lane];
    }
}

// Classes lie apart in memory: so many rows of one are taken before those of the next.
constexpr std::size_t ROWS_TOGETHER = 32;

// New scores, probabilities, gradients and hessians of all classes in some rows, and the validation cost. `odds`:
// n_classes x ROWS_TOGETHER x LANES to work with.
CALMGAM_CLONES
static void expand_rows(const BoostingData& data, std::size_t first, std::size_t n_rows, const ClassRows* classes,
                        std::size_t n_classes, float* odds, double* cost) {
    const float factor = static_cast<float>(n_classes) / static_cast<float>(n_classes - 1);
    float highest[ROWS_TOGETHER * LANES], total[ROWS_TOGETHER * LANES] = {};
    const std::size_t begin = first * LANES, size = n_rows * LANES;
    std::fill(highest, highest + size, -std::numeric_limits<float>::max());
    for (std::size_t k = 0; k < n_classes; ++k) {
        float *score = classes[k].score + begin, *shift = classes[k].shift + begin;
        CALMGAM_SIMD for (std::size_t at = 0; at < size; ++at) {
            score[at] += shift[at];
            shift[at] = 0.0f;
            highest[at] = score[at] > highest[at] ? score[at] : highest[at];
        }
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
        const float* score = classes[k].score + begin;
        float* odd = odds + k * size;
        CALMGAM_SIMD for (std::size_t at = 0; at < size; ++at) {
            odd[at] = fast_exp(score[at] - highest[at]);
            total[at] += odd[at];
        }
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (!data.validates[first + row]) continue;
        const float* validates = lanes_of(data.validates[first + row]);
        const float* score = classes[static_cast<std::size_t>(data.target[first + row])].score + begin;
        const float weight = static_cast<float>(data.weight[first + row]);
        for (int lane = 0; lane < LANES; ++lane) {
            const std::size_t at = row * LANES + static_cast<std::size_t>(lane);
            cost[lane] += validates[lane] * (weight * (std::log(total[at]) + (highest[at] - score[at])));
        }
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
        const float* odd = odds + k * size;
        float *gradient = classes[k].gradient + begin, *hessian = classes[k].hessian + begin;
        for (std::size_t row = 0, at = 0; row < n_rows; ++row, at += LANES) {
            const float y = static_cast<std::size_t>(data.target[first + row]) == k ? 1.0f : 0.0f;
            const float weight = static_cast<float>(data.weight[first + row]);
            const float* trains = lanes_of(data.trains[first + row]);
            CALMGAM_FOR_LANES {
                const float p = odd[at + lane] / total[at + lane];
                const float variance = factor * (p * (1.0f - p));
                const float floored = variance > 1e-6f ? variance : 1e-6f;
                gradient[at + lane] = trains[lane] * (weight * (y - p));
                hessian[at + lane] = trains[lane] * (weight * floored);
            }
        }
    }
}

// What the first class's bags decided holds for all.
inline void follow(const BoostingData& data, const BoostingState& judged, BoostingState& state) {
    std::int32_t better[LANES] = {};
    for (int lane = 0; lane < LANES; ++lane) {
        better[lane] = judged.best_round[lane] == judged.round && (state.active[lane] || judged.round == 0);
        state.active[lane] = judged.active[lane];
        state.smooth[lane] = judged.smooth[lane];
        state.momentum[lane] = judged.momentum[lane];
    }
    keep_best(data.n_cells(), better, state.curve.data(), state.best_curve.data());
}

}  // namespace boosting_detail

// intercepts: n_bags x n_classes. Every class draws its own random cuts.
inline std::vector<BoostingState> start_classes(const BoostingData& data, const Softmax& loss,
                                                const std::uint64_t* seeds, const std::vector<double>& intercepts) {
    std::vector<BoostingState> states;
    const std::size_t n_bags = intercepts.size() / loss.n_classes;
    for (std::size_t k = 0; k < loss.n_classes; ++k) {
        std::vector<double> own(n_bags);
        std::uint64_t drawn[LANES] = {};
        for (std::size_t bag = 0; bag < n_bags; ++bag) {
            own[bag] = intercepts[bag * loss.n_classes + k];
            std::uint64_t mixed = seeds[bag] + k;
            drawn[bag] = boosting_detail::next_random(mixed);
        }
        states.push_back(start_boosting(data, loss, drawn, own));
    }
    return states;
}

// Boost until n_rounds more are done or every bag has stopped.
inline void advance_classes(const BoostingData& data, const BoostingSettings& settings,
                            std::vector<BoostingState>& states, int n_rounds) {
    using namespace boosting_detail;
    std::vector<ClassRows> rows;
    for (BoostingState& state : states)
        rows.push_back(
            {state.rows.score.data(), state.rows.shift.data(), state.rows.gradient.data(), state.rows.hessian.data()});
    std::vector<float> odds(states.size() * ROWS_TOGETHER * LANES);
    BoostingState& judged = states.front();
    for (int done = 0; done < n_rounds && !judged.finished(); ++done) {
        double cost[LANES] = {};
        for (std::size_t row = 0; row < data.n_rows; row += ROWS_TOGETHER)
            expand_rows(data, row, std::min(ROWS_TOGETHER, data.n_rows - row), rows.data(), rows.size(), odds.data(),
                        cost);
        judge(data, settings, cost, judged);
        for (std::size_t k = 1; k < states.size(); ++k) follow(data, judged, states[k]);
        if (judged.finished()) return;
        for (BoostingState& state : states) {
            for (std::size_t index = 0; index < data.features.size(); ++index) {
                const BoostingFeature& feature = data.features[index];
                double* gradient_sum = state.leaf_gradients(feature);
                std::fill(gradient_sum, gradient_sum + feature.n_cells() * LANES, 0.0);
                if (index == 0) {  // nothing has moved since the expansion
                    sum_cells(data, feature, state.rows.gradient.data(), gradient_sum);
                } else {
                    const BoostingFeature& moved = data.features[index - 1];
                    collect_curved(data, moved, last_move(moved, state), feature, state.rows, gradient_sum);
                }
                move_feature(data, index, true, settings, state);
            }
            const BoostingFeature& moved = data.features.back();
            finish_move(data, moved, last_move(moved, state), state.rows);
            ++state.round;
        }
    }
}

}  // namespace calmgam
