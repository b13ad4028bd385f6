#include "boosting.hpp"

#include <algorithm>
#include <mutex>

#include "arrays.hpp"
#include "checks.hpp"

namespace calmgam::bindings {

namespace {

// Eight bags being boosted. The cells are a copy, as they say where in memory the kernel writes: an array could
// be changed after it was checked. The other arrays are kept alive.
struct BagGroup {
    std::vector<std::uint16_t> cells;  // (n_features, n_rows)
    Input<double, 1> target, weight;
    BoostingData data;
    BoostingSettings settings;
    BoostingState state;
    int n_bags;
    std::mutex one_at_a_time;
};

void check_settings(const Checks& checks, const BoostingSettings& settings) {
    checks.number("learning_rate", settings.learning_rate);
    checks.integer("max_rounds", settings.max_rounds, 0);
    checks.integer("patience", settings.patience, 1);
    checks.number("tolerance", settings.tolerance, -INFINITE);
    if (settings.max_leaves != 2 && settings.max_leaves != 3)
        checks.refuse("max_leaves", "must be 2 or 3", std::to_string(settings.max_leaves));
    checks.integer("smoothing_rounds", settings.smoothing_rounds, 0);
    checks.number("min_samples_leaf", settings.min_samples_leaf);
    checks.number("ridge", settings.ridge);
    checks.number("momentum", settings.momentum, 0.0, 1.0);
    checks.number("momentum_rounds", settings.momentum_rounds);
    checks.number("level_smoothing", settings.level_smoothing);
}

void check_roles(const Checks& checks, const std::uint8_t* roles, std::size_t n_rows) {
    std::uint8_t all = 0;
    for (std::size_t at = 0; at < n_rows * LANES; ++at) all |= roles[at];
    if (all <= (TRAINS | VALIDATES)) return;
    const std::uint8_t* first =
        std::find_if(roles, roles + n_rows * LANES, [](std::uint8_t role) { return role > (TRAINS | VALIDATES); });
    checks.refuse("roles", "must be made of TRAINS and VALIDATES",
                  std::to_string(*first) + " in row " + std::to_string((first - roles) / LANES));
}

// The features, whose cells lie one after the other; every cell is one of its feature's.
std::vector<BoostingFeature> features_of(const Checks& checks, const std::vector<std::uint16_t>& cells,
                                         std::size_t n_rows, const std::vector<std::vector<std::size_t>>& parents,
                                         const std::vector<std::size_t>& n_slots, const std::vector<bool>& ordered) {
    std::vector<BoostingFeature> features;
    std::size_t root_cell = 0;
    for (std::size_t f = 0; f < n_slots.size(); ++f) {
        checks.count(at("n_slots", f), n_slots[f], ordered[f] ? 2 : 1, Checks::MAX_CODES);  // a bin, and missing
        features.push_back(boosting_feature(cells.data() + f * n_rows, parents[f], n_slots[f], ordered[f], root_cell));
        const std::size_t n_cells = checks.product("leaves x n_slots", features[f].n_leaves(), n_slots[f]);
        checks.count("leaves x " + at("n_slots", f), n_cells, 1, Checks::MAX_CODES);
        checks.below(at("cells", f), features[f].cells, n_rows, n_cells);
        root_cell += features[f].n_nodes() * n_slots[f];
    }
    return features;
}

std::unique_ptr<BagGroup> make_bag_group(Input<std::uint16_t, 2> cells,
                                         const std::vector<std::vector<std::size_t>>& parents,
                                         const std::vector<std::size_t>& n_slots, const std::vector<bool>& ordered,
                                         Input<double, 1> target, Input<double, 1> weight, Input<std::uint8_t, 2> roles,
                                         const std::vector<std::uint64_t>& seeds, bool logistic, double learning_rate,
                                         int max_rounds, int patience, double tolerance, int max_leaves,
                                         int smoothing_rounds, double min_samples_leaf, double ridge, double momentum,
                                         double momentum_rounds, double level_smoothing) {
    auto group = std::make_unique<BagGroup>();
    group->target = target, group->weight = weight;
    const Released released;
    const Checks checks("boosting");
    const std::size_t n_rows = target.shape(0), n_features = cells.shape(0);
    checks.count("the number of rows", n_rows, 1, Checks::MAX_ROWS);
    checks.count("the number of features", n_features, 1, std::numeric_limits<std::size_t>::max());
    checks.length("a line of cells", cells.shape(1), n_rows);
    checks.length("weight", weight.shape(0), n_rows);
    checks.length("roles", roles.shape(0), n_rows);
    checks.length("a line of roles", roles.shape(1), LANES);
    checks.length("parents", parents.size(), n_features);
    checks.length("n_slots", n_slots.size(), n_features);
    checks.length("ordered", ordered.size(), n_features);
    checks.count("the number of seeds", seeds.size(), 1, LANES);
    checks.numbers("target", target.data(), n_rows, logistic ? 0.0 : -INFINITE, logistic ? 1.0 : INFINITE);
    checks.numbers("weight", weight.data(), n_rows, 0.0);
    check_roles(checks, roles.data(), n_rows);
    group->n_bags = static_cast<int>(seeds.size());
    group->settings = {logistic,         learning_rate,    max_rounds, patience, tolerance,       max_leaves,
                       smoothing_rounds, min_samples_leaf, ridge,      momentum, momentum_rounds, level_smoothing};
    check_settings(checks, group->settings);
    group->cells.assign(cells.data(), cells.data() + n_features * n_rows);
    group->data.n_rows = n_rows;
    group->data.features = features_of(checks, group->cells, n_rows, parents, n_slots, ordered);
    group->data.target = target.data(), group->data.weight = weight.data();
    group->data.trains = bits_of(roles.data(), n_rows, TRAINS);
    group->data.validates = bits_of(roles.data(), n_rows, VALIDATES);
    std::uint64_t padded[LANES] = {};
    std::copy(seeds.begin(), seeds.end(), padded);
    group->state = start_boosting(group->data, group->settings, padded, group->n_bags);
    return group;
}

bool advance_group(BagGroup& group, int n_rounds) {
    const Released released;
    Checks("boosting").integer("n_rounds", n_rounds, 1);
    const std::lock_guard<std::mutex> lock(group.one_at_a_time);
    advance(group.data, group.settings, group.state, n_rounds);
    return group.state.finished();
}

auto group_curves(const BagGroup& group) {
    const std::size_t n_cells = group.data.n_cells(), n_bags = static_cast<std::size_t>(group.n_bags);
    std::vector<double> values(n_bags * n_cells);
    for (std::size_t bag = 0; bag < n_bags; ++bag)
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            values[bag * n_cells + cell] = group.state.best_curve[cell * LANES + bag];
    return as_numpy(std::move(values), {n_bags, n_cells});
}

std::vector<double> per_bag(const BagGroup& group, const double* values) {
    return std::vector<double>(values, values + group.n_bags);
}

}  // namespace

void bind_boosting(nb::module_& m) {
    m.attr("LANES") = LANES;
    m.attr("TRAINS") = TRAINS;
    m.attr("VALIDATES") = VALIDATES;
    nb::class_<BagGroup>(m, "BagGroup", "Up to eight bags boosted side by side over cells.")
        .def(nb::new_(&make_bag_group), "cells"_a.noconvert(), "parents"_a, "n_slots"_a, "ordered"_a,
             "target"_a.noconvert(), "weight"_a.noconvert(), "roles"_a.noconvert(), "seeds"_a, nb::kw_only(),
             "logistic"_a, "learning_rate"_a, "max_rounds"_a, "patience"_a, "tolerance"_a, "max_leaves"_a,
             "smoothing_rounds"_a, "min_samples_leaf"_a, "ridge"_a, "momentum"_a, "momentum_rounds"_a,
             "level_smoothing"_a)
        .def("advance", &advance_group, "n_rounds"_a, "Boost n_rounds more; True when every bag has stopped.")
        .def("curves", &group_curves,
             "Heights at each bag's best round, (n_bags, n_cells): what the rows of every node have in common.")
        .def_prop_ro("round", [](const BagGroup& group) { return group.state.round; })
        .def_prop_ro("intercepts", [](const BagGroup& group) { return per_bag(group, group.state.intercept); })
        .def_prop_ro("best_losses", [](const BagGroup& group) { return per_bag(group, group.state.best_loss); })
        .def_prop_ro("best_rounds", [](const BagGroup& group) {
            return std::vector<int>(group.state.best_round, group.state.best_round + group.n_bags);
        });
}

}  // namespace calmgam::bindings
