// Losses as Python hands them to the kernels that boost.
#pragma once

#include "losses.hpp"

#include <nanobind/stl/variant.h>

#include "arrays.hpp"
#include "checks.hpp"

namespace calmgam::bindings {

// Every y is one that the loss takes.
inline void check_target(const Checks& checks, const AnyLoss& loss, const double* target, std::size_t n_rows) {
    std::visit([&](const auto& one) { checks.numbers("target", target, n_rows, one.LOW, one.HIGH); }, loss);
}

}  // namespace calmgam::bindings
