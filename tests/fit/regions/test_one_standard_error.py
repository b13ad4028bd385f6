import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calmgam.fit.data.target import Target
from calmgam.fit.regions.one_standard_error import PathScores, Selection

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
    return PathScores(losses, weights)


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


@pytest.mark.parametrize(("sparsity", "chosen"), [(0.7, 2), (0.71, 0)])
def test_no_split_at_all_may_cost_twice_as_much(sparsity, chosen):
    scores = path_scores(LOSSES[[1, 0, 2]])  # none: worse by 1.414 standard errors
    assert scores.choose(sparsity) == chosen


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
    points = path_scores().points(target, [0, 2, 5, 9], chosen=5)
    assert [point.n_splits for point in points] == [0, 2, 5, 9]
    assert [point.chosen for point in points] == [False, False, True, False]
    np.testing.assert_allclose(
        [point.error for point in points], target.scale * np.sqrt([3, 1.1, 1, 1])
    )
    step = 1e-6  # the error's standard error: that of the loss, times d error / d loss
    slope = (np.sqrt(1.1 + step) - np.sqrt(1.1)) / step * target.scale
    assert points[1].standard_error == pytest.approx(slope * np.sqrt(0.08) / 4, rel=1e-5)


def test_points_of_classes_are_log_losses():
    target = Target.classification(np.array([0.0, 1, 0, 1]), np.ones(4))
    point = path_scores().points(target, range(4), chosen=1)[1]
    assert point.error == pytest.approx(1.1)
    assert point.standard_error == pytest.approx(np.sqrt(0.08) / 4)
    assert point.chosen


def test_errors_are_those_of_the_first_the_chosen_and_the_reference():
    target = Target.regression(np.array([0.0, 10, 20, 50]), np.ones(4))
    errors = path_scores().errors(target, 1, np.full(4, 0.25))
    expected = {"gam": np.sqrt(3), "calm": np.sqrt(1.1), "reference": 0.5}
    assert errors == pytest.approx({k: target.scale * v for k, v in expected.items()})


def test_a_refusal_says_whether_anything_was_cross_validated():
    assert Selection().reason == "too few rows to cross-validate a split"
    points = path_scores().points(
        Target.classification(np.array([0.0, 1]), np.ones(2)), range(4), 2
    )
    kept = Selection(2, points)
    assert kept.reason == "beyond the 2 splits that cross-validation keeps"
