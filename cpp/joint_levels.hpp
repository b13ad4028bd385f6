// Joint growth, conditions that name levels: which levels are tried together depends on the residual, so
// every search sums residuals, weights and rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "order.hpp"

namespace calmgam {

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
    void add_row(double weighted_residual, double row_weight) {
        residual += weighted_residual;
        weight += row_weight;
        n_rows += 1.0;
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

inline double worth(const Sum& sum, double ridge) {
    return sum.weight > 0.0 ? sum.residual * sum.residual / (sum.weight + ridge) : 0.0;
}

// Gain and row counts of one way to divide a leaf, summed over its bins.
struct Division {
    double gain = 0.0, n_left = 0.0, n_right = 0.0;
    void add_bin(const Sum& left, const Sum& total, double ridge, double noise) {
        const Sum right = total - left;
        n_left += left.n_rows;
        n_right += right.n_rows;
        if (left.n_rows == 0.0 || right.n_rows == 0.0) return;  // the bin stays whole
        gain += worth(left, ridge) + worth(right, ridge) - worth(total, ridge) - noise;
    }
};

// Levels in the order of their residual profiles along x_i: the leading direction of the
// (level x bin) table of standardised sums, found by a few power iterations.
inline std::vector<std::size_t> level_order(const Sum* histogram, std::size_t n_bins, std::size_t n_codes,
                                            std::size_t n_levels, double ridge) {
    std::vector<double> profile(n_levels * n_bins), direction(n_bins), position(n_levels);
    for (std::size_t level = 0; level < n_levels; ++level)
        for (std::size_t bin = 0; bin < n_bins; ++bin) {
            const Sum& sum = histogram[bin * n_codes + level];
            profile[level * n_bins + bin] = sum.weight > 0.0 ? sum.residual / std::sqrt(sum.weight + ridge) : 0.0;
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
        position[level] /= std::sqrt(weight + ridge + 1e-300);
    }
    std::vector<std::size_t> order(n_levels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    sort_by_height(order, [&](std::size_t level) { return position[level]; });
    return order;
}

// One leaf of a feature against the levels of another one.
struct LevelTable {
    const Sum* histogram;  // n_bins x n_codes
    std::size_t n_bins, n_conditions;
    bool subsets;  // whether a condition may name several levels
};

struct LevelSettings {
    double min_rows, ridge, noise;
};

inline void try_levels(const LevelTable& table, std::int32_t which, const LevelSettings& settings, LeafSplit& best) {
    const Sum* histogram = table.histogram;
    const std::size_t n_bins = table.n_bins, n_conditions = table.n_conditions;
    const std::size_t n_codes = n_conditions + 2, missing = n_conditions + 1;
    bool any_missing = false;
    std::vector<Sum> total(n_bins);
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        for (std::size_t code = 0; code < n_codes; ++code) total[bin] += histogram[bin * n_codes + code];
        any_missing |= histogram[bin * n_codes + missing].n_rows > 0.0;
    }
    const auto keep = [&](const Division& division, auto&& goes_left) {
        if (division.gain <= best.gain || std::min(division.n_left, division.n_right) < settings.min_rows) return;
        best.gain = division.gain;
        best.candidates = which;
        best.left.resize(n_codes);
        for (std::size_t code = 0; code < n_codes; ++code) best.left[code] = goes_left(code);
    };
    if (any_missing) {
        Division division;
        for (std::size_t bin = 0; bin < n_bins; ++bin)
            division.add_bin(total[bin] - histogram[bin * n_codes + missing], total[bin], settings.ridge,
                             settings.noise);
        keep(division, [&](std::size_t code) { return code != missing; });
    }
    // every level alone; then the first 2, 3, ... of the ordered levels, and the last ones
    std::vector<std::size_t> order;
    if (table.subsets && n_conditions > 3)
        order = level_order(histogram, n_bins, n_codes, n_conditions, settings.ridge);
    // Ordering the levels by what is to be explained finds a direction in pure noise too: the largest
    // singular value of an L x B table of noise is about sqrt(L) + sqrt(B), not sqrt(B).
    const double n_levels = static_cast<double>(n_conditions);
    const double freedom = n_levels + 2.0 * std::sqrt(n_levels * static_cast<double>(n_bins));
    for (int missing_left = 0; missing_left <= static_cast<int>(any_missing); ++missing_left) {
        const auto try_heads = [&](auto level, std::size_t longest) {
            std::vector<Sum> left(n_bins);
            if (missing_left)
                for (std::size_t bin = 0; bin < n_bins; ++bin) left[bin] = histogram[bin * n_codes + missing];
            std::vector<std::uint8_t> inside(n_codes, 0);
            inside[missing] = static_cast<std::uint8_t>(missing_left);
            for (std::size_t length = 1; length <= longest; ++length, ++level) {
                inside[*level] = 1;
                Division division;
                if (length > 1) division.gain -= freedom * settings.noise;
                for (std::size_t bin = 0; bin < n_bins; ++bin) {
                    left[bin] += histogram[bin * n_codes + *level];
                    division.add_bin(left[bin], total[bin], settings.ridge, settings.noise);
                }
                keep(division, [&](std::size_t code) { return inside[code]; });
            }
        };
        for (std::size_t level = 0; level < n_conditions; ++level) try_heads(&level, 1);
        if (order.empty()) continue;
        try_heads(order.begin(), std::min(MAX_LEVELS, n_conditions / 2));
        try_heads(order.rbegin(), std::min(MAX_LEVELS, (n_conditions - 1) / 2));
    }
}

}  // namespace joint_detail
}  // namespace calmgam
