import numpy as np
import pytest
from sklearn.metrics import log_loss, root_mean_squared_error

from calmgam.fit.data.target import Target

RNG = np.random.default_rng(0)
Y = RNG.normal(5.0, 3.0, 200)
WEIGHTS = RNG.choice([0.0, 0.5, 2.0], 200)


def test_regression_standardises_y():
    target = Target.regression(Y, WEIGHTS)
    assert np.average(target.values, weights=WEIGHTS) == pytest.approx(0, abs=1e-12)
    assert np.average(target.values**2, weights=WEIGHTS) == pytest.approx(1)
    np.testing.assert_allclose(target.mean + target.scale * target.values, Y)


@pytest.mark.parametrize("factor", [2.0**-40, 0.25, 2.0**60])
def test_units_of_y_leave_no_trace(factor):
    one, other = (Target.regression(a * Y, WEIGHTS) for a in (1.0, factor))
    np.testing.assert_array_equal(one.values, other.values)
    assert other.scale == factor * one.scale


@pytest.mark.parametrize("y", [np.zeros(5), np.full(5, 0.1), np.full(5, -1e300)])
def test_a_constant_is_not_blown_up(y):
    target = Target.regression(y, np.ones(5))
    assert target.scale == 1
    np.testing.assert_allclose(target.values, 0, atol=1e-12 * max(abs(y[0]), 1))


def test_what_counts_may_be_constant():
    target = Target.regression(np.array([1.0, 1.0, 5.0]), np.array([1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(target.values, [0.0, 0.0, 4.0])


def test_huge_numbers_do_not_overflow():
    target = Target.regression(1e200 * Y, WEIGHTS)
    np.testing.assert_allclose(target.values, Target.regression(Y, WEIGHTS).values, rtol=1e-9)


def test_classes_stay_as_they_are():
    y = (Y > 5).astype(float)
    target = Target.classification(y, WEIGHTS)
    np.testing.assert_array_equal(target.values, y)
    assert (target.mean, target.scale, target.loss.link) == (0, 1, "logit")


@pytest.mark.parametrize("make", [Target.regression, Target.classification])
def test_weights_have_mean_one_where_they_count(make):
    y = (Y > 5).astype(float)
    target = make(y, WEIGHTS)
    counts = WEIGHTS > 0
    assert target.weights[counts].mean() == pytest.approx(1)
    np.testing.assert_array_equal(target.weights[counts], make(y[counts], WEIGHTS[counts]).weights)
    assert target.uneven_weights is target.weights
    assert make(y, np.full(200, 3.0)).uneven_weights is None


def test_errors_are_in_the_units_of_y():
    target, rows, score = Target.regression(Y, WEIGHTS), np.arange(0, 200, 3), RNG.normal(size=67)
    expected = root_mean_squared_error(
        Y[rows], target.mean + target.scale * score, sample_weight=WEIGHTS[rows]
    )
    assert target.error(score, rows) == pytest.approx(expected)
    assert (target.loss.metric, target.error_of_loss(4.0)) == ("rmse", 2 * target.scale)


def test_errors_of_classes_are_log_losses():
    y = (Y > 5).astype(float)
    target, rows, score = (
        Target.classification(y, WEIGHTS),
        np.arange(0, 200, 3),
        RNG.normal(size=67),
    )
    expected = log_loss(y[rows], 1 / (1 + np.exp(-score)), sample_weight=WEIGHTS[rows])
    assert target.error(score, rows) == pytest.approx(expected)
    assert (target.loss.metric, target.error_of_loss(0.3)) == ("log_loss", 0.3)
