from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from calmgam import CALMClassifier, CALMRegressor
from calmgam._kernels import TRAINS
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.curves.splines import fitting as splines
from calmgam.fit.curves.splines.design import Design
from calmgam.fit.curves.splines.fitting import Splines, draw
from calmgam.fit.curves.splines.reml import estimate
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.robust_losses import Quantile
from calmgam.fit.support.threads import one_blas_thread
from tables import MixedTable

SETTINGS = Splines()
LIMITS = SETTINGS.max_steps, SETTINGS.tolerance

EVERYONE = np.full((600, 1), TRAINS, dtype=np.uint8)


@pytest.fixture(autouse=True)
def _one_thread():
    with one_blas_thread:
        yield


def fit(table, target, n_jobs=1, **options):
    roles = draw_bags(target, 2, np.random.default_rng(0))
    return Splines(**options).learn(table.data(target, roles, seed=3, n_jobs=n_jobs))


@pytest.fixture(scope="module")
def table():
    return MixedTable()


def estimated(table, target, **options):
    design = Design.of_rows(table.cells, table.binned, table.n_leaves)
    chosen = replace(SETTINGS, **options)
    limits = chosen.max_steps, chosen.tolerance
    return design, estimate(design, table.data(target, EVERYONE), target.weights, limits)


def restricted_likelihood(cells, design, target, penalties):
    """Minus twice the log of the restricted likelihood of a regression, the scale profiled out."""
    gram, right = design.normal_equations(cells, target.weights, target.weights * target.values)
    penalty = np.append(penalties, 0.0)[design.group_of]
    system = gram + np.diag(penalty)
    coefficients = np.linalg.solve(system, right)
    squares = target.weights @ target.values**2 - right @ coefficients
    n = target.weights.sum() - 1
    log_prior = np.log(penalty[1:]).sum()
    return n * np.log(squares) + np.linalg.slogdet(system)[1] - log_prior


def test_penalties_maximise_the_restricted_likelihood(table):
    target = table.target()
    design, fitted = estimated(table, target, tolerance=1e-4, max_steps=500)
    best = restricted_likelihood(table.cells, design, target, fitted.penalties)
    for factor in (0.5, 2.0):
        for group in range(len(fitted.penalties)):
            penalties = fitted.penalties.copy()
            penalties[group] *= factor
            assert restricted_likelihood(table.cells, design, target, penalties) > best - 1e-3


def test_degrees_of_freedom_are_the_trace_of_the_smoother(table):
    target = table.target()
    design, fitted = estimated(table, target)
    gram, _ = design.normal_equations(table.cells, target.weights, target.values)
    system = gram + np.diag(np.append(fitted.penalties, 0.0)[design.group_of])
    trace = np.trace(np.linalg.solve(system, gram))
    assert fitted.freedom.sum() + 1 == pytest.approx(trace, rel=1e-6)


def test_log_loss_is_at_its_penalised_minimum(table):
    target = table.target("classification")
    design, fitted = estimated(table, target, tolerance=1e-6, max_steps=500)
    scores = design.curves(fitted.coefficients[:, None]).scores(table.cells)
    residual = target.weights * (target.values - expit(scores))
    _, gradient = design.normal_equations(table.cells, target.weights, residual)
    pull = np.append(fitted.penalties, 0.0)[design.group_of] * fitted.coefficients
    np.testing.assert_allclose(gradient, pull, atol=1e-3)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_mean_of_the_draws_is_the_estimate(table, task):
    target = table.target(task)
    design, fitted = estimated(table, target)
    exact = design.curves(fitted.coefficients[:, None])
    drawn = fit(table, target)
    assert len(drawn.intercepts) == 2 * SETTINGS.n_draws
    np.testing.assert_allclose(drawn.intercepts.mean(), exact.intercepts[0])
    for mine, theirs in zip(drawn.values, exact.values, strict=True):
        np.testing.assert_allclose(mine.mean(axis=0), theirs[0], atol=1e-9)


def test_as_many_pairs_as_coefficients_have_the_exact_covariance(table):
    _, fitted = estimated(table, table.target())
    n = len(fitted.coefficients)
    covariance = np.cov(draw(fitted, n, np.random.default_rng(0)), bias=True)
    np.testing.assert_allclose(covariance, fitted.root @ fitted.root.T, atol=1e-9)


def test_bands_have_the_width_of_the_analytic_standard_error():
    """A straight line with known noise: the textbook's standard errors."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 2000)
    y = 3 * x + rng.normal(size=2000)
    shape = (
        CALMRegressor(curves="splines", max_depth=0, n_jobs=1).fit(x[:, None], y).model_.terms[0]
    )
    shape = shape.shapes[0]
    spreads, places = shape.spreads[:-1], np.searchsorted(shape.edges, [-0.9, 0.0, 0.9])
    expected = 1.645 * np.abs([-0.9, 0.0, 0.9] - x.mean()) / x.std() / np.sqrt(2000)
    np.testing.assert_allclose(spreads[places], expected, rtol=0.3, atol=1.645 * 0.02)


def test_bands_cover_the_truth_about_as_often_as_they_say():
    covered = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (400, 2))
        truth = np.sin(3 * X[:, 0])
        y = truth + X[:, 1] ** 2 + 0.5 * rng.normal(size=400)
        estimator = CALMRegressor(curves="splines", max_depth=0, n_jobs=1, random_state=0).fit(X, y)
        shape = estimator.model_.terms[0].shapes[0]
        codes = shape.codes(X[:, 0])
        error = shape.values[codes] - (truth - truth.mean())
        covered.append(np.mean(np.abs(error) < shape.spreads[codes]))
    assert 0.82 < np.mean(covered) < 0.97


@pytest.mark.parametrize("task", ["regression", "classification", "quantile"])
def test_weight_two_is_a_row_twice(table, task):
    target, weights = table.target(task), 1 + np.arange(600) % 2
    target = replace(target, loss=Quantile(0.8)) if task == "quantile" else target
    rows = np.repeat(np.arange(600), weights)
    _, weighted = estimated(table, replace(target, weights=weights.astype(float)))
    cells = np.ascontiguousarray(table.cells[:, rows])
    design = Design.of_rows(cells, table.binned.take(rows), table.n_leaves)
    bags = np.full((900, 1), TRAINS, dtype=np.uint8)
    data = CurveData(cells, table.binned.take(rows), table.trees, target.take(rows), bags)
    repeated = estimate(design, data, np.ones(900), LIMITS)
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-6)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_from_a_guess_the_same_is_reached_sooner(table, task):
    target, steps = table.target(task), []
    design, fitted = estimated(table, target)
    weights = np.where(np.arange(len(target.values)) % 7 > 0, target.weights, 0.0)
    ends = []
    for start in (None, fitted):
        told = []
        ends.append(
            estimate(
                design,
                table.data(target, EVERYONE, progress=lambda *step, told=told: told.append(step)),
                weights,
                LIMITS,
                start=start,
            )
        )
        steps.append(len(told))
    scores = [design.curves(end.coefficients[:, None]).scores(table.cells) for end in ends]
    assert np.abs(scores[0] - scores[1]).mean() < 0.03 * np.std(scores[0])
    assert ends[0].freedom.sum() == pytest.approx(ends[1].freedom.sum(), rel=0.05)
    assert steps[1] < steps[0]


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_threads_do_not_change_a_bit(table, task):
    target = table.target(task)
    one, two = fit(table, target, n_jobs=1), fit(table, target, n_jobs=2)
    np.testing.assert_array_equal(one.losses, two.losses)
    for mine, theirs in zip(one.values, two.values, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_loss_is_that_of_rows_held_out(table):
    target = table.target()
    curves, roles = fit(table, target), draw_bags(target, 2, np.random.default_rng(0))
    assert curves.losses[0] > curves.validation_loss(table.data(target, roles))


def test_progress_is_told(table):
    calls = []
    target = table.target()
    roles = draw_bags(target, 1, np.random.default_rng(0))
    SETTINGS.learn(
        table.data(target, roles, progress=lambda done, total: calls.append((done, total)))
    )
    assert calls[0] == (1, SETTINGS.max_steps) and len(calls) < SETTINGS.max_steps


# ---- curves --------------------------------------------------------------------------------------


def regressor(**options):
    return CALMRegressor(**{"curves": "splines", "max_depth": 0, "n_jobs": 1, **options})


def rmse(estimator, X, truth):
    return np.sqrt(np.mean((estimator.predict(X) - truth) ** 2))


def test_smooth_curves_are_found_in_noise():
    rng = np.random.default_rng(0)
    X, X_new = rng.uniform(-2, 2, (2, 1000, 3))

    def truth(X):
        return np.sin(3 * X[:, 0]) + X[:, 1] ** 2

    estimator = regressor().fit(X, truth(X) + rng.normal(size=1000))
    assert rmse(estimator, X_new, truth(X_new)) < 0.2


def test_skewed_features_are_no_trouble():
    rng = np.random.default_rng(0)
    x, x_new = rng.lognormal(0, 3, (2, 2000))  # from 0.0001 to 10,000
    y, y_new = np.sin(np.log(x)), np.sin(np.log(x_new))
    estimator = regressor().fit(x[:, None], y + 0.3 * rng.normal(size=2000))
    assert rmse(estimator, x_new[:, None], y_new) < 0.15


def test_every_region_has_its_own_curve():
    rng = np.random.default_rng(0)
    X, X_new = rng.uniform(-1, 1, (2, 800, 2))

    def truth(X):
        return np.where(X[:, 1] > 0, np.sin(4 * X[:, 0]), -X[:, 0])

    regions = {"x0": ["x1 <= 0", "x1 > 0"]}
    y = truth(X) + 0.2 * rng.normal(size=800)
    estimator = regressor(growth=regions).fit(X, y)
    # the threshold moves to the nearest cut: rows next to it may have the other curve
    apart = np.abs(X_new[:, 1]) > 0.01
    assert rmse(estimator, X_new[apart], truth(X_new)[apart]) < 0.12
    assert estimator.model_.errors["calm"] < 0.6 * estimator.model_.errors["gam"]


def test_what_a_region_adds_ends_with_its_rows():
    """Sixty rows of one region say nothing of where it has none: no steep line goes on there."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (800, 2))
    near = X[:, 1] > 0.85
    X[near, 0] = rng.uniform(0.4, 0.6, near.sum())
    y = np.where(near, 40 * (X[:, 0] - 0.5), X[:, 0]) + 0.1 * rng.normal(size=800)
    calm = regressor(growth={"x0": ["x1 <= 0.85", "x1 > 0.85"]}).fit(X, y)
    inside, outside = (
        calm.predict(np.column_stack([x, np.full(50, 0.9)]))
        for x in (np.linspace(0.4, 0.6, 50), np.linspace(-1, 1, 50))
    )
    assert np.ptp(inside) > 6
    assert np.ptp(outside) < np.ptp(inside) + 3  # the whole's own slope, not 40


def test_rare_levels_are_shrunk_most():
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(20), [3, 200] * 10)
    y = rng.normal(size=20)[rows] + rng.normal(size=len(rows))
    levels = np.array(list("abcdefghijklmnopqrst"))
    estimator = regressor().fit(levels[rows, None], y)
    raw = np.array([y[rows == level].mean() for level in range(20)])
    centre = estimator.model_.intercept
    kept = np.abs(estimator.predict(levels[:, None]) - centre) / np.abs(raw - centre)
    assert np.median(kept[::2]) < 0.9 < 0.97 < np.median(kept[1::2])


# ---- tables as people bring them -----------------------------------------------------------------

RNG = np.random.default_rng(5)
PLAIN = RNG.normal(size=(200, 3))
WAVE = np.sin(2 * PLAIN[:, 0]) + PLAIN[:, 1]
NOISY = WAVE + 0.2 * RNG.normal(size=200)
AWKWARD = {
    "constant column": (np.column_stack([PLAIN, np.ones(200)]), NOISY),
    "column without values": (np.column_stack([PLAIN, np.full(200, np.nan)]), NOISY),
    "missing values": (np.where(RNG.random((200, 3)) < 0.3, np.nan, PLAIN), NOISY),
    "duplicates": (np.hstack([PLAIN, PLAIN, PLAIN]), NOISY),
    "duplicates without noise": (np.hstack([PLAIN, PLAIN]), WAVE),
    "sums of columns": (np.hstack([PLAIN, PLAIN @ RNG.normal(size=(3, 3))]), NOISY),
    "outliers": (np.column_stack([PLAIN, RNG.standard_cauchy(200) ** 5]), NOISY),
    "huge numbers": (PLAIN * 1e300, NOISY * 1e100),
    "tiny numbers": (PLAIN * 1e-300, NOISY * 1e-100),
    "five rows": (PLAIN[:5], NOISY[:5]),
    "one row": (PLAIN[:1], NOISY[:1]),
    "constant target": (PLAIN, np.ones(200)),
    "more features than rows": (RNG.normal(size=(40, 60)), RNG.normal(size=40)),
}


@pytest.mark.parametrize(("X", "y"), AWKWARD.values(), ids=AWKWARD)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_awkward_tables(X, y):
    estimator = regressor(random_state=0).fit(X, y)
    predicted = estimator.predict(X)
    assert np.isfinite(predicted).all()
    size = np.abs(y - y.mean()).max()
    assert np.abs(predicted - y.mean()).max() <= 2 * size
    if len(y) == 200:
        assert np.mean(((predicted - y) / (size or 1)) ** 2) <= 0.7 * np.var(y / (size or 1))


@pytest.mark.parametrize("n_rows", [6, 200])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_separated_classes_have_finite_scores(n_rows):
    X = PLAIN[:n_rows]
    estimator = CALMClassifier(curves="splines", max_depth=0, n_jobs=1).fit(X, X[:, 0] > 0)
    scores = estimator.decision_function(X)
    np.testing.assert_array_equal(scores > 0, X[:, 0] > 0)
    assert np.abs(scores).max() < 100


def test_rare_classes_have_their_share():
    y = np.arange(200) == 7
    estimator = CALMClassifier(curves="splines", max_depth=0, n_jobs=1).fit(PLAIN, y)
    assert estimator.predict_proba(PLAIN)[:, 1].mean() == pytest.approx(1 / 200, rel=0.05)


def test_the_same_seed_gives_the_same_model():
    def model(seed):
        return regressor(random_state=seed).fit(PLAIN, NOISY).model_

    assert model(0) == model(0) != model(1)


class RoundedDesign(Design):
    """The sums of a large table: what should be 0 is what rounding leaves."""

    def normal_equations(self, *arguments):
        gram, right = super().normal_equations(*arguments)
        empty = np.flatnonzero(np.diag(gram) < 1e-20)
        gram[empty] = gram[:, empty] = 1e-16 * gram.max()
        gram[empty, empty] = 1e-31
        return gram, right


def test_a_feature_that_is_constant_in_a_region_adds_no_curve_there(monkeypatch):
    rng = np.random.default_rng(0)
    where, other = rng.normal(size=(2, 500))
    x = np.where(where > 0, 0.0, rng.integers(-1, 2, 500) / 1000)
    X, y = np.column_stack([x, where, other]), where + other
    monkeypatch.setattr(splines, "Design", RoundedDesign)
    calm = regressor(growth={"x0": ["x1 <= 0", "x1 > 0"]}).fit(X, y)
    assert rmse(calm, X, y) < 0.05
