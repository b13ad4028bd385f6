// Trees of any library (calmgam.fit.references.ensembles.TreeEnsemble): views on their nodes, and the scores of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "threads.hpp"

namespace calmgam::ensemble {

// Views on the arrays of calmgam.fit.references.ensembles.TreeEnsemble.
struct Trees {
    const std::int32_t* roots;
    std::size_t n_trees;
    const std::int32_t* feature;  // -1: leaf
    const double* threshold;      // x <= threshold goes left
    const std::int32_t *left, *right;
    const std::uint8_t* missing_left;
    const std::int32_t* left_codes;  // -1: numeric, else offset into code_goes_left
    const std::uint8_t* code_goes_left;
    const double* value;
    std::size_t n_nodes;
    bool float32;  // round x to float32 before comparing
};

struct Matrix {
    const double* data;
    std::size_t n_rows, n_columns;
    std::ptrdiff_t row_stride, column_stride;
};

inline bool goes_left(const Trees& trees, std::int32_t node, double x) {
    if (std::isnan(x)) return trees.missing_left[node];
    if (trees.left_codes[node] >= 0) return trees.code_goes_left[trees.left_codes[node] + static_cast<std::int32_t>(x)];
    return x <= trees.threshold[node];
}

inline double rounded(double x, bool float32) {
    return float32 ? static_cast<double>(static_cast<float>(x)) : x;
}

// out[row] = sum over trees of the value of the row's leaf. A block of rows descends a tree together and is
// partitioned at every node, without a branch that depends on a row's value.
inline void sums(const Trees& trees, const Matrix& rows, int n_threads, double* out) {
    constexpr std::size_t BLOCK = 2048;  // rows whose values stay near
    struct Part {
        std::int32_t node;
        std::uint32_t begin, end;
    };
    parallel_for((rows.n_rows + BLOCK - 1) / BLOCK, n_threads, [&](std::size_t block) {
        const std::size_t first = block * BLOCK, n_rows = std::min(BLOCK, rows.n_rows - first);
        std::fill(out + first, out + first + n_rows, 0.0);
        const double* data = rows.data + static_cast<std::ptrdiff_t>(first) * rows.row_stride;
        std::vector<std::uint32_t> members(n_rows), moved(n_rows);
        std::iota(members.begin(), members.end(), std::uint32_t{0});  // in any order from then on
        std::vector<Part> parts;
        for (std::size_t tree = 0; tree < trees.n_trees; ++tree) {
            parts.push_back({trees.roots[tree], 0, static_cast<std::uint32_t>(n_rows)});
            while (!parts.empty()) {
                const Part part = parts.back();
                parts.pop_back();
                if (trees.feature[part.node] < 0) {
                    for (std::uint32_t k = part.begin; k < part.end; ++k)
                        out[first + members[k]] += trees.value[part.node];
                    continue;
                }
                const double* column = data + trees.feature[part.node] * rows.column_stride;
                std::uint32_t n_left = part.begin, n_right = 0;
                for (std::uint32_t k = part.begin; k < part.end; ++k) {
                    const std::uint32_t member = members[k];
                    const double x = column[static_cast<std::ptrdiff_t>(member) * rows.row_stride];
                    const bool left = goes_left(trees, part.node, rounded(x, trees.float32));
                    members[n_left] = moved[n_right] = member;
                    n_left += left;
                    n_right += !left;
                }
                std::copy(moved.begin(), moved.begin() + n_right, members.begin() + n_left);
                if (n_left < part.end) parts.push_back({trees.right[part.node], n_left, part.end});
                if (n_left > part.begin) parts.push_back({trees.left[part.node], part.begin, n_left});
            }
        }
    });
}

}  // namespace calmgam::ensemble
