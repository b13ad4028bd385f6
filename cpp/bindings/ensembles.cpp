#include "ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "checks.hpp"
#include "ice.hpp"

namespace calmgam::bindings {

namespace {

using ensemble::Matrix;
using ensemble::Trees;

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

// The arrays of a TreeEnsemble, as Python passes them.
struct TreeArrays {
    const Input<std::int32_t, 1>&roots, &features;
    const Input<double, 1>& thresholds;
    const Input<std::int32_t, 1>&left, &right;
    const Input<std::uint8_t, 1>& missing_left;
    const Input<std::int32_t, 1>& left_codes;
    const Input<std::uint8_t, 1>& code_goes_left;
    const Input<double, 1>& values;
    bool float32;
};

Matrix matrix_of(const Rows& rows) {
    return {rows.data(), rows.shape(0), rows.shape(1), rows.stride(0), rows.stride(1)};
}

// Throws unless every tree's nodes lead to later nodes of its own, and ask for columns and codes that there are.
void check_nodes(const Checks& checks, const Trees& trees, std::size_t n_codes, std::size_t n_columns) {
    const auto within = [&](const char* thing, std::size_t node, std::int64_t value, std::int64_t low,
                            std::int64_t limit) {
        if (value < low || value >= limit)
            checks.refuse(at(thing, node), "must be in [" + std::to_string(low) + ", " + std::to_string(limit) + ")",
                          std::to_string(value));
    };
    const auto n_nodes = static_cast<std::int64_t>(trees.n_nodes);
    for (std::size_t tree = 0; tree < trees.n_trees; ++tree)
        within("roots", tree, trees.roots[tree], tree ? trees.roots[tree - 1] + std::int64_t{1} : 0, n_nodes);
    for (std::size_t tree = 0; tree < trees.n_trees; ++tree) {
        const std::int64_t end = tree + 1 < trees.n_trees ? trees.roots[tree + 1] : n_nodes;
        for (std::int64_t at = trees.roots[tree]; at < end; ++at) {
            const auto node = static_cast<std::size_t>(at);
            within("features", node, trees.feature[node], -1, static_cast<std::int64_t>(n_columns));
            if (trees.feature[node] < 0) continue;
            within("left", node, trees.left[node], at + 1, end);
            within("right", node, trees.right[node], at + 1, end);
            within("left_codes", node, trees.left_codes[node], -1, static_cast<std::int64_t>(n_codes));
        }
    }
}

// How many codes every column may have, so that each of its nodes knows them; columns without such nodes: infinite.
// Tables of codes lie one after the other.
std::vector<double> code_limits(const Trees& trees, std::size_t n_codes, std::size_t n_columns) {
    std::vector<double> limits(n_columns, INFINITE);
    std::vector<std::int32_t> offsets;
    const std::size_t first = trees.n_trees ? static_cast<std::size_t>(trees.roots[0]) : trees.n_nodes;
    for (std::size_t node = first; node < trees.n_nodes; ++node)
        if (trees.feature[node] >= 0 && trees.left_codes[node] >= 0) offsets.push_back(trees.left_codes[node]);
    std::sort(offsets.begin(), offsets.end());
    for (std::size_t node = first; node < trees.n_nodes && !offsets.empty(); ++node) {
        if (trees.feature[node] < 0 || trees.left_codes[node] < 0) continue;
        const auto next = std::upper_bound(offsets.begin(), offsets.end(), trees.left_codes[node]);
        const double end = next == offsets.end() ? static_cast<double>(n_codes) : static_cast<double>(*next);
        double& limit = limits[static_cast<std::size_t>(trees.feature[node])];
        limit = std::min(limit, end - trees.left_codes[node]);
    }
    return limits;
}

// The codes in a column, or on a grid, must be known to the trees; missing is.
void check_codes(const Checks& checks, const std::string& thing, const double* values, std::size_t n,
                 std::ptrdiff_t stride, double limit, bool float32) {
    if (std::isinf(limit)) return;
    for (std::size_t k = 0; k < n; ++k, values += stride) {
        const double code = ensemble::rounded(*values, float32);
        if (!std::isnan(code) && !(code >= 0.0 && code < limit))
            checks.refuse(thing, "must hold codes below " + std::to_string(static_cast<long long>(limit)),
                          std::to_string(code) + " in row " + std::to_string(k));
    }
}

// Throws unless rows can descend the trees.
Trees checked(const Checks& checks, const TreeArrays& arrays, const Matrix& rows, std::vector<double>& limits) {
    const std::size_t n_nodes = arrays.values.size(), n_codes = arrays.code_goes_left.size();
    constexpr std::size_t MOST = std::numeric_limits<std::int32_t>::max();
    checks.count("the number of nodes", n_nodes, 0, MOST);
    checks.count("the length of code_goes_left", n_codes, 0, MOST);
    checks.count("the number of columns", rows.n_columns, 0, MOST);
    checks.aligned("rows", rows.data);
    checks.aligned("roots", arrays.roots.data());
    const auto one_per_node = [&](const char* thing, const auto& array) {
        checks.length(thing, array.size(), n_nodes);
        checks.aligned(thing, array.data());
    };
    one_per_node("features", arrays.features);
    one_per_node("thresholds", arrays.thresholds);
    one_per_node("left", arrays.left);
    one_per_node("right", arrays.right);
    one_per_node("missing_left", arrays.missing_left);
    one_per_node("left_codes", arrays.left_codes);
    one_per_node("values", arrays.values);
    const Trees trees{arrays.roots.data(),
                      arrays.roots.size(),
                      arrays.features.data(),
                      arrays.thresholds.data(),
                      arrays.left.data(),
                      arrays.right.data(),
                      arrays.missing_left.data(),
                      arrays.left_codes.data(),
                      arrays.code_goes_left.data(),
                      arrays.values.data(),
                      n_nodes,
                      arrays.float32};
    check_nodes(checks, trees, n_codes, rows.n_columns);
    limits = code_limits(trees, n_codes, rows.n_columns);
    for (std::size_t column = 0; column < rows.n_columns; ++column)
        check_codes(checks, "column " + std::to_string(column) + " of rows",
                    rows.data + static_cast<std::ptrdiff_t>(column) * rows.column_stride, rows.n_rows, rows.row_stride,
                    limits[column], trees.float32);
    return trees;
}

// Throws if what a kernel writes lies over what it reads.
void check_apart(const Checks& checks, const Output<double, 2>& out, const Rows& rows, const TreeArrays& arrays) {
    const auto apart = [&](const char* thing, const auto& array) { checks.apart("out", out, thing, array); };
    apart("roots", arrays.roots), apart("features", arrays.features), apart("thresholds", arrays.thresholds);
    apart("left", arrays.left), apart("right", arrays.right), apart("missing_left", arrays.missing_left);
    apart("left_codes", arrays.left_codes), apart("code_goes_left", arrays.code_goes_left);
    apart("values", arrays.values);
    if (!rows.size()) return;
    std::ptrdiff_t low = 0, high = sizeof(double);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::ptrdiff_t reach =
            static_cast<std::ptrdiff_t>(rows.shape(axis) - 1) * rows.stride(axis) * std::ptrdiff_t{sizeof(double)};
        (reach < 0 ? low : high) += reach;
    }
    const auto out_begin = reinterpret_cast<std::uintptr_t>(out.data());
    const auto begin = reinterpret_cast<std::uintptr_t>(rows.data());
    if (begin + high > out_begin && begin + low < out_begin + out.nbytes())
        checks.refuse("out", "must not share memory with rows", "an overlap");
}

void ice_sums(Rows rows, std::int32_t feature, Input<double, 1> grid, Input<std::int32_t, 1> roots,
              Input<std::int32_t, 1> features, Input<double, 1> thresholds, Input<std::int32_t, 1> left,
              Input<std::int32_t, 1> right, Input<std::uint8_t, 1> missing_left, Input<std::int32_t, 1> left_codes,
              Input<std::uint8_t, 1> code_goes_left, Input<double, 1> values, bool float32, bool all_trees,
              int n_threads, Output<double, 2> out) {
    const Released released;
    const Checks checks("ice_sums");
    const Matrix matrix = matrix_of(rows);
    const TreeArrays arrays{roots,        features,   thresholds,     left,   right,
                            missing_left, left_codes, code_goes_left, values, float32};
    checks.count("the length of grid", grid.size(), 1, Checks::MAX_ROWS);
    checks.length("out", out.shape(0), matrix.n_rows);
    checks.length("a line of out", out.shape(1), grid.size());
    checks.aligned("grid", grid.data());
    checks.aligned("out", out.data());
    checks.integer("n_threads", n_threads, 1);
    checks.product("a block of rows", matrix.n_columns, ice::Descent::block_size);
    if (feature < 0 || static_cast<std::size_t>(feature) >= matrix.n_columns)
        checks.refuse("feature", "must be a column of rows, below " + std::to_string(matrix.n_columns),
                      std::to_string(feature));
    check_apart(checks, out, rows, arrays);
    std::vector<double> limits;
    const Trees trees = checked(checks, arrays, matrix, limits);
    const std::vector<double> points(grid.data(), grid.data() + grid.size());
    check_codes(checks, "grid", points.data(), points.size(), 1, limits[static_cast<std::size_t>(feature)], float32);
    ice::ice_sums(trees, matrix, feature, points, all_trees, n_threads, out.data());
}

auto leaf_sums(Rows rows, Input<std::int32_t, 1> roots, Input<std::int32_t, 1> features, Input<double, 1> thresholds,
               Input<std::int32_t, 1> left, Input<std::int32_t, 1> right, Input<std::uint8_t, 1> missing_left,
               Input<std::int32_t, 1> left_codes, Input<std::uint8_t, 1> code_goes_left, Input<double, 1> values,
               bool float32, int n_threads) {
    std::vector<double> sums;
    {
        const Released released;
        const Checks checks("leaf_sums");
        const Matrix matrix = matrix_of(rows);
        checks.integer("n_threads", n_threads, 1);
        checks.product("the number of rows", matrix.n_rows, sizeof(double));
        std::vector<double> limits;
        const Trees trees = checked(
            checks,
            {roots, features, thresholds, left, right, missing_left, left_codes, code_goes_left, values, float32},
            matrix, limits);
        sums.resize(matrix.n_rows);
        ensemble::sums(trees, matrix, n_threads, sums.data());
    }
    const std::size_t n_rows = sums.size();
    return as_numpy(std::move(sums), {n_rows});
}

}  // namespace

void bind_ensembles(nb::module_& m) {
    m.def("ice_sums", &ice_sums, "rows"_a.noconvert(), "feature"_a, "grid"_a.noconvert(), "roots"_a.noconvert(),
          "features"_a.noconvert(), "thresholds"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
          "missing_left"_a.noconvert(), "left_codes"_a.noconvert(), "code_goes_left"_a.noconvert(),
          "values"_a.noconvert(), "float32"_a, "all_trees"_a, "n_threads"_a, "out"_a.noconvert(),
          "out[row, point] = sum over trees of the leaf value of the row with its feature set to grid[point].");
    m.def("leaf_sums", &leaf_sums, "rows"_a.noconvert(), "roots"_a.noconvert(), "features"_a.noconvert(),
          "thresholds"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(), "missing_left"_a.noconvert(),
          "left_codes"_a.noconvert(), "code_goes_left"_a.noconvert(), "values"_a.noconvert(), "float32"_a,
          "n_threads"_a, "Sum over trees of the leaf value of every row.");
}

}  // namespace calmgam::bindings
