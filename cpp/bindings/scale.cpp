#include <nanobind/stl/optional.h>

#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "checks.hpp"
#include "gram_boosting.hpp"
#include "moments.hpp"

namespace calmgam::bindings {

namespace {

// One bag that is boosted from sums over the rows. The lines of sums are kept alive; they are only read.
struct GramBag {
    Input<float, 2> all, left_out;
    GramData data;
    BoostingSettings settings;
    GramState state;
    double intercept;
    std::mutex one_at_a_time;
};

template <typename Value>
void mix(Input<Value, 1> values, Output<std::uint64_t, 1> hashes) {
    const Released released;
    const Checks checks("mix_column");
    checks.length("values", values.shape(0), hashes.shape(0));
    checks.aligned("values", values.data());
    checks.aligned("hashes", hashes.data());
    mix_column(values.shape(0), values.data(), hashes.data());
}

template <typename Value>
auto summary(Input<Value, 1> values) {
    ColumnSummary found;
    {
        const Released released;
        Checks("summarise").aligned("values", values.data());
        found = summarise(values.shape(0), values.data());
    }
    return nb::make_tuple(found.low, found.high, found.n_missing, found.whole);
}

template <typename Value>
void slots(Input<Value, 1> values, Input<double, 1> edges, Output<std::uint16_t, 1> slots) {
    const Released released;
    const Checks checks("find_slots");
    checks.length("slots", slots.shape(0), values.shape(0));
    checks.count("the number of edges", edges.shape(0), 0, Checks::MAX_CODES - 2);
    checks.aligned("values", values.data());
    checks.aligned("edges", edges.data());
    checks.aligned("slots", slots.data());
    find_slots(values.shape(0), values.data(), edges.shape(0), edges.data(), slots.data());
}

// Every code is one of its feature's, and every row in a fold.
template <typename Code>
void check_codes(const Checks& checks, const Input<Code, 2>& codes, const std::vector<std::size_t>& n_cells,
                 const std::vector<std::size_t>& fold_starts) {
    const std::size_t n_features = codes.shape(0), n_rows = codes.shape(1);
    checks.length("n_cells", n_cells.size(), n_features);
    checks.aligned("codes", codes.data());
    checks.count("the length of fold_starts", fold_starts.size(), 2, Checks::MAX_CODES);
    for (std::size_t fold = 0; fold + 1 < fold_starts.size(); ++fold)
        checks.count(at("fold_starts", fold), fold_starts[fold], fold ? fold_starts[fold - 1] : 0, n_rows);
    checks.count("the last of fold_starts", fold_starts.back(), n_rows, n_rows);
    for (std::size_t i = 0; i < n_features; ++i) {
        checks.count(at("n_cells", i), n_cells[i], 1, Checks::MAX_CODES);
        const Code* line = codes.data() + i * n_rows;
        Code highest = 0;
        for (std::size_t row = 0; row < n_rows; ++row) highest = std::max(highest, line[row]);
        if (n_rows && highest >= n_cells[i])
            checks.refuse(at("codes", i), "must be below " + std::to_string(n_cells[i]), std::to_string(highest));
    }
}

// One number per row, or none at all.
template <typename Value>
const Value* per_row(const Checks& checks, const char* thing, const std::optional<Input<Value, 1>>& values,
                     std::size_t n_rows) {
    if (!values) return nullptr;
    checks.length(thing, values->shape(0), n_rows);
    checks.aligned(thing, values->data());
    return values->data();
}

template <typename Code>
void cells(Input<Code, 2> codes, const std::vector<std::size_t>& n_cells, const std::vector<std::size_t>& fold_starts,
           std::optional<Input<std::int64_t, 1>> weight, std::optional<Input<std::int64_t, 1>> values,
           Output<std::int64_t, 2> weights, std::optional<Output<std::int64_t, 2>> sums, int n_threads) {
    const Released released;
    const Checks checks("add_cells");
    checks.integer("n_threads", n_threads, 1);
    check_codes(checks, codes, n_cells, fold_starts);
    std::size_t size = 0;
    for (const std::size_t n : n_cells) size += n;
    checks.length("weights", weights.shape(0), fold_starts.size() - 1);
    checks.length("a line of weights", weights.shape(1), size);
    checks.aligned("weights", weights.data());
    checks.apart("weights", weights, "codes", codes);
    if (sums.has_value() != values.has_value()) checks.refuse("sums and values", "must both be there or absent", "one");
    if (sums) {
        checks.length("sums", sums->shape(0), fold_starts.size() - 1);
        checks.length("a line of sums", sums->shape(1), size);
        checks.aligned("sums", sums->data());
        checks.apart("sums", *sums, "codes", codes);
    }
    const std::size_t n_rows = codes.shape(1);
    const std::int64_t *row_weights = per_row(checks, "weight", weight, n_rows),
                       *row_values = per_row(checks, "values", values, n_rows);
    add_cells(n_rows, codes.data(), n_cells, fold_starts, row_weights, row_values, n_threads, weights.data(),
              sums ? sums->data() : nullptr);
}

template <typename Code, typename Sum>
void pairs(Input<Code, 2> codes, const std::vector<std::size_t>& n_cells, const std::vector<std::size_t>& fold_starts,
           std::optional<Input<Sum, 1>> weight, Output<Sum, 2> tiles, int n_threads) {
    const Released released;
    const Checks checks("add_pairs");
    checks.integer("n_threads", n_threads, 1);
    check_codes(checks, codes, n_cells, fold_starts);
    std::size_t size = 0;
    for (std::size_t i = 0; i < n_cells.size(); ++i)
        for (std::size_t j = i + 1; j < n_cells.size(); ++j) size += checks.product("cells", n_cells[i], n_cells[j]);
    checks.length("tiles", tiles.shape(0), fold_starts.size() - 1);
    checks.length("a line of tiles", tiles.shape(1), size);
    checks.aligned("tiles", tiles.data());
    checks.apart("tiles", tiles, "codes", codes);
    const Sum* row_weights = per_row(checks, "weight", weight, codes.shape(1));
    add_pairs(codes.shape(1), codes.data(), n_cells, fold_starts, row_weights, n_threads, tiles.data());
}

// The features' trees, with their lines and cells one after the other.
void set_features(const Checks& checks, GramData& data, const std::vector<std::vector<std::size_t>>& parents,
                  const std::vector<std::size_t>& n_slots, const std::vector<bool>& ordered, std::size_t n_lines) {
    checks.count("the number of features", parents.size(), 1, Checks::MAX_CODES);
    checks.length("n_slots", n_slots.size(), parents.size());
    checks.length("ordered", ordered.size(), parents.size());
    std::size_t line = 0, cell = 0;
    for (std::size_t f = 0; f < parents.size(); ++f) {
        checks.count(at("n_slots", f), n_slots[f], ordered[f] ? 2 : 1, Checks::MAX_CODES);
        data.features.push_back(boosting_feature(nullptr, parents[f], n_slots[f], ordered[f], 0, line));
        if (data.features[f].children.size() + 1 != data.features[f].n_leaves())
            checks.refuse(at("parents", f), "must make one tree", std::to_string(parents[f].size()) + " roots");
        data.first_cell.push_back(cell);
        line += data.features[f].n_nodes() * n_slots[f];
        cell += data.features[f].n_cells();
    }
    data.n_cells = cell;
    checks.length("all", n_lines, line);
}

std::unique_ptr<GramBag> make_gram_bag(Input<float, 2> all, Input<float, 2> left_out, Input<double, 2> sums,
                                       Input<double, 2> weights, Input<double, 1> squares,
                                       const std::vector<std::vector<std::size_t>>& parents,
                                       const std::vector<std::size_t>& n_slots, const std::vector<bool>& ordered,
                                       const std::vector<std::size_t>& turns, std::uint64_t seed, double learning_rate,
                                       int max_rounds, int patience, double tolerance, int max_leaves,
                                       int smoothing_rounds, double min_samples_leaf, double ridge, double momentum,
                                       double momentum_rounds, double level_smoothing) {
    auto bag = std::make_unique<GramBag>();
    bag->all = all, bag->left_out = left_out;
    const Released released;
    const Checks checks("gram boosting");
    GramData& data = bag->data;
    set_features(checks, data, parents, n_slots, ordered, all.shape(0));
    checks.count("the length of turns", turns.size(), 0, parents.size());
    for (std::size_t k = 0; k < turns.size(); ++k) checks.count(at("turns", k), turns[k], 0, parents.size() - 1);
    data.turns = turns;
    for (const auto* lines : {&all, &left_out}) {
        checks.length("lines of sums", lines->shape(0), all.shape(0));
        checks.length("a line of sums", lines->shape(1), data.n_cells);
        checks.aligned("sums", lines->data());
    }
    data.all = all.data(), data.left_out = left_out.data();
    checks.length("sums", sums.shape(0), 2);
    checks.length("a line of sums", sums.shape(1), data.n_cells);
    checks.length("weights", weights.shape(0), 2);
    checks.length("a line of weights", weights.shape(1), data.n_cells);
    checks.length("squares", squares.shape(0), 2);
    checks.numbers("sums", sums.data(), 2 * data.n_cells);
    checks.numbers("weights", weights.data(), 2 * data.n_cells, 0.0);
    checks.numbers("squares", squares.data(), 2, 0.0);
    bag->settings = {learning_rate,    max_rounds, patience, tolerance,       max_leaves,      smoothing_rounds,
                     min_samples_leaf, ridge,      momentum, momentum_rounds, level_smoothing, INFINITE};
    check_settings(checks, bag->settings);
    set_sums(data, sums.data(), weights.data(), squares.data()[1], bag->intercept);
    bag->state = start_gram_boosting(data, seed);
    return bag;
}

bool advance_bag(GramBag& bag, int n_rounds) {
    const Released released;
    Checks("gram boosting").integer("n_rounds", n_rounds, 1);
    const std::lock_guard<std::mutex> lock(bag.one_at_a_time);
    advance(bag.data, bag.settings, bag.state, n_rounds);
    return !bag.state.active;
}

auto bag_curves(const GramBag& bag) {
    return as_numpy(std::vector<double>(bag.state.best_curve), {bag.state.best_curve.size()});
}

}  // namespace

void bind_scale(nb::module_& m) {
    const char* about_mix = "Take a column's values into the rows' hashes, in place.";
    m.def("mix_column", &mix<double>, "values"_a.noconvert(), "hashes"_a.noconvert(), about_mix);
    m.def("mix_column", &mix<float>, "values"_a.noconvert(), "hashes"_a.noconvert(), about_mix);
    const char* about_summary = "Smallest and largest number, how many are missing, whether all others are whole.";
    m.def("summarise", &summary<double>, "values"_a.noconvert(), about_summary);
    m.def("summarise", &summary<float>, "values"_a.noconvert(), about_summary);
    const char* about_slots = "Count the edges below every value, in `slots`; missing: one more than all edges + 1.";
    m.def("find_slots", &slots<double>, "values"_a.noconvert(), "edges"_a.noconvert(), "slots"_a.noconvert(),
          about_slots);
    m.def("find_slots", &slots<float>, "values"_a.noconvert(), "edges"_a.noconvert(), "slots"_a.noconvert(),
          about_slots);
    const auto bind_cells = [&](auto function) {
        m.def("add_cells", function, "codes"_a.noconvert(), "n_cells"_a, "fold_starts"_a, "weight"_a.noconvert().none(),
              "values"_a.noconvert().none(), "weights"_a.noconvert(), "sums"_a.noconvert().none(), "n_threads"_a,
              "Add rows, in order of folds, to the weights and sums (n_folds, cells) of their cells, in place.");
    };
    bind_cells(&cells<std::uint8_t>);
    bind_cells(&cells<std::uint16_t>);
    const char* about_pairs =
        "Add rows, in order of folds, to tiles (n_folds, cells x cells of all pairs i < j), in place.";
    const auto bind_pairs = [&](auto function) {
        m.def("add_pairs", function, "codes"_a.noconvert(), "n_cells"_a, "fold_starts"_a, "weight"_a.noconvert().none(),
              "tiles"_a.noconvert(), "n_threads"_a, about_pairs);
    };
    bind_pairs(&pairs<std::uint8_t, std::uint32_t>);
    bind_pairs(&pairs<std::uint16_t, std::uint32_t>);
    bind_pairs(&pairs<std::uint8_t, std::int64_t>);
    bind_pairs(&pairs<std::uint16_t, std::int64_t>);
    nb::class_<GramBag>(m, "GramBag", "A bag boosted from sums over rows: squared error.")
        .def(nb::new_(&make_gram_bag), "all"_a.noconvert(), "left_out"_a.noconvert(), "sums"_a.noconvert(),
             "weights"_a.noconvert(), "squares"_a.noconvert(), "parents"_a, "n_slots"_a, "ordered"_a, "turns"_a,
             "seed"_a, nb::kw_only(), "learning_rate"_a, "max_rounds"_a, "patience"_a, "tolerance"_a, "max_leaves"_a,
             "smoothing_rounds"_a, "min_samples_leaf"_a, "ridge"_a, "momentum"_a, "momentum_rounds"_a,
             "level_smoothing"_a)
        .def("advance", &advance_bag, "n_rounds"_a, "Boost n_rounds more; True when the bag has stopped.")
        .def("curves", &bag_curves, "Heights at the best round, by line: what the rows of every node have in common.")
        .def_prop_ro("round", [](const GramBag& bag) { return bag.state.round; })
        .def_prop_ro("intercept", [](const GramBag& bag) { return bag.intercept; })
        .def_prop_ro("best_loss", [](const GramBag& bag) { return bag.state.best_loss; })
        .def_prop_ro("best_round", [](const GramBag& bag) { return bag.state.best_round; });
}

}  // namespace calmgam::bindings
