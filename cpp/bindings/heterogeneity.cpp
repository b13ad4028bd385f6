#include "heterogeneity.hpp"

#include "arrays.hpp"
#include "checks.hpp"

namespace calmgam::bindings {

namespace {

struct Conditions {
    Input<std::uint16_t, 2> codes;
    const std::vector<std::size_t>& n_conditions;
    const std::vector<bool>& ordered;
    double min_rows;
    int n_threads;
};

// The gains of all conditions on a table whose own arrays are checked.
template <class Table>
std::vector<double> gains_of(const Checks& checks, const Table& table, const Conditions& conditions) {
    const auto& [codes, n_conditions, ordered, min_rows, n_threads] = conditions;
    const std::size_t n_features = codes.shape(0);
    checks.length("a line of codes", codes.shape(1), table.n_rows);
    checks.number("min_rows", min_rows);
    checks.integer("n_threads", n_threads, 1);
    check_candidates(checks, codes.data(), n_features, table.n_rows, n_conditions, ordered);
    std::vector<CandidateCodes> features;
    std::size_t n_candidates = 0;
    for (std::size_t j = 0; j < n_features; ++j) {
        checks.product("codes x points", n_conditions[j] + 2, table.strip());
        features.push_back({codes.data() + j * table.n_rows, n_conditions[j], ordered[j]});
        n_candidates += n_conditions[j] + 1;  // and "is not missing"
    }
    std::vector<double> gains(2 * n_candidates);
    split_gains(table, features, min_rows, n_threads, gains.data());
    return gains;
}

auto as_pairs(std::vector<double>&& gains) {
    const std::size_t n_candidates = gains.size() / 2;
    return as_numpy(std::move(gains), {n_candidates, 2});
}

auto curve_split_gains(Input<double, 2> curves, Input<double, 1> weights, Input<std::uint16_t, 2> codes,
                       const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered, double min_rows,
                       int n_threads) {
    std::vector<double> gains;
    {
        const Released released;
        const Checks checks("curve_split_gains");
        const CurveTable table{curves.data(), weights.data(), curves.shape(0), curves.shape(1)};
        checks.count("the number of points", table.n_points, 1, Checks::MAX_ROWS);
        checks.aligned("curves", table.curves);
        checks.length("weights", weights.shape(0), table.n_rows);
        checks.numbers("weights", table.weights, table.n_rows, 0.0);
        gains = gains_of(checks, table, {codes, n_conditions, ordered, min_rows, n_threads});
    }
    return as_pairs(std::move(gains));
}

auto point_split_gains(Input<double, 1> effects, Input<std::uint16_t, 1> bins, std::size_t n_bins,
                       Input<double, 1> weights, Input<std::uint16_t, 2> codes,
                       const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered, double min_rows,
                       int n_threads) {
    std::vector<double> gains;
    {
        const Released released;
        const Checks checks("point_split_gains");
        const PointTable table{effects.data(), bins.data(), weights.data(), effects.shape(0), n_bins};
        checks.count("n_bins", n_bins, 1, Checks::MAX_CODES);
        checks.aligned("effects", table.effects);
        checks.length("bins", bins.shape(0), table.n_rows);
        checks.length("weights", weights.shape(0), table.n_rows);
        checks.below("bins", table.bins, table.n_rows, n_bins);
        checks.numbers("weights", table.weights, table.n_rows, 0.0);
        gains = gains_of(checks, table, {codes, n_conditions, ordered, min_rows, n_threads});
    }
    return as_pairs(std::move(gains));
}

}  // namespace

void bind_heterogeneity(nb::module_& m) {
    m.def("curve_split_gains", &curve_split_gains, "curves"_a.noconvert(), "weights"_a.noconvert(),
          "codes"_a.noconvert(), "n_conditions"_a, "ordered"_a, "min_rows"_a, "n_threads"_a,
          "What every candidate condition takes from weight * heterogeneity, (n_candidates, 2): missing rows "
          "right, missing rows left.");
    m.def("point_split_gains", &point_split_gains, "effects"_a.noconvert(), "bins"_a.noconvert(), "n_bins"_a,
          "weights"_a.noconvert(), "codes"_a.noconvert(), "n_conditions"_a, "ordered"_a, "min_rows"_a, "n_threads"_a,
          "The same where a row has one effect, to be compared with those in its bin only.");
}

}  // namespace calmgam::bindings
