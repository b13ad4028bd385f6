// Translates between numpy and the kernels; the kernels themselves live one per header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "heterogeneity.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename Value, int N>
using Input = nb::ndarray<const Value, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// A numpy array that owns what the kernel wrote.
template <typename Value>
auto as_numpy(std::vector<Value>&& values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<Value>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::ndarray<nb::numpy, Value>(kept->data(), shape, owner);
}

// ---- heterogeneity ------------------------------------------------------------------------------

auto split_gains(Input<double, 2> curves, Input<double, 1> weights, Input<std::uint16_t, 2> codes,
                 const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered, double min_rows,
                 int n_threads) {
    const std::size_t n_rows = curves.shape(0), n_features = codes.shape(0);
    if (weights.shape(0) != n_rows || codes.shape(1) != n_rows || n_conditions.size() != n_features ||
        ordered.size() != n_features)
        throw std::invalid_argument("split_gains: array shapes do not agree");
    std::vector<calmgam::CandidateCodes> features;
    std::size_t n_candidates = 0;
    for (std::size_t j = 0; j < n_features; ++j) {
        features.push_back({codes.data() + j * n_rows, n_conditions[j], ordered[j]});
        n_candidates += n_conditions[j] + 1;  // and "is not missing"
    }
    std::vector<double> gains(2 * n_candidates);
    {
        nb::gil_scoped_release release;
        calmgam::split_gains({curves.data(), weights.data(), n_rows, curves.shape(1)}, features, min_rows,
                             n_threads, gains.data());
    }
    return as_numpy(std::move(gains), {n_candidates, 2});
}

void bind_heterogeneity(nb::module_& m) {
    m.def("split_gains", &split_gains, "curves"_a.noconvert(), "weights"_a.noconvert(), "codes"_a.noconvert(),
          "n_conditions"_a, "ordered"_a, "min_rows"_a, "n_threads"_a,
          "What every candidate condition takes from weight * heterogeneity, (n_candidates, 2): missing rows "
          "right, missing rows left.");
}

}  // namespace

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled hot loops of calmgam.fit; every kernel has a numpy twin in tests/oracles.py.";
    bind_heterogeneity(m);
}
