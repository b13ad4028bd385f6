// Boosting, where a node's small tree cuts its bins: at the best place or at random, in every lane apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lanes.hpp"

namespace calmgam {
namespace boosting_detail {

// The sums of one node: what a small tree is fitted to.
struct NodeSums {
    const double *gradient, *hessian;
    const float* weight;
};

// A run of bins that is to be cut in two, in every lane: running sums where it begins and ends.
struct CutSegment {
    float g_low[LANES], g_high[LANES];  // gradients
    float a_low[LANES], b_high[LANES];  // hessians and ridge of the sides: scale * h - a_low, b_high - scale * h
    float w_low[LANES], w_high[LANES];  // weights that leave enough rows on both sides
    float whole[LANES], scale[LANES];   // what it is worth uncut; 1 / all hessians, lest products overflow
};

// The best cut so far, and what it gains: a fraction, for comparing needs no division.
struct BestCut {
    float gain[LANES], over[LANES];
    std::int32_t position[LANES];
};

// Tries to cut after the bins begin .. end - 1.
CALMGAM_CLONES
static void try_cuts(std::size_t begin, std::size_t end, const NodeSums& sums, const CutSegment& given,
                     BestCut& found) {
    const CutSegment segment = given;  // copies, which stay in registers
    BestCut best = found;
    for (std::size_t bin = begin; bin < end; ++bin) {
        const std::int32_t position = static_cast<std::int32_t>(bin);
        const double* gradient = sums.gradient + bin * LANES;
        const double* hessian = sums.hessian + bin * LANES;
        const float* weight = sums.weight + bin * LANES;
        CALMGAM_FOR_LANES {
            const float g = static_cast<float>(gradient[lane]);
            const float h = segment.scale[lane] * static_cast<float>(hessian[lane]), w = weight[lane];
            const float g_left = g - segment.g_low[lane], g_right = segment.g_high[lane] - g;
            const float a = h - segment.a_low[lane], b = segment.b_high[lane] - h, over = a * b;
            // g_left^2 / a + g_right^2 / b - whole
            const float gain = (g_left * g_left * b + g_right * g_right * a) - segment.whole[lane] * over;
            const bool better = (gain * best.over[lane] > best.gain[lane] * over) & (w >= segment.w_low[lane]) &
                                (w <= segment.w_high[lane]);
            best.gain[lane] = better ? gain : best.gain[lane];
            best.over[lane] = better ? over : best.over[lane];
            best.position[lane] = better ? position : best.position[lane];
        }
    }
    found = best;
}

// The best cut after one of the bins 0 .. n_bins - 2, given an earlier cut (or -1), in every lane; -1 if
// none gains. Running sums make each candidate O(1).
inline void best_cut(std::size_t n_bins, const NodeSums& sums, const std::int32_t* earlier, float min_weight,
                     float ridge, std::int32_t* cut) {
    BestCut best;
    std::fill(best.gain, best.gain + LANES, 0.0f);
    std::fill(best.over, best.over + LANES, 1.0f);
    std::fill(best.position, best.position + LANES, -1);
    const std::int32_t last = static_cast<std::int32_t>(n_bins) - 1;
    CutSegment segment;
    const auto start_at = [&](int lane, std::int32_t begin) {  // an earlier cut makes two segments
        const bool is_before = begin < earlier[lane], is_after = !is_before && earlier[lane] >= 0;
        const auto at = [&](std::int32_t bin) { return static_cast<std::size_t>(bin * LANES + lane); };
        const std::size_t low = at(std::max(earlier[lane], 0)), high = is_before ? low : at(last);
        const float g_low = is_after ? static_cast<float>(sums.gradient[low]) : 0.0f;
        const float h_low = is_after ? static_cast<float>(sums.hessian[low]) : 0.0f;
        const float w_low = is_after ? sums.weight[low] : 0.0f;
        const float g_high = static_cast<float>(sums.gradient[high]), h_high = static_cast<float>(sums.hessian[high]);
        const float scale = 1.0f / (static_cast<float>(sums.hessian[at(last)]) + 2.0f * ridge);
        segment.g_low[lane] = g_low;
        segment.g_high[lane] = g_high;
        segment.a_low[lane] = scale * (h_low - ridge);
        segment.b_high[lane] = scale * (h_high + ridge);
        segment.w_low[lane] = w_low + min_weight;
        segment.w_high[lane] = sums.weight[high] - min_weight;
        segment.whole[lane] = (g_high - g_low) * (g_high - g_low) / (scale * (h_high - h_low + ridge));
        segment.scale[lane] = scale;
    };
    for (int lane = 0; lane < LANES; ++lane) start_at(lane, 0);
    for (std::int32_t begin = 0, end; begin < last; begin = end) {
        end = last;
        for (int lane = 0; lane < LANES; ++lane)
            if (earlier[lane] > begin) end = std::min(end, earlier[lane]);
        try_cuts(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), sums, segment, best);
        for (int lane = 0; lane < LANES; ++lane)
            if (earlier[lane] == end) start_at(lane, end);
    }
    std::copy(best.position, best.position + LANES, cut);
}

inline std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

inline std::int32_t random_cut(std::uint64_t& state, std::size_t n_bins) {  // uniform on 0 .. n_bins - 2
    return static_cast<std::int32_t>((next_random(state) >> 32) * (n_bins - 1) >> 32);
}

}  // namespace boosting_detail
}  // namespace calmgam
