import numpy as np
import pytest

from calmgam.fit.data.binning import bin_table
from calmgam.fit.effects.local_effects import CurveEffects
from calmgam.fit.regions.candidates import candidates_for, code_matrix
from calmgam.fit.regions.heterogeneity.best_split import best_split as best_split_of
from calmgam.model.schema import Schema
from oracles import heterogeneity as variance
from oracles import split_gains


def conditions_on(X):
    """Candidates and codes of every column of a matrix of numbers."""
    schema = Schema.learn(X)
    binned = bin_table(schema.encode(X), schema, 2000)
    candidates = [
        candidates_for(binned, j, thresholds="all", n_thresholds=1)
        for j in range(schema.n_features)
    ]
    return candidates, code_matrix(candidates, binned)


def best_split(curves, weights, codes, candidates, min_samples_leaf, **options):
    """The best split of a node with these curves, all columns counting alike."""
    effects = CurveEffects(np.arange(curves.shape[1]), np.ones(curves.shape[1]), curves)
    return best_split_of(effects, weights, codes, candidates, min_samples_leaf, **options)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_drop_is_that_of_the_formula(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    curves = rng.normal(size=(300, 8)) + np.outer(X[:, 1] > 0.5, np.arange(8)) + offset
    candidates, codes = conditions_on(X)
    found, split = best_split(curves, np.ones(300), codes, candidates, 10)
    left, right = curves[split.left], curves[~split.left]
    h, h_left, h_right = (np.var(part, axis=0).sum() for part in (curves, left, right))
    sides = [(len(left) / 300, h_left), (len(right) / 300, h_right)]
    drop = 1 - sum(share * side for share, side in sides) / h
    np.testing.assert_allclose([found, split.drop], [h, drop], rtol=1e-9)
    assert split.condition.feature.name == "x1"
    assert abs(split.condition.value - 0.5) < 0.05
    np.testing.assert_array_equal(split.left, split.condition.holds(X[:, 1]))


def test_the_best_of_all_candidates_is_taken():
    rng = np.random.default_rng(3)
    X, curves, weights = rng.normal(size=(60, 2)), rng.normal(size=(60, 4)), rng.random(60)
    candidates, codes = conditions_on(X)
    n_conditions = [one.n_conditions for one in candidates]
    gains = split_gains(
        lambda rows: variance(curves[rows], weights[rows]),
        weights,
        codes,
        n_conditions,
        [True, True],
        5,
    )
    found, split = best_split(curves, weights, codes, candidates, 5)
    np.testing.assert_allclose(split.drop, gains.max() / (found * weights.sum()), rtol=1e-9)


@pytest.mark.parametrize("missing", [True, False])
def test_missing_rows_go_where_they_fit(missing):
    x = np.random.default_rng(0).normal(size=400)
    low = x < 0
    x[np.flatnonzero(low if missing else ~low)[:50]] = np.nan
    curves = np.outer(low, [-1.0, 0.0, 1.0])
    candidates, codes = conditions_on(x[:, None])
    _, split = best_split(curves, np.ones(400), codes, candidates, 10)
    assert split.condition.missing is missing
    assert split.drop == pytest.approx(1)
    np.testing.assert_array_equal(split.left, low)
    np.testing.assert_array_equal(split.condition.holds(x), low)


def test_missing_rows_can_be_apart_from_all_others():
    x = np.random.default_rng(0).normal(size=400)
    x[:50] = np.nan
    candidates, codes = conditions_on(x[:, None])
    curves = np.outer(np.isnan(x), [-1.0, 1.0])
    _, split = best_split(curves, np.ones(400), codes, candidates, 10)
    assert str(split.condition) == "x0 is not missing"
    assert split.drop == pytest.approx(1)


@pytest.mark.parametrize(("share", "missing"), [(0.8, True), (0.2, False)])
def test_without_missing_rows_the_larger_side_would_take_them(share, missing):
    x = np.linspace(0, 1, 100)
    candidates, codes = conditions_on(x[:, None])
    _, split = best_split(np.outer(x < share, [-1.0, 1.0]), np.ones(100), codes, candidates, 10)
    assert split.condition.missing is missing


def test_of_duplicated_columns_the_first_wins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    X = np.column_stack([rng.normal(size=1000), x, -x, 2 * x])
    candidates, codes = conditions_on(X)
    curves = rng.normal(size=(1000, 20)) + np.outer(x < 0, np.arange(20) * 0.3)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        _, split = best_split(
            curves, np.ones(1000), codes[order], [candidates[k] for k in order], 10
        )
        assert split.condition.feature.index == next(k for k in order if k > 0)


def test_each_side_keeps_enough_rows():
    x = np.arange(30.0)
    candidates, codes = conditions_on(x[:, None])
    curves = np.outer(x < 3, [-1.0, 1.0])
    _, split = best_split(curves, np.ones(30), codes, candidates, 10)
    assert split.left.sum() == 10
    assert best_split(curves, np.ones(30), codes, candidates, 16)[1] is None


def test_equal_curves_have_nothing_to_drop():
    candidates, codes = conditions_on(np.arange(30.0)[:, None])
    found, split = best_split(np.tile([0.5, -0.5], (30, 1)), np.ones(30), codes, candidates, 10)
    assert found == split.drop == 0


def test_without_candidates_there_is_no_split():
    curves = np.random.default_rng(0).normal(size=(30, 2))
    found, split = best_split(curves, np.ones(30), np.empty((0, 30), np.uint16), [], 1)
    assert found > 0
    assert split is None


def test_an_integer_weight_is_so_many_rows():
    rng = np.random.default_rng(0)
    X, curves, weights = rng.normal(size=(80, 2)), rng.normal(size=(80, 3)), rng.integers(1, 4, 80)
    candidates, codes = conditions_on(X)
    many = np.repeat(np.arange(80), weights)
    weighted = best_split(curves, weights.astype(float), codes, candidates, 1)
    repeated = best_split(
        curves[many], np.ones(many.size), np.take(codes, many, axis=1), candidates, 1
    )
    assert weighted[0] == pytest.approx(repeated[0])
    assert weighted[1].drop == pytest.approx(repeated[1].drop)
    assert weighted[1].condition.value == repeated[1].condition.value
