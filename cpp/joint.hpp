// Joint growth (DESIGN 1.3): the best condition for every leaf of every feature's tree, at once.
//
// For feature i and conditioning feature j one pass over the rows fills the 2-D histogram
//     (cell of x_i: leaf * n_bins + bin)  x  (candidate code of x_j)
// of residual sums and weights. Splitting a leaf lets every bin of x_i have two heights, so a condition
// that sends some codes left gains
//     sum over bins of  S_L²/(N_L + l2) + S_R²/(N_R + l2) - S²/(N + l2) - (noise, if both sides have rows).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "heterogeneity.hpp"
#include "threads.hpp"

namespace calmgam {

struct SplitFeature {
    const std::uint16_t* cells;  // of each row: leaf * n_bins + bin
    std::size_t n_leaves, n_bins;
    std::size_t index;  // which feature it is: conditions on itself are not tried
};

struct JointTable {
    std::size_t n_rows;
    const double* residual;
    const double* weight;
    std::vector<SplitFeature> features;
    std::vector<CandidateCodes> candidates;  // codes 0 .. n_conditions - 1, other levels, missing
    std::vector<std::size_t> candidate_index;
    std::vector<bool> subsets;  // whether a condition may name several levels
};

struct JointSettings {
    double min_rows, l2, noise;
};

// The best split of one leaf; `left` says which codes of the conditioning feature go left.
struct LeafSplit {
    double gain = 0.0;
    std::int32_t candidates = -1;
    std::vector<std::uint8_t> left;
};

// Levels that one condition may name: more could not be read.
constexpr std::size_t MAX_LEVELS = 5;

namespace joint_detail {

struct Sum {
    double residual = 0.0, weight = 0.0, n_rows = 0.0;  // rows count exactly: "no rows" must not be a rounding error
    void add_row(double row_residual, double row_weight) {
        residual += row_weight * row_residual;
        weight += row_weight;
        n_rows += row_weight > 0.0;  // a row without weight is not there
    }
    Sum& operator+=(const Sum& other) {
        residual += other.residual;
        weight += other.weight;
        n_rows += other.n_rows;
        return *this;
    }
    Sum operator-(const Sum& other) const {
        return {residual - other.residual, weight - other.weight, n_rows - other.n_rows};
    }
};

inline double worth(const Sum& sum, double l2) {
    return sum.weight > 0.0 ? sum.residual * sum.residual / (sum.weight + l2) : 0.0;
}

// Gain and row counts of one way to divide a leaf, summed over its bins.
struct Division {
    double gain = 0.0, n_left = 0.0, n_right = 0.0;
    void add_bin(const Sum& left, const Sum& total, const JointSettings& settings) {
        const Sum right = total - left;
        n_left += left.n_rows;
        n_right += right.n_rows;
        if (left.n_rows == 0.0 || right.n_rows == 0.0) return;  // the bin stays whole
        gain += worth(left, settings.l2) + worth(right, settings.l2) - worth(total, settings.l2) - settings.noise;
    }
    bool better_than(double best, const JointSettings& settings) const {
        return gain > best && n_left >= settings.min_rows && n_right >= settings.min_rows;
    }
};

// Levels in the order of their residual profiles along x_i: the leading direction of the
// (level x bin) table of standardised sums, found by a few power iterations.
inline std::vector<std::size_t> level_order(const Sum* histogram, std::size_t n_bins, std::size_t n_codes,
                                            std::size_t n_levels, double l2) {
    std::vector<double> profile(n_levels * n_bins), direction(n_bins), position(n_levels);
    for (std::size_t level = 0; level < n_levels; ++level)
        for (std::size_t bin = 0; bin < n_bins; ++bin) {
            const Sum& sum = histogram[bin * n_codes + level];
            profile[level * n_bins + bin] = sum.weight > 0.0 ? sum.residual / std::sqrt(sum.weight + l2) : 0.0;
        }
    double largest = -1.0;  // start from the level that stands out most
    for (std::size_t level = 0; level < n_levels; ++level) {
        const double* row = profile.data() + level * n_bins;
        const double size = std::inner_product(row, row + n_bins, row, 0.0);
        if (size > largest) {
            largest = size;
            std::copy(row, row + n_bins, direction.begin());
        }
    }
    for (int iteration = 0; iteration < 8; ++iteration) {
        std::vector<double> next(n_bins, 0.0);
        for (std::size_t level = 0; level < n_levels; ++level) {
            const double* row = profile.data() + level * n_bins;
            position[level] = std::inner_product(row, row + n_bins, direction.begin(), 0.0);
            for (std::size_t bin = 0; bin < n_bins; ++bin) next[bin] += position[level] * row[bin];
        }
        const double size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        if (size <= 0.0) break;
        for (std::size_t bin = 0; bin < n_bins; ++bin) direction[bin] = next[bin] / size;
    }
    for (std::size_t level = 0; level < n_levels; ++level) {  // mean height, not sum: weight must not order
        double weight = 0.0;
        for (std::size_t bin = 0; bin < n_bins; ++bin) weight += histogram[bin * n_codes + level].weight;
        position[level] /= std::sqrt(weight + l2 + 1e-300);
    }
    std::vector<std::size_t> order(n_levels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return position[a] < position[b]; });
    return order;
}

// Tries the conditions of one feature on one leaf; histogram: n_bins x n_codes.
inline void try_conditions(const Sum* histogram, std::size_t n_bins, const CandidateCodes& candidates,
                           bool subsets, std::int32_t which, const JointSettings& settings, LeafSplit& best) {
    const std::size_t n_conditions = candidates.n_conditions, n_codes = n_conditions + 2;
    const std::size_t missing = n_conditions + 1;
    bool any_missing = false;
    std::vector<Sum> total(n_bins);
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        for (std::size_t code = 0; code < n_codes; ++code) total[bin] += histogram[bin * n_codes + code];
        any_missing |= histogram[bin * n_codes + missing].n_rows > 0.0;
    }
    const auto keep = [&](const Division& division, auto&& goes_left) {
        if (!division.better_than(best.gain, settings)) return;
        best.gain = division.gain;
        best.candidates = which;
        best.left.assign(n_codes, 0);
        for (std::size_t code = 0; code < n_codes; ++code) best.left[code] = goes_left(code);
    };

    if (any_missing) {
        Division division;
        for (std::size_t bin = 0; bin < n_bins; ++bin)
            division.add_bin(total[bin] - histogram[bin * n_codes + missing], total[bin], settings);
        keep(division, [&](std::size_t code) { return code != missing; });
    }
    for (int missing_left = 0; missing_left <= static_cast<int>(any_missing); ++missing_left) {
        const auto start = [&](std::size_t bin) {
            return missing_left ? histogram[bin * n_codes + missing] : Sum{};
        };
        if (candidates.ordered) {
            std::vector<Division> divisions(n_conditions);
            for (std::size_t bin = 0; bin < n_bins; ++bin) {
                Sum left = start(bin);
                for (std::size_t t = 0; t < n_conditions; ++t) {
                    left += histogram[bin * n_codes + t];
                    divisions[t].add_bin(left, total[bin], settings);
                }
            }
            for (std::size_t t = 0; t < n_conditions; ++t)
                keep(divisions[t], [&](std::size_t code) { return code == missing ? missing_left : code <= t; });
            continue;
        }
        // every level alone; then the first 2, 3, ... of the ordered levels, and the last ones
        const auto order = level_order(histogram, n_bins, n_codes, n_conditions, settings.l2);
        // Ordering the levels by what is to be explained finds a direction in pure noise too: the largest
        // singular value of an L x B table of noise is about sqrt(L) + sqrt(B), not sqrt(B).
        const double n_levels = static_cast<double>(n_conditions);
        const double freedom = n_levels + 2.0 * std::sqrt(n_levels * static_cast<double>(n_bins));
        const auto try_heads = [&](auto level, std::size_t longest) {
            std::vector<Sum> left(n_bins);
            for (std::size_t bin = 0; bin < n_bins; ++bin) left[bin] = start(bin);
            std::vector<std::uint8_t> inside(n_codes, 0);
            inside[missing] = static_cast<std::uint8_t>(missing_left);
            for (std::size_t length = 1; length <= longest; ++length, ++level) {
                inside[*level] = 1;
                Division division;
                if (length > 1) division.gain -= freedom * settings.noise;
                for (std::size_t bin = 0; bin < n_bins; ++bin) {
                    left[bin] += histogram[bin * n_codes + *level];
                    division.add_bin(left[bin], total[bin], settings);
                }
                keep(division, [&](std::size_t code) { return inside[code]; });
            }
        };
        for (auto level = order.begin(); level != order.end(); ++level) try_heads(level, 1);
        if (!subsets) continue;
        try_heads(order.begin(), std::min(MAX_LEVELS, n_conditions / 2));
        try_heads(order.rbegin(), std::min(MAX_LEVELS, (n_conditions - 1) / 2));
    }
}

}  // namespace joint_detail

// splits: one per leaf of every feature, one feature after the other.
inline void joint_splits(const JointTable& table, const JointSettings& settings, int n_threads,
                         std::vector<std::vector<LeafSplit>>& splits) {
    using namespace joint_detail;
    splits.assign(table.features.size(), {});
    parallel_for(table.features.size(), n_threads, [&](std::size_t which) {
        const SplitFeature& feature = table.features[which];
        splits[which].resize(feature.n_leaves);
        std::vector<Sum> histogram;
        for (std::size_t j = 0; j < table.candidates.size(); ++j) {
            const CandidateCodes& candidates = table.candidates[j];
            if (table.candidate_index[j] == feature.index || candidates.n_conditions == 0) continue;
            const std::size_t n_codes = candidates.n_conditions + 2;
            histogram.assign(feature.n_leaves * feature.n_bins * n_codes, Sum{});
            for (std::size_t row = 0; row < table.n_rows; ++row)
                histogram[feature.cells[row] * n_codes + candidates.codes[row]].add_row(table.residual[row],
                                                                                        table.weight[row]);
            for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf)
                try_conditions(histogram.data() + leaf * feature.n_bins * n_codes, feature.n_bins, candidates,
                               table.subsets[j], static_cast<std::int32_t>(j), settings, splits[which][leaf]);
        }
    });
}

// Cyclic exact updates of the histogram model: every cell takes the shrunken mean of its residuals.
inline void backfit(std::size_t n_rows, const std::vector<SplitFeature>& features, const double* weight, double l2,
                    int n_sweeps, double* residual) {
    std::vector<joint_detail::Sum> sums;
    std::vector<double> heights;
    for (int sweep = 0; sweep < n_sweeps; ++sweep)
        for (const SplitFeature& feature : features) {
            const std::size_t n_cells = feature.n_leaves * feature.n_bins;
            sums.assign(n_cells, {});
            for (std::size_t row = 0; row < n_rows; ++row) sums[feature.cells[row]].add_row(residual[row], weight[row]);
            heights.resize(n_cells);
            for (std::size_t cell = 0; cell < n_cells; ++cell)
                heights[cell] = sums[cell].weight > 0.0 ? sums[cell].residual / (sums[cell].weight + l2) : 0.0;
            for (std::size_t row = 0; row < n_rows; ++row) residual[row] -= heights[feature.cells[row]];
        }
}

}  // namespace calmgam
