#include "trees.hpp"

#include "any_loss.hpp"
#include "arrays.hpp"
#include "checks.hpp"

namespace calmgam::bindings {

namespace {

void check_settings(const Checks& checks, const trees::Settings& settings) {
    checks.integer("max_rounds", settings.max_rounds, 0);
    checks.integer("patience", settings.patience, 0);
    checks.number("validation_share", settings.validation_share, 0.0, 1.0);
    checks.number("learning_rate", settings.learning_rate);
    checks.count("max_leaves", settings.max_leaves, 1, Checks::MAX_ROWS);
    checks.number("min_samples_leaf", settings.min_rows, 1.0);  // a leaf without rows could be split for ever
    checks.number("ridge", settings.ridge);
    checks.number("level_smoothing", settings.level_smoothing);
    if (!(settings.max_step > 0.0)) checks.refuse("max_step", "must be above 0", std::to_string(settings.max_step));
    checks.count("max_bins", settings.max_bins, 2, Checks::MAX_CODES);
}

nb::tuple boost_trees(Input<std::uint16_t, 2> codes, const std::vector<std::size_t>& n_slots,
                      const std::vector<bool>& ordered, Input<double, 1> target, Input<double, 1> weight,
                      Input<double, 1> offset, AnyLoss loss, double base, int max_rounds, int patience,
                      double validation_share, double learning_rate, std::size_t max_leaves, double min_samples_leaf,
                      double ridge, double level_smoothing, std::size_t max_bins, double max_step, std::uint64_t seed,
                      int n_threads) {
    trees::Nodes nodes;
    {
        const Released released;
        const Checks checks("trees");
        const std::size_t n_rows = target.shape(0), n_features = codes.shape(0);
        checks.count("the number of rows", n_rows, 1, Checks::MAX_ROWS);
        checks.length("a line of codes", codes.shape(1), n_rows);
        checks.length("weight", weight.shape(0), n_rows);
        checks.length("offset", offset.shape(0), n_rows);
        checks.length("n_slots", n_slots.size(), n_features);
        checks.length("ordered", ordered.size(), n_features);
        checks.integer("n_threads", n_threads, 1);
        std::vector<std::uint16_t> kept;  // a loss in Python could change an array after it was checked
        if (std::holds_alternative<Given>(loss)) kept.assign(codes.data(), codes.data() + codes.size());
        const std::uint16_t* lines = kept.empty() ? codes.data() : kept.data();
        for (std::size_t f = 0; f < n_features; ++f) {
            checks.count(at("n_slots", f), n_slots[f], 1, Checks::MAX_CODES);  // one is for missing values
            checks.below(at("codes", f), lines + f * n_rows, n_rows, n_slots[f]);
        }
        check_target(checks, loss, target.data(), n_rows);
        checks.numbers("offset", offset.data(), n_rows);
        checks.number("base", base, -INFINITE);
        checks.numbers("weight", weight.data(), n_rows, 0.0);
        const trees::Settings settings{
            max_rounds, patience,        validation_share, learning_rate, max_leaves, min_samples_leaf,
            ridge,      level_smoothing, max_bins,         max_step,      seed};
        check_settings(checks, settings);
        const trees::Table table{n_rows, lines, n_slots, ordered};
        const trees::Rows rows{target.data(), weight.data(), offset.data()};
        nodes = std::visit([&](auto& one) { return trees::boost(table, one, rows, base, settings, n_threads); }, loss);
    }
    const auto array = [](auto&& values) {
        const std::size_t size = values.size();
        return as_numpy(std::move(values), {size});
    };
    return nb::make_tuple(array(std::move(nodes.roots)), array(std::move(nodes.features)),
                          array(std::move(nodes.slots)), array(std::move(nodes.left)), array(std::move(nodes.right)),
                          array(std::move(nodes.missing_left)), array(std::move(nodes.left_codes)),
                          array(std::move(nodes.code_goes_left)), array(std::move(nodes.values)));
}

}  // namespace

void bind_trees(nb::module_& m) {
    m.def("boost_trees", &boost_trees, "codes"_a.noconvert(), "n_slots"_a, "ordered"_a, "target"_a.noconvert(),
          "weight"_a.noconvert(), "offset"_a.noconvert(), "loss"_a, "base"_a, "max_rounds"_a, "patience"_a,
          "validation_share"_a, "learning_rate"_a, "max_leaves"_a, "min_samples_leaf"_a, "ridge"_a, "level_smoothing"_a,
          "max_bins"_a, "max_step"_a, "seed"_a, "n_threads"_a,
          "Boost trees from the score `base` on: (roots, features, last slots on the left, left, right, missing_left, "
          "left_codes, "
          "code_goes_left, values).");
}

}  // namespace calmgam::bindings
