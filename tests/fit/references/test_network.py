import numpy as np
import pytest

from calmgam.fit.effects.pdp import grid_for
from calmgam.fit.references.network import Network
from calmgam.fit.references.reference import Reference
from prepared import LOSSES, fit_reference
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
TARGETS = {"regression": Y, "classification": (Y > 0).astype(int)}


@pytest.fixture(scope="module", params=TARGETS)
def network(request):
    return Network(SCHEMA, request.param, random_state=0).fit(X, TARGETS[request.param])


def test_scores_are_those_of_scikit_learn(network):
    encoded = network.table.encode(X).astype(np.float32)
    if hasattr(network.estimator, "classes_"):
        expected = network.estimator.predict_proba(encoded)
        np.testing.assert_allclose(network.predict_proba(X), expected, atol=1e-5)
        np.testing.assert_array_equal(network.classes_, [0, 1])
    else:
        np.testing.assert_allclose(
            network.predict(X), network.estimator.predict(encoded), atol=1e-5
        )


def test_curves_are_predictions_of_changed_rows(network):
    asked = Reference(network.decision_function, LOSSES["regression"])
    for feature in range(5):
        grid, _ = grid_for(SCHEMA.features[feature], X[:, feature], size=7)
        curves = network.score_on_grid(X[:50], feature, grid)
        expected = asked.score_on_grid(X[:50], feature, grid)
        np.testing.assert_allclose(curves, expected, atol=1e-5)
        assert np.ptp(curves) > 0.1


@pytest.mark.parametrize("feature", [0, 1, 4])
def test_derivatives_are_those_of_small_steps(network, feature):
    inside = ~np.isnan(X[:, feature])
    step = 0.001 * np.nanstd(X[:, feature])
    before, after = X[inside].copy(), X[inside].copy()
    before[:, feature] -= step
    after[:, feature] += step
    quotient = (network.predict(after) - network.predict(before)) / (2 * step)
    slopes = network.gradient(X[inside], feature)
    # a step may cross the kink of a unit
    assert np.mean(np.isclose(slopes, quotient, rtol=1e-2, atol=2e-2)) > 0.9
    assert np.corrcoef(slopes, quotient)[0, 1] > 0.99


def test_a_reference_uses_both(network):
    reference = Reference(network, LOSSES["regression"], slope=2.0, intercept=1.0)
    grid = np.array([-1.0, np.nan, 1.0])
    curves = reference.score_on_grid(X[:5], 0, grid)
    np.testing.assert_allclose(curves, 1 + 2 * network.score_on_grid(X[:5], 0, grid))
    np.testing.assert_allclose(reference.gradient(X, 1), 2 * network.gradient(X, 1))


@pytest.mark.parametrize("task", TARGETS)
def test_threads_do_not_change_a_bit(task):
    one, two = (
        fit_reference("mlp_early", X, TARGETS[task], SCHEMA, task=task, n_jobs=n) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.score(X), two.score(X))
    grid = np.linspace(-1, 1, 20)
    rows = np.tile(X, (3, 1))
    np.testing.assert_array_equal(
        one.score_on_grid(rows, 0, grid), two.score_on_grid(rows, 0, grid)
    )
