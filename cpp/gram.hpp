// The Gram matrix B'WB of splines, straight from cells.
//
// In every term a row has at most WIDTH neighbouring non-zero basis values, and they depend on its cell
// alone: so a pair of terms adds a WIDTH x WIDTH block per row, wherever its two cells say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace calmgam {

constexpr std::size_t WIDTH = 4;  // cubic splines

struct SplineTerm {
    const std::uint16_t* cells;        // of each row
    const std::int32_t* first_column;  // of each cell: where its basis values begin
    const double* basis;               // (n_cells, WIDTH)
};

// Fills the upper triangle of gram, (n_columns, n_columns). Terms must not share columns.
inline void gram(std::size_t n_rows, const std::vector<SplineTerm>& terms, const double* weight, std::size_t n_columns,
                 int n_threads, double* gram) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t j = i; j < terms.size(); ++j) pairs.emplace_back(i, j);
    parallel_for(pairs.size(), n_threads, [&](std::size_t pair) {
        const SplineTerm &left = terms[pairs[pair].first], &right = terms[pairs[pair].second];
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (weight[row] == 0.0) continue;
            const std::size_t left_cell = left.cells[row], right_cell = right.cells[row];
            const double* left_basis = left.basis + left_cell * WIDTH;
            const double* right_basis = right.basis + right_cell * WIDTH;
            double* block = gram + left.first_column[left_cell] * n_columns + right.first_column[right_cell];
            for (std::size_t a = 0; a < WIDTH; ++a, block += n_columns) {
                const double factor = weight[row] * left_basis[a];
                for (std::size_t b = 0; b < WIDTH; ++b) block[b] += factor * right_basis[b];
            }
        }
    });
}

}  // namespace calmgam
