import numpy as np
import pytest

from calmgam.fit.data import folds
from calmgam.fit.data.folds import Folds, draw_folds, enough_rows
from calmgam.fit.data.log_losses import Poisson
from calmgam.fit.data.target import Target


def test_folds_are_alike_in_size_and_classes():
    values = (np.arange(103) % 5 == 0).astype(float)
    target = Target.classification(values, np.ones(103))
    folds = draw_folds(target, 4, np.random.default_rng(0))
    for label in (0, 1):
        counts = np.bincount(folds[values == label], minlength=4)
        assert counts.max() - counts.min() <= 1
    other = draw_folds(target, 4, np.random.default_rng(1))
    assert not np.array_equal(folds, other)


def test_a_single_row_without_events_hinders_no_folds():
    for counts, enough in ((np.r_[0.0, np.ones(99)], True), (np.r_[1.0, np.zeros(99)], False)):
        assert enough_rows(Target.regression(counts, np.ones(100), Poisson())) == enough


def test_every_fold_needs_some_rows_of_either_class():
    fewest = folds.FOLDS.n_folds * folds.FOLDS.min_rows
    rows = np.arange(4.0 * fewest)
    weights = np.ones(len(rows))
    assert enough_rows(Target.regression(rows[:fewest], weights[:fewest]))
    assert not enough_rows(Target.regression(rows[: fewest - 1], weights[: fewest - 1]))
    assert enough_rows(Target.classification((rows < fewest).astype(float), weights))
    assert not enough_rows(Target.classification((rows < fewest - 1).astype(float), weights))


@pytest.fixture
def drawn():
    return Folds.draw(Target.regression(np.arange(50.0), np.ones(50)), 3, np.random.default_rng(0))


def test_every_row_is_left_out_once(drawn):
    assert sorted(np.concatenate(drawn.parts)) == list(range(50))
    assert len(set(drawn.seeds)) == len(drawn.parts) == 5


@pytest.mark.parametrize(
    ("n_rows", "n_features", "n_folds"),
    [
        (40, 3, 4),
        (60, 3, 6),
        (500, 3, 8),
        (500, 50, 8),
        (500, 1000, 4),
        (800, 3, 5),
        (1000, 3, 4),
        (5000, 3, 4),
    ],
)
def test_small_tables_have_more_folds_of_enough_rows(n_rows, n_features, n_folds):
    target = Target.regression(np.arange(n_rows, dtype=float), np.ones(n_rows))
    assert folds.FOLDS.of(target, n_features) == n_folds


def test_every_fold_has_rows_of_either_class():
    target = Target.classification((np.arange(500) < 50).astype(float), np.ones(500))
    assert folds.FOLDS.of(target, 3) == 5


def test_what_folds_say_of_their_rows_is_put_in_order(drawn):
    values = [np.stack([part, part**2]).astype(float) for part in drawn.parts]
    np.testing.assert_array_equal(drawn.row_by_row(values), [np.arange(50.0), np.arange(50.0) ** 2])


def test_folds_are_worked_on_in_any_number_of_threads(drawn):
    calls = []
    sizes = drawn.each(lambda k: len(drawn.parts[k]), 1, lambda *call: calls.append(call))
    assert sizes == drawn.each(lambda k: len(drawn.parts[k]), 3) == [10] * 5
    assert calls == [(k + 1, 5) for k in range(5)]
