#include "joint.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "checks.hpp"

namespace calmgam::bindings {

namespace {

const Checks CHECKS("joint growth");

struct Growth {
    JointGrowth joint;
    std::mutex one_at_a_time;
};

std::unique_ptr<Growth> make_growth(Input<double, 1> weight, const std::vector<std::size_t>& n_bins,
                                    Input<std::uint16_t, 2> codes, const std::vector<std::size_t>& code_features,
                                    const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered,
                                    const std::vector<bool>& subsets, const std::vector<std::size_t>& turns,
                                    double min_rows, double ridge, std::optional<double> doubt, bool charge_steps) {
    const Released released;
    const std::size_t n_rows = weight.shape(0), n_candidates = codes.shape(0);
    CHECKS.count("the number of rows", n_rows, 1, Checks::MAX_ROWS);
    CHECKS.length("a line of codes", codes.shape(1), n_rows);
    CHECKS.length("code_features", code_features.size(), n_candidates);
    CHECKS.length("subsets", subsets.size(), n_candidates);
    CHECKS.numbers("weight", weight.data(), n_rows, 0.0);
    CHECKS.number("min_rows", min_rows);
    CHECKS.number("ridge", ridge);
    if (doubt) CHECKS.number("doubt", *doubt);
    check_candidates(CHECKS, codes.data(), n_candidates, n_rows, n_conditions, ordered);
    for (std::size_t i = 0; i < n_bins.size(); ++i) CHECKS.count(at("n_bins", i), n_bins[i], 1, Checks::MAX_CODES);
    for (std::size_t k = 0; k < turns.size(); ++k)
        if (turns[k] >= n_bins.size())
            CHECKS.refuse(at("turns", k), "must be a feature, below " + std::to_string(n_bins.size()),
                          std::to_string(turns[k]));
    std::vector<CandidateCodes> candidates;
    for (std::size_t j = 0; j < n_candidates; ++j)
        candidates.push_back({codes.data() + j * n_rows, n_conditions[j], ordered[j]});
    return std::unique_ptr<Growth>(new Growth{JointGrowth(n_rows, weight.data(), n_bins, candidates, code_features,
                                                          subsets, turns, min_rows, ridge, doubt, charge_steps),
                                              {}});
}

void check_feature(const JointGrowth& joint, std::size_t feature) {
    if (feature >= joint.n_features())
        CHECKS.refuse("feature", "must be below " + std::to_string(joint.n_features()), std::to_string(feature));
}

void try_only(Growth& growth, std::size_t feature, const std::vector<std::size_t>& candidates) {
    const Released released;
    const std::lock_guard<std::mutex> lock(growth.one_at_a_time);
    check_feature(growth.joint, feature);
    const std::size_t n_candidates = growth.joint.n_candidates();
    CHECKS.count("the number of candidates", candidates.size(), 0, n_candidates);
    for (std::size_t k = 0; k < candidates.size(); ++k)
        if (candidates[k] >= n_candidates)
            CHECKS.refuse(at("candidates", k), "must be below " + std::to_string(n_candidates),
                          std::to_string(candidates[k]));
    growth.joint.try_only(feature, candidates);
}

std::vector<bool> moved(Growth& growth) {
    const std::lock_guard<std::mutex> lock(growth.one_at_a_time);
    return growth.joint.moved();
}

void set_cells(Growth& growth, std::size_t feature, Input<std::uint32_t, 1> cells, std::size_t n_leaves) {
    const Released released;
    const std::lock_guard<std::mutex> lock(growth.one_at_a_time);
    check_feature(growth.joint, feature);
    const std::size_t n_rows = growth.joint.n_rows();
    CHECKS.length("cells", cells.shape(0), n_rows);
    CHECKS.count("n_leaves", n_leaves, 1, Checks::MAX_CODES);
    const std::size_t n_cells = CHECKS.product("n_leaves x n_bins", n_leaves, growth.joint.n_bins(feature));
    CHECKS.count("n_leaves x n_bins", n_cells, 1, std::size_t{1} << 31);
    CHECKS.below("cells", cells.data(), n_rows, n_cells);
    growth.joint.set_cells(feature, cells.data(), n_leaves);
}

// Throws unless every feature's cells are known and there is a finite residual for every row.
void check_ready(const JointGrowth& joint, std::size_t n_outputs, std::size_t n_residuals, const double* residual) {
    for (std::size_t feature = 0; feature < joint.n_features(); ++feature)
        if (!joint.has_cells(feature))
            CHECKS.refuse("set_cells", "must be called for every feature first", "none for " + std::to_string(feature));
    CHECKS.length("residual", n_residuals, joint.n_rows());
    CHECKS.count("the number of outputs", n_outputs, 1, Checks::MAX_CODES);
    CHECKS.numbers("residual", residual, n_residuals * n_outputs);
}

// residual: (n_rows,), or (n_outputs, n_rows).
template <int AXES>
void backfit(Growth& growth, int n_sweeps, Output<double, AXES> residual) {
    const Released released;
    const std::lock_guard<std::mutex> lock(growth.one_at_a_time);
    CHECKS.integer("n_sweeps", n_sweeps, 0);
    const std::size_t n_outputs = AXES == 2 ? residual.shape(0) : 1;
    check_ready(growth.joint, n_outputs, residual.shape(AXES - 1), residual.data());
    growth.joint.backfit(n_sweeps, residual.data(), n_outputs);
}

template <int AXES>
nb::list best_splits(Growth& growth, Input<double, AXES> residual, double noise, double at_least, int n_threads) {
    std::vector<std::vector<LeafSplit>> splits;
    {
        const Released released;
        const std::lock_guard<std::mutex> lock(growth.one_at_a_time);
        CHECKS.number("noise", noise);
        if (std::isnan(at_least)) CHECKS.refuse("at_least", "must be a number", "nan");
        CHECKS.integer("n_threads", n_threads, 1);
        const std::size_t n_outputs = AXES == 2 ? residual.shape(0) : 1;
        check_ready(growth.joint, n_outputs, residual.shape(AXES - 1), residual.data());
        growth.joint.splits(residual.data(), n_outputs, noise, at_least, n_threads, splits);
    }
    nb::list found;
    for (const auto& leaves : splits) {
        nb::list per_leaf;
        for (const auto& split : leaves) {
            const nb::bytes left(reinterpret_cast<const char*>(split.left.data()), split.left.size());
            per_leaf.append(nb::make_tuple(split.gain, split.candidates, left));
        }
        found.append(per_leaf);
    }
    return found;
}

}  // namespace

void bind_joint(nb::module_& m) {
    nb::class_<Growth>(m, "JointGrowth", "Rows as joint growth sees them: cells of all features, codes of conditions.")
        .def(nb::new_(&make_growth), "weight"_a.noconvert(), "n_bins"_a, "codes"_a.noconvert(), "code_features"_a,
             "n_conditions"_a, "ordered"_a, "subsets"_a, "turns"_a, "min_rows"_a, "ridge"_a, "doubt"_a = nb::none(),
             "charge_steps"_a = false)
        .def("try_only", &try_only, "feature"_a, "candidates"_a,
             "Say which candidates are tried on a feature; all, if nothing is said.")
        .def("set_cells", &set_cells, "feature"_a, "cells"_a.noconvert(), "n_leaves"_a,
             "Say where the rows are in a feature's tree: leaf * n_bins + bin.")
        .def("backfit", &backfit<1>, "n_sweeps"_a, "residual"_a.noconvert())
        .def("backfit", &backfit<2>, "n_sweeps"_a, "residual"_a.noconvert(),
             "Take the histogram model's cyclic updates off the residual, (n_outputs, n_rows), in place.")
        .def("moved", &moved, "Of every feature, whether backfitting has given its curve any height.")
        .def("best_splits", &best_splits<1>, "residual"_a.noconvert(), "noise"_a, "at_least"_a = 0.0, "n_threads"_a = 1)
        .def("best_splits", &best_splits<2>, "residual"_a.noconvert(), "noise"_a, "at_least"_a = 0.0, "n_threads"_a = 1,
             "Best split of every leaf of every feature: (gain, conditioning feature or -1, mask of codes on the "
             "left). What last gained less than at_least is taken as it was, unless the feature was split since.");
}

}  // namespace calmgam::bindings
