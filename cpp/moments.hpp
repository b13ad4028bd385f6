// Sums over rows that can be added in any order: all are integers, so that any grouping has the same bits.
//
// One pass over a block of rows needs three things: a hash of every row's values (which rows are a sample, which
// fold a row is in), the slot of every value between given edges, and for every pair of features how often (or with
// which weight) two cells meet: the Gram matrix of the cells' indicators, one tile per pair, which stays in the
// cache while a block of rows goes through it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "lanes.hpp"
#include "threads.hpp"

namespace calmgam {

// Takes a column's values into the rows' hashes. -0 counts as 0, every NaN as the same; a number of single
// precision as the double that equals it.
template <typename Value>
void mix_column(std::size_t n_rows, const Value* values, std::uint64_t* hashes) {
    constexpr std::uint64_t MISSING = 0x7FF8000000000000ull;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double value = static_cast<double>(values[row]) + 0.0;
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        if (value != value) bits = MISSING;
        std::uint64_t hash = (hashes[row] ^ bits) * 0x9E3779B97F4A7C15ull;
        hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93ull;
        hashes[row] = hash ^ (hash >> 29);
    }
}

// What a column of numbers is like: its smallest and largest, how many are missing, whether all others are whole.
struct ColumnSummary {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    std::size_t n_missing = 0;
    bool whole = true;
};

template <typename Value>
ColumnSummary summarise(std::size_t n_rows, const Value* values) {
    ColumnSummary found;
    Value low = std::numeric_limits<Value>::infinity(), high = -low;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const Value value = values[row];
        low = value < low ? value : low;  // never true of what is missing
        high = value > high ? value : high;
        found.n_missing += value != value;
    }
    for (std::size_t row = 0; row < n_rows && found.whole; ++row)
        found.whole = values[row] != values[row] || values[row] == std::floor(values[row]);
    found.low = static_cast<double>(low);
    found.high = static_cast<double>(high);
    return found;
}

// The number of edges below every value; missing values have the slot n_edges + 1. Blocks of values halve their
// range together, so that no branch is guessed wrong and searches overlap.
template <typename Value>
CALMGAM_CLONES void find_slots(std::size_t n_rows, const Value* values, std::size_t n_edges, const double* edges,
                               std::uint16_t* slots) {
    constexpr std::size_t BLOCK = 16;
    const std::uint16_t missing = static_cast<std::uint16_t>(n_edges + 1);
    for (std::size_t start = 0; start < n_rows; start += BLOCK) {
        const std::size_t n = std::min(BLOCK, n_rows - start);
        double x[BLOCK];
        std::uint32_t below[BLOCK] = {};
        for (std::size_t k = 0; k < BLOCK; ++k) x[k] = k < n ? static_cast<double>(values[start + k]) : 0.0;
        for (std::size_t left = n_edges; left > 0;) {
            const std::size_t half = (left + 1) / 2;
            const auto step = static_cast<std::uint32_t>(half);
            for (std::size_t k = 0; k < BLOCK; ++k)  // a product: compilers make a branch of a choice
                below[k] += step * static_cast<std::uint32_t>(edges[below[k] + half - 1] < x[k]);
            left -= half;
        }
        for (std::size_t k = 0; k < n; ++k)
            slots[start + k] = x[k] == x[k] ? static_cast<std::uint16_t>(below[k]) : missing;
    }
}

// Adds to a sum; beyond its bits it goes round, like numpy's. Callers choose places so that it does not.
template <typename Sum>
void add_to(Sum& sum, Sum value) {
    using Bits = std::make_unsigned_t<Sum>;
    sum = static_cast<Sum>(static_cast<Bits>(sum) + static_cast<Bits>(value));
}

// Adds every row's weight (1, if there are none) and value to its cells. Rows are in order of their folds, each of
// which has its own sums, n_cells one feature after the other; `sums` and `values` may be absent together.
template <typename Code>
void add_cells(std::size_t n_rows, const Code* codes, const std::vector<std::size_t>& n_cells,
               const std::vector<std::size_t>& fold_starts, const std::int64_t* weight, const std::int64_t* values,
               int n_threads, std::int64_t* weights, std::int64_t* sums) {
    std::vector<std::size_t> first(1, 0);
    for (const std::size_t n : n_cells) first.push_back(first.back() + n);
    parallel_for(n_cells.size(), n_threads, [&](std::size_t feature) {
        const Code* cells = codes + feature * n_rows;
        for (std::size_t fold = 0; fold + 1 < fold_starts.size(); ++fold) {
            const std::size_t begin = fold * first.back() + first[feature], end = fold_starts[fold + 1];
            for (std::size_t row = fold_starts[fold]; row < end; ++row) {
                add_to(weights[begin + cells[row]], weight ? weight[row] : 1);
                if (sums) add_to(sums[begin + cells[row]], values[row]);
            }
        }
    });
}

// Adds rows to the tiles of all pairs of features, i < j: tile[cell of i][cell of j] grows by 1 or by the row's
// weight. Rows are in order of their folds, each of which has its own tiles; one thread works on a pair at a time.
template <typename Code, typename Sum>
void add_pairs(std::size_t n_rows, const Code* codes, const std::vector<std::size_t>& n_cells,
               const std::vector<std::size_t>& fold_starts, const Sum* weight, int n_threads, Sum* tiles) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<std::size_t> first;  // where a pair's tile begins
    std::size_t size = 0;
    for (std::size_t i = 0; i < n_cells.size(); ++i)
        for (std::size_t j = i + 1; j < n_cells.size(); ++j) {
            pairs.emplace_back(i, j);
            first.push_back(size);
            size += n_cells[i] * n_cells[j];
        }
    parallel_for(pairs.size(), n_threads, [&](std::size_t pair) {
        const auto [i, j] = pairs[pair];
        const Code *left = codes + i * n_rows, *right = codes + j * n_rows;
        const std::size_t width = n_cells[j];
        for (std::size_t fold = 0; fold + 1 < fold_starts.size(); ++fold) {
            Sum* tile = tiles + fold * size + first[pair];
            const std::size_t end = fold_starts[fold + 1];
            if (weight)
                for (std::size_t row = fold_starts[fold]; row < end; ++row)
                    add_to(tile[left[row] * width + right[row]], weight[row]);
            else
                for (std::size_t row = fold_starts[fold]; row < end; ++row)
                    add_to(tile[left[row] * width + right[row]], Sum{1});
        }
    });
}

}  // namespace calmgam
