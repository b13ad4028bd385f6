import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calmgam import CALMClassifier, CALMRegressor
from calmgam.fit.curves.backfitting import Backfitting, join_bins, update_in_turn
from calmgam.fit.data.bags import draw_bags
from tables import MixedTable

FINE = 1e9  # a resolution at which no bins are joined


def least_squares(cells, y, weights):
    """Fitted values of the direct solution over cell indicators."""
    indicators = np.hstack([np.eye(row_cells.max() + 1)[row_cells] for row_cells in cells])
    root = np.sqrt(weights)[:, None]
    return indicators @ np.linalg.lstsq(root * indicators, root[:, 0] * y, rcond=None)[0]


@st.composite
def tables(draw):
    """Cells of a few terms, y and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_terms = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    cells = [rng.integers(0, draw(st.integers(1, 9)), n_rows) for _ in range(n_terms)]
    weights = rng.choice([0.5, 1.0, 3.0], n_rows)
    return cells, rng.normal(size=n_rows), weights


def updated(cells, y, weights, **options):
    chosen = Backfitting(**options)
    n_cells = [10] * len(cells)
    return update_in_turn(cells, n_cells, y, weights, range(len(cells)), chosen)


@given(tables())
@settings(max_examples=50, deadline=None)
def test_no_update_raises_the_risk(table):
    _, risks = updated(*table)
    assert np.all(np.diff(risks) <= 1e-12 * risks[0])


@given(tables())
@settings(max_examples=50, deadline=None)
def test_scores_converge_to_the_direct_solution(table):
    cells, y, weights = table
    heights, risks = updated(*table, tolerance=1e-13, max_sweeps=20_000)
    scores = sum(height[row_cells] for height, row_cells in zip(heights, cells, strict=True))
    expected = least_squares(cells, y, weights)
    assert risks[-1] == pytest.approx(np.average((y - scores) ** 2, weights=weights), abs=1e-12)
    np.testing.assert_allclose(scores, expected, atol=1e-4)


@pytest.mark.parametrize("rho", [0.0, 0.9, 0.99])
@pytest.mark.parametrize("seed", range(5))
def test_sweeps_end_at_the_risk_of_the_direct_solution(rho, seed):
    rng = np.random.default_rng(seed)
    n_rows, n_terms, n_cells = rng.integers(100, 1000), 5, 12
    common = rng.normal(size=(n_rows, 1))  # the more of it, the slower backfitting is
    terms = np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.normal(size=(n_rows, n_terms))
    quantiles = np.quantile(terms, np.arange(1, n_cells) / n_cells, axis=0)
    cells = [np.searchsorted(quantiles[:, i], terms[:, i]) for i in range(n_terms)]
    y = np.sin(2 * common[:, 0]) + terms[:, 0] + 0.1 * rng.normal(size=n_rows)
    weights = rng.choice([0.5, 1.0, 3.0], n_rows)
    settings, n = Backfitting(), [n_cells] * n_terms
    _, risks = update_in_turn(cells, n, y, weights, range(n_terms), settings)
    expected = np.average((y - least_squares(cells, y, weights)) ** 2, weights=weights)
    assert risks[-1] == pytest.approx(expected, rel=1e-8, abs=0)
    assert len(risks) < settings.max_sweeps * n_terms  # the rule ended it


def fit(table, target, **options):
    roles = draw_bags(target, 1, np.random.default_rng(0))
    return Backfitting(**options).learn(table.data(target, roles)), roles


@pytest.mark.parametrize("weighted", [False, True])
def test_curves_on_regions_are_the_direct_solution(weighted):
    table = MixedTable()
    weights = np.random.default_rng(1).choice([0.5, 1.0, 3.0], 600) if weighted else np.ones(600)
    target = table.target(weights=weights)
    curves, _ = fit(table, target, resolution=FINE, tolerance=1e-14, max_sweeps=5000)
    expected = least_squares(table.cells, target.values, target.weights)
    np.testing.assert_allclose(curves.scores(table.cells), expected, atol=1e-4)
    assert [values.shape for values in curves.values] == [
        (1, n, slots) for n, slots in zip(table.n_leaves, table.binned.n_slots, strict=True)
    ]


def test_the_loss_is_that_of_rows_held_out():
    table = MixedTable()
    target = table.target()
    curves, roles = fit(table, target)
    held_out = roles[:, 0] == 2
    loss = np.mean((target.values - curves.scores(table.cells))[held_out] ** 2)
    assert curves.losses[0] > loss  # the curves themselves have seen these rows


def test_neighbouring_bins_are_joined_into_runs_of_equally_many_rows():
    counts = np.array([[10, 0, 10, 10, 0, 0, 10, 3]])  # the last slot is missing
    every = join_bins(counts, True, Backfitting(resolution=FINE))
    np.testing.assert_array_equal(every, [0, 0, 2, 3, 3, 6, 6, 7])  # empty bins have neighbours
    two = join_bins(counts, True, Backfitting(resolution=2 / np.cbrt(39.9)))
    np.testing.assert_array_equal(two, [0, 0, 0, 3, 3, 3, 3, 7])
    levels = join_bins(counts, False, Backfitting())
    np.testing.assert_array_equal(levels, np.arange(8))


def test_every_curve_joins_its_own_bins():
    counts = np.zeros((3, 5))
    counts[0, :2], counts[1, 2:4] = 8, 8
    joined = join_bins(counts, True, Backfitting(resolution=FINE)).reshape(3, 5)
    np.testing.assert_array_equal(joined[0], [0, 1, 1, 1, 4])
    np.testing.assert_array_equal(joined[1], [7, 7, 7, 8, 9])
    np.testing.assert_array_equal(joined[2], np.arange(10, 15))  # no rows at all


def test_the_estimator_backfits():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (800, 3))
    y = np.where(X[:, 0] > 0, X[:, 1], -X[:, 1]) + np.sin(3 * X[:, 2])
    regions = {"x1": ["x0 <= 0", "x0 > 0"]}
    estimator = CALMRegressor(curves="backfitting", growth=regions, n_jobs=1).fit(X, y)
    assert estimator.score(X, y) > 0.98
    assert estimator.model_.errors["calm"] < 0.5 * estimator.model_.errors["gam"]


def test_classes_are_refused_before_anything_is_fitted():
    with pytest.raises(ValueError, match=r"curves=Backfitting\(\) cannot minimise log_loss"):
        CALMClassifier(curves="backfitting", reference=object()).fit(np.eye(4), [0, 1, 0, 1])
