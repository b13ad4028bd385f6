#include "arrays.hpp"
#include "checks.hpp"
#include "factors.hpp"
#include "held_out.hpp"
#include "roles.hpp"

namespace calmgam::bindings {

namespace {

auto means_of(Input<std::uint16_t, 2> cells, const std::vector<std::size_t>& n_cells, Input<double, 3> heights,
              Input<std::uint8_t, 2> roles) {
    const std::size_t n_parts = cells.shape(0), n_rows = cells.shape(1);
    const std::size_t n_outputs = heights.shape(1), n_all = heights.shape(2);
    std::vector<double> means;
    {
        const Released released;
        const Checks checks("held_out_means");
        checks.count("the number of rows", n_rows, 0, Checks::MAX_ROWS);
        checks.length("roles", roles.shape(0), n_rows);
        checks.length("heights", heights.shape(0), roles.shape(1));
        checks.length("n_cells", n_cells.size(), n_parts);
        checks.aligned("heights", heights.data());
        std::size_t first = 0;
        for (std::size_t i = 0; i < n_parts; first += n_cells[i++]) {
            checks.count(at("n_cells", i), n_cells[i], 0, Checks::MAX_CODES);
            checks.below(at("cells", i), cells.data() + i * n_rows, n_rows, n_cells[i]);
        }
        checks.length("a line of heights", n_all, first);
        const std::size_t size = checks.product("rows x outputs", n_rows, n_outputs);
        means.resize(checks.product("parts x rows x outputs", n_parts, size));
        const HeldOutRows rows = held_out_rows(roles.data(), n_rows, roles.shape(1), VALIDATES);
        first = 0;
        for (std::size_t i = 0; i < n_parts; first += n_cells[i++])
            held_out_means(rows, cells.data() + i * n_rows, heights.data() + first, n_all, n_outputs,
                           means.data() + i * size);
    }
    return as_numpy(std::move(means), {n_parts, n_rows, n_outputs});
}

nb::tuple newton_terms(Input<double, 2> parts, Input<double, 1> gradient, Input<double, 1> hessian) {
    const std::size_t n_parts = parts.shape(0), n = parts.shape(1);
    std::vector<double> slopes, curvatures;
    {
        const Released released;
        const Checks checks("slopes_and_curvatures");
        checks.length("gradient", gradient.shape(0), n);
        checks.length("hessian", hessian.shape(0), n);
        checks.aligned("parts", parts.data());
        checks.aligned("gradient", gradient.data());
        checks.aligned("hessian", hessian.data());
        const std::size_t n_pairs = checks.product("parts x parts", n_parts, n_parts);
        slopes.resize(n_parts), curvatures.resize(n_pairs);
        slopes_and_curvatures(parts.data(), n_parts, n, gradient.data(), hessian.data(), slopes.data(),
                              curvatures.data());
    }
    return nb::make_tuple(as_numpy(std::move(slopes), {n_parts}), as_numpy(std::move(curvatures), {n_parts, n_parts}));
}

auto minimum_of(Input<double, 1> slopes, Input<double, 2> curvatures, Input<double, 1> start, int max_sweeps,
                double tolerance) {
    const std::size_t n = slopes.shape(0);
    std::vector<double> x;
    {
        const Released released;
        const Checks checks("bounded_minimum");
        checks.length("curvatures", curvatures.shape(0), n);
        checks.length("a line of curvatures", curvatures.shape(1), n);
        checks.length("start", start.shape(0), n);
        checks.aligned("slopes", slopes.data());
        checks.aligned("curvatures", curvatures.data());
        checks.numbers("start", start.data(), n, 0.0, 1.0);
        checks.integer("max_sweeps", max_sweeps, 0);
        checks.number("tolerance", tolerance);
        x.assign(start.data(), start.data() + n);
        std::vector<double> left(slopes.data(), slopes.data() + n);
        bounded_minimum(left.data(), curvatures.data(), n, max_sweeps, tolerance, x.data());
    }
    return as_numpy(std::move(x), {n});
}

}  // namespace

void bind_shrinking(nb::module_& m) {
    m.def("held_out_means", &means_of, "cells"_a.noconvert(), "n_cells"_a, "heights"_a.noconvert(),
          "roles"_a.noconvert(),
          "Mean heights of rows in their cells over the bags in which they validate, (n_parts, n_rows, n_outputs), of "
          "heights (n_bags, n_outputs, cells of all parts); not a number where a row validates in none.");
    m.def("slopes_and_curvatures", &newton_terms, "parts"_a.noconvert(), "gradient"_a.noconvert(),
          "hessian"_a.noconvert(), "(parts gradient, parts diag(hessian) parts'), of parts (n_parts, n).");
    m.def("bounded_minimum", &minimum_of, "slopes"_a.noconvert(), "curvatures"_a.noconvert(), "start"_a.noconvert(),
          "max_sweeps"_a, "tolerance"_a,
          "The x in 0..1 with the largest slopes' step - step' curvatures step / 2, where the step is x - start.");
}

}  // namespace calmgam::bindings
