// The compiled module: translates between numpy and the kernels, and refuses what a kernel could not bear.
#include "arrays.hpp"

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled hot loops of calmgam.fit; every kernel has a numpy twin in tests/oracles.py.";
    calmgam::prepare_to_throw();
    calmgam::bindings::bind_losses(m);
    calmgam::bindings::bind_boosting(m);
    calmgam::bindings::bind_heterogeneity(m);
    calmgam::bindings::bind_ensembles(m);
    calmgam::bindings::bind_joint(m);
    calmgam::bindings::bind_scale(m);
    calmgam::bindings::bind_shrinking(m);
    calmgam::bindings::bind_splines(m);
    calmgam::bindings::bind_trees(m);
}
