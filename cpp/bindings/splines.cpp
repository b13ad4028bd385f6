#include "arrays.hpp"
#include "checks.hpp"
#include "gram.hpp"

namespace calmgam::bindings {

namespace {

// The terms; every cell is one of its term's, and its basis values have columns.
std::vector<SplineTerm> terms_of(const Checks& checks, const Input<std::uint16_t, 2>& cells,
                                 const std::vector<std::size_t>& n_cells, const Input<std::int32_t, 1>& first_column,
                                 const Input<double, 2>& basis, std::size_t n_columns) {
    const std::size_t n_rows = cells.shape(1);
    checks.length("n_cells", n_cells.size(), cells.shape(0));
    std::size_t n_all = 0;
    for (std::size_t i = 0; i < n_cells.size(); n_all += n_cells[i++])
        checks.count(at("n_cells", i), n_cells[i], 0, Checks::MAX_CODES);
    checks.length("first_column", first_column.shape(0), n_all);
    checks.length("basis", basis.shape(0), n_all);
    checks.length("a line of basis", basis.shape(1), WIDTH);
    checks.aligned("first_column", first_column.data());
    checks.aligned("basis", basis.data());
    for (std::size_t cell = 0; cell < n_all; ++cell)
        if (first_column.data()[cell] < 0 || first_column.data()[cell] + WIDTH > n_columns)
            checks.refuse(at("first_column", cell), "and three more must be in [0, " + std::to_string(n_columns) + ")",
                          std::to_string(first_column.data()[cell]));
    std::vector<SplineTerm> terms;
    std::size_t first_cell = 0;
    for (std::size_t i = 0; i < n_cells.size(); first_cell += n_cells[i++]) {
        checks.below(at("cells", i), cells.data() + i * n_rows, n_rows, n_cells[i]);
        terms.push_back(
            {cells.data() + i * n_rows, first_column.data() + first_cell, basis.data() + first_cell * WIDTH});
    }
    return terms;
}

auto gram_of(Input<std::uint16_t, 2> cells, const std::vector<std::size_t>& n_cells,
             Input<std::int32_t, 1> first_column, Input<double, 2> basis, Input<double, 1> weight,
             std::size_t n_columns, int n_threads) {
    std::vector<double> values;
    {
        const Released released;
        const Checks checks("gram");
        const std::size_t n_rows = cells.shape(1);
        const std::size_t n_values = checks.product("n_columns x n_columns", n_columns, n_columns);
        checks.length("weight", weight.shape(0), n_rows);
        checks.numbers("weight", weight.data(), n_rows, 0.0);
        checks.integer("n_threads", n_threads, 1);
        const std::vector<SplineTerm> terms = terms_of(checks, cells, n_cells, first_column, basis, n_columns);
        values.resize(n_values);
        gram(n_rows, terms, weight.data(), n_columns, n_threads, values.data());
    }
    return as_numpy(std::move(values), {n_columns, n_columns});
}

}  // namespace

void bind_splines(nb::module_& m) {
    m.attr("WIDTH") = WIDTH;
    m.def("gram", &gram_of, "cells"_a.noconvert(), "n_cells"_a, "first_column"_a.noconvert(), "basis"_a.noconvert(),
          "weight"_a.noconvert(), "n_columns"_a, "n_threads"_a,
          "Upper triangle of B'WB, (n_columns, n_columns); a row of B has WIDTH values per term, from first_column "
          "of its cell on.");
}

}  // namespace calmgam::bindings
