// Boosting, the passes over the rows: move every row by the heights that one feature's curves have just
// gained, sum the gradients over the cells of the next. Eight bags are boosted at once, one per SIMD
// lane: they share every cell code, so a row's code is read once and its eight numbers are neighbours.
//
// Within a round the loss is its quadratic expansion
//     gradient - hessian * shift          (shift: what the round has added to a row's score so far)
// which is exact for squared error, and for other losses is renewed by the first pass of every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lanes.hpp"
#include "losses.hpp"
#include "roles.hpp"

namespace calmgam {

// cell = leaf * n_slots + slot     [leaf 0: bins.. missing | leaf 1: bins.. missing | ...]
// A tree's nodes are its conditions, parents first, and then its leaves. What leaves below a condition share is
// a curve, too: every node has n_slots cells, one node after the other. Leaves without conditions above them, each
// its own parent, share nothing.
struct BoostingFeature {
    const std::uint16_t* cells;  // one per row
    std::size_t n_slots;
    bool ordered;                      // numeric: bins on a line, the last slot is missing; otherwise a set of levels
    int direction;                     // 1: its curves never fall, -1: they never rise, 0: they are free
    std::vector<double> centres;       // of bins; if there are any, 1: its one curve is convex, -1: concave
    std::size_t root_cell;             // where the cells of its nodes begin among all cells
    std::vector<std::size_t> parents;  // of every node; a root has itself
    std::vector<std::pair<std::size_t, std::size_t>> children;  // of every condition
    // Slots that have a place in the order: all but missing and, of levels, rare ones.
    std::size_t n_in_order() const { return n_slots - std::min<std::size_t>(n_slots, ordered ? 1 : 2); }
    std::size_t n_nodes() const { return parents.size(); }
    std::size_t n_leaves() const { return n_nodes() - children.size(); }
    std::size_t node_cell(std::size_t node) const { return root_cell + node * n_slots; }
    std::size_t first_cell() const { return node_cell(children.size()); }  // of the leaves
    std::size_t n_cells() const { return n_leaves() * n_slots; }
};

// Throws unless the nodes make a tree, or are leaves that share nothing.
inline BoostingFeature boosting_feature(const std::uint16_t* cells, std::vector<std::size_t> parents,
                                        std::size_t n_slots, bool ordered, int direction, std::size_t root_cell) {
    const std::size_t n_nodes = parents.size(), n_conditions = n_nodes / 2;
    std::size_t n_roots = 0;
    for (std::size_t node = 0; node < n_nodes; ++node) n_roots += parents[node] == node;
    if (n_nodes > 0 && n_roots == n_nodes)
        return {cells, n_slots, ordered, direction, {}, root_cell, std::move(parents), {}};
    if (n_nodes % 2 == 0)
        throw std::invalid_argument("boosting: a tree must have one leaf more than conditions; got " +
                                    std::to_string(n_nodes) + " nodes");
    std::vector<std::vector<std::size_t>> below(n_conditions);
    for (std::size_t node = 1; node < n_nodes; ++node) {
        if (parents[node] >= std::min(node, n_conditions))
            throw std::invalid_argument("boosting: parents must be conditions that come first; node " +
                                        std::to_string(node) + " has " + std::to_string(parents[node]));
        below[parents[node]].push_back(node);
    }
    std::vector<std::pair<std::size_t, std::size_t>> children;
    for (const auto& nodes : below) {
        if (nodes.size() != 2)
            throw std::invalid_argument("boosting: a condition must have two sides; one has " +
                                        std::to_string(nodes.size()));
        children.emplace_back(nodes[0], nodes[1]);
    }
    return {cells, n_slots, ordered, direction, {}, root_cell, std::move(parents), std::move(children)};
}

struct BoostingData {
    std::size_t n_rows;
    std::vector<BoostingFeature> features;
    const double* target;                         // y on the scale of the fit
    const double* weight;                         // sample weight of each row
    const double* offset;                         // what a row's score has besides intercept and curves
    std::vector<std::uint8_t> trains, validates;  // per row: one bit for each bag
    std::size_t n_cells() const { return features.back().node_cell(features.back().n_nodes()); }
};

// The rows' bits for one role, from all roles, n_rows x LANES.
inline std::vector<std::uint8_t> bits_of(const std::uint8_t* roles, std::size_t n_rows, std::uint8_t role) {
    std::vector<std::uint8_t> bits(n_rows, 0);
    for (std::size_t at = 0; at < n_rows * LANES; ++at)
        if (roles[at] & role) bits[at / LANES] |= static_cast<std::uint8_t>(1u << at % LANES);
    return bits;
}

// Row-wise numbers, n_rows x LANES.
struct RowState {
    std::vector<float> residual;                         // squared error: y - score
    std::vector<float> score, shift, gradient, hessian;  // other losses
};

namespace boosting_detail {

// What every byte of bits is as numbers: 1 or 0 per lane.
struct BitTable {
    alignas(64) float numbers[256][LANES];
    BitTable() {
        for (int bits = 0; bits < 256; ++bits)
            for (int lane = 0; lane < LANES; ++lane) numbers[bits][lane] = static_cast<float>(bits >> lane & 1);
    }
    const float* operator()(std::uint8_t bits) const { return numbers[bits]; }
};
inline const BitTable lanes_of;

// ---- squared error: a row is its residual ---------------------------------------------------------

[[maybe_unused]] CALMGAM_CLONES static void collect(const SquaredError&, const BoostingData& data,
                                                    const BoostingFeature& moved, const float* heights,
                                                    const BoostingFeature& next, RowState& rows, double* gradient_sum) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const float* height = heights + moved.cells[row] * LANES;
        double* sum = gradient_sum + next.cells[row] * LANES;
        float* residual = rows.residual.data() + row * LANES;
        const float weight = static_cast<float>(data.weight[row]);
        const float* trains = lanes_of(data.trains[row]);
        CALMGAM_FOR_LANES {
            residual[lane] -= height[lane];
            sum[lane] += trains[lane] * (weight * residual[lane]);
        }
    }
}

// The first pass of a round also sums the validation cost.
[[maybe_unused]] CALMGAM_CLONES static void renew(const SquaredError&, const BoostingData& data,
                                                  const BoostingFeature& moved, const float* heights,
                                                  const BoostingFeature& next, RowState& rows, double* gradient_sum,
                                                  double* cost) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const float* height = heights + moved.cells[row] * LANES;
        double* sum = gradient_sum + next.cells[row] * LANES;
        float* residual = rows.residual.data() + row * LANES;
        const float weight = static_cast<float>(data.weight[row]);
        const float *trains = lanes_of(data.trains[row]), *validates = lanes_of(data.validates[row]);
        CALMGAM_FOR_LANES {
            residual[lane] -= height[lane];
            sum[lane] += trains[lane] * (weight * residual[lane]);
            cost[lane] += validates[lane] * (weight * residual[lane] * residual[lane]);
        }
    }
}

// ---- any other loss -------------------------------------------------------------------------------

CALMGAM_CLONES
static void collect_curved(const BoostingData& data, const BoostingFeature& moved, const float* heights,
                           const BoostingFeature& next, RowState& rows, double* gradient_sum) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const float* height = heights + moved.cells[row] * LANES;
        double* sum = gradient_sum + next.cells[row] * LANES;
        float* shift = rows.shift.data() + row * LANES;
        const float* gradient = rows.gradient.data() + row * LANES;
        const float* hessian = rows.hessian.data() + row * LANES;
        CALMGAM_FOR_LANES {
            shift[lane] += height[lane];
            sum[lane] += gradient[lane] - hessian[lane] * shift[lane];
        }
    }
}

template <typename Loss>
void collect(const Loss&, const BoostingData& data, const BoostingFeature& moved, const float* heights,
             const BoostingFeature& next, RowState& rows, double* gradient_sum) {
    collect_curved(data, moved, heights, next, rows, gradient_sum);
}

// The first pass of a round also sums the validation cost, and expands the loss anew.
template <typename Loss>
CALMGAM_CLONES static void renew(const Loss& loss, const BoostingData& data, const BoostingFeature& moved,
                                 const float* heights, const BoostingFeature& next, RowState& rows,
                                 double* gradient_sum, double* cost) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const float* height = heights + moved.cells[row] * LANES;
        double* sum = gradient_sum + next.cells[row] * LANES;
        float* score = rows.score.data() + row * LANES;
        float* shift = rows.shift.data() + row * LANES;
        float* gradient = rows.gradient.data() + row * LANES;
        float* hessian = rows.hessian.data() + row * LANES;
        const float y = static_cast<float>(data.target[row]), weight = static_cast<float>(data.weight[row]);
        const float *trains = lanes_of(data.trains[row]), *validates = lanes_of(data.validates[row]);
        CALMGAM_FOR_LANES {
            const float s = score[lane] + (shift[lane] + height[lane]);
            score[lane] = s;
            shift[lane] = 0.0f;
            const Step<float> step = loss.step(y, s, weight);
            gradient[lane] = trains[lane] * step.gradient;
            hessian[lane] = trains[lane] * step.curvature;
            sum[lane] += gradient[lane];
            cost[lane] += validates[lane] * loss.cost(y, s, weight);
        }
    }
}

// A loss that is asked for all rows at once: move the rows, ask, and sum the answers.
inline void renew(const Given& loss, const BoostingData& data, const BoostingFeature& moved, const float* heights,
                  const BoostingFeature& next, RowState& rows, double* gradient_sum, double* cost) {
    const std::size_t n = data.n_rows;
    std::vector<double> scores(n * LANES), gradients(n * LANES), hessians(n * LANES), costs(n * LANES);
    for (std::size_t row = 0; row < n; ++row)
        for (int lane = 0; lane < LANES; ++lane) {
            const std::size_t at = row * LANES + lane;
            rows.score[at] += rows.shift[at] + heights[moved.cells[row] * LANES + lane];
            rows.shift[at] = 0.0f;
            scores[lane * n + row] = rows.score[at];
        }
    loss.ask(scores.data(), LANES, n, gradients.data(), hessians.data(), costs.data());
    for (std::size_t row = 0; row < n; ++row)
        for (int lane = 0; lane < LANES; ++lane) {
            const std::size_t at = row * LANES + lane, from = lane * n + row;
            const double trains = lanes_of(data.trains[row])[lane] * data.weight[row];
            rows.gradient[at] = static_cast<float>(trains * gradients[from]);
            rows.hessian[at] = static_cast<float>(trains * hessians[from]);
            gradient_sum[next.cells[row] * LANES + lane] += rows.gradient[at];
            cost[lane] += lanes_of(data.validates[row])[lane] * data.weight[row] * costs[from];
        }
}

// ---- either ---------------------------------------------------------------------------------------

CALMGAM_CLONES
static void collect_weights(const BoostingData& data, const BoostingFeature& feature, double* weight_sum) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        double* sum = weight_sum + feature.cells[row] * LANES;
        const float* trains = lanes_of(data.trains[row]);
        CALMGAM_FOR_LANES sum[lane] += static_cast<double>(trains[lane]) * data.weight[row];
    }
}

// Sums of what rows have, n_rows x LANES, over the cells of a feature.
CALMGAM_CLONES
static void sum_cells(const BoostingData& data, const BoostingFeature& feature, const float* values, double* sums) {
    for (std::size_t row = 0; row < data.n_rows; ++row, values += LANES) {
        double* sum = sums + feature.cells[row] * LANES;
        CALMGAM_FOR_LANES sum[lane] += values[lane];
    }
}

}  // namespace boosting_detail
}  // namespace calmgam
