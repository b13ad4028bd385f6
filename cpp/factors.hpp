// Factors in 0..1 of the parts that make up scores, by Newton's method: the slope of a loss along every part, the
// curvatures along all pairs of parts, and the end of a parabola in the unit cube.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lanes.hpp"

namespace calmgam {

namespace factors_detail {

constexpr std::size_t IN_CACHE = 1 << 13, MIN_WIDTH = 128;  // numbers that are worked on at a time; rows at least

inline double sum_of_lanes(const double* lanes) {
    double sum = 0.0;
    for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

// Adds to sums[k][l], k in first .. first + 1 and l from `first` on, the products of lines k and l over rows: two
// lines by two, in LANES sums each. All lines are `width` long, a multiple of LANES, and even in number.
CALMGAM_CLONES
inline void add_products(const double* lines, const double* weighted, std::size_t first, std::size_t n_weighted,
                         std::size_t width, double* sums) {
    const double *a = lines + first * width, *b = a + width;
    for (std::size_t l = first; l < n_weighted; l += 2) {
        const double *c = weighted + l * width, *d = c + width;
        double ac[LANES] = {}, ad[LANES] = {}, bc[LANES] = {}, bd[LANES] = {};
        for (std::size_t row = 0; row < width; row += LANES) {
            CALMGAM_FOR_LANES {
                ac[lane] += a[row + lane] * c[row + lane];
                ad[lane] += a[row + lane] * d[row + lane];
                bc[lane] += b[row + lane] * c[row + lane];
                bd[lane] += b[row + lane] * d[row + lane];
            }
        }
        double *upper = sums + first * n_weighted + l, *lower = upper + n_weighted;
        upper[0] += sum_of_lanes(ac), upper[1] += sum_of_lanes(ad);
        lower[0] += sum_of_lanes(bc), lower[1] += sum_of_lanes(bd);
    }
}

inline std::size_t round_up(std::size_t n, std::size_t unit) {
    return (n + unit - 1) / unit * unit;
}

}  // namespace factors_detail

// Of parts, (n_parts, n): slopes = parts gradient, (n_parts), and curvatures = parts diag(hessian) parts', (n_parts,
// n_parts). The gradient is one more line of those that parts are multiplied with. Sums have a fixed order.
inline void slopes_and_curvatures(const double* parts, std::size_t n_parts, std::size_t n, const double* gradient,
                                  const double* hessian, double* slopes, double* curvatures) {
    using namespace factors_detail;
    const std::size_t n_lines = round_up(n_parts, 2), n_weighted = round_up(n_parts + 1, 2);
    const std::size_t most = std::max(MIN_WIDTH, IN_CACHE / std::max<std::size_t>(n_lines, 1) / LANES * LANES);
    const std::size_t width = std::min(most, round_up(n, LANES));
    std::vector<double> lines(n_lines * width), weighted(n_weighted * width), sums(n_lines * n_weighted);
    for (std::size_t start = 0; start < n; start += width) {
        const std::size_t size = std::min(width, n - start);
        for (std::size_t k = 0; k < n_parts; ++k) {
            const double* part = parts + k * n + start;
            double *line = lines.data() + k * width, *times = weighted.data() + k * width;
            for (std::size_t row = 0; row < size; ++row) line[row] = part[row];
            for (std::size_t row = 0; row < size; ++row) times[row] = part[row] * hessian[start + row];
            std::fill(line + size, line + width, 0.0);
            std::fill(times + size, times + width, 0.0);
        }
        double* last = weighted.data() + n_parts * width;
        std::copy(gradient + start, gradient + start + size, last);
        std::fill(last + size, last + width, 0.0);
        for (std::size_t first = 0; first < n_lines; first += 2)
            add_products(lines.data(), weighted.data(), first, n_weighted, width, sums.data());
    }
    for (std::size_t k = 0; k < n_parts; ++k) {
        slopes[k] = sums[k * n_weighted + n_parts];
        for (std::size_t l = k; l < n_parts; ++l)
            curvatures[k * n_parts + l] = curvatures[l * n_parts + k] = sums[k * n_weighted + l];
    }
}

// Moves x, each in 0..1, to where slopes' step - step' curvatures step / 2 is largest, one coordinate after the other,
// until none moves by as much as the tolerance. Curvatures, (n, n), are symmetric; slopes become those at x.
CALMGAM_CLONES
inline void bounded_minimum(double* slopes, const double* curvatures, std::size_t n, int max_sweeps, double tolerance,
                            double* x) {
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        double largest = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const double *line = curvatures + k * n, before = x[k];
            if (!(line[k] > 0.0)) continue;
            x[k] = std::min(std::max(before + slopes[k] / line[k], 0.0), 1.0);
            const double change = x[k] - before;
            if (change == 0.0) continue;
            CALMGAM_SIMD
            for (std::size_t l = 0; l < n; ++l) slopes[l] -= change * line[l];
            largest = std::max(largest, std::abs(change));
        }
        if (largest < tolerance) return;
    }
}

}  // namespace calmgam
