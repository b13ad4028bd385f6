import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingRegressor

from calmgam.fit.data.losses import LogLoss, SquaredError
from calmgam.fit.effects import ale
from calmgam.fit.effects.ale import (
    DISCOUNT,
    MIN_BIN_ROWS,
    interval_of,
    surroundings,
    variance_bins,
)
from calmgam.fit.references.reference import Reference
from calmgam.model.schema import Feature, Schema
from prepared import fit_reference

ale_effects = partial(ale.ale_effects, grid="quantile", grid_size=20)
rhale_effects = partial(ale.rhale_effects, grid_size=20)
NUMBER = Feature("x", 0, "numeric", has_missing=True)
LEVELS = Feature("x", 0, "categorical", ("p", "q", "r"), has_missing=True)


def rows(n_rows=500, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (n_rows, 3))


def product(X):
    return X[:, 0] * X[:, 1] + X[:, 2] ** 2


class WithGradient:
    """A function that knows its derivatives."""

    def __call__(self, X):
        return np.sin(3 * X[:, 0]) * X[:, 1]

    def gradient(self, X, feature):
        assert feature == 0
        return 3 * np.cos(3 * X[:, 0]) * X[:, 1]


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
def test_the_slope_of_a_product_is_the_other_factor(find):
    X = rows()
    local = find(Reference(product, SquaredError()), X, NUMBER, X[:, 0])
    np.testing.assert_allclose(local.effects, X[:, 1] * X[:, 0].std(), atol=1e-12)
    assert local.bins.max() < local.n_bins


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
@pytest.mark.parametrize("factor", [1e-3, 1e6, 1e200])
def test_the_unit_of_the_feature_does_not_matter(find, factor):
    X = rows()
    scaled = X * [factor, 1, 1]
    local = find(Reference(product, SquaredError()), X, NUMBER, X[:, 0])
    other = find(
        Reference(lambda Z: product(Z / [factor, 1, 1]), SquaredError()),
        scaled,
        NUMBER,
        scaled[:, 0],
    )
    np.testing.assert_allclose(other.effects, local.effects, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(other.bins, local.bins)


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
def test_effects_of_a_classifier_can_be_those_of_the_probability(find):
    X = rows()
    reference = Reference(lambda Z: Z[:, 0] * Z[:, 1], LogLoss())
    link = find(reference, X, NUMBER, X[:, 0])
    response = find(reference, X, NUMBER, X[:, 0], effect_scale="response")
    slope = expit(X[:, 0] * X[:, 1]) * expit(-X[:, 0] * X[:, 1])
    np.testing.assert_allclose(response.effects, slope * link.effects, atol=2e-2)
    assert np.abs(response.effects).max() < 0.3 * np.abs(link.effects).max()


@pytest.mark.parametrize("effect_scale", ["link", "response"])
def test_exact_derivatives_are_taken_where_there_are_some(effect_scale):
    X = rows()
    exact = rhale_effects(
        Reference(WithGradient(), LogLoss()), X, NUMBER, X[:, 0], effect_scale=effect_scale
    )
    finite = rhale_effects(
        Reference(WithGradient().__call__, LogLoss()),
        X,
        NUMBER,
        X[:, 0],
        grid_size=400,
        effect_scale=effect_scale,
    )
    np.testing.assert_allclose(exact.effects, finite.effects, atol=0.1)
    if effect_scale == "link":
        expected = WithGradient().gradient(X, 0) * X[:, 0].std()
        np.testing.assert_allclose(exact.effects, expected, atol=1e-12)


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
def test_a_level_is_compared_with_the_mean_over_the_levels(find):
    X = rows()
    X[:, 0] = np.arange(500) % 4  # three levels and rare ones
    X[::5, 0] = np.nan
    heights = np.array([0.0, 1.0, 5.0, 2.0])

    def formula(Z):
        return (
            np.where(np.isnan(Z[:, 0]), 3.0, heights[np.nan_to_num(Z[:, 0]).astype(int)]) * Z[:, 1]
        )

    local = find(Reference(formula, SquaredError()), X, LEVELS, X[:, 0])
    shares = np.append(np.bincount(X[~np.isnan(X[:, 0]), 0].astype(int)), 100) / 500
    if find is rhale_effects:  # levels alike, as on a uniform grid
        shares = np.array([0.2] * 5)
    own = np.where(np.isnan(X[:, 0]), 3.0, heights[np.nan_to_num(X[:, 0]).astype(int)])
    mean = shares @ np.append(heights, 3.0)
    np.testing.assert_allclose(local.effects, (own - mean) * X[:, 1], atol=1e-12)
    expected = np.where(np.isnan(X[:, 0]), 4, X[:, 0])
    np.testing.assert_array_equal(local.bins, expected)
    assert local.n_bins == 5


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
def test_missing_numbers_have_a_bin_of_their_own(find):
    X = rows()
    X[::5, 0] = np.nan
    missing = np.isnan(X[:, 0])
    local = find(
        Reference(lambda Z: np.nan_to_num(Z[:, 0], nan=7.0) * Z[:, 1], SquaredError()),
        X,
        NUMBER,
        X[:, 0],
    )
    spread = np.nanstd(X[:, 0])
    np.testing.assert_allclose(local.effects[~missing], spread * X[~missing, 1], atol=1e-9)
    assert np.corrcoef(local.effects[missing], X[missing, 1])[0, 1] > 0.999
    assert (local.bins[missing] == local.n_bins - 1).all()
    assert (local.bins[~missing] < local.n_bins - 1).all()


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
@pytest.mark.parametrize("value", [0.0, 4.0, np.nan])
def test_a_constant_feature_has_no_effect(find, value):
    X = rows()
    X[:, 0] = value
    reference = Reference(lambda Z: np.nan_to_num(Z[:, 0]) * Z[:, 1], SquaredError())
    local = find(reference, X, NUMBER, X[:, 0])
    np.testing.assert_array_equal(local.effects, 0)


@pytest.mark.parametrize("find", [ale_effects, rhale_effects])
def test_steps_between_two_values_are_seen(find):
    X = rows()
    X[:, 0] = X[:, 0] > 0.2
    local = find(Reference(lambda Z: (Z[:, 0] > 0.5) * Z[:, 1], SquaredError()), X, NUMBER, X[:, 0])
    np.testing.assert_allclose(local.effects, X[:, 1] * X[:, 0].std(), atol=1e-12)


def test_trees_are_walked_to_the_same_slopes():
    X = rows()
    y = product(X)
    schema = Schema(tuple(Feature(name, i, "numeric") for i, name in enumerate("xyz")))
    model = HistGradientBoostingRegressor(max_iter=20)
    walked = fit_reference(model, X, y, schema, task="regression")
    asked = Reference(walked.estimator, SquaredError())
    assert walked.ensemble is not None
    one, other = (ale_effects(reference, X, NUMBER, X[:, 0]) for reference in (walked, asked))
    np.testing.assert_allclose(one.effects, other.effects, atol=1e-9)
    np.testing.assert_array_equal(one.bins, other.bins)
    assert np.ptp(one.effects) > 0.1


def test_predictions_come_in_bounded_batches(monkeypatch):
    sizes = []

    def score(X):
        sizes.append(len(X))
        return product(X)

    X = rows(103)
    whole = ale_effects(Reference(product, SquaredError()), X, NUMBER, X[:, 0])
    monkeypatch.setattr(ale, "BATCH_ROWS", 30)
    parts = ale_effects(Reference(score, SquaredError()), X, NUMBER, X[:, 0])
    assert max(sizes) <= 30
    np.testing.assert_array_equal(parts.effects, whole.effects)
    assert sum(sizes) == 2 * 103


def test_surroundings_reach_the_neighbours_and_stay_in_range():
    values = np.array([0.0, 1.0, 1.1, 5.0])
    low, high = surroundings(values, values, 0.5)
    np.testing.assert_allclose(low, [0, 0, 0.6, 1.1])
    np.testing.assert_allclose(high, [1, 1.5, 5, 5])


# ---- automatic bins -----------------------------------------------------------------------------


def cost_of(edges, x, slopes):
    """The objective by the book; infinite if a bin has too few rows."""
    bins = interval_of(np.array(edges), x)
    cost = 0.0
    for b, (low, high) in enumerate(itertools.pairwise(edges)):
        inside = slopes[bins == b]
        if len(inside) < MIN_BIN_ROWS:
            return np.inf
        cost += np.var(inside) * (high - low) * (1 - DISCOUNT * len(inside) / len(x))
    return cost


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), n_rows=st.integers(MIN_BIN_ROWS, 80))
def test_no_partition_is_better_than_the_one_found(seed, n_rows):
    rng = np.random.default_rng(seed)
    x, fine = np.append(rng.random(n_rows - 2), [0, 1]), np.linspace(0, 1, 7)
    slopes = np.floor(3 * x) + rng.normal(size=n_rows) * rng.choice([0.1, 1.0])
    found = variance_bins(x, slopes, fine)
    inner = fine[1:-1]
    all_partitions = (
        [fine[0], *chosen, fine[-1]]
        for size in range(len(inner) + 1)
        for chosen in itertools.combinations(inner, size)
    )
    least = min(cost_of(edges, x, slopes) for edges in all_partitions)
    assert cost_of(found.tolist(), x, slopes) == pytest.approx(least)


def test_bins_follow_the_slope():
    x = np.linspace(0, 1, 1000)
    edges = variance_bins(x, np.where(x <= 0.25, -1.0, 2.0), np.linspace(0, 1, 21))
    np.testing.assert_allclose(edges, [0, 0.25, 1])


def test_equal_slopes_and_few_rows_give_one_bin():
    fine = np.linspace(0, 1, 21)
    np.testing.assert_array_equal(variance_bins(np.linspace(0, 1, 50), np.ones(50), fine), [0, 1])
    few = variance_bins(np.linspace(0, 1, 5), np.arange(5.0), fine)
    np.testing.assert_array_equal(few, [0, 1])
