"""The loss of many classes against finite differences and shares."""

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.special import softmax as probabilities

from calmgam.fit.data.softmax import SoftmaxLoss

rng = np.random.default_rng(0)
N = 200


@pytest.mark.parametrize("n_classes", [3, 8])
def test_gradient_and_hessian_are_derivatives(n_classes):
    loss, step = SoftmaxLoss(n_classes), 1e-5
    y, score = rng.integers(0, n_classes, N).astype(float), 2 * rng.normal(size=(N, n_classes))
    gradient, hessian = loss.derivatives(y, score)
    for k in range(n_classes):
        move = step * (np.arange(n_classes) == k)
        rise = loss.losses(y, score + move) - loss.losses(y, score - move)
        np.testing.assert_allclose(-gradient[:, k], rise / (2 * step), rtol=1e-6, atol=1e-6)
        before, after = (loss.derivatives(y, score + s)[0][:, k] for s in (-move, move))
        # the factor makes up for the other classes, which move at the same time
        factor = n_classes / (n_classes - 1)
        expected = factor * (before - after) / (2 * step)
        np.testing.assert_allclose(hessian[:, k], expected, rtol=1e-6, atol=1e-6)


def test_losses_are_negative_log_likelihoods_and_stay_finite():
    loss = SoftmaxLoss(4)
    y, score = rng.integers(0, 4, N).astype(float), 5 * rng.normal(size=(N, 4))
    expected = -log_softmax(score, axis=1)[np.arange(N), y.astype(int)]
    np.testing.assert_allclose(loss.losses(y, score), expected, atol=1e-12)
    assert np.isfinite(loss.losses(y, 1e300 * score)).all()
    assert (loss.losses(y, 1e3 * np.eye(4)[y.astype(int)]) == 0).all()


def test_the_best_constant_gives_the_weighted_shares():
    loss, weights = SoftmaxLoss(5), rng.gamma(1.0, 1.0, N)
    y = rng.integers(0, 4, N).astype(float)  # the last class has no row
    constant = loss.best_constant(y, weights)
    shares = np.bincount(y.astype(int), weights, 5) / weights.sum()
    np.testing.assert_allclose(probabilities(constant), shares, atol=2e-6)
    assert np.sum(constant) == pytest.approx(0)
    assert [len(rows) for rows in loss.strata(y)] == np.bincount(
        y.astype(int), minlength=5
    ).tolist()
