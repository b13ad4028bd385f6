// Translates between numpy and the kernels; the kernels themselves live one per header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled hot loops of calmgam.fit; every kernel has a numpy twin in tests/oracles.py.";
}
