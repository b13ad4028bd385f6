// What crosses the border between numpy and the kernels.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace calmgam::bindings {

namespace nb = nanobind;
using namespace nb::literals;

template <typename Value, int N>
using Input = nb::ndarray<const Value, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <typename Value, int N>
using Output = nb::ndarray<Value, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// A kernel at work: Python's other threads go on.
class Released {
   public:
    Released() { prepare_to_throw(); }

   private:
    nb::gil_scoped_release release_;
};

// A numpy array that owns what the kernel wrote.
template <typename Value>
auto as_numpy(std::vector<Value>&& values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<Value>>(std::move(values));
    Value* data = kept->data();
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    kept.release();
    return nb::ndarray<nb::numpy, Value>(data, shape, owner);
}

// One file per family of kernels.
void bind_boosting(nb::module_& m);
void bind_ensembles(nb::module_& m);
void bind_heterogeneity(nb::module_& m);
void bind_joint(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_scale(nb::module_& m);
void bind_shrinking(nb::module_& m);
void bind_splines(nb::module_& m);
void bind_trees(nb::module_& m);

}  // namespace calmgam::bindings
