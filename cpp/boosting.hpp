// Region-gated boosting over cells (DESIGN 1.4): eight bags at once, one per lane.
//
// A round visits the features in turn. The gradients of a feature's cells are summed over the rows
// (boosting_rows.hpp), every node gets a tiny tree or a move per level, and momentum carries it on:
//     velocity = heights + momentum * velocity          curve += velocity
// The leaves below a condition of a feature's tree share what they learn: first the whole tree learns, from the
// sums over all its leaves, then its branches, at last each leaf what is its own. So a split does not tear the rows
// of a curve apart. (Leaves that are their own roots share nothing.) What is left for a node to learn needs no
// further pass over the rows:
//     gradient sum - velocities above * hessian sum
// Before each round every bag is judged on its validation rows; its best curves are kept. A bag first makes
// random cuts, which smooth its curves, as long as they pay; then the best ones, until those stop paying.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "boosting_cuts.hpp"
#include "boosting_monotone.hpp"
#include "boosting_rows.hpp"
#include "lanes.hpp"

namespace calmgam {

struct BoostingSettings {
    double learning_rate;
    int max_rounds;
    int patience;          // rounds without a better validation loss before a bag stops
    double tolerance;      // smallest relative improvement that counts
    int max_leaves;        // of the small tree fitted in a leaf: 2 or 3
    int smoothing_rounds;  // the most rounds whose cuts are random; half the patience ends them earlier
    double min_samples_leaf;
    double ridge;
    double momentum;          // share of a curve's last change that is made again: heavy-ball acceleration,
                              // which moves correlated features together in far fewer rounds
    double momentum_rounds;   // how slowly momentum sets in: round / (round + momentum_rounds)
    double level_smoothing;   // rows at rest added to every level of a categorical feature
    double max_step;          // most that a whole step, before the learning rate, may move a curve
    double least_news = 0.0;  // cost of all validation rows: what has fallen by less keeps no bag going
};

struct BoostingState {
    int round = 0;
    RowState rows;
    std::size_t moved_feature = 0;                   // the feature whose last change the rows have yet to make
    std::vector<float> moves;                        // that change, by node, if it has conditions
    std::vector<float> velocity, curve, best_curve;  // n_cells x LANES
    std::vector<double> hessian_sum;                 // n_cells x LANES; running sums over ordered bins
    std::vector<double> gradient_sum;                // the same of the feature that is learning, by node
    std::vector<float> weight_sum;                   // the same of the training rows' weights
    double intercept[LANES] = {}, best_loss[LANES] = {}, news_loss[LANES] = {};  // news: what kept the bag going
    double validation_weight[LANES] = {}, least_cost[LANES] = {};                // of the validation rows
    int best_round[LANES] = {};
    int last_news[LANES] = {};                    // the last round with news, or the first with best cuts
    bool active[LANES] = {}, smooth[LANES] = {};  // smooth: makes random cuts
    float momentum[LANES] = {};                   // 0 in a bag that has stopped
    std::uint64_t random[LANES] = {};
    double* leaf_gradients(const BoostingFeature& feature) {
        return gradient_sum.data() + feature.children.size() * feature.n_slots * LANES;
    }
    bool finished() const {
        return std::none_of(active, active + LANES, [](bool a) { return a; });
    }
};

// Rounds between two sums of the hessians, where they change: they only scale steps, and drift slowly.
constexpr int RENEW_HESSIAN = 4;

namespace boosting_detail {

// Sums of the leaves, added up for what they share, from the leaves up to the root.
CALMGAM_CLONES
static void add_up(const BoostingFeature& feature, double* sums) {  // of the feature's nodes
    const std::size_t size = feature.n_slots * LANES;
    for (std::size_t node = feature.children.size(); node-- > 0;) {
        const auto [first, second] = feature.children[node];
        const double *left = sums + first * size, *right = sums + second * size;
        for (std::size_t at = 0; at < size; ++at) sums[node * size + at] = left[at] + right[at];
    }
}

// Running sums over the bins of a numeric node; missing stays apart.
CALMGAM_CLONES
static void accumulate(std::size_t n_slots, double* sums) {
    double total[LANES] = {};
    for (std::size_t bin = 0; bin + 1 < n_slots; ++bin, sums += LANES) CALMGAM_FOR_LANES {
            total[lane] += sums[lane];
            sums[lane] = total[lane];
        }
}

// The same of gradients, after what the nodes above have just gained is taken from them.
CALMGAM_CLONES
static void accumulate_rest(std::size_t n_slots, const float* above, const double* hessian_sum, double* gradient_sum) {
    double total[LANES] = {}, before[LANES] = {};  // hessians are running sums
    for (std::size_t bin = 0; bin + 1 < n_slots; ++bin, above += LANES, hessian_sum += LANES, gradient_sum += LANES)
        CALMGAM_FOR_LANES {
            total[lane] += gradient_sum[lane] - (hessian_sum[lane] - before[lane]) * above[lane];
            before[lane] = hessian_sum[lane];
            gradient_sum[lane] = total[lane];
        }
    CALMGAM_FOR_LANES gradient_sum[lane] -= hessian_sum[lane] * above[lane];
}

// The gradients of levels, without what the nodes above have just gained.
CALMGAM_CLONES
static void take_above(std::size_t n_slots, const float* above, const double* hessian_sum, double* gradient_sum) {
    for (std::size_t at = 0; at < n_slots * LANES; ++at) gradient_sum[at] -= hessian_sum[at] * above[at];
}

// Weights or hessians of a feature's leaves: sums in all its nodes, running ones over bins.
inline void sum_nodes(const BoostingFeature& feature, double* sums) {
    add_up(feature, sums);
    for (std::size_t node = 0; feature.ordered && node < feature.n_nodes(); ++node)
        accumulate(feature.n_slots, sums + node * feature.n_slots * LANES);
}

inline float step_height(const BoostingSettings& settings, double gradient, double hessian) {
    if (!(hessian > 0.0)) return 0.0f;
    const double height = settings.learning_rate * gradient / (hessian + settings.ridge);
    const double most = settings.learning_rate * settings.max_step;
    return static_cast<float>(std::min(std::max(height, -most), most));
}

// Up to three segments of bins in each lane: the last bin and the height of each; -1 if it is not there.
struct Segments {
    std::int32_t end[3][LANES];
    float height[3][LANES];
};

// What moves when a node learns. `above`: what the nodes above it have just gained (null at the root); `moves`:
// the same with its own velocity, by which its rows move, and its curve.
struct Motion {
    const float *momentum, *above;
    float *velocity, *moves, *curve;
    void slot(std::size_t at, int lane, float height) const {
        velocity[at] = height + momentum[lane] * velocity[at];
        const float move = above ? moves[at] = above[at] + velocity[at] : velocity[at];
        curve[at] += move;
    }
};

// velocity = heights + momentum * velocity on the bins of a node, and the curve follows.
CALMGAM_CLONES
static void move_bins(std::size_t n_bins, const Segments& segments, const Motion& motion) {
    float *velocity = motion.velocity, *curve = motion.curve, *moves = motion.moves;
    const float *above = motion.above, *momentum = motion.momentum;
    for (std::size_t bin = 0; bin < n_bins; ++bin, velocity += LANES, curve += LANES) {
        const std::int32_t position = static_cast<std::int32_t>(bin);
        CALMGAM_FOR_LANES {
            const float upper = position <= segments.end[1][lane] ? segments.height[1][lane] : segments.height[2][lane];
            const float height = position <= segments.end[0][lane] ? segments.height[0][lane] : upper;
            velocity[lane] = height + momentum[lane] * velocity[lane];
        }
        if (above) {
            CALMGAM_FOR_LANES {
                moves[lane] = above[lane] + velocity[lane];
                curve[lane] += moves[lane];
            }
            above += LANES;
            moves += LANES;
        } else {
            CALMGAM_FOR_LANES curve[lane] += velocity[lane];
        }
    }
}

// A small tree on the bins of one node of a numeric feature; missing is a leaf of its own.
inline void fit_ordered(std::size_t n_slots, const NodeSums& sums, const BoostingSettings& settings,
                        BoostingState& state, const Motion& motion) {
    const std::size_t n_bins = n_slots - 1, last = n_bins - 1;
    const float min_weight = static_cast<float>(settings.min_samples_leaf);
    std::int32_t cuts[2][LANES];  // the first found, the second found
    std::fill(cuts[0], cuts[0] + LANES, -1);
    std::fill(cuts[1], cuts[1] + LANES, -1);
    if (!std::equal(state.active, state.active + LANES, state.smooth)) {  // some bag makes the best cuts
        const float ridge = static_cast<float>(settings.ridge) + 1e-12f;
        best_cut(n_bins, sums, cuts[1], min_weight, ridge, cuts[0]);  // cuts[1]: no earlier cut yet
        if (settings.max_leaves == 3) best_cut(n_bins, sums, cuts[0], min_weight, ridge, cuts[1]);
    }
    for (int lane = 0; lane < LANES; ++lane)
        for (int cut = 0; state.smooth[lane] && cut + 1 < settings.max_leaves && n_bins > 1; ++cut)
            cuts[cut][lane] = random_cut(state.random[lane], n_bins);

    Segments segments;
    for (int lane = 0; lane < LANES; ++lane) {
        std::int32_t ends[3] = {std::min(cuts[0][lane], cuts[1][lane]), std::max(cuts[0][lane], cuts[1][lane]),
                                static_cast<std::int32_t>(last)};
        std::int32_t start = 0;
        double gradient_before = 0.0, hessian_before = 0.0;
        float weight_before = 0.0f;
        const float weight_all = sums.weight[last * LANES + lane];
        for (int segment = 0; segment < 3; ++segment) {
            const std::size_t at = static_cast<std::size_t>(std::max(ends[segment], 0)) * LANES + lane;
            const float weight = sums.weight[at];
            // a (random) cut that leaves too few rows on a side is not made
            const bool made =
                ends[segment] >= start &&
                (segment == 2 || (weight - weight_before >= min_weight && weight_all - weight >= min_weight));
            segments.end[segment][lane] = made ? ends[segment] : -1;
            segments.height[segment][lane] = 0.0f;
            if (!made || !state.active[lane]) continue;
            segments.height[segment][lane] =
                step_height(settings, sums.gradient[at] - gradient_before, sums.hessian[at] - hessian_before);
            gradient_before = sums.gradient[at];
            hessian_before = sums.hessian[at];
            weight_before = weight;
            start = ends[segment] + 1;
        }
    }
    move_bins(n_bins, segments, motion);
    for (int lane = 0; lane < LANES; ++lane) {
        const std::size_t missing = n_bins * LANES + lane;
        const float height =
            state.active[lane] ? step_height(settings, sums.gradient[missing], sums.hessian[missing]) : 0.0f;
        motion.slot(missing, lane, height);
    }
}

// Every level of a categorical node moves by its own mean, shrunk as if `level_smoothing` rows at rest
// were added to it: levels are unordered, and a rare one learns slowly.
inline void fit_unordered(std::size_t n_slots, const NodeSums& sums, const BoostingSettings& settings,
                          BoostingState& state, const Motion& motion) {
    for (int lane = 0; lane < LANES; ++lane) {
        double hessian = 0.0, weight = 0.0;
        for (std::size_t at = lane; at < n_slots * LANES; at += LANES) {
            hessian += sums.hessian[at];
            weight += sums.weight[at];
        }
        const double at_rest = settings.level_smoothing * hessian / std::max(weight, 1e-300);
        for (std::size_t at = lane; at < n_slots * LANES; at += LANES) {
            const float height =
                state.active[lane] ? step_height(settings, sums.gradient[at], sums.hessian[at] + at_rest) : 0.0f;
            motion.slot(at, lane, height);
        }
    }
}

// Fit a small tree, or a move per level, to the gradients of a node's cells.
inline void move_node(const BoostingFeature& feature, std::size_t node, const BoostingSettings& settings,
                      BoostingState& state) {
    const std::size_t at = feature.node_cell(node) * LANES, n_slots = feature.n_slots, size = n_slots * LANES;
    const std::size_t parent = feature.parents[node];
    const float* above = nullptr;
    if (parent != node) above = parent > 0 ? &state.moves[parent * size] : &state.velocity[feature.root_cell * LANES];
    double* gradient_sum = &state.gradient_sum[node * size];
    const double* hessian_sum = &state.hessian_sum[at];
    if (feature.ordered)
        above ? accumulate_rest(n_slots, above, hessian_sum, gradient_sum) : accumulate(n_slots, gradient_sum);
    else if (above)
        take_above(n_slots, above, hessian_sum, gradient_sum);
    const Motion motion{state.momentum, above, &state.velocity[at], above ? &state.moves[node * size] : nullptr,
                        &state.curve[at]};
    (feature.ordered ? fit_ordered : fit_unordered)(n_slots, {gradient_sum, hessian_sum, &state.weight_sum[at]},
                                                    settings, state, motion);
    if (feature.direction != 0 && feature.n_in_order() > 1)
        OneWay(feature.n_in_order(), feature.direction, feature.centres, feature.ordered, hessian_sum)
            .hold(motion.curve, motion.velocity, motion.moves);
}

// Fit the curves of a feature to the gradients of its cells.
inline void move_feature(const BoostingData& data, std::size_t index, bool hessian_changes,
                         const BoostingSettings& settings, BoostingState& state) {
    const BoostingFeature& feature = data.features[index];
    if (hessian_changes && state.round % RENEW_HESSIAN == 0) {
        double* hessian_sum = state.hessian_sum.data() + feature.first_cell() * LANES;
        std::fill(hessian_sum, hessian_sum + feature.n_cells() * LANES, 0.0);
        sum_cells(data, feature, state.rows.hessian.data(), hessian_sum);
        sum_nodes(feature, &state.hessian_sum[feature.root_cell * LANES]);
    }
    add_up(feature, state.gradient_sum.data());
    for (std::size_t node = 0; node < feature.n_nodes(); ++node) move_node(feature, node, settings, state);
    state.moved_feature = index;
}

CALMGAM_CLONES
static void keep_best(std::size_t n_cells, const std::int32_t* better, const float* curve, float* best_curve) {
    for (std::size_t cell = 0; cell < n_cells; ++cell, curve += LANES, best_curve += LANES)
        CALMGAM_FOR_LANES best_curve[lane] = better[lane] ? curve[lane] : best_curve[lane];
}

// By what a feature's leaves moved last. A leaf without conditions above it moves by its own velocity.
inline const float* last_move(const BoostingFeature& moved, const BoostingState& state) {
    return moved.children.empty() ? &state.velocity[moved.root_cell * LANES]
                                  : &state.moves[moved.children.size() * moved.n_slots * LANES];
}

// Who has got better, and who goes on, after `round` rounds.
inline void judge(const BoostingData& data, const BoostingSettings& settings, const double* cost,
                  BoostingState& state) {
    std::int32_t better[LANES] = {};
    for (int lane = 0; lane < LANES; ++lane) {
        if (!state.active[lane]) continue;
        const double weight = std::max(state.validation_weight[lane], 1e-300), share = 1.0 - settings.tolerance;
        const double mean_loss = (cost[lane] - state.least_cost[lane]) / weight;
        better[lane] = state.round == 0 || mean_loss < state.best_loss[lane] * share;
        if (better[lane]) {
            state.best_loss[lane] = mean_loss;
            state.best_round[lane] = state.round;
            if (state.round == 0 || mean_loss < (state.news_loss[lane] - settings.least_news / weight) * share) {
                state.news_loss[lane] = mean_loss;
                state.last_news[lane] = state.round;
            }
        }
        const int waited = state.round - state.last_news[lane];
        if (state.smooth[lane] && (state.round >= settings.smoothing_rounds || 2 * waited >= settings.patience)) {
            state.smooth[lane] = false;
            state.last_news[lane] = state.round;
        }
        state.active[lane] =
            state.round < settings.max_rounds && state.round - state.last_news[lane] < settings.patience;
    }
    const double set_in = state.round / std::max(state.round + settings.momentum_rounds, 1e-300);
    const float momentum = static_cast<float>(std::min(settings.momentum, set_in));
    for (int lane = 0; lane < LANES; ++lane) state.momentum[lane] = state.active[lane] ? momentum : 0.0f;
    if (std::any_of(better, better + LANES, [](std::int32_t b) { return b; }))
        keep_best(data.n_cells(), better, state.curve.data(), state.best_curve.data());
}

// Mean over the validation rows of all bags.
inline double mean_cost(const BoostingState& state, const double* cost) {
    double costs = 0.0, weights = 0.0;
    for (int lane = 0; lane < LANES; ++lane) {
        costs += cost[lane] - state.least_cost[lane];
        weights += state.validation_weight[lane];
    }
    return costs / std::max(weights, 1e-300);
}

}  // namespace boosting_detail

template <typename Loss>
BoostingState start_boosting(const BoostingData& data, const Loss& loss, const std::uint64_t* seeds,
                             const std::vector<double>& intercepts) {
    using namespace boosting_detail;
    BoostingState state;
    const std::size_t n_cells = data.n_cells() * LANES;
    state.hessian_sum.assign(n_cells, 0.0);
    for (auto* heights : {&state.velocity, &state.curve, &state.best_curve}) heights->assign(n_cells, 0.0f);
    for (const BoostingFeature& feature : data.features) {
        double* sums = state.hessian_sum.data() + feature.first_cell() * LANES;
        collect_weights(data, feature, sums);  // the hessians of squared error; other losses renew them
        sum_nodes(feature, &state.hessian_sum[feature.root_cell * LANES]);
        state.moves.resize(std::max(state.moves.size(), feature.n_nodes() * feature.n_slots * LANES));
        state.gradient_sum.resize(state.moves.size());
    }
    state.weight_sum.assign(state.hessian_sum.begin(), state.hessian_sum.end());
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const double least = loss.least(data.target[row]);
        for (int lane = 0; lane < LANES; ++lane) {
            const double validates = lanes_of(data.validates[row])[lane] * data.weight[row];
            state.validation_weight[lane] += validates;
            state.least_cost[lane] += validates * least;
        }
    }
    for (std::size_t lane = 0; lane < intercepts.size(); ++lane) {
        state.random[lane] = seeds[lane];
        state.active[lane] = state.smooth[lane] = true;
        state.intercept[lane] = intercepts[lane];
    }
    const std::size_t size = data.n_rows * LANES;
    const auto start = [&](std::size_t at) { return state.intercept[at % LANES] + data.offset[at / LANES]; };
    if (Loss::QUADRATIC) {
        state.rows.residual.resize(size);
        for (std::size_t at = 0; at < size; ++at)
            state.rows.residual[at] = static_cast<float>(data.target[at / LANES] - start(at));
    } else {
        for (auto* values : {&state.rows.score, &state.rows.shift, &state.rows.gradient, &state.rows.hessian})
            values->resize(size);
        for (std::size_t at = 0; at < size; ++at) state.rows.score[at] = static_cast<float>(start(at));
    }
    return state;
}

// Boost until n_rounds more are done or every bag has stopped.
template <typename Loss>
void advance(const BoostingData& data, Loss& loss, const BoostingSettings& settings, BoostingState& state,
             int n_rounds) {
    using namespace boosting_detail;
    for (int done = 0; done < n_rounds && !state.finished(); ++done, ++state.round) {
        double cost[LANES] = {};
        for (std::size_t index = 0; index < data.features.size(); ++index) {
            const BoostingFeature& moved = data.features[state.moved_feature];
            const BoostingFeature& feature = data.features[index];
            const float* heights = last_move(moved, state);
            double* gradient_sum = state.leaf_gradients(feature);
            std::fill(gradient_sum, gradient_sum + feature.n_cells() * LANES, 0.0);
            if (index == 0) {
                renew(loss, data, moved, heights, feature, state.rows, gradient_sum, cost);
                judge(data, settings, cost, state);
                if (state.finished()) return;
                loss.adapt(mean_cost(state, cost));
            } else {
                collect(loss, data, moved, heights, feature, state.rows, gradient_sum);
            }
            move_feature(data, index, !Loss::QUADRATIC, settings, state);
        }
    }
}

}  // namespace calmgam
