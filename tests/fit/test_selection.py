from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calmgam import CALMRegressor
from calmgam.fit import selection
from calmgam.fit.binning import bin_table
from calmgam.fit.candidates import candidates_for
from calmgam.fit.growing import GrowthSettings
from calmgam.fit.joint import JointTable, grow_path
from calmgam.fit.losses import Target
from calmgam.fit.reference import ReferenceLearner
from calmgam.fit.selection import (
    PathScores,
    denoised,
    draw_folds,
    enough_rows,
    score_path,
)
from calmgam.model.schema import Schema

# ---- the rule, on losses made by hand -----------------------------------------------------------

LOSSES = np.array(
    [
        [3.0, 3.0, 3.0, 3.0],  # 0 splits: clearly worse
        [1.1, 0.9, 1.3, 1.1],  # 1: worse by 0.1 ± sqrt(8) / 40
        [1.0, 1.0, 1.0, 1.0],  # 2: the best
        [1.0, 1.0, 1.0, 1.0],  # 3: as good
    ]
)


def path_scores(losses=LOSSES, weights=None):
    losses = np.asarray(losses)
    weights = np.ones(losses.shape[1]) if weights is None else np.asarray(weights)
    return PathScores(tuple(range(len(losses))), losses, losses[-1] / 2, weights)


def test_standard_errors_are_those_of_the_paired_differences():
    scores = path_scores()
    np.testing.assert_allclose(scores.means, [3, 1.1, 1, 1])
    np.testing.assert_allclose(scores.standard_errors, [0, np.sqrt(0.08) / 4, 0, 0], atol=1e-15)


@pytest.mark.parametrize(("sparsity", "chosen"), [(0.0, 2), (1.0, 2), (1.4, 2), (1.5, 1), (1e3, 1)])
def test_the_fewest_splits_within_some_standard_errors_win(sparsity, chosen):
    assert path_scores().choose(sparsity) == chosen


def test_no_split_is_a_legal_outcome():
    worse = LOSSES[[2, 1, 0]]
    assert path_scores(worse).choose(0.0) == 0
    assert path_scores(worse[:1]).choose(1.0) == 0


def test_rows_of_more_weight_count_more():
    weighted = path_scores(weights=[1.0, 3.0, 1.0, 1.0])
    repeated = path_scores(LOSSES[:, [0, 1, 1, 1, 2, 3]])
    np.testing.assert_allclose(weighted.means, repeated.means)
    differences = LOSSES[1] - 1.0
    centred = np.array([1, 3, 1, 1]) * (differences - np.average(differences, weights=[1, 3, 1, 1]))
    assert weighted.standard_errors[1] == pytest.approx(np.sqrt((centred**2).sum()) / 6)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), sparsities=st.lists(st.floats(0, 5), min_size=2, max_size=2))
def test_more_sparsity_never_means_more_splits(seed, sparsities):
    rng = np.random.default_rng(seed)
    scores = path_scores(rng.exponential(size=(6, 12)) + rng.normal(size=(6, 1)))
    few, many = (scores.choose(sparsity) for sparsity in sorted(sparsities, reverse=True))
    assert few <= many <= scores.choose(0.0) == np.argmin(scores.means)


def test_points_are_in_the_units_of_y():
    target = Target.regression(np.array([0.0, 10, 20, 50]), np.ones(4))
    points = path_scores().points(target, sparsity=1.0)
    assert [point.n_splits for point in points] == [0, 1, 2, 3]
    assert [point.chosen for point in points] == [False, False, True, False]
    np.testing.assert_allclose(
        [point.error for point in points], target.scale * np.sqrt([3, 1.1, 1, 1])
    )
    step = 1e-6  # the error's standard error: that of the loss, times d error / d loss
    slope = (np.sqrt(1.1 + step) - np.sqrt(1.1)) / step * target.scale
    assert points[1].standard_error == pytest.approx(slope * np.sqrt(0.08) / 4, rel=1e-5)


def test_points_of_classes_are_log_losses():
    target = Target.classification(np.array([0.0, 1, 0, 1]), np.ones(4))
    point = path_scores().points(target, sparsity=2.0)[1]
    assert point.error == pytest.approx(1.1)
    assert point.standard_error == pytest.approx(np.sqrt(0.08) / 4)
    assert point.chosen


def test_errors_compare_gam_calm_and_reference():
    target = Target.regression(np.array([0.0, 10, 20, 50]), np.ones(4))
    errors = path_scores().errors(target, sparsity=2.0)
    expected = target.scale * np.sqrt([3, 1.1, 0.5])
    np.testing.assert_allclose([errors[k] for k in ("gam", "calm", "reference")], expected)


# ---- folds and targets --------------------------------------------------------------------------


def test_folds_are_alike_in_size_and_classes():
    values = (np.arange(103) % 5 == 0).astype(float)
    target = Target.classification(values, np.ones(103))
    folds = draw_folds(target, 4, np.random.default_rng(0))
    for label in (0, 1):
        counts = np.bincount(folds[values == label], minlength=4)
        assert counts.max() - counts.min() <= 1
    other = draw_folds(target, 4, np.random.default_rng(1))
    assert not np.array_equal(folds, other)


def test_every_fold_needs_some_rows_of_either_class():
    fewest = selection.N_FOLDS * selection.MIN_ROWS_PER_FOLD
    rows = np.arange(4.0 * fewest)
    weights = np.ones(len(rows))
    assert enough_rows(Target.regression(rows[:fewest], weights[:fewest]))
    assert not enough_rows(Target.regression(rows[: fewest - 1], weights[: fewest - 1]))
    assert enough_rows(Target.classification((rows < fewest).astype(float), weights))
    assert not enough_rows(Target.classification((rows < fewest - 1).astype(float), weights))


def test_log_odds_count_by_their_curvature():
    sample_weights = np.array([1.0, 1.0, 2.0, 1.0])
    target = Target.classification(np.array([0.0, 1, 1, 0]), sample_weights)
    scores, weights = denoised(np.array([0.0, 1.0, 0.0, 30.0]), target, np.arange(4))
    assert scores.tolist() == [0, 1, 0, 30]
    assert weights.mean() == pytest.approx(1)
    probability = 1 / (1 + np.exp(-1))
    curvatures = [0.25, probability * (1 - probability), 0.25, selection.MIN_CURVATURE]
    expected = curvatures * sample_weights
    np.testing.assert_allclose(weights / weights[0], expected / expected[0])


def test_numbers_count_by_their_sample_weights():
    target = Target.regression(np.arange(4.0), np.array([1.0, 2, 3, 4]))
    _, weights = denoised(np.zeros(2), target, np.array([1, 3]))
    np.testing.assert_allclose(weights, [2 / 3, 4 / 3])


# ---- cross-validation ---------------------------------------------------------------------------


class Case:
    """Rows with one strong interaction, ready to be cross-validated."""

    def __init__(self, n_rows=160):
        rng = np.random.default_rng(0)
        X = rng.uniform(-1, 1, (n_rows, 3))
        self.schema = Schema.learn(X)
        self.X = self.schema.encode(X)
        y = 3 * X[:, 0] * (X[:, 1] > 0) + 0.2 * rng.normal(size=n_rows)
        self.target = Target.regression(y, np.ones(n_rows))
        self.binned = bin_table(self.X, self.schema, 64)

    def score(self, target=None, grow=None, **options):
        candidates = [
            candidates_for(feature, edges, self.X[:, feature.index])
            for feature, edges in zip(self.schema.features, self.binned.edges, strict=True)
        ]
        table = JointTable.of(self.X, self.binned, candidates)
        settings = GrowthSettings(min_samples_leaf=5)
        grow = grow or partial(grow_path, settings=settings, max_splits=3, split_features=range(3))
        target = target or self.target
        learner = ReferenceLearner(
            "hist_gradient_boosting", self.schema, target, (), None, random_state=0, n_jobs=1
        )
        rng = np.random.default_rng(7)
        return score_path(
            learner, self.X, self.binned, table, grow, max_splits=3, rng=rng, **options
        )


def test_a_true_split_lowers_the_held_out_loss():
    scores = Case(400).score()
    assert scores.n_splits == tuple(k for k in selection.TRIED if k <= 3)
    assert scores.losses.shape == (len(scores.n_splits), 400)
    assert scores.means[1] < 0.6 * scores.means[0]
    assert scores.choose(1.0) >= 1


def test_rows_never_influence_their_own_score():
    case = Case()
    own = draw_folds(case.target, selection.N_FOLDS, np.random.default_rng(7)) == 0
    moved = case.target.values + 2.0 * own
    changed = Target("regression", moved, case.target.weights)
    before, after = case.score(), case.score(changed)
    for old, new in [
        (before.losses, after.losses),
        (before.reference_losses, after.reference_losses),
    ]:
        # (y + 2 - s)² - (y - s)² = 4 (y - s) + 4, if the prediction s has stayed
        distance = (new[..., own] - old[..., own] - 4) / 4
        np.testing.assert_allclose(distance**2, old[..., own], atol=1e-9)
        assert not np.allclose(new[..., ~own], old[..., ~own])  # other folds have seen the change


def test_folds_side_by_side_give_the_same_bits():
    one, two = Case().score(), Case().score(n_jobs=2)
    assert np.array_equal(one.losses, two.losses)
    assert np.array_equal(one.reference_losses, two.reference_losses)


def test_beyond_the_end_of_a_path_the_loss_stays():
    scores = Case().score(grow=lambda table, targets, weights: ())
    assert np.array_equal(scores.losses, np.broadcast_to(scores.losses[0], scores.losses.shape))


def test_progress_is_told_fold_by_fold():
    calls = []
    Case(80).score(progress=lambda *call: calls.append(call))
    n_folds = selection.N_FOLDS
    assert calls == [(k + 1, n_folds) for k in range(n_folds)]


# ---- what must not be found (20 seeds: benchmarks/noise.py) -------------------------------------


def n_splits(X, y):
    return CALMRegressor(random_state=0, n_jobs=1, n_bags=2, max_rounds=200).fit(X, y).n_splits_


def test_noise_is_left_alone():
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        found.append(n_splits(rng.normal(size=(400, 4)), rng.normal(size=400)))
    assert found.count(0) >= 4


def test_an_additive_truth_of_correlated_features_is_left_alone():
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        shared = rng.normal(size=(500, 1))
        X = np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=(500, 4))
        y = np.sin(X[:, 0]) + 0.5 * X[:, 1] ** 2 + X[:, 2] + 0.5 * rng.normal(size=500)
        found.append(n_splits(X, y))
    assert found.count(0) >= 3
