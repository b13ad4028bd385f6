// Region-gated boosting of squared error from sums over the rows: no row is looked at.
//
// The rules are those of boosting.hpp. With G the Gram matrix of the cells' indicators (training rows of a bag) and
// c the heights of all cells, the gradients of all cells are g = X'y - G c. A step moves a node of one feature by a
// few segments of equal height; momentum makes the last move again, smaller:
//     move = heights + momentum * last move          G move = G heights + momentum * (G last move)
// Of G only lines of running sums over a node's bins are needed, one for each end of a segment; G times the last
// move is kept for every feature. The same with the fold that the bag leaves out gives the loss of its rows:
//     |y - Xc|^2 = y'y - c'(X'y + g)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting.hpp"

namespace calmgam {

// What a bag learns from. A line is a slot of a node of a feature's tree: sums over the node's rows, running over
// its bins if they are ordered. Cells are the slots of leaves.
struct GramData {
    std::vector<BoostingFeature> features;         // whose `cells` nobody looks at
    std::vector<std::size_t> turns;                // features, one after the other in a round
    std::size_t n_cells;                           // of leaves
    std::vector<std::size_t> first_cell;           // of every feature among them
    const float *all, *left_out;                   // (n_lines, n_cells): of all rows, of the fold that validates
    std::vector<double> gradient[2];               // X'(y - mean) of training rows, of the fold, by cell
    std::vector<double> weight;                    // of training rows by line: running sums, as in `all`
    double square = 0.0, validation_weight = 0.0;  // of the fold: |y - mean|^2, weight
};

struct GramState {
    int round = 0, best_round = 0, last_news = 0;
    bool active = true, smooth = true;
    double momentum = 0.0, best_loss = 0.0;
    std::uint64_t random = 0;
    std::vector<double> gradient[2];                    // by cell: of training rows, of the fold
    std::vector<double> pushed[2];                      // by feature and cell: G times the feature's last move
    std::vector<double> velocity, curve, best_curve;    // by line
    std::vector<double> node_gradient, moves;           // of the feature at work, by line
    std::vector<std::pair<std::size_t, double>> lines;  // of G, and by how much: G times the feature's heights
};

namespace gram_detail {

// The best cut after one of the bins 0 .. n_bins - 2, given an earlier one (or -1); -1 if none gains.
inline std::int32_t best_cut(std::size_t n_bins, const double* gradient, const double* weight, std::int32_t earlier,
                             double min_weight, double ridge) {
    std::int32_t best = -1;
    double best_gain = 0.0;
    const auto search = [&](std::int32_t begin, std::int32_t end) {  // cuts of the bins begin + 1 .. end
        const double g_low = begin < 0 ? 0.0 : gradient[begin], w_low = begin < 0 ? 0.0 : weight[begin];
        const double g_all = gradient[end] - g_low, w_all = weight[end] - w_low;
        const double whole = g_all * g_all / (w_all + ridge);
        for (std::int32_t bin = begin + 1; bin < end; ++bin) {
            const double g = gradient[bin] - g_low, w = weight[bin] - w_low;
            if (w < min_weight || w_all - w < min_weight) continue;
            const double gain = g * g / (w + ridge) + (g_all - g) * (g_all - g) / (w_all - w + ridge) - whole;
            if (gain > best_gain) best_gain = gain, best = bin;
        }
    };
    const std::int32_t last = static_cast<std::int32_t>(n_bins) - 1;
    search(-1, earlier < 0 ? last : earlier);
    if (earlier >= 0) search(earlier, last);
    return best;
}

// G heights for a few cells: sums of lines, of all rows and of the fold.
CALMGAM_CLONES
static void add_line(std::size_t n, double height, const float* all, const float* left_out, double* of_all,
                     double* of_fold) {
    for (std::size_t k = 0; k < n; ++k) {
        of_all[k] += height * static_cast<double>(all[k]);
        of_fold[k] += height * static_cast<double>(left_out[k]);
    }
}

// pushed = G heights + momentum * pushed          gradient -= pushed
CALMGAM_CLONES
static void push(std::size_t n, double momentum, const double* change, const double* less, double* pushed,
                 double* gradient) {
    for (std::size_t k = 0; k < n; ++k) {
        pushed[k] = (change[k] - less[k]) + momentum * pushed[k];
        gradient[k] -= pushed[k];
    }
}

// What the lines that a feature has moved by change in the gradients; a block of cells at a time, which stays in
// the cache.
inline void push_all(const GramData& data, std::size_t index, GramState& state) {
    constexpr std::size_t BLOCK = 512;
    const double nothing[BLOCK] = {};
    for (std::size_t start = 0; start < data.n_cells; start += BLOCK) {
        const std::size_t n = std::min(BLOCK, data.n_cells - start), at = index * data.n_cells + start;
        double of_all[BLOCK] = {}, of_fold[BLOCK] = {};
        for (const auto& [line, height] : state.lines)
            add_line(n, height, data.all + line * data.n_cells + start, data.left_out + line * data.n_cells + start,
                     of_all, of_fold);
        push(n, state.momentum, of_all, of_fold, &state.pushed[0][at], &state.gradient[0][start]);
        push(n, state.momentum, of_fold, nothing, &state.pushed[1][at], &state.gradient[1][start]);
    }
}

// What moves when a node learns.
struct GramNode {
    std::size_t line, n_slots;  // where its lines begin
    const double *gradient, *weight, *above;
    double *velocity, *curve, *moves;
};

inline void learn_line(std::size_t line, double height, GramState& state) {
    if (height != 0.0) state.lines.emplace_back(line, height);
}

inline void move_slot(const GramNode& node, std::size_t slot, double height, double momentum) {
    node.velocity[slot] = height + momentum * node.velocity[slot];
    node.moves[slot] = (node.above ? node.above[slot] : 0.0) + node.velocity[slot];
    node.curve[slot] += node.moves[slot];
}

inline double height_of(const BoostingSettings& settings, double gradient, double weight) {
    return weight > 0.0 ? settings.learning_rate * gradient / (weight + settings.ridge) : 0.0;
}

// A small tree on the bins of a node; missing is a leaf of its own. Gradients and weights are running sums.
inline void fit_bins(const BoostingSettings& settings, const GramNode& node, GramState& state) {
    const std::size_t n_bins = node.n_slots - 1;
    const std::int32_t last = static_cast<std::int32_t>(n_bins) - 1;
    std::int32_t cuts[2] = {-1, -1};
    for (int cut = 0; cut + 1 < settings.max_leaves && n_bins > 1; ++cut)
        cuts[cut] = state.smooth ? boosting_detail::random_cut(state.random, n_bins)
                                 : best_cut(n_bins, node.gradient, node.weight, cuts[0], settings.min_samples_leaf,
                                            settings.ridge + 1e-12);
    const std::int32_t ends[3] = {std::min(cuts[0], cuts[1]), std::max(cuts[0], cuts[1]), last};
    std::int32_t start = 0;
    double gradient_before = 0.0, weight_before = 0.0;
    for (int segment = 0; segment < 3; ++segment) {
        const std::int32_t end = ends[segment];
        if (end < start) continue;
        const double weight = node.weight[end];
        const bool too_few = weight - weight_before < settings.min_samples_leaf ||
                             node.weight[last] - weight < settings.min_samples_leaf;
        if (segment < 2 && too_few) continue;  // such a cut is not made
        const double height = height_of(settings, node.gradient[end] - gradient_before, weight - weight_before);
        for (std::int32_t bin = start; bin <= end; ++bin)
            move_slot(node, static_cast<std::size_t>(bin), height, state.momentum);
        // running sums: a segment is the line of its end less that of the segment before
        if (start > 0) state.lines.back().second -= height;
        state.lines.emplace_back(node.line + static_cast<std::size_t>(end), height);
        gradient_before = node.gradient[end];
        weight_before = weight;
        start = end + 1;
    }
    const double height = height_of(settings, node.gradient[n_bins], node.weight[n_bins]);
    move_slot(node, n_bins, height, state.momentum);
    learn_line(node.line + n_bins, height, state);
}

// Every level by its own mean, as if `level_smoothing` rows at rest were added to it.
inline void fit_levels(const BoostingSettings& settings, const GramNode& node, GramState& state) {
    double total = 0.0;
    for (std::size_t slot = 0; slot < node.n_slots; ++slot) total += node.weight[slot];
    const double at_rest = total > 0.0 ? settings.level_smoothing : 0.0;
    for (std::size_t slot = 0; slot < node.n_slots; ++slot) {
        const double height = height_of(settings, node.gradient[slot], node.weight[slot] + at_rest);
        move_slot(node, slot, height, state.momentum);
        learn_line(node.line + slot, height, state);
    }
}

// The gradients of a node's slots, less what the nodes above it have just gained; running sums over bins.
inline void rest_of(const BoostingFeature& feature, const double* above, const double* weight, double* gradient) {
    double before = 0.0, total = 0.0;
    for (std::size_t slot = 0; slot < feature.n_slots; ++slot) {
        const bool runs = feature.ordered && slot + 1 < feature.n_slots;
        const double own = runs ? weight[slot] - before : weight[slot];
        if (above) gradient[slot] -= own * above[slot];
        if (!runs) continue;
        before = weight[slot];
        gradient[slot] = total += gradient[slot];
    }
}

inline void move_feature(const GramData& data, std::size_t index, const BoostingSettings& settings, GramState& state) {
    const BoostingFeature& feature = data.features[index];
    const std::size_t n_slots = feature.n_slots, n_conditions = feature.children.size();
    double *sums = state.node_gradient.data(), *moves = state.moves.data();
    const double* gradient = state.gradient[0].data() + data.first_cell[index];
    std::copy(gradient, gradient + feature.n_cells(), sums + n_conditions * n_slots);
    for (std::size_t node = n_conditions; node-- > 0;) {
        const auto [first, second] = feature.children[node];
        for (std::size_t slot = 0; slot < n_slots; ++slot)
            sums[node * n_slots + slot] = sums[first * n_slots + slot] + sums[second * n_slots + slot];
    }
    state.lines.clear();
    for (std::size_t at = 0; at < feature.n_nodes(); ++at) {
        const std::size_t line = feature.node_cell(at);
        const double* above = at > 0 ? moves + feature.parents[at] * n_slots : nullptr;
        rest_of(feature, above, &data.weight[line], sums + at * n_slots);
        const GramNode node{line,
                            n_slots,
                            sums + at * n_slots,
                            &data.weight[line],
                            above,
                            &state.velocity[line],
                            &state.curve[line],
                            moves + at * n_slots};
        (feature.ordered ? fit_bins : fit_levels)(settings, node, state);
    }
    push_all(data, index, state);
}

// Mean loss of the fold.
inline double validation_loss(const GramData& data, const GramState& state) {
    double explained = 0.0;
    for (std::size_t index = 0; index < data.features.size(); ++index) {
        const BoostingFeature& feature = data.features[index];
        const double* curve = &state.curve[feature.first_cell()];
        const std::size_t first = data.first_cell[index];
        for (std::size_t cell = 0; cell < feature.n_cells(); ++cell)
            explained += curve[cell] * (data.gradient[1][first + cell] + state.gradient[1][first + cell]);
    }
    return (data.square - explained) / std::max(data.validation_weight, 1e-300);
}

// Whether the bag has got better, and whether it goes on.
inline void judge(const BoostingSettings& settings, double loss, GramState& state) {
    if (state.round == 0 || loss < state.best_loss * (1.0 - settings.tolerance)) {
        state.best_loss = loss;
        state.best_round = state.last_news = state.round;
        state.best_curve = state.curve;
    }
    const int waited = state.round - state.last_news;
    if (state.smooth && (state.round >= settings.smoothing_rounds || 2 * waited >= settings.patience)) {
        state.smooth = false;
        state.last_news = state.round;
    }
    state.active = state.round < settings.max_rounds && state.round - state.last_news < settings.patience;
    const double set_in = state.round / std::max(state.round + settings.momentum_rounds, 1e-300);
    state.momentum = std::min(settings.momentum, set_in);
}

}  // namespace gram_detail

// What a bag learns from, given sums over the rows of y and of weights, of all rows and of the fold, by cell.
inline void set_sums(GramData& data, const double* sums, const double* weights, double square, double& intercept) {
    const std::size_t n_cells = data.n_cells;
    double total[2] = {}, weight[2] = {};  // of all rows, of the fold: every row has one cell of the first feature
    for (int rows = 0; rows < 2; ++rows)
        for (std::size_t cell = 0; cell < data.features[0].n_cells(); ++cell) {
            total[rows] += sums[rows * n_cells + cell];
            weight[rows] += weights[rows * n_cells + cell];
        }
    const double mean = intercept = (total[0] - total[1]) / std::max(weight[0] - weight[1], 1e-300);
    for (auto& gradient : data.gradient) gradient.resize(n_cells);
    std::vector<double> training(n_cells);
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        const double fold = weights[n_cells + cell];
        training[cell] = weights[cell] - fold;
        data.gradient[0][cell] = sums[cell] - sums[n_cells + cell] - mean * training[cell];
        data.gradient[1][cell] = sums[n_cells + cell] - mean * fold;
    }
    data.square = square - 2.0 * mean * total[1] + mean * mean * weight[1];
    data.validation_weight = weight[1];
    for (std::size_t index = 0; index < data.features.size(); ++index) {
        const BoostingFeature& feature = data.features[index];
        const std::size_t n_slots = feature.n_slots, at = data.weight.size();
        data.weight.resize(at + feature.n_nodes() * n_slots);
        double* lines = data.weight.data() + at;
        std::copy_n(training.data() + data.first_cell[index], feature.n_cells(),
                    lines + feature.children.size() * n_slots);
        for (std::size_t node = feature.children.size(); node-- > 0;)
            for (std::size_t slot = 0; slot < n_slots; ++slot)
                lines[node * n_slots + slot] = lines[feature.children[node].first * n_slots + slot] +
                                               lines[feature.children[node].second * n_slots + slot];
        for (std::size_t node = 0; feature.ordered && node < feature.n_nodes(); ++node)
            for (std::size_t slot = 1; slot + 1 < n_slots; ++slot)
                lines[node * n_slots + slot] += lines[node * n_slots + slot - 1];
    }
}

inline GramState start_gram_boosting(const GramData& data, std::uint64_t seed) {
    GramState state;
    state.random = seed;
    std::size_t n_lines = 0, longest = 0;
    for (const BoostingFeature& feature : data.features) {
        n_lines += feature.n_nodes() * feature.n_slots;
        longest = std::max(longest, feature.n_nodes() * feature.n_slots);
    }
    for (auto* lines : {&state.velocity, &state.curve, &state.best_curve}) lines->assign(n_lines, 0.0);
    for (auto* lines : {&state.node_gradient, &state.moves}) lines->assign(longest, 0.0);
    for (int rows = 0; rows < 2; ++rows) {
        state.gradient[rows] = data.gradient[rows];
        state.pushed[rows].assign(data.features.size() * data.n_cells, 0.0);
    }
    return state;
}

// Boost until n_rounds more are done or the bag has stopped.
inline void advance(const GramData& data, const BoostingSettings& settings, GramState& state, int n_rounds) {
    for (int done = 0; done < n_rounds && state.active; ++done, ++state.round) {
        gram_detail::judge(settings, gram_detail::validation_loss(data, state), state);
        if (!state.active) return;
        for (const std::size_t index : data.turns) gram_detail::move_feature(data, index, settings, state);
    }
}

}  // namespace calmgam
