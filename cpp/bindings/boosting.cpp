#include "boosting.hpp"
#include "classes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include "any_loss.hpp"
#include "arrays.hpp"
#include "checks.hpp"

namespace calmgam::bindings {

namespace {

// Losses of one score, and that of a score per class.
template <typename... Losses>
std::variant<Losses..., Softmax> with_softmax(const std::variant<Losses...>&);
using CurveLoss = decltype(with_softmax(std::declval<AnyLoss>()));

// Eight bags being boosted. Cells and classes are copies, as they say where in memory the kernel writes: an array
// could be changed after it was checked. The other arrays are kept alive.
struct BagGroup {
    std::vector<std::uint16_t> cells;  // (n_features, n_rows)
    std::vector<double> classes;       // the target, if it is classes
    Input<double, 1> target, weight, offset;
    CurveLoss loss;
    BoostingData data;
    BoostingSettings settings;
    std::vector<BoostingState> states;  // one, or one per class
    int n_bags;
    std::mutex one_at_a_time;
};

// Two numbers or more that rise.
void check_centres(const Checks& checks, const std::string& thing, const std::vector<double>& centres) {
    checks.count("the number of " + thing, centres.size(), 2, Checks::MAX_CODES);
    checks.numbers(thing, centres.data(), centres.size());
    const auto wrong = std::adjacent_find(centres.begin(), centres.end(), std::greater_equal<double>());
    if (wrong != centres.end()) checks.refuse(thing, "must rise", std::to_string(*wrong) + " before another");
}

// Every y is one that the loss takes; a class is a whole number.
void check_curve_target(const Checks& checks, const CurveLoss& loss, const double* target, std::size_t n_rows) {
    if (const Softmax* classes = std::get_if<Softmax>(&loss)) {
        checks.count("the number of classes", classes->n_classes, 3, Checks::MAX_CODES);
        checks.numbers("target", target, n_rows, 0.0, static_cast<double>(classes->n_classes - 1));
        for (std::size_t row = 0; row < n_rows; ++row)
            if (target[row] != std::floor(target[row]))
                checks.refuse("target", "must be whole numbers", std::to_string(target[row]));
        return;
    }
    std::visit(
        [&](const auto& one) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, Softmax>)
                checks.numbers("target", target, n_rows, one.LOW, one.HIGH);
        },
        loss);
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

// A curve that bends one way is the only one of its feature, and its bins lie on a line.
void check_bend(const Checks& checks, std::size_t f, const BoostingFeature& feature,
                const std::vector<double>& centres) {
    checks.length(at("centres", f), centres.size(), feature.n_slots - 1);
    check_centres(checks, at("centres", f), centres);
    if (!feature.ordered || feature.n_nodes() != 1)
        checks.refuse(at("centres", f), "must be of a number without conditions",
                      std::to_string(feature.n_nodes()) + " nodes");
}

// The features, whose cells lie one after the other; every cell is one of its feature's.
std::vector<BoostingFeature> features_of(const Checks& checks, const std::vector<std::uint16_t>& cells,
                                         std::size_t n_rows, const std::vector<std::vector<std::size_t>>& parents,
                                         const std::vector<std::size_t>& n_slots, const std::vector<bool>& ordered,
                                         const std::vector<int>& directions,
                                         const std::vector<std::vector<double>>& centres) {
    std::vector<BoostingFeature> features;
    std::size_t root_cell = 0;
    for (std::size_t f = 0; f < n_slots.size(); ++f) {
        checks.count(at("n_slots", f), n_slots[f], ordered[f] ? 2 : 1, Checks::MAX_CODES);  // a bin, and missing
        const int direction = directions.empty() ? 0 : directions[f];
        if (direction < -1 || direction > 1)
            checks.refuse(at("directions", f), "must be -1, 0 or 1", std::to_string(direction));
        features.push_back(
            boosting_feature(cells.data() + f * n_rows, parents[f], n_slots[f], ordered[f], direction, root_cell));
        if (!centres.empty() && !centres[f].empty()) {
            check_bend(checks, f, features[f], centres[f]);
            features[f].centres = centres[f];
        }
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
                                         Input<double, 1> target, Input<double, 1> weight, Input<double, 1> offset,
                                         Input<std::uint8_t, 2> roles, const std::vector<std::uint64_t>& seeds,
                                         const std::vector<double>& intercepts, const CurveLoss& loss,
                                         double learning_rate, int max_rounds, int patience, double tolerance,
                                         int max_leaves, int smoothing_rounds, double min_samples_leaf, double ridge,
                                         double momentum, double momentum_rounds, double level_smoothing,
                                         double max_step, double least_news, const std::vector<int>& directions,
                                         const std::vector<std::vector<double>>& centres) {
    auto group = std::make_unique<BagGroup>();
    group->target = target, group->weight = weight, group->offset = offset, group->loss = loss;
    const Released released;
    const Checks checks("boosting");
    const std::size_t n_rows = target.shape(0), n_features = cells.shape(0);
    checks.count("the number of rows", n_rows, 1, Checks::MAX_ROWS);
    checks.count("the number of features", n_features, 1, std::numeric_limits<std::size_t>::max());
    checks.length("a line of cells", cells.shape(1), n_rows);
    checks.length("weight", weight.shape(0), n_rows);
    checks.length("offset", offset.shape(0), n_rows);
    checks.length("roles", roles.shape(0), n_rows);
    checks.length("a line of roles", roles.shape(1), LANES);
    checks.length("parents", parents.size(), n_features);
    checks.length("n_slots", n_slots.size(), n_features);
    checks.length("ordered", ordered.size(), n_features);
    if (!directions.empty()) checks.length("directions", directions.size(), n_features);
    if (!centres.empty()) checks.length("centres", centres.size(), n_features);
    checks.count("the number of seeds", seeds.size(), 1, LANES);
    const Softmax* classes = std::get_if<Softmax>(&loss);
    checks.length("intercepts", intercepts.size(), seeds.size() * (classes ? classes->n_classes : 1));
    checks.numbers("intercepts", intercepts.data(), intercepts.size());
    check_curve_target(checks, loss, target.data(), n_rows);
    checks.numbers("weight", weight.data(), n_rows, 0.0);
    checks.numbers("offset", offset.data(), n_rows);
    check_roles(checks, roles.data(), n_rows);
    group->n_bags = static_cast<int>(seeds.size());
    group->settings = {learning_rate,    max_rounds,       patience,  tolerance, max_leaves,
                       smoothing_rounds, min_samples_leaf, ridge,     momentum,  momentum_rounds,
                       level_smoothing,  max_step,         least_news};
    check_settings(checks, group->settings);
    group->cells.assign(cells.data(), cells.data() + n_features * n_rows);
    group->data.n_rows = n_rows;
    group->data.features = features_of(checks, group->cells, n_rows, parents, n_slots, ordered, directions, centres);
    group->data.target = target.data(), group->data.weight = weight.data(), group->data.offset = offset.data();
    group->data.trains = bits_of(roles.data(), n_rows, TRAINS);
    group->data.validates = bits_of(roles.data(), n_rows, VALIDATES);
    std::uint64_t padded[LANES] = {};
    std::copy(seeds.begin(), seeds.end(), padded);
    if (classes) {
        group->classes.assign(target.data(), target.data() + n_rows);
        check_curve_target(checks, loss, group->classes.data(), n_rows);
        group->data.target = group->classes.data();
        group->states = start_classes(group->data, *classes, padded, intercepts);
        return group;
    }
    std::visit(
        [&](const auto& one) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, Softmax>)
                group->states.push_back(start_boosting(group->data, one, padded, intercepts));
        },
        group->loss);
    return group;
}

bool advance_group(BagGroup& group, int n_rounds) {
    const Released released;
    const Checks checks("boosting");
    checks.integer("n_rounds", n_rounds, 1);
    const std::unique_lock<std::mutex> lock(group.one_at_a_time, std::try_to_lock);  // a loss in Python may come back
    if (!lock) checks.refuse("a group", "must be advanced by one call at a time", "another");
    std::visit(
        [&](auto& loss) {
            if constexpr (std::is_same_v<std::decay_t<decltype(loss)>, Softmax>)
                advance_classes(group.data, group.settings, group.states, n_rounds);
            else
                advance(group.data, loss, group.settings, group.states.front(), n_rounds);
        },
        group.loss);
    return group.states.front().finished();
}

auto group_curves(const BagGroup& group) {
    const std::size_t n_cells = group.data.n_cells(), n_bags = static_cast<std::size_t>(group.n_bags);
    const std::size_t n_outputs = group.states.size();
    std::vector<double> values(n_bags * n_outputs * n_cells);
    for (std::size_t bag = 0; bag < n_bags; ++bag)
        for (std::size_t k = 0; k < n_outputs; ++k)
            for (std::size_t cell = 0; cell < n_cells; ++cell)
                values[(bag * n_outputs + k) * n_cells + cell] = group.states[k].best_curve[cell * LANES + bag];
    return as_numpy(std::move(values), {n_bags, n_outputs, n_cells});
}

std::vector<double> per_bag(const BagGroup& group, const double* values) {
    return std::vector<double>(values, values + group.n_bags);
}

auto nearest_convex(const std::vector<double>& centres, std::vector<double> heights,
                    const std::vector<double>& weights) {
    const Checks checks("nearest_convex");
    check_centres(checks, "centres", centres);
    checks.length("heights", heights.size(), centres.size());
    checks.length("weights", weights.size(), centres.size());
    checks.numbers("heights", heights.data(), heights.size());
    checks.numbers("weights", weights.data(), weights.size(), std::numeric_limits<double>::min());
    NearestConvex(centres).project(heights.data(), weights.data());
    const std::size_t n_heights = heights.size();
    return as_numpy(std::move(heights), {n_heights});
}

}  // namespace

void bind_boosting(nb::module_& m) {
    nb::class_<Softmax>(m, "Softmax", "Log loss of classes 0 .. n_classes - 1, a score for each.")
        .def(
            "__init__", [](Softmax* self, std::size_t n_classes) { new (self) Softmax{n_classes}; }, "n_classes"_a);
    m.def("nearest_convex", &nearest_convex, "centres"_a, "heights"_a, "weights"_a,
          "The heights of the nearest convex curve, by weighted least squares.");
    m.attr("LANES") = LANES;
    m.attr("TRAINS") = TRAINS;
    m.attr("VALIDATES") = VALIDATES;
    nb::class_<BagGroup>(m, "BagGroup", "Up to eight bags boosted side by side over cells.")
        .def(nb::new_(&make_bag_group), "cells"_a.noconvert(), "parents"_a, "n_slots"_a, "ordered"_a,
             "target"_a.noconvert(), "weight"_a.noconvert(), "offset"_a.noconvert(), "roles"_a.noconvert(), "seeds"_a,
             "intercepts"_a, nb::kw_only(), "loss"_a, "learning_rate"_a, "max_rounds"_a, "patience"_a, "tolerance"_a,
             "max_leaves"_a, "smoothing_rounds"_a, "min_samples_leaf"_a, "ridge"_a, "momentum"_a, "momentum_rounds"_a,
             "level_smoothing"_a, "max_step"_a, "least_news"_a, "directions"_a = std::vector<int>(),
             "centres"_a = std::vector<std::vector<double>>())
        .def("advance", &advance_group, "n_rounds"_a, "Boost n_rounds more; True when every bag has stopped.")
        .def("curves", &group_curves,
             "Heights at each bag's best round, (n_bags, n_classes or 1, n_cells): what the rows of every node have "
             "in common.")
        .def_prop_ro("round", [](const BagGroup& group) { return group.states.front().round; })
        .def_prop_ro("intercepts",
                     [](const BagGroup& group) {
                         std::vector<std::vector<double>> all;
                         for (const auto& state : group.states) all.push_back(per_bag(group, state.intercept));
                         return all;
                     })
        .def_prop_ro("best_losses",
                     [](const BagGroup& group) { return per_bag(group, group.states.front().best_loss); })
        .def_prop_ro("best_rounds", [](const BagGroup& group) {
            const int* rounds = group.states.front().best_round;
            return std::vector<int>(rounds, rounds + group.n_bags);
        });
}

}  // namespace calmgam::bindings
