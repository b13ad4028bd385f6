// Levels in the order of their heights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace calmgam {

// Sorts levels by height(level), equals as they came. Heights that are no number come last: a comparison that
// contradicts itself must not reach std::stable_sort.
template <typename Height>
void sort_by_height(std::vector<std::size_t>& levels, const Height& height) {
    std::stable_sort(levels.begin(), levels.end(), [&](std::size_t a, std::size_t b) {
        const double left = height(a), right = height(b);
        return left < right || (std::isnan(right) && !std::isnan(left));
    });
}

}  // namespace calmgam
