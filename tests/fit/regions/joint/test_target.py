import numpy as np
import pytest
from scipy.special import expit

from calmgam import CALMRegressor, Joint
from calmgam.fit.data.target import Target
from calmgam.fit.regions.joint.target import growth_target

SETTINGS = Joint()
FEW_ROWS, MAX_SHARE, MIN_HESSIAN = SETTINGS.few_rows, SETTINGS.max_share, SETTINGS.min_hessian


def test_log_odds_count_by_their_hessian():
    sample_weights = np.array([1.0, 1.0, 2.0, 1.0])
    target = Target.classification(np.array([0.0, 1, 1, 0]), sample_weights)
    _, weights = growth_target(np.array([0.0, 1.0, 0.0, 30.0]), target, np.arange(4), SETTINGS)
    assert weights.mean() == pytest.approx(1)
    probability = expit(1.0)
    hessians = [0.25, probability * (1 - probability), 0.25, MIN_HESSIAN]
    expected = hessians * sample_weights
    np.testing.assert_allclose(weights / weights[0], expected / expected[0])


def test_numbers_count_by_their_sample_weights():
    target = Target.regression(np.arange(4.0), np.array([1.0, 2, 3, 4]))
    _, weights = growth_target(np.zeros(2), target, np.array([1, 3]), SETTINGS)
    np.testing.assert_allclose(weights, [2 / 3, 4 / 3])


def test_few_rows_follow_the_reference_alone():
    assert SETTINGS.share_of_y(FEW_ROWS) == 0
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(2, FEW_ROWS))
    target = Target.regression(y, np.ones(FEW_ROWS))
    np.testing.assert_array_equal(
        growth_target(scores, target, np.arange(FEW_ROWS), SETTINGS)[0], scores
    )


def test_many_numbers_lie_between_reference_and_y():
    rng = np.random.default_rng(1)
    n_rows = 20_000
    scores, y = rng.normal(size=(2, n_rows))
    target = Target.regression(y, rng.uniform(0.5, 2, n_rows))
    rows = rng.permutation(n_rows)[:13_000]
    denoised, _ = growth_target(scores[rows], target, rows, SETTINGS)
    expected = (1 - MAX_SHARE) * scores[rows] + MAX_SHARE * target.values[rows]
    np.testing.assert_allclose(denoised, expected)


def test_many_log_odds_take_part_of_a_newton_step():
    rng = np.random.default_rng(2)
    n_rows = 9_000
    scores = rng.normal(0, 3, n_rows)
    target = Target.classification((rng.random(n_rows) < expit(scores)) * 1.0, np.ones(n_rows))
    denoised, _ = growth_target(scores, target, np.arange(n_rows), SETTINGS)
    probability = expit(scores)
    hessian = np.maximum(probability * (1 - probability), MIN_HESSIAN)
    steps = (target.values - probability) / hessian
    np.testing.assert_allclose(denoised, scores + SETTINGS.share_of_y(n_rows) * steps)
    assert np.abs(denoised - scores).max() <= MAX_SHARE / MIN_HESSIAN


def test_rows_without_weight_neither_count_nor_move():
    rng = np.random.default_rng(3)
    n_rows = FEW_ROWS + 3_000
    scores, y = rng.normal(size=(2, n_rows))
    weights = np.ones(n_rows)
    weights[FEW_ROWS:] = 0
    target = Target.regression(y, weights)
    denoised, _ = growth_target(scores, target, np.arange(n_rows), SETTINGS)
    np.testing.assert_array_equal(denoised, scores)


def test_many_rows_show_what_the_reference_has_missed():
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, (12_000, 3))
    y = X[:, 0] * np.where(X[:, 1] > 0, 1, -1) + X[:, 2] + 0.3 * rng.normal(size=len(X))
    calm = CALMRegressor(reference=lambda X: X[:, 2], random_state=0, n_jobs=1).fit(X, y)
    first = calm.path_[0].record
    assert calm.n_splits_ >= 1
    assert {first.feature, first.condition.feature.name} == {"x0", "x1"}
    assert calm.score(X, y) > 0.85
