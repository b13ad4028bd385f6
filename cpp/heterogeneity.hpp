// How much every candidate condition would lower the heterogeneity of a node's local effects (DESIGN 1.2).
//
// One pass over the node's rows sums the effects per candidate code; prefix sums (ordered codes) or each
// code against the rest (unordered) then give both sides of all candidates. The gain is the part of
// W·H that lies between the sides,
//     W H(I) - W_L H(L) - W_R H(R) = sum over points of W_L W_R / W · (mean_L - mean_R)²,
// which needs no sums of squares and stays exact when the effects lie far from zero. A curve has a value at
// every point of a grid, and W is the weight of all rows; an effect at the row's own value belongs to one
// bin, and W is the weight of the rows in that bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "threads.hpp"

namespace calmgam {

// Curves. A group of rows is one strip of numbers:
//     [n_rows | weight | sum over rows of weight * curve ...]
struct CurveTable {
    const double* curves;   // n_rows x n_points, row by row
    const double* weights;  // n_rows
    std::size_t n_rows, n_points;
    static constexpr std::size_t CURVE = 2;  // where it starts in a strip

    std::size_t strip() const { return CURVE + n_points; }

    void add_row(std::size_t row, double* __restrict sum) const {
        const double* __restrict curve = curves + row * n_points;
        const double weight = weights[row];
        sum[0] += 1.0;
        sum[1] += weight;
        for (std::size_t k = 0; k < n_points; ++k) sum[CURVE + k] += weight * curve[k];
    }

    double gain(const double* left, const double* total) const {
        const double right_weight = total[1] - left[1];
        if (!(left[1] > 0.0) || !(right_weight > 0.0)) return -1.0;
        double distance = 0.0;
        for (std::size_t k = CURVE; k < strip(); ++k) {
            const double difference = left[k] / left[1] - (total[k] - left[k]) / right_weight;
            distance += difference * difference;
        }
        return left[1] * right_weight / total[1] * distance;
    }
};

// One effect per row, in a bin. A group of rows is one strip of numbers:
//     [n_rows | weight, sum of weight * effect of bin 0 | ... of bin 1 | ...]
struct PointTable {
    const double* effects;      // n_rows
    const std::uint16_t* bins;  // n_rows
    const double* weights;      // n_rows
    std::size_t n_rows, n_bins;

    std::size_t strip() const { return 1 + 2 * n_bins; }

    void add_row(std::size_t row, double* __restrict sum) const {
        double* __restrict bin = sum + 1 + 2 * bins[row];
        sum[0] += 1.0;
        bin[0] += weights[row];
        bin[1] += weights[row] * effects[row];
    }

    double gain(const double* left, const double* total) const {
        double gain = 0.0, left_weight = 0.0, right_weight = 0.0;
        for (std::size_t k = 1; k < strip(); k += 2) {
            const double right = total[k] - left[k];
            left_weight += left[k];
            right_weight += right;
            if (left[k] > 0.0 && right > 0.0) {
                const double difference = left[k + 1] / left[k] - (total[k + 1] - left[k + 1]) / right;
                gain += left[k] * right / total[k] * difference * difference;
            }
        }
        return left_weight > 0.0 && right_weight > 0.0 ? gain : -1.0;
    }
};

struct CandidateCodes {
    const std::uint16_t* codes;  // of each row; n_conditions + 1 is missing
    std::size_t n_conditions;
    bool ordered;  // condition t holds for codes <= t, otherwise for codes == t
};

inline void add(double* __restrict sum, const double* __restrict part, std::size_t length) {
    for (std::size_t k = 0; k < length; ++k) sum[k] += part[k];
}

// Sums of every code, n_conditions + 2 strips.
template <class Table>
std::vector<double> sums_by_code(const Table& table, const CandidateCodes& candidates) {
    const std::size_t strip = table.strip();
    std::vector<double> sums((candidates.n_conditions + 2) * strip, 0.0);
    for (std::size_t row = 0; row < table.n_rows; ++row)
        table.add_row(row, sums.data() + candidates.codes[row] * strip);
    return sums;
}

// gains: a pair (missing rows right, missing rows left) for every condition, then one for "is not missing";
// what cannot be tried is -1.
template <class Table>
void score_feature(const Table& table, const CandidateCodes& candidates, double min_rows, double* gains) {
    const std::size_t strip = table.strip(), n_conditions = candidates.n_conditions;
    const std::vector<double> sums = sums_by_code(table, candidates);
    const double* missing = sums.data() + (n_conditions + 1) * strip;
    const bool any_missing = missing[0] > 0.0;
    std::vector<double> present(strip, 0.0), total(strip), left(strip, 0.0), left_and_missing(strip);
    for (std::size_t code = 0; code <= n_conditions; ++code) add(present.data(), sums.data() + code * strip, strip);
    total = present;
    add(total.data(), missing, strip);
    // what goes left against the rest; -1 if a side has too few rows or no weight
    const auto gain = [&](const std::vector<double>& side) {
        const bool enough = side[0] >= min_rows && total[0] - side[0] >= min_rows;
        return enough ? table.gain(side.data(), total.data()) : -1.0;
    };
    for (std::size_t t = 0; t < n_conditions; ++t) {
        if (!candidates.ordered) left.assign(strip, 0.0);
        add(left.data(), sums.data() + t * strip, strip);
        left_and_missing = left;
        add(left_and_missing.data(), missing, strip);
        gains[2 * t] = gain(left);
        gains[2 * t + 1] = any_missing ? gain(left_and_missing) : -1.0;
    }
    gains[2 * n_conditions] = any_missing ? gain(present) : -1.0;
    gains[2 * n_conditions + 1] = -1.0;
}

// gains: the pairs of all features' conditions, one feature after the other.
template <class Table>
void split_gains(const Table& table, const std::vector<CandidateCodes>& features, double min_rows, int n_threads,
                 double* gains) {
    std::vector<std::size_t> first(1, 0);
    for (const CandidateCodes& candidates : features) first.push_back(first.back() + candidates.n_conditions + 1);
    parallel_for(features.size(), n_threads, [&](std::size_t feature) {
        score_feature(table, features[feature], min_rows, gains + 2 * first[feature]);
    });
}

}  // namespace calmgam
