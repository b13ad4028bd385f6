// What curves say of rows that they were not learned from: of every part, a feature's curves, and of every row the
// mean height in the row's cell, over the bags in which the row validates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calmgam {

struct HeldOutRows {
    std::size_t n_rows;
    std::vector<std::vector<std::uint32_t>> of_bag;  // those that validate in it
    std::vector<double> n_bags;                      // in how many each does
};

inline HeldOutRows held_out_rows(const std::uint8_t* roles, std::size_t n_rows, std::size_t n_bags,
                                 std::uint8_t validates) {
    HeldOutRows rows{n_rows, std::vector<std::vector<std::uint32_t>>(n_bags), std::vector<double>(n_rows)};
    for (std::size_t bag = 0; bag < n_bags; ++bag) {
        std::vector<std::uint32_t>& own = rows.of_bag[bag];
        own.resize(n_rows);
        std::size_t n_own = 0;  // written always, counted if it is one: no branch that nobody can foresee
        for (std::size_t row = 0; row < n_rows; ++row) {
            own[n_own] = static_cast<std::uint32_t>(row);
            n_own += roles[row * n_bags + bag] == validates;
        }
        own.resize(n_own);
        for (const std::uint32_t row : own) rows.n_bags[row] += 1.0;
    }
    return rows;
}

// Of one part: cells of each row; heights of the first bag and output, those of the next `stride` further; adds to
// means, (n_rows, n_outputs) zeros.
inline void held_out_means(const HeldOutRows& rows, const std::uint16_t* cells, const double* heights,
                           std::size_t stride, std::size_t n_outputs, double* means) {
    for (const std::vector<std::uint32_t>& own : rows.of_bag)
        for (std::size_t k = 0; k < n_outputs; ++k, heights += stride)
            for (const std::uint32_t row : own) means[row * n_outputs + k] += heights[cells[row]];
    for (std::size_t row = 0; row < rows.n_rows; ++row)
        for (std::size_t k = 0; k < n_outputs; ++k) means[row * n_outputs + k] /= rows.n_bags[row];
}

}  // namespace calmgam
