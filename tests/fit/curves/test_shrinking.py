"""Curves keep what they are worth on held-out rows; scipy says what the best factors are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize

import oracles
from calmgam import CALMRegressor, _kernels
from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.boosting import Boosting, boost
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.curves.shrinking import (
    SHRINKING,
    HeldOut,
    best_factors,
    bounded_minimum,
    mean_heights,
    shrink,
    worth_of_features,
    worth_of_regions,
)
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.data.target import Target
from calmgam.model.schema import Feature
from tables import MixedTable, any_tree, in_given_order

SEEDS = st.integers(0, 2**32 - 1)
QUICK = Boosting(learning_rate=0.1, max_rounds=60)


@pytest.fixture(scope="module")
def table():
    return MixedTable()


def both(table, task, seed=0):
    """Curves before and after shrinking, and what they were learned from."""
    target = table.target(task)
    roles = draw_bags(target, 3, np.random.default_rng(seed))
    data = table.data(target, roles)
    return boost(data, QUICK), QUICK.learn(data), data


def own_parts(curves):
    """What regions add, of split features."""
    return {i: curves.values[i] - shared for i, shared in curves.shared.items()}


def held_out_scores(cells, values, roles):
    """Mean over the bags in which a row validates of what every feature adds: an (n, p) array."""

    def mean(heights, cell, bags):
        return np.mean([heights[bag].ravel()[cell] for bag in bags])

    bags_of_rows = {row: np.flatnonzero(roles[row] == VALIDATES) for row in range(len(roles))}
    return np.array(
        [
            [mean(heights, c[row], bags) for heights, c in zip(values, cells, strict=True)]
            for row, bags in bags_of_rows.items()
            if len(bags)
        ]
    )


@given(st.integers(1, 6), SEEDS)
def test_bounded_minimum_is_that_of_scipy(n, seed):
    rng = np.random.default_rng(seed)
    table, y = rng.normal(size=(4 * n, n)), rng.normal(size=4 * n)
    found = bounded_minimum(table.T @ (y - table.sum(axis=1)), table.T @ table)
    expected = lsq_linear(table, y, bounds=(0, 1), method="bvls").x
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_factors_of_squared_error_are_those_of_scipy(table):
    before, _, data = both(table, "regression")
    target, roles = data.target, data.bags
    own_values = own_parts(before)
    split = list(own_values)
    assert len(split) > 1
    worth = worth_of_regions(HeldOut.of(data, before), before, own_parts(before))
    rows = np.flatnonzero((roles == VALIDATES).any(axis=1))
    total = held_out_scores(table.cells, before.values, roles).sum(axis=1)
    own = held_out_scores(table.cells[split], [own_values[i] for i in split], roles)
    n_validating = (roles[rows] == VALIDATES) @ before.intercepts
    rest = total + n_validating / (roles[rows] == VALIDATES).sum(axis=1) - own.sum(axis=1)
    expected = lsq_linear(own, target.values[rows] - rest, bounds=(0, 1), method="bvls").x
    np.testing.assert_allclose([worth[i] for i in split], expected, atol=1e-6)


def test_factors_of_log_loss_are_those_of_scipy():
    rng = np.random.default_rng(0)
    parts = rng.normal(size=(3, 2000))
    scores = parts.sum(axis=0)
    chances = 1 / (1 + np.exp(-(0.6 * parts[0] + 1.4 * parts[1] - 0.3 * parts[2])))
    weights = rng.choice([0.5, 1.0, 2.0], 2000)
    target = Target.classification((rng.random(2000) < chances).astype(float), weights)
    rows = np.arange(2000)

    def loss(factors):
        return target.weights @ target.losses(factors @ parts, rows)

    expected = minimize(loss, np.ones(3), bounds=[(0, 1)] * 3, method="L-BFGS-B", tol=1e-12).x
    found = best_factors(scores, parts, target, rows)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert 0 < found[0] < 1
    assert found[1] == 1
    assert found[2] == 0


def after_regions(data, before):
    """Curves of which only what regions add is shrunk, and the means of their heights."""
    worth = worth_of_regions(HeldOut.of(data, before), before, own_parts(before))
    values = [
        heights if i not in worth else before.shared[i] + worth[i] * (heights - before.shared[i])
        for i, heights in enumerate(before.values)
    ]
    curves = replace(before, values=values)
    return curves, [mean_heights(data, i, heights) for i, heights in enumerate(values)]


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_what_regions_add_is_scaled_and_then_curves_about_their_means(table, task):
    before, after, data = both(table, task)
    assert all(
        0 <= one <= 1
        for one in worth_of_regions(HeldOut.of(data, before), before, own_parts(before)).values()
    )
    curves, means = after_regions(data, before)
    worth = worth_of_features(HeldOut.of(data, curves), curves, means)
    assert np.all((worth >= 0) & (worth <= 1))
    for values, heights, mean, factor in zip(
        after.values, curves.values, means, worth, strict=True
    ):
        np.testing.assert_allclose(values, mean + factor * (heights - mean), atol=1e-12)
    for i, shared in before.shared.items():
        np.testing.assert_array_equal(after.shared[i], shared)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_parts_and_constants_are_the_scores_of_held_out_rows(table, n_classes):
    target = table.target("classification" if n_classes == 2 else "regression")
    if n_classes == 3:
        codes = np.digitize(target.values, [-0.5, 0.5]).astype(float)
        target = Target.classification(codes, target.weights, (0, 1, 2))
    data = table.data(target, draw_bags(target, 3, np.random.default_rng(0)))
    curves = boost(data, QUICK)
    held_out = HeldOut.of(data, curves)
    parts = held_out.said(dict(enumerate(curves.values)))
    rows, scores = curves.held_out_scores(data)
    np.testing.assert_array_equal(held_out.rows, rows)
    found = held_out.mean(curves.intercepts) + parts.sum(axis=0)
    np.testing.assert_allclose(found, scores, atol=1e-12)
    assert all(
        one.shape == other.shape
        for one, other in zip(shrink(data, curves, curves.shared), curves.values, strict=True)
    )


def test_means_are_those_over_the_rows(table):
    before, _, data = both(table, "regression")
    for i, heights in enumerate(before.values):
        flat = heights.reshape(*heights.shape[:-2], -1)[..., data.cells[i]]
        expected = np.average(flat, axis=-1, weights=data.target.weights)
        np.testing.assert_allclose(mean_heights(data, i, heights)[..., 0, 0], expected, atol=1e-12)


def test_factors_of_features_are_those_of_scipy(table):
    """Of squared error: least squares with as many pseudo-rows as there is benefit of doubt."""
    before, _, data = both(table, "regression")
    curves, means = after_regions(data, before)
    target, roles = data.target, data.bags
    rows = np.flatnonzero((roles == VALIDATES).any(axis=1))
    centred = [heights - mean for heights, mean in zip(curves.values, means, strict=True)]
    parts = held_out_scores(table.cells, centred, roles)
    counts = (roles[rows] == VALIDATES).sum(axis=1)
    of_bags = curves.intercepts + sum(mean[:, 0, 0] for mean in means)
    rest = (roles[rows] == VALIDATES) @ of_bags / counts
    left = target.values[rows] - rest
    weights = target.weights[rows]
    errors = weights * (left - parts.sum(axis=1))
    unit = SHRINKING.benefit_of_doubt * (errors @ errors) / weights.sum()
    n = parts.shape[1]
    wide = np.vstack([np.sqrt(weights)[:, None] * parts, np.sqrt(unit) * np.eye(n)])
    aim = np.concatenate([np.sqrt(weights) * left, np.full(n, np.sqrt(unit))])
    expected = lsq_linear(wide, aim, bounds=(0, 1), method="bvls").x
    np.testing.assert_allclose(
        worth_of_features(HeldOut.of(data, curves), curves, means), expected, atol=1e-6
    )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_benefit_of_doubt_does_not_depend_on_units(scale):
    rng = np.random.default_rng(0)
    parts = rng.normal(size=(4, 60))
    y = parts[0] + 2 * rng.normal(size=60)
    rows, weights = np.arange(60), np.ones(60)

    def factors(unit, doubt):
        target = Target(SquaredError(), unit * y, weights)
        return best_factors(unit * parts.sum(axis=0), unit * parts, target, rows, doubt)

    np.testing.assert_allclose(factors(scale, 2.0), factors(1.0, 2.0), rtol=1e-9)
    assert np.all(factors(1.0, 1e9) > 0.999)
    assert np.all(factors(1.0, 2.0) > factors(1.0, 0.0))


def test_features_of_noise_lie_flatter():
    """With fifteen columns of noise beside it, the signal keeps its curve and they lose theirs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 16))
    y = 2 * X[:, 0] + rng.normal(size=400)
    X_new = rng.normal(size=(2000, 16))
    shrunk = CALMRegressor(max_depth=0, random_state=0).fit(X, y)
    plain = CALMRegressor(max_depth=0, curves=Boosting(shrinking=False), random_state=0).fit(X, y)

    def spread(model):
        return model.model_.contributions(X_new).std(axis=0)

    assert spread(shrunk)[0] > 0.97 * spread(plain)[0]
    assert np.mean(spread(shrunk)[1:] ** 2) < 0.5 * np.mean(spread(plain)[1:] ** 2)
    errors = [np.mean((one.predict(X_new) - 2 * X_new[:, 0]) ** 2) for one in (shrunk, plain)]
    assert errors[0] < errors[1]


def test_a_true_split_is_kept_and_a_false_one_shrunk():
    """y depends on x0 in regions of a flag; regions of x1 are noise."""
    rng = np.random.default_rng(0)
    n = 1500
    flag, x0, x1 = rng.integers(2, size=n), rng.integers(12, size=n), rng.integers(12, size=n)
    y = np.where(flag, x0, -x0) / 6 + rng.normal(size=n)
    own_cells = np.array([flag * 13 + x0, rng.integers(2, size=n) * 13 + x1], dtype=np.uint16)
    features = tuple(Feature(f"x{i}", i, "numeric") for i in range(2))
    edges, centres = (np.arange(11.0) + 0.5,) * 2, (np.arange(12.0),) * 2
    codes = np.array([x0, x1], dtype=np.uint16)
    binned = in_given_order(Binned(features, edges, centres, codes, (True, True)))
    target = Target.regression(y, np.ones(n))
    roles = draw_bags(target, 8, np.random.default_rng(1))
    data = CurveData(own_cells, binned, [any_tree(2)] * 2, target, roles)
    curves = boost(data, Boosting())
    worth = worth_of_regions(HeldOut.of(data, curves), curves, own_parts(curves))
    assert worth[0] > 0.9
    assert worth[1] < 0.5


def test_without_held_out_rows_nothing_is_shrunk(table):
    before, _, data = both(table, "regression")
    everyone = replace(data, bags=np.full_like(data.bags, TRAINS | VALIDATES))
    assert HeldOut.of(everyone, before) is None
    assert shrink(everyone, before, before.shared) is before.values
    assert worth_of_regions(HeldOut.of(data, before), before, {}) == {}


# ---- kernels beside their twins ------------------------------------------------------------------


@given(st.integers(1, 5), st.integers(0, 40), st.integers(1, 5), st.integers(1, 4), SEEDS)
def test_held_out_means_are_those_of_every_row(n_parts, n_rows, n_bags, n_outputs, seed):
    rng = np.random.default_rng(seed)
    n_cells = rng.integers(1, 9, n_parts).tolist()
    cells = np.array([rng.integers(0, n, n_rows) for n in n_cells], dtype=np.uint16)
    heights = rng.normal(size=(n_bags, n_outputs, sum(n_cells)))
    roles = rng.integers(0, 4, (n_rows, n_bags)).astype(np.uint8)
    roles[:, rng.integers(n_bags)] = VALIDATES  # in one at least
    found = _kernels.held_out_means(cells, n_cells, heights, roles)
    expected = oracles.held_out_means(cells, n_cells, heights, roles)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 9), st.integers(0, 3000), SEEDS)
def test_slopes_and_curvatures_are_matrix_products(n_parts, n, seed):
    rng = np.random.default_rng(seed)
    given_ones = rng.normal(size=(n_parts, n)), rng.normal(size=n), rng.uniform(size=n)
    for one, other in zip(
        _kernels.slopes_and_curvatures(*given_ones),
        oracles.slopes_and_curvatures(*given_ones),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_curvatures_of_many_parts_are_matrix_products():
    """So many that the rows are worked on in several turns."""
    rng = np.random.default_rng(0)
    given_ones = rng.normal(size=(601, 333)), rng.normal(size=333), rng.uniform(size=333)
    slopes, curvatures = _kernels.slopes_and_curvatures(*given_ones)
    expected = oracles.slopes_and_curvatures(*given_ones)
    np.testing.assert_allclose(slopes, expected[0], atol=1e-10)
    np.testing.assert_allclose(curvatures, expected[1], atol=1e-10)
    np.testing.assert_array_equal(curvatures, curvatures.T)


@given(st.integers(0, 8), st.integers(0, 20), SEEDS)
def test_bounded_minimum_takes_the_steps_of_its_twin(n, max_sweeps, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n + 2, n)) * (rng.random(n) < 0.8)  # some say nothing
    given_ones = rng.normal(size=n), table.T @ table, rng.uniform(size=n), max_sweeps, 1e-9
    found = _kernels.bounded_minimum(*given_ones)
    np.testing.assert_allclose(found, oracles.bounded_minimum(*given_ones), atol=1e-8)
