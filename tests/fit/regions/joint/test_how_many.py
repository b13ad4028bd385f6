from dataclasses import replace

import numpy as np
import pytest

from calmgam import Boosting, CALMRegressor, Joint
from calmgam.fit.data.folds import FOLDS
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.regions.held_out import boosted_losses
from calmgam.fit.regions.joint import how_many as selection
from calmgam.fit.regions.joint.how_many import cross_validate, follow_path
from calmgam.fit.regions.joint.path import Grown, JointTable, grow_path, trees_after
from calmgam.fit.regions.joint.target import growth_target
from calmgam.fit.regions.one_standard_error import PathScores
from prepared import prepared_of


class Case:
    """Rows with one strong interaction, ready to be cross-validated."""

    def __init__(self, n_rows=160, twins=False):
        rng = np.random.default_rng(0)
        X = rng.uniform(-1, 1, (n_rows, 3))
        if twins:
            X[::4] = X[1::4]
        y = 3 * X[:, 0] * (X[:, 1] > 0) + 0.2 * rng.normal(size=n_rows)
        self.prepared = prepared_of(X, y, rng=7, max_bins=64)
        self.X, self.target = self.prepared.X, self.prepared.target
        self.settings = Joint(min_samples_leaf=5, max_auto_splits=3)
        candidates = self.settings.candidates(self.prepared)
        self.table = JointTable.of(self.prepared.binned, candidates, self.settings.max_bins)
        self.validation = np.arange(0, n_rows, 4)

    def fold(self, target=None):
        prepared = replace(self.prepared, target=target or self.target)
        return follow_path(prepared, self.table, self.settings, self.validation)

    def boosted(self, fold, n_splits, target=None):
        trees, binned = trees_after(fold.grown.path[:n_splits], 3), self.prepared.binned
        return boosted_losses(self.validation, trees, binned, target or self.target, seed=3)

    def select(self, **options):
        return cross_validate(replace(self.prepared, **options), self.table, self.settings)


def test_a_true_split_lowers_the_held_out_loss():
    case = Case(400)
    fold = case.fold()
    assert fold.losses.shape == (4, 100)
    assert fold.losses[1].mean() < 0.6 * fold.losses[0].mean()
    assert case.boosted(fold, 1).mean() < 0.6 * case.boosted(fold, 0).mean()
    found = case.select()
    assert found.n_splits >= 1
    assert [point.n_splits for point in found.points] == [0, 1, 2, 3]
    assert [point.chosen for point in found.points].index(True) == found.n_splits
    assert found.errors["calm"] < 0.8 * found.errors["gam"]
    assert found.errors["reference"] < found.errors["gam"]


def test_growth_scores_what_it_would_predict():
    """A row that is left out has the prediction of its twin among the training rows."""
    case = Case(240, twins=True)
    fold = case.fold()
    training = np.delete(np.arange(len(case.X)), case.validation)
    scores = case.prepared.fit_reference(training).score(case.X[training])
    scores, weights = growth_target(scores, case.target, training, case.settings)
    left_over = []
    table = replace(
        JointTable.of(
            case.prepared.binned.take(training), case.table.candidates, case.settings.max_bins
        ),
        binned=case.table.binned.take(training),  # the same coarse bins
    )
    assert table.binned.turns == case.table.binned.turns
    grown = grow_path(
        *(table, scores, weights, case.settings, case.prepared.limits),
        watch=lambda residual: left_over.append(residual.copy()),
    )
    assert trees_after(grown.path, 3) == trees_after(fold.grown.path, 3)
    twins = np.searchsorted(training, case.validation + 1)
    assert len(left_over) > 1
    for residual, losses in zip(left_over, fold.losses, strict=False):  # the path may end early
        predicted = (scores - residual)[twins]
        np.testing.assert_allclose(losses, (case.target.values[case.validation] - predicted) ** 2)


def test_rows_never_influence_their_own_score():
    case = Case()
    moved = case.target.values.copy()
    moved[case.validation] += 2.0
    changed = Target(SquaredError(), moved, case.target.weights)
    before, after = case.fold(), case.fold(changed)
    assert before.grown == after.grown
    pairs = [
        (before.losses, after.losses),
        (before.reference_losses, after.reference_losses),
        (case.boosted(before, 2), case.boosted(after, 2, changed)),
    ]
    for old, new in pairs:
        # (y + 2 - s)² - (y - s)² = 4 (y - s) + 4, if the prediction s has stayed
        np.testing.assert_allclose(((new - old - 4) / 4) ** 2, old, atol=1e-9)


def test_curves_that_do_not_confirm_the_splits_leave_the_gam(monkeypatch):
    case = Case(400)
    monkeypatch.setattr(selection, "boosted_losses", lambda rows, *_: np.ones(len(rows)))
    found = case.select()
    assert found.n_splits == 0
    assert found.errors["calm"] == found.errors["gam"]


def test_folds_side_by_side_give_the_same_bits():
    assert Case().select() == Case().select(n_jobs=2)


def test_beyond_the_end_of_a_path_the_loss_stays(monkeypatch):
    def grow(table, scores, *_, partners, watch):
        watch(scores)
        return Grown((), frozenset(range(3)))

    monkeypatch.setattr(selection, "grow_path", grow)
    losses = Case().fold().losses
    assert losses.shape == (4, 40)
    assert np.array_equal(losses, np.broadcast_to(losses[0], losses.shape))


def test_progress_is_told_fold_by_fold():
    calls = []
    case = Case(80)
    case.select(progress=lambda *call: calls.append(call))
    n_folds = FOLDS.of(case.prepared.target, case.prepared.schema.n_features)
    assert calls == [(k + 1, n_folds) for k in range(n_folds)]


# ---- what must not be found (20 seeds: benchmarks/noise.py) -------------------------------------


def n_splits(X, y):
    curves = Boosting(n_bags=2, max_rounds=200)
    return CALMRegressor(random_state=0, n_jobs=1, curves=curves).fit(X, y).n_splits_


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


@pytest.mark.parametrize("seed", [1, 10])
def test_tails_of_a_large_additive_truth_are_no_interaction(seed):
    """What wide bins at the ends of a curve leave over, correlated features seem to explain."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(8000, 1))
    X = np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=(8000, 6))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + X[:, 2] + 0.5 * rng.normal(size=8000)
    assert CALMRegressor(random_state=seed, n_jobs=1).fit(X, y).n_splits_ == 0


@pytest.mark.parametrize(
    ("proposed", "tried"),
    [(0, {0}), (1, {1}), (2, {1, 2}), (5, {3, 5}), (6, {6}), (10, {10}), (11, {10}), (20, {10})],
)
def test_what_is_tried_between_nothing_and_the_whole_path(proposed, tried):
    assert selection.between(proposed, 20) == tried
    assert selection.numbers_to_try(proposed, 20) == sorted({0, *tried, 20})


@pytest.mark.parametrize(
    ("max_splits", "tried"),
    [
        (20, [0, 1, 2, 3, 5, 8, 13, 20]),
        (13, [0, 1, 2, 3, 5, 8, 13]),
        (4, [0, 1, 2, 3, 4]),
        (1, [0, 1]),
    ],
)
def test_a_crowded_table_tries_few_splits_one_by_one(max_splits, tried):
    assert selection.numbers_of_crowded(max_splits) == tried


# ---- many features for the rows (ten seeds and more shapes: benchmarks/shapes.py) ----------------


def fitted(X, y, seed):
    curves = Boosting(n_bags=2, max_rounds=200)
    return CALMRegressor(random_state=seed, n_jobs=1, curves=curves).fit(X, y)


def interacting(seed, n_rows, n_features):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    truth = 2 * X[:, 0] + 3 * X[:, 1] * (X[:, 2] > 0)
    return X, truth + rng.normal(size=n_rows)


@pytest.mark.parametrize("seed", range(3))
def test_a_strong_interaction_among_many_features_is_found_alone(seed):
    calm = fitted(*interacting(seed, 400, 16), seed)
    kept = [
        {step.record.feature, step.record.condition_feature}
        for step in calm.path_[: calm.n_splits_]
    ]
    assert kept[0] == {"x1", "x2"}
    assert len(kept) <= 3
    assert not {"x0", "x1", "x2"} & set(calm.flat_features_)


def test_interactions_of_correlated_features_are_found_among_many_features():
    rng = np.random.default_rng(0)
    X = np.sqrt(0.5) * rng.normal(size=(500, 20)) + np.sqrt(0.5) * rng.normal(size=(500, 1))
    truth = 2 * X[:, 0] + 3 * X[:, 1] * (X[:, 2] > 0) + 3 * X[:, 3] * (X[:, 4] > 0)
    calm = fitted(X, truth + rng.normal(size=500), 0)
    pairs = [
        frozenset({step.record.feature, step.record.condition_feature})
        for step in calm.path_[: calm.n_splits_]
    ]
    assert {frozenset({"x1", "x2"}), frozenset({"x3", "x4"})} <= set(pairs)


def test_features_that_say_nothing_are_left_out_and_errors_are_those_of_such_a_model():
    X, y = interacting(0, 2400, 150)
    calm = fitted(X[:400], y[:400], 0)
    assert len(calm.flat_features_) > 100
    assert not {"x0", "x1", "x2"} & set(calm.flat_features_)
    importances = dict(zip(calm.model_.schema.names, calm.feature_importances_, strict=True))
    assert {importances[name] for name in calm.flat_features_} == {0.0}
    error = np.sqrt(np.mean((y[400:] - calm.predict(X[400:])) ** 2))
    assert error == pytest.approx(calm.model_.errors["calm"], rel=0.15)
    again = calm.predict(X[400:])
    calm.refit_splits(calm.n_splits_, X[:400], y[:400])
    np.testing.assert_array_equal(calm.predict(X[400:]), again)


def test_many_small_effects_are_not_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2400, 100))
    y = 0.25 * X[:, :40].sum(axis=1) + rng.normal(size=2400)
    calm = fitted(X[:400], y[:400], 0)
    assert calm.flat_features_ == ()
    assert np.corrcoef(calm.predict(X[400:]), y[400:])[0, 1] > 0.5


@pytest.mark.parametrize(
    ("tried", "number", "fewer"),
    [
        ([0, 10, 20], 20, None),  # half of it has lost
        ([0, 2, 20], 20, 10),
        ([0, 6, 20], 6, 3),
        ([0, 3, 6, 20], 6, None),
        ([0, 4, 20], 4, 2),
        ([0, 2, 4, 20], 4, 3),
        ([0, 2, 5, 20], 5, 3),
        ([0, 2, 3, 5, 20], 5, 4),
        ([0, 2, 3, 4, 5, 20], 5, None),
        ([0, 1, 2, 20], 1, None),
        ([0, 1, 2, 20], 0, None),
    ],
)
def test_fewer_splits_are_tried_than_those_that_win(tried, number, fewer):
    assert selection.fewer_to_try(tried, number, 20) == fewer


@pytest.mark.parametrize(
    ("losses", "spread", "kept", "tried"),
    [
        ({0: 2.0, 1: 1.01, 3: 1.0, 6: 1.0, 20: 1.0}, 0.3, 1, [0, 1, 3, 6, 20]),
        ({0: 2.0, 1: 1.5, 2: 1.01, 3: 1.0, 6: 1.0, 20: 1.0}, 0.3, 2, [0, 1, 2, 3, 6, 20]),
        ({0: 2.0, 3: 1.5, 6: 1.0, 20: 1.0}, 0.1, 6, [0, 3, 6, 20]),
        # three are worse by less than a standard error, two by more
        ({0: 1.1, 1: 1.09, 2: 1.05, 3: 1.02, 6: 1.0, 20: 1.0}, 0.7, 3, [0, 1, 2, 3, 6, 20]),
    ],
)
def test_fewest_splits_win_within_a_standard_error(losses, spread, kept, tried):
    """Losses of a thousand rows: their means are given, their differences spread."""
    noise = np.random.default_rng(0).normal(size=(21, 1000))
    noise -= noise.mean(axis=1, keepdims=True)

    def compared(numbers):
        return PathScores(np.array([losses[n] + spread * noise[n] for n in numbers]), np.ones(1000))

    numbers, scores = selection.with_fewer([0, 6, 20], compared, 1.0, 20)
    assert numbers == tried
    assert numbers[scores.choose(1.0)] == kept
