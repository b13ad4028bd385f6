
#include <nanobind/stl/function.h>

#include <algorithm>

#include "any_loss.hpp"

namespace calmgam::bindings {

namespace {

using Answers = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Calls function(scores) -> (3, n_columns, n_rows): negative gradients, hessians and costs.
Given given_loss(nb::callable function) {
    Given loss;
    loss.ask = [function](const double* scores, std::size_t n_columns, std::size_t n_rows, double* gradients,
                          double* hessians, double* costs) {
        const nb::gil_scoped_acquire acquired;
        const std::size_t size = n_columns * n_rows;
        const auto array = as_numpy(std::vector<double>(scores, scores + size), {n_columns, n_rows});
        const auto answers = nb::cast<Answers>(function(array));
        const Checks checks("given loss");
        checks.length("answers", answers.shape(0), 3);
        checks.length("columns of answers", answers.shape(1), n_columns);
        checks.length("rows of answers", answers.shape(2), n_rows);
        checks.numbers("answers", answers.data(), 3 * size);
        std::copy(answers.data(), answers.data() + size, gradients);
        std::copy(answers.data() + size, answers.data() + 2 * size, hessians);
        std::copy(answers.data() + 2 * size, answers.data() + 3 * size, costs);
    };
    return loss;
}

template <typename Loss>
auto declare(nb::module_& m, const char* name, const char* text) {
    return nb::class_<Loss>(m, name, text);
}

}  // namespace

void bind_losses(nb::module_& m) {
    const Checks* checks = new Checks("loss");  // lives as long as the module
    declare<SquaredError>(m, "SquaredError", "(y - score)^2.").def(nb::init<>());
    declare<LogLoss>(m, "LogLoss", "Of 0 and 1, for log-odds.").def(nb::init<>());
    declare<Poisson>(m, "Poisson", "Half the deviance of counts, for logarithms of means.").def(nb::init<>());
    declare<Gamma>(m, "Gamma", "Half the deviance of sizes, for logarithms of means.").def(nb::init<>());
    declare<Tweedie>(m, "Tweedie", "Half the deviance of sizes that may be 0, for logarithms of means.")
        .def(
            "__init__",
            [checks](Tweedie* self, double power) {
                if (!(power > 1.0 && power < 2.0)) checks->refuse("power", "must be in (1, 2)", std::to_string(power));
                new (self) Tweedie(power);
            },
            "power"_a);
    declare<Huber>(m, "Huber", "Half the squared error up to a width, beyond it straight on.")
        .def(
            "__init__",
            [checks](Huber* self, double width) {
                checks->number("width", width);
                new (self) Huber(width);
            },
            "width"_a);
    declare<Quantile>(m, "Quantile", "The check function, smoothed over a share of its mean.")
        .def(
            "__init__",
            [checks](Quantile* self, double level, double share, double mean_cost) {
                checks->number("level", level, 0.0, 1.0);
                checks->number("share", share);
                checks->number("mean_cost", mean_cost);
                new (self) Quantile(level, share, mean_cost);
            },
            "level"_a, "share"_a, "mean_cost"_a);
    declare<Given>(m, "GivenLoss", "Asks function(scores) for (gradients, hessians, costs), each (n_columns, n_rows).")
        .def(
            "__init__", [](Given* self, nb::callable function) { new (self) Given(given_loss(function)); },
            "function"_a);
}

}  // namespace calmgam::bindings
