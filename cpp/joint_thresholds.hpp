// Joint growth, conditions that are thresholds: what a division of a leaf gains, and what one step would do as well.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lanes.hpp"

namespace calmgam::joint_detail {

// What one step needs to know of a leaf that a threshold divides, summed over the bins with rows on both sides.
struct Step {
    double share = 0.0;   // of the weight, on the left
    double spread = 0.0;  // sum of N_L N_R / N
};

// All ways to divide the leaves of a feature by thresholds on another one.
struct Thresholds {
    std::vector<double> left, right;  // n_divisions x n_cells: 1 / (N + ridge) of both sides, 0 unless both have rows
    std::vector<double> n_divided;    // n_divisions x n_leaves: bins that have rows on both sides; -1: too few rows
    std::vector<Step> steps;          // n_divisions x n_leaves
    bool any_missing = false;
};

constexpr std::size_t WIDTH = 4;  // bins whose gains are summed side by side, in the same order everywhere

// Adds S_L² left + S_R² right - (S² inverse, where divided) over the bins of one leaf.
CALMGAM_CLONES inline double leaf_gain(const double* __restrict sums, const double* __restrict total,
                                       const double* __restrict whole, const double* __restrict left,
                                       const double* __restrict right, std::size_t stride) {
    double gain[WIDTH] = {};
    for (std::size_t first = 0; first < stride; first += WIDTH)
        CALMGAM_SIMD for (std::size_t lane = 0; lane < WIDTH; ++lane) {
            const std::size_t bin = first + lane;
            const double rest = total[bin] - sums[bin];
            gain[lane] +=
                sums[bin] * sums[bin] * left[bin] + rest * rest * right[bin] - (left[bin] > 0.0 ? whole[bin] : 0.0);
        }
    return (gain[0] + gain[1]) + (gain[2] + gain[3]);
}

// Adds S_L - share S over the bins of one leaf that have rows on both sides: the residual that a step would meet.
inline double leaf_height(const double* sums, const double* total, const double* left, std::size_t stride,
                          double share) {
    double height = 0.0;
    for (std::size_t bin = 0; bin < stride; ++bin)
        if (left[bin] > 0.0) height += sums[bin] - share * total[bin];
    return height;
}

// Takes off the gains of one division what a step of the best height for all leaves together takes away in each.
inline void take_off_step(const Step* steps, const double* heights, std::size_t n_leaves, double* gains) {
    double height = 0.0, spread = 0.0;
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        height += heights[leaf];
        spread += steps[leaf].spread;
    }
    if (spread <= 0.0) return;
    const double step = height / spread;
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf)
        gains[leaf] -= std::max(step * (2.0 * heights[leaf] - step * steps[leaf].spread), 0.0);
}

}  // namespace calmgam::joint_detail
