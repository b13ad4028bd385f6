from dataclasses import replace

import numpy as np
import pytest

from calmgam import CALMRegressor
from calmgam.fit.data.target import Target
from calmgam.fit.pipeline import find_regions, prepare
from calmgam.fit.scale.fitting import prepare_curves
from calmgam.fit.scale.thresholds import movable

TRUTH = 0.1871


@pytest.fixture(scope="module")
def sample():
    """Regions of a curve that turns over at a number between two cuts, in 16 bins."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (6000, 3))
    X[rng.random(6000) < 0.02, 2] = np.nan
    y = np.where(X[:, 1] > TRUTH, 2.0, -2.0) * X[:, 0] + rng.normal(0, 0.3, 6000)
    plan = CALMRegressor(random_state=0, n_jobs=1, max_splits=1, max_bins=16)._plan()
    prepared = prepare(X, Target.regression(y, np.ones(6000)), plan)
    return prepared, find_regions(prepared, plan)


def test_a_threshold_goes_where_the_rows_between_cuts_fit(sample):
    prepared, regions = sample
    ((feature, before),) = movable(regions)
    assert feature == 1 and abs(before - TRUTH) > 0.02
    placed, found, _ = prepare_curves(prepared, regions)
    ((_, after),) = movable(found)
    assert abs(after - TRUTH) < 0.005
    slot = prepared.binned.edges[1].tolist().index(before)
    assert placed.binned.edges[1][slot] == after
    np.testing.assert_array_equal(
        np.delete(placed.binned.edges[1], slot), np.delete(prepared.binned.edges[1], slot)
    )
    expected = np.searchsorted(placed.binned.edges[1], prepared.X[:, 1])
    np.testing.assert_array_equal(placed.binned.codes[1], expected)
    inside = prepared.X[expected == slot, 1]
    assert placed.binned.centres[1][slot] == pytest.approx(inside.mean())


def test_trees_ledger_and_path_name_the_same_threshold(sample):
    prepared, regions = sample
    placed, found, _ = prepare_curves(prepared, regions)
    ((_, after),) = movable(found)
    condition = found.trees[0].nodes[0].condition
    assert condition.threshold == found.path[0].record.condition.threshold == after
    leaves = placed.binned.leaf_of(found.trees[0])
    np.testing.assert_array_equal(leaves, (prepared.X[:, 1] > after).astype(int))


def test_regions_of_the_user_stay(sample):
    prepared, regions = sample
    given = replace(regions, ledger=replace(regions.ledger, splits=()), path=())
    placed, found, _ = prepare_curves(prepared, given)
    assert found.trees == given.trees and placed.binned is prepared.binned
