"""Losses against finite differences, best constants by search, and what they refuse."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from calmgam import _kernels
from calmgam.fit.data.log_losses import Gamma, Poisson, Tweedie
from calmgam.fit.data.losses import LogLoss, Loss, SquaredError
from calmgam.fit.data.objectives import LOSSES, loss_of
from calmgam.fit.data.robust_losses import AbsoluteError, Huber, Quantile
from calmgam.fit.data.target import Target

SMOOTH = [SquaredError(), LogLoss(), Poisson(), Gamma(), Tweedie(1.2), Tweedie(1.8)]
ROBUST = [AbsoluteError(), Quantile(0.1), Quantile(0.9), Huber(0.7)]
EVERY = SMOOTH + ROBUST
rng = np.random.default_rng(0)
N = 400


def y_for(loss):
    if loss.link == "logit":
        return rng.integers(0, 2, N).astype(float)
    if loss.link == "identity":
        return rng.standard_t(3, N)
    y = rng.gamma(1.0, 1.0, N)
    return y if isinstance(loss, Gamma) else np.where(rng.random(N) < 0.3, 0.0, y)


def ids(loss):
    return repr(loss) if type(loss).__repr__ is not object.__repr__ else loss.name


@pytest.mark.parametrize("loss", SMOOTH, ids=ids)
def test_gradient_and_hessian_are_derivatives(loss):
    y, score, step = y_for(loss), rng.normal(size=N), 1e-5
    # of squared error, those of half of it
    factor = 0.5 if loss.is_quadratic else 1.0
    gradient, hessian = loss.derivatives(y, score)
    rise = loss.losses(y, score + step) - loss.losses(y, score - step)
    np.testing.assert_allclose(-gradient, factor * rise / (2 * step), rtol=1e-6, atol=1e-6)
    before, after = (loss.derivatives(y, score + s)[0] for s in (-step, step))
    np.testing.assert_allclose(hessian, (before - after) / (2 * step), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(loss.hessian(y, score), hessian)
    assert (loss.losses(y, score) >= -1e-12).all()


@pytest.mark.parametrize("loss", ROBUST, ids=ids)
def test_a_parabola_that_touches_a_robust_loss_lies_above_it(loss):
    y, score = y_for(loss), rng.normal(size=N)
    if isinstance(loss, Quantile):
        width = loss.bandwidth(y, score)

        def smoothed(at):
            error = (y - at) / width
            density = np.pi**2 / 6 * expit(error) * expit(-error)
            return width * (loss.level * error + np.logaddexp(0, -error) - density)
    else:
        smoothed = lambda at: loss.losses(y, at)  # noqa: E731
    gradient, curvature = loss.derivatives(y, score)
    step = 1e-6
    rise = (smoothed(score + step) - smoothed(score - step)) / (2 * step)
    np.testing.assert_allclose(-gradient, rise, atol=1e-6)
    for move in (-3.0, -0.3, -0.01, 0.02, 0.5, 4.0):
        parabola = smoothed(score) - gradient * move + 0.5 * curvature * move**2
        assert (smoothed(score + move) <= parabola + 1e-9).all()
    assert (loss.hessian(y, score) <= curvature + 1e-6).all()


@pytest.mark.parametrize("loss", EVERY, ids=ids)
@pytest.mark.parametrize("has_offset", [False, True])
def test_the_best_constant_is_the_minimum(loss, has_offset):
    y, weights = y_for(loss), rng.gamma(1.0, 1.0, N)
    offset = rng.normal(scale=0.5, size=N) if has_offset else np.zeros(N)

    def mean_loss(constant):
        return np.average(loss.losses(y, constant + offset), weights=weights)

    found = loss.best_constant(y, weights, offset if has_offset else None)
    best = minimize_scalar(mean_loss, bounds=(-8, 8), method="bounded", options={"xatol": 1e-9})
    assert mean_loss(found) <= best.fun + 1e-7


@pytest.mark.parametrize("loss", [one for one in EVERY if one.task == "regression"], ids=ids)
def test_an_offset_is_taken_in(loss):
    y, weights = y_for(loss), rng.gamma(1.0, 1.0, N)
    offset, score = rng.normal(size=N), rng.normal(size=N)
    values, heavier, rest = loss.without_offset(y, weights, offset)
    assert rest is None
    np.testing.assert_allclose(
        heavier * loss.losses(values, score), weights * loss.losses(y, score + offset), atol=1e-12
    )


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [
        (Poisson(), [1, 2, -1], r"poisson: y must be >= 0; got -1 in row 2"),
        (Gamma(), [1, 0, 2], r"gamma: y must be > 0; got 0 in row 1"),
        (Tweedie(), [-0.5, 0], r"tweedie: y must be >= 0; got -0.5 in row 0"),
        (Poisson(), [0, 0, 0], "poisson: y must be > 0 in some row; all are 0"),
    ],
)
def test_which_y_is_refused(loss, y, message):
    with pytest.raises(ValueError, match=message):
        Target.regression(np.array(y, dtype=float), np.ones(len(y)), loss)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quantile(1.0), r"level must be a number in \(0, 1\); got 1.0"),
        (lambda: Quantile(0.5, 0), r"smoothing must be a number in \(0, inf\); got 0"),
        (lambda: Tweedie(2), r"power must be a number in \(1, 2\); got 2"),
        (lambda: Huber(0), r"width must be a number in \(0, inf\); got 0"),
        (lambda: loss_of("median"), "objective must be one of 'squared_error', 'absolute_error'"),
        (lambda: loss_of(Quantile), "or a Loss; got <class"),
    ],
)
def test_what_is_no_loss(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("name", LOSSES)
def test_losses_by_name(name):
    loss = loss_of(name)
    assert loss.name == name and loss_of(loss) is loss
    assert loss.objective(2.0).is_known


@pytest.mark.parametrize("loss", [one for one in EVERY if one.task == "regression"], ids=ids)
def test_errors_are_those_of_the_objective_in_the_units_of_y(loss):
    y, weights = 50.0 * y_for(loss), rng.gamma(1.0, 1.0, N)
    target = Target.regression(y, weights, loss)
    score = rng.normal(scale=0.3, size=N)
    shift, scale = target.units
    prediction = loss.response(shift + scale * score)
    objective = loss.objective(target.scale)
    mean = np.average(objective.losses(y, prediction), weights=weights)
    wanted = math.sqrt(mean) if loss.is_quadratic else mean
    assert target.error(score, np.arange(N)) == pytest.approx(wanted)
    slope = loss.error_slope(np.array([1.0]), target.scale)[0]
    step = loss.error(1.0 + 1e-6, target.scale) - loss.error(1.0 - 1e-6, target.scale)
    assert slope == pytest.approx(step / 2e-6, rel=1e-5)


def test_extreme_scores_stay_finite():
    for loss in (Poisson(), Gamma(), Tweedie()):
        y = np.array([0.5, 1e6, 1e-6])
        for score in (np.full(3, 1e4), np.full(3, -1e4)):
            assert all(np.isfinite(part).all() for part in loss.derivatives(y, score))
            assert np.isfinite(loss.losses(y, score)).all()


def test_a_loss_of_ones_own_has_defaults():
    class Cubic(Loss):
        link = "log"

        def losses(self, y, score):
            return np.abs(y - np.exp(score)) ** 3

        def derivatives(self, y, score):
            raise NotImplementedError

    assert (Cubic().name, Cubic().metric, Cubic().max_step) == ("Cubic", "Cubic", 2.0)
    assert not Cubic().objective(1.0).is_known
    with pytest.raises(ValueError, match="Cubic has none"):
        Cubic().torch_losses(None, None, None)


class HalfSquare(Loss):
    def __init__(self, **answers):
        self.answers = answers

    def losses(self, y, score):
        return self.answers.get("losses", 0.5 * (y - score) ** 2)

    def derivatives(self, y, score):
        return self.answers.get("derivatives", (y - score, np.ones(len(y))))

    def hessian(self, y, score):
        return self.answers.get("hessian", np.ones(len(y)))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"losses": 2.0}, r"losses must be .* each row; got shape \(\) for 3 rows"),
        ({"derivatives": (np.ones(3), 1.0)}, r"the hessian of derivatives must .* shape \(\)"),
        ({"derivatives": (np.ones((3, 1)), np.ones(3))}, r"the gradient .* shape \(3, 1\)"),
        ({"derivatives": np.ones(3)}, "derivatives must be two, .*; got ndarray"),
        ({"derivatives": 1.0}, "derivatives must be two, .*; got float"),
        ({"hessian": np.float64(1)}, r"hessian must be one number .* shape \(\)"),
    ],
)
def test_answers_of_a_loss_of_ones_own_are_one_number_for_each_row(answers, message):
    y = rng.normal(size=N)
    Target.regression(y, np.ones(N), HalfSquare())
    with pytest.raises(ValueError, match=f"^HalfSquare: {message}"):
        Target.regression(y, np.ones(N), HalfSquare(**answers))


@pytest.mark.parametrize("loss", EVERY, ids=ids)
def test_weights_count_as_copies(loss):
    """Also where a mean over the rows enters the loss, as the bandwidth of a quantile's does."""
    y, score, weights = y_for(loss), rng.normal(size=N), rng.integers(0, 4, N).astype(float)
    copies = np.repeat(np.arange(N), weights.astype(int))
    rows = np.flatnonzero(weights)
    target, copied = Target(loss, y, weights), Target(loss, y[copies], np.ones(len(copies)))
    sums = [
        np.bincount(copies, each)[rows]
        for each in copied.derivatives(score[copies], np.arange(len(copies)))
    ]
    for each, wanted in zip(target.derivatives(score[rows], rows), sums, strict=True):
        np.testing.assert_allclose(each, wanted)
    crowding = loss.hessian_given(y, score, weights)[copies]
    np.testing.assert_allclose(crowding, loss.hessian(y[copies], score[copies]))


@pytest.mark.parametrize("loss", [AbsoluteError(), Quantile(0.9)], ids=ids)
def test_the_kernel_starts_with_the_bandwidth_of_weighted_rows(loss, monkeypatch):
    y, weights = y_for(loss), rng.gamma(0.2, 1.0, N)
    monkeypatch.setattr(_kernels, "Quantile", lambda level, share, mean_cost: share * mean_cost)
    start = np.full(N, loss.best_constant(y, weights))
    assert loss.bandwidth(y, start, weights) == pytest.approx(loss.kernel(y, weights))
    assert loss.bandwidth(y, start, np.zeros(N)) > 0
