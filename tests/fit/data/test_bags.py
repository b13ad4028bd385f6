import numpy as np
import pytest

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.data.bags import can_stop, draw_bags
from calmgam.fit.data.log_losses import Poisson
from calmgam.fit.data.target import Target


def bags(target, n_bags=3):
    return draw_bags(target, n_bags, np.random.default_rng(0))


@pytest.mark.parametrize("n_rows", [30, 100, 1001])
def test_bags_keep_the_shares_of_classes(n_rows):
    y = (np.arange(n_rows) % 4 == 0).astype(float)
    target = Target.classification(y, np.ones(n_rows))
    roles = bags(target, 5)
    assert set(np.unique(roles)) == {TRAINS, VALIDATES}
    for label in (0, 1):
        n_validation = np.sum(roles[y == label] == VALIDATES, axis=0)
        np.testing.assert_array_equal(n_validation, round(0.15 * np.sum(y == label)))
    assert len(np.unique(roles, axis=1).T) > 1


def test_rows_of_weight_zero_are_not_drawn():
    weights = np.zeros(1000)
    weights[::20] = 1
    roles = bags(Target.regression(np.arange(1000.0), weights), 5)
    np.testing.assert_array_equal(np.sum(roles == VALIDATES, axis=0), round(0.15 * 50))
    assert np.all(roles[weights == 0] == TRAINS)


def test_small_tables_spare_no_row():
    target = Target.regression(np.arange(29.0), np.ones(29))
    assert np.all(bags(target) == TRAINS | VALIDATES)


@pytest.mark.parametrize("n_events", [2, 3, 10])
def test_of_a_rare_class_some_rows_validate(n_events):
    target = Target.classification((np.arange(2000) < n_events).astype(float), np.ones(2000))
    roles = bags(target, 8)
    assert np.all(np.any(roles[:n_events] == VALIDATES, axis=0))
    assert np.all(np.any(roles[:n_events] == TRAINS, axis=0))
    assert can_stop(target, roles)


def test_a_single_row_without_events_is_no_hindrance():
    counts = np.r_[0.0, np.arange(1.0, 64.0)]
    target = Target.regression(counts, np.ones(64), Poisson())
    assert can_stop(target, bags(target))
    one_event = Target.regression(np.r_[np.zeros(63), 1.0], np.ones(64), Poisson())
    assert not can_stop(one_event, bags(one_event))


def test_a_single_event_leaves_no_way_to_stop():
    target = Target.classification((np.arange(2000) < 1).astype(float), np.ones(2000))
    assert not can_stop(target, bags(target))
