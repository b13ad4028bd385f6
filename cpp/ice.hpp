// Exact ICE curves of a tree ensemble: sums of leaf values for every background row and every grid value
// of one feature.
//
// In one tree, grid values that go the same way at every node on the feature form a *class*; a node on the
// feature carries a 64-bit mask of the classes that go left. A block of rows descends the tree together:
//
//     node on another feature   rows are partitioned in place            [rows left | rows right]
//     node on the feature       both children get all rows, with classes & left, classes & ~left
//     leaf                      its value belongs to (these rows) x (these classes)
//
// so a tree costs about one prediction, not one per grid value, and no branch depends on a row's value. What
// is summed over the trees are the steps from one grid value to the next, most of which are none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ensemble.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace calmgam::ice {

using ensemble::goes_left;
using ensemble::Matrix;
using ensemble::rounded;
using ensemble::Trees;

// A grid value whose class, in one tree, differs from that of the grid value before it.
struct Step {
    std::uint32_t point;
    std::int32_t before, after;  // classes; NONE: the value of the tree is another pass's
};
constexpr int NONE = 64;  // behind the last class

// One descent of one tree for at most 64 classes of grid values.
struct Pass {
    std::int32_t root;
    int n_classes;
    std::size_t first_mask;  // left_mask[first_mask + rank[node]] at the nodes on the feature
    std::vector<Step> steps;
};

struct Plan {
    std::vector<Pass> passes;
    std::vector<std::uint64_t> left_mask;
    std::vector<std::int32_t> rank;  // of a node among its tree's nodes on the feature, -1 elsewhere
};

inline Plan make_plan(const Trees& trees, std::int32_t feature, const std::vector<double>& grid, bool all_trees) {
    Plan plan;
    plan.rank.assign(trees.n_nodes, -1);
    std::vector<std::int32_t> own_nodes, class_of, renumbered;
    for (std::size_t tree = 0; tree < trees.n_trees; ++tree) {
        const std::int32_t root = trees.roots[tree];
        const bool last = tree + 1 == trees.n_trees;
        const std::int32_t end = last ? static_cast<std::int32_t>(trees.n_nodes) : trees.roots[tree + 1];
        own_nodes.clear();
        for (std::int32_t node = root; node < end; ++node)
            if (trees.feature[node] == feature) {
                plan.rank[node] = static_cast<std::int32_t>(own_nodes.size());
                own_nodes.push_back(node);
            }
        if (own_nodes.empty() && !all_trees) continue;

        // Refine the classes node by node: same class and same side stay together.
        int n_classes = 1;
        class_of.assign(grid.size(), 0);
        for (const std::int32_t node : own_nodes) {
            renumbered.assign(2 * n_classes, -1);
            int n_refined = 0;
            for (std::size_t point = 0; point < grid.size(); ++point) {
                std::int32_t& refined = renumbered[2 * class_of[point] + goes_left(trees, node, grid[point])];
                if (refined < 0) refined = n_refined++;
                class_of[point] = refined;
            }
            n_classes = n_refined;
        }

        for (int first = 0; first < n_classes; first += 64) {
            Pass pass{root, std::min(64, n_classes - first), plan.left_mask.size(), {}};
            plan.left_mask.resize(plan.left_mask.size() + own_nodes.size(), 0);
            std::uint64_t seen = 0;
            std::int32_t before = NONE;
            for (std::size_t point = 0; point < grid.size(); ++point) {
                const std::int32_t local = class_of[point] - first, after = local >= 0 && local < 64 ? local : NONE;
                if (after != before) pass.steps.push_back({static_cast<std::uint32_t>(point), before, after});
                before = after;
                if (after == NONE || seen >> after & 1) continue;
                const std::uint64_t bit = std::uint64_t{1} << after;
                seen |= bit;
                for (std::size_t own = 0; own < own_nodes.size(); ++own)
                    if (goes_left(trees, own_nodes[own], grid[point])) plan.left_mask[pass.first_mask + own] |= bit;
            }
            plan.passes.push_back(std::move(pass));
        }
    }
    return plan;
}

// sum += after - before
CALMGAM_CLONES
static void add_step(const double* before, const double* after, std::size_t n_rows, double* sum) {
    for (std::size_t row = 0; row < n_rows; ++row) sum[row] += after[row] - before[row];
}

// What one thread needs to bring blocks of rows down the trees.
class Descent {
   public:
    static constexpr std::size_t block_size = 1024;  // rows that stay in the cache

    Descent(const Trees& trees, const Plan& plan, const Matrix& rows, std::size_t n_points)
        : trees_(trees),
          plan_(plan),
          matrix_(rows),
          n_points_(n_points),
          columns_(rows.n_columns * block_size),
          sums_(n_points * block_size),
          leaf_values_((NONE + 1) * block_size),
          rows_(block_size) {}

    // out[row, point], C-order, for rows first .. first + block_size.
    void run(std::size_t first, double* out) {
        const std::size_t n_rows = std::min(block_size, matrix_.n_rows - first);
        for (std::size_t column = 0; column < matrix_.n_columns; ++column) {
            const double* source = matrix_.data + static_cast<std::ptrdiff_t>(column) * matrix_.column_stride +
                                   static_cast<std::ptrdiff_t>(first) * matrix_.row_stride;
            double* target = &columns_[column * block_size];
            for (std::size_t row = 0; row < n_rows; ++row, source += matrix_.row_stride)
                target[row] = rounded(*source, trees_.float32);
        }
        for (std::size_t row = 0; row < n_rows; ++row) rows_[row] = static_cast<std::uint32_t>(row);
        std::fill(sums_.begin(), sums_.end(), 0.0);

        for (const Pass& pass : plan_.passes) {
            descend(pass, static_cast<std::uint32_t>(n_rows));
            for (const Step& step : pass.steps)
                add_step(&leaf_values_[step.before * block_size], &leaf_values_[step.after * block_size], n_rows,
                         &sums_[step.point * block_size]);
        }
        for (std::size_t row = 0; row < n_rows; ++row) {
            double sum = 0.0;
            for (std::size_t point = 0; point < n_points_; ++point)
                out[(first + row) * n_points_ + point] = sum += sums_[point * block_size + row];
        }
    }

   private:
    struct Visit {
        std::int32_t node;
        std::uint32_t begin, end;  // the rows that have come here: rows_[begin, end)
        std::uint64_t classes;     // classes of grid values that they come with
    };

    // leaf_values_[class, row] of one tree. A segment of rows_ may be permuted below one child before the
    // other child sees it: it stays the same set.
    void descend(const Pass& pass, std::uint32_t n_rows) {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - pass.n_classes);
        visits_.push_back({pass.root, 0, n_rows, all});
        while (!visits_.empty()) {
            Visit visit = visits_.back();
            visits_.pop_back();
            while (trees_.feature[visit.node] >= 0) {
                const std::int32_t node = visit.node;
                Visit other = visit;
                visit.node = trees_.left[node];
                other.node = trees_.right[node];
                if (const std::int32_t rank = plan_.rank[node]; rank >= 0) {
                    const std::uint64_t left = plan_.left_mask[pass.first_mask + rank];
                    visit.classes &= left;
                    other.classes &= ~left;
                    if (visit.classes && other.classes)
                        visits_.push_back(other);
                    else if (other.classes)
                        visit = other;
                } else {
                    visit.end = other.begin = partition(node, visit.begin, visit.end);
                    if (visit.begin < visit.end && other.begin < other.end)
                        visits_.push_back(other);
                    else if (other.begin < other.end)
                        visit = other;
                }
            }
            const double value = trees_.value[visit.node];
            for (int k = 0; visit.classes; ++k, visit.classes >>= 1) {
                if (!(visit.classes & 1)) continue;
                double* values = &leaf_values_[k * block_size];
                for (std::uint32_t at = visit.begin; at < visit.end; ++at) values[rows_[at]] = value;
            }
        }
    }

    std::uint32_t partition(std::int32_t node, std::uint32_t begin, std::uint32_t end) {
        const double* x = &columns_[trees_.feature[node] * block_size];
        const double threshold = trees_.threshold[node];
        const bool missing_left = trees_.missing_left[node];
        if (const std::int32_t offset = trees_.left_codes[node]; offset >= 0) {
            const std::uint8_t* left = trees_.code_goes_left + offset;
            return partition(begin, end, [=](std::uint32_t row) {
                return std::isnan(x[row]) ? missing_left : left[static_cast<std::int32_t>(x[row])] != 0;
            });
        }
        if (missing_left) return partition(begin, end, [=](std::uint32_t row) { return !(x[row] > threshold); });
        return partition(begin, end, [=](std::uint32_t row) { return x[row] <= threshold; });
    }

    // Rows that go left come first; without a branch on the outcome.
    template <class GoesLeft>
    std::uint32_t partition(std::uint32_t begin, std::uint32_t end, GoesLeft left) {
        std::uint32_t middle = begin;
        for (std::uint32_t at = begin; at < end; ++at) {
            const std::uint32_t row = rows_[at];
            rows_[at] = rows_[middle];
            rows_[middle] = row;
            middle += left(row);
        }
        return middle;
    }

    const Trees& trees_;
    const Plan& plan_;
    const Matrix& matrix_;
    std::size_t n_points_;
    std::vector<double> columns_, sums_, leaf_values_;
    std::vector<std::uint32_t> rows_;
    std::vector<Visit> visits_;
};

// out[row, point] = sum over trees of the leaf value of `row` with its `feature` set to grid[point].
// Trees that never split on the feature are left out unless `all_trees`. Every row is computed by itself and
// trees are added in order, so neither blocks nor threads change a bit.
inline void ice_sums(const Trees& trees, const Matrix& rows, std::int32_t feature, std::vector<double> grid,
                     bool all_trees, int n_threads, double* out) {
    for (double& value : grid) value = rounded(value, trees.float32);
    const Plan plan = make_plan(trees, feature, grid, all_trees);
    const std::size_t n_blocks = (rows.n_rows + Descent::block_size - 1) / Descent::block_size;
    parallel_for(n_blocks, n_threads, [&](std::size_t block) {
        Descent(trees, plan, rows, grid.size()).run(block * Descent::block_size, out);
    });
}

}  // namespace calmgam::ice
