// Translates between numpy and the kernels; the kernels themselves live one per header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "boosting.hpp"
#include "gram.hpp"
#include "heterogeneity.hpp"
#include "ice.hpp"
#include "joint.hpp"
#include "trees.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename Value, int N>
using Input = nb::ndarray<const Value, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// A numpy array that owns what the kernel wrote.
template <typename Value>
auto as_numpy(std::vector<Value>&& values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<Value>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::ndarray<nb::numpy, Value>(kept->data(), shape, owner);
}

// ---- boosting -----------------------------------------------------------------------------------

// Eight bags being boosted: keeps the arrays alive that the kernel reads.
struct BagGroup {
    Input<std::uint16_t, 2> cells;  // (n_features, n_rows)
    Input<double, 1> target, weight;
    calmgam::BoostingData data;
    calmgam::BoostingSettings settings;
    calmgam::BoostingState state;
    int n_bags;
};

std::unique_ptr<BagGroup> make_bag_group(
    Input<std::uint16_t, 2> cells, const std::vector<std::vector<std::size_t>>& parents,
    const std::vector<std::size_t>& n_slots, const std::vector<bool>& ordered, Input<double, 1> target,
    Input<double, 1> weight,
    Input<std::uint8_t, 2> roles, const std::vector<std::uint64_t>& seeds, bool logistic, double learning_rate,
    int max_rounds, int patience, double tolerance, int max_leaves, int smoothing_rounds, double min_samples_leaf,
    double l2, double momentum, double momentum_rounds, double level_smoothing) {
    const std::size_t n_rows = target.shape(0), n_features = cells.shape(0);
    if (cells.shape(1) != n_rows || weight.shape(0) != n_rows || roles.shape(0) != n_rows ||
        roles.shape(1) != calmgam::LANES || n_features == 0 || seeds.empty() || seeds.size() > calmgam::LANES ||
        parents.size() != n_features || n_slots.size() != n_features || ordered.size() != n_features)
        throw std::invalid_argument("boosting: array shapes do not agree");
    auto group = std::make_unique<BagGroup>();
    group->cells = cells, group->target = target, group->weight = weight;
    group->n_bags = static_cast<int>(seeds.size());
    group->settings = {logistic,   learning_rate,    max_rounds,       patience, tolerance,
                       max_leaves, smoothing_rounds, min_samples_leaf, l2,       momentum, momentum_rounds, level_smoothing};
    group->data.n_rows = n_rows;
    std::size_t root_cell = 0;
    for (std::size_t f = 0; f < n_features; ++f) {
        group->data.features.push_back(
            calmgam::boosting_feature(cells.data() + f * n_rows, parents[f], n_slots[f], ordered[f], root_cell));
        root_cell += parents[f].size() * n_slots[f];
    }
    group->data.target = target.data(), group->data.weight = weight.data();
    group->data.trains = calmgam::bits_of(roles.data(), n_rows, calmgam::TRAINS);
    group->data.validates = calmgam::bits_of(roles.data(), n_rows, calmgam::VALIDATES);
    std::uint64_t padded[calmgam::LANES] = {};
    std::copy(seeds.begin(), seeds.end(), padded);
    nb::gil_scoped_release release;
    group->state = calmgam::start_boosting(group->data, group->settings, padded, group->n_bags);
    return group;
}

auto group_curves(const BagGroup& group) {
    const std::size_t n_cells = group.data.n_cells(), n_bags = static_cast<std::size_t>(group.n_bags);
    std::vector<double> values(n_bags * n_cells);
    for (std::size_t bag = 0; bag < n_bags; ++bag)
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            values[bag * n_cells + cell] = group.state.best_curve[cell * calmgam::LANES + bag];
    return as_numpy(std::move(values), {n_bags, n_cells});
}

std::vector<double> per_bag(const BagGroup& group, const double* values) {
    return std::vector<double>(values, values + group.n_bags);
}

void bind_boosting(nb::module_& m) {
    m.attr("LANES") = calmgam::LANES;
    m.attr("TRAINS") = calmgam::TRAINS;
    m.attr("VALIDATES") = calmgam::VALIDATES;
    nb::class_<BagGroup>(m, "BagGroup", "Up to eight bags boosted side by side over cells.")
        .def(nb::new_(&make_bag_group), "cells"_a.noconvert(), "parents"_a, "n_slots"_a, "ordered"_a,
             "target"_a.noconvert(), "weight"_a.noconvert(), "roles"_a.noconvert(), "seeds"_a, nb::kw_only(),
             "logistic"_a, "learning_rate"_a, "max_rounds"_a, "patience"_a, "tolerance"_a, "max_leaves"_a,
             "smoothing_rounds"_a, "min_samples_leaf"_a, "l2"_a, "momentum"_a, "momentum_rounds"_a, "level_smoothing"_a)
        .def(
            "advance",
            [](BagGroup& group, int n_rounds) {
                nb::gil_scoped_release release;
                calmgam::advance(group.data, group.settings, group.state, n_rounds);
                return group.state.finished();
            },
            "n_rounds"_a, "Boost n_rounds more; True when every bag has stopped.")
        .def("curves", &group_curves, "Heights at each bag's best round, (n_bags, n_cells): what the rows of every node have in common.")
        .def_prop_ro("round", [](const BagGroup& group) { return group.state.round; })
        .def_prop_ro("intercepts", [](const BagGroup& group) { return per_bag(group, group.state.intercept); })
        .def_prop_ro("best_losses", [](const BagGroup& group) { return per_bag(group, group.state.best_loss); })
        .def_prop_ro("best_rounds", [](const BagGroup& group) {
            return std::vector<int>(group.state.best_round, group.state.best_round + group.n_bags);
        });
}

// ---- heterogeneity ------------------------------------------------------------------------------

struct Candidates {
    Input<std::uint16_t, 2> codes;
    const std::vector<std::size_t>& n_conditions;
    const std::vector<bool>& ordered;
};

template <class Table>
auto gains_of(const Table& table, bool agree, const Candidates& candidates, double min_rows, int n_threads) {
    const auto& [codes, n_conditions, ordered] = candidates;
    const std::size_t n_features = codes.shape(0);
    if (!agree || codes.shape(1) != table.n_rows || n_conditions.size() != n_features || ordered.size() != n_features)
        throw std::invalid_argument("split gains: array shapes do not agree");
    std::vector<calmgam::CandidateCodes> features;
    std::size_t n_candidates = 0;
    for (std::size_t j = 0; j < n_features; ++j) {
        features.push_back({codes.data() + j * table.n_rows, n_conditions[j], ordered[j]});
        n_candidates += n_conditions[j] + 1;  // and "is not missing"
    }
    std::vector<double> gains(2 * n_candidates);
    {
        nb::gil_scoped_release release;
        calmgam::split_gains(table, features, min_rows, n_threads, gains.data());
    }
    return as_numpy(std::move(gains), {n_candidates, 2});
}

auto curve_split_gains(Input<double, 2> curves, Input<double, 1> weights, Input<std::uint16_t, 2> codes,
                       const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered,
                       double min_rows, int n_threads) {
    const calmgam::CurveTable table{curves.data(), weights.data(), curves.shape(0), curves.shape(1)};
    return gains_of(table, weights.shape(0) == table.n_rows, {codes, n_conditions, ordered}, min_rows, n_threads);
}

auto point_split_gains(Input<double, 1> effects, Input<std::uint16_t, 1> bins, std::size_t n_bins,
                       Input<double, 1> weights, Input<std::uint16_t, 2> codes,
                       const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered,
                       double min_rows, int n_threads) {
    const calmgam::PointTable table{effects.data(), bins.data(), weights.data(), effects.shape(0), n_bins};
    const bool agree = weights.shape(0) == table.n_rows && bins.shape(0) == table.n_rows;
    return gains_of(table, agree, {codes, n_conditions, ordered}, min_rows, n_threads);
}

void bind_heterogeneity(nb::module_& m) {
    m.def("curve_split_gains", &curve_split_gains, "curves"_a.noconvert(), "weights"_a.noconvert(),
          "codes"_a.noconvert(), "n_conditions"_a, "ordered"_a, "min_rows"_a, "n_threads"_a,
          "What every candidate condition takes from weight * heterogeneity, (n_candidates, 2): missing rows "
          "right, missing rows left.");
    m.def("point_split_gains", &point_split_gains, "effects"_a.noconvert(), "bins"_a.noconvert(), "n_bins"_a,
          "weights"_a.noconvert(), "codes"_a.noconvert(), "n_conditions"_a, "ordered"_a, "min_rows"_a, "n_threads"_a,
          "The same where a row has one effect, to be compared with those in its bin only.");
}

// ---- ensembles ----------------------------------------------------------------------------------------

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

// The arrays of a TreeEnsemble, as Python passes them.
calmgam::ensemble::Trees trees_of(const Input<std::int32_t, 1>& roots, const Input<std::int32_t, 1>& features,
                                  const Input<double, 1>& thresholds, const Input<std::int32_t, 1>& left,
                                  const Input<std::int32_t, 1>& right, const Input<std::uint8_t, 1>& missing_left,
                                  const Input<std::int32_t, 1>& left_codes,
                                  const Input<std::uint8_t, 1>& code_goes_left, const Input<double, 1>& values,
                                  bool float32) {
    return {roots.data(), roots.size(), features.data(), thresholds.data(), left.data(), right.data(),
            missing_left.data(), left_codes.data(), code_goes_left.data(), values.data(), values.size(), float32};
}

calmgam::ensemble::Matrix matrix_of(const Rows& rows) {
    return {rows.data(), rows.shape(0), rows.shape(1), rows.stride(0), rows.stride(1)};
}

void ice_sums(Rows rows, std::int32_t feature, Input<double, 1> grid, Input<std::int32_t, 1> roots,
              Input<std::int32_t, 1> features, Input<double, 1> thresholds, Input<std::int32_t, 1> left,
              Input<std::int32_t, 1> right, Input<std::uint8_t, 1> missing_left, Input<std::int32_t, 1> left_codes,
              Input<std::uint8_t, 1> code_goes_left, Input<double, 1> values, bool float32, bool all_trees,
              int n_threads, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
    if (out.shape(0) != rows.shape(0) || out.shape(1) != grid.shape(0))
        throw std::invalid_argument("ice_sums: out must have one row per row and one column per grid value");
    const auto trees = trees_of(roots, features, thresholds, left, right, missing_left, left_codes, code_goes_left,
                                values, float32);
    nb::gil_scoped_release release;
    calmgam::ice::ice_sums(trees, matrix_of(rows), feature, {grid.data(), grid.data() + grid.size()}, all_trees,
                           n_threads, out.data());
}

auto leaf_sums(Rows rows, Input<std::int32_t, 1> roots, Input<std::int32_t, 1> features, Input<double, 1> thresholds,
               Input<std::int32_t, 1> left, Input<std::int32_t, 1> right, Input<std::uint8_t, 1> missing_left,
               Input<std::int32_t, 1> left_codes, Input<std::uint8_t, 1> code_goes_left, Input<double, 1> values,
               bool float32, int n_threads) {
    const auto trees = trees_of(roots, features, thresholds, left, right, missing_left, left_codes, code_goes_left,
                                values, float32);
    std::vector<double> sums(rows.shape(0));
    {
        nb::gil_scoped_release release;
        calmgam::ensemble::sums(trees, matrix_of(rows), n_threads, sums.data());
    }
    const std::size_t n_rows = sums.size();
    return as_numpy(std::move(sums), {n_rows});
}

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

// ---- trees --------------------------------------------------------------------------------------

nb::tuple boost_trees(Input<std::uint16_t, 2> codes, const std::vector<std::size_t>& n_slots,
                      const std::vector<bool>& ordered, Input<double, 1> target, Input<double, 1> weight,
                      bool logistic, int max_rounds, int patience, double kept_out, double learning_rate,
                      std::size_t max_leaves, double min_samples_leaf, double l2, double level_smoothing,
                      std::size_t max_bins, std::uint64_t seed, int n_threads) {
    const std::size_t n_rows = target.shape(0), n_features = codes.shape(0);
    if (codes.shape(1) != n_rows || weight.shape(0) != n_rows || n_slots.size() != n_features ||
        ordered.size() != n_features)
        throw std::invalid_argument("trees: array shapes do not agree");
    const calmgam::trees::Table table{n_rows, codes.data(), n_slots, ordered};
    calmgam::trees::Boosted boosted;
    {
        nb::gil_scoped_release release;
        boosted = calmgam::trees::boost(table, target.data(), weight.data(),
                                        {logistic, max_rounds, patience, kept_out, learning_rate, max_leaves, min_samples_leaf,
                                         l2, level_smoothing, max_bins, seed},
                                        n_threads);
    }
    const auto array = [](auto&& values) {
        const std::size_t size = values.size();
        return as_numpy(std::move(values), {size});
    };
    auto& nodes = boosted.nodes;
    return nb::make_tuple(boosted.base, array(std::move(nodes.roots)), array(std::move(nodes.features)),
                          array(std::move(nodes.slots)), array(std::move(nodes.left)), array(std::move(nodes.right)),
                          array(std::move(nodes.missing_left)), array(std::move(nodes.left_codes)),
                          array(std::move(nodes.code_goes_left)), array(std::move(nodes.values)));
}

void bind_trees(nb::module_& m) {
    m.def("boost_trees", &boost_trees, "codes"_a.noconvert(), "n_slots"_a, "ordered"_a, "target"_a.noconvert(),
          "weight"_a.noconvert(), "logistic"_a, "max_rounds"_a, "patience"_a, "kept_out"_a, "learning_rate"_a,
          "max_leaves"_a, "min_samples_leaf"_a, "l2"_a, "level_smoothing"_a, "max_bins"_a, "seed"_a, "n_threads"_a,
          "Boost trees: (base, roots, features, last slots on the left, left, right, missing_left, left_codes, "
          "code_goes_left, values).");
}

// ---- joint growth -------------------------------------------------------------------------------

using calmgam::JointGrowth;

std::unique_ptr<JointGrowth> make_joint_growth(Input<double, 1> weight, const std::vector<std::size_t>& n_bins,
                                               Input<std::uint16_t, 2> codes,
                                               const std::vector<std::size_t>& code_features,
                                               const std::vector<std::size_t>& n_conditions,
                                               const std::vector<bool>& ordered, const std::vector<bool>& subsets,
                                               const std::vector<std::size_t>& turns, double min_rows, double l2) {
    const std::size_t n_rows = weight.shape(0), n_candidates = codes.shape(0);
    if (codes.shape(1) != n_rows || code_features.size() != n_candidates || n_conditions.size() != n_candidates ||
        ordered.size() != n_candidates || subsets.size() != n_candidates)
        throw std::invalid_argument("joint growth: array shapes do not agree");
    for (const std::size_t turn : turns)
        if (turn >= n_bins.size()) throw std::invalid_argument("joint growth: a turn of no feature");
    std::vector<calmgam::CandidateCodes> candidates;
    for (std::size_t j = 0; j < n_candidates; ++j)
        candidates.push_back({codes.data() + j * n_rows, n_conditions[j], ordered[j]});
    nb::gil_scoped_release release;
    return std::make_unique<JointGrowth>(n_rows, weight.data(), n_bins, candidates, code_features, subsets, turns,
                                         min_rows, l2);
}

void set_cells(JointGrowth& joint, std::size_t feature, Input<std::uint16_t, 1> cells, std::size_t n_leaves) {
    if (feature >= joint.n_features() || cells.shape(0) != joint.n_rows())
        throw std::invalid_argument("joint growth: array shapes do not agree");
    nb::gil_scoped_release release;
    joint.set_cells(feature, cells.data(), n_leaves);
}

void backfit(JointGrowth& joint, int n_sweeps,
             nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> residual) {
    if (residual.shape(0) != joint.n_rows())
        throw std::invalid_argument("joint growth: array shapes do not agree");
    nb::gil_scoped_release release;
    joint.backfit(n_sweeps, residual.data());
}

nb::list best_splits(JointGrowth& joint, Input<double, 1> residual, double noise, double at_least, int n_threads) {
    if (residual.shape(0) != joint.n_rows())
        throw std::invalid_argument("joint growth: array shapes do not agree");
    std::vector<std::vector<calmgam::LeafSplit>> splits;
    {
        nb::gil_scoped_release release;
        joint.splits(residual.data(), noise, at_least, n_threads, splits);
    }
    nb::list found;
    for (const auto& leaves : splits) {
        nb::list per_leaf;
        for (const auto& split : leaves)
            per_leaf.append(nb::make_tuple(split.gain, split.candidates,
                                           nb::bytes(reinterpret_cast<const char*>(split.left.data()), split.left.size())));
        found.append(per_leaf);
    }
    return found;
}

void bind_joint(nb::module_& m) {
    nb::class_<JointGrowth>(m, "JointGrowth", "Rows as joint growth sees them: cells of all features, codes of conditions.")
        .def(nb::new_(&make_joint_growth), "weight"_a.noconvert(), "n_bins"_a, "codes"_a.noconvert(),
             "code_features"_a, "n_conditions"_a, "ordered"_a, "subsets"_a, "turns"_a, "min_rows"_a,
             "l2"_a)
        .def("set_cells", &set_cells, "feature"_a, "cells"_a.noconvert(), "n_leaves"_a,
             "Say where the rows are in a feature's tree: leaf * n_bins + bin.")
        .def("backfit", &backfit, "n_sweeps"_a, "residual"_a.noconvert(),
             "Take the histogram model's cyclic updates off the residual, in place.")
        .def("best_splits", &best_splits, "residual"_a.noconvert(), "noise"_a, "at_least"_a = 0.0, "n_threads"_a = 1,
             "Best split of every leaf of every feature: (gain, conditioning feature or -1, mask of codes on the left). "
             "What last gained less than at_least is taken as it was, unless the feature was split since.");
}

// ---- splines ------------------------------------------------------------------------------------

auto gram(Input<std::uint16_t, 2> cells, const std::vector<std::size_t>& n_cells, Input<std::int32_t, 1> first_column,
          Input<double, 2> basis, Input<double, 1> weight, std::size_t n_columns, int n_threads) {
    const std::size_t n_rows = cells.shape(1);
    std::vector<calmgam::SplineTerm> terms;
    std::size_t first_cell = 0;
    for (std::size_t i = 0; i < n_cells.size(); first_cell += n_cells[i++])
        terms.push_back({cells.data() + i * n_rows, first_column.data() + first_cell,
                         basis.data() + first_cell * calmgam::WIDTH});
    if (n_cells.size() != cells.shape(0) || first_column.shape(0) != first_cell || basis.shape(0) != first_cell ||
        basis.shape(1) != calmgam::WIDTH || weight.shape(0) != n_rows)
        throw std::invalid_argument("gram: array shapes do not agree");
    std::vector<double> values(n_columns * n_columns);
    {
        nb::gil_scoped_release release;
        calmgam::gram(n_rows, terms, weight.data(), n_columns, n_threads, values.data());
    }
    return as_numpy(std::move(values), {n_columns, n_columns});
}

void bind_splines(nb::module_& m) {
    m.attr("WIDTH") = calmgam::WIDTH;
    m.def("gram", &gram, "cells"_a.noconvert(), "n_cells"_a, "first_column"_a.noconvert(), "basis"_a.noconvert(),
          "weight"_a.noconvert(), "n_columns"_a, "n_threads"_a,
          "Upper triangle of B'WB, (n_columns, n_columns); a row of B has WIDTH values per term, from first_column "
          "of its cell on.");
}

}  // namespace

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled hot loops of calmgam.fit; every kernel has a numpy twin in tests/oracles.py.";
    bind_boosting(m);
    bind_heterogeneity(m);
    bind_ensembles(m);
    bind_joint(m);
    bind_splines(m);
    bind_trees(m);
}
