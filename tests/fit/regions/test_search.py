from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calmgam import Heterogeneity, Joint
from calmgam.fit.data import folds
from calmgam.fit.data.target import Target
from calmgam.fit.regions.joint.path import trees_after
from calmgam.fit.regions.search import search_regions
from calmgam.model.schema import Schema
from prepared import prepared_of


class Case:
    """A gate (a | b > 0), a weaker one (c | kind = q), noise; y is a number or a class."""

    def __init__(self, n_rows=500, task="regression", seed=0):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.uniform(-1, 1, (n_rows, 3)), columns=list("abc"))
        frame["kind"] = rng.choice(["p", "q"], n_rows)
        self.schema = Schema.learn(frame)
        self.X = self.schema.encode(frame)
        signal = 4 * self.X[:, 0] * (self.X[:, 1] > 0) + 2 * self.X[:, 2] * (self.X[:, 3] == 1)
        weights = np.ones(n_rows)
        if task == "regression":
            self.target = Target.regression(signal + 0.3 * rng.normal(size=n_rows), weights)
        else:
            chance = 1 / (1 + np.exp(-3 * signal))
            classes = (rng.random(n_rows) < chance).astype(float)
            self.target = Target.classification(classes, weights)

    def search(self, growth=None, *, n_bags=0, n_jobs=1, **limits):
        prepared = prepared_of(
            *(self.X, self.target, self.schema),
            rng=5,
            n_jobs=n_jobs,
            max_bins=128,
            n_bags=n_bags,
            limits=limits,
        )
        return search_regions(growth or Joint(), prepared)


def pairs(records):
    return [(record.feature, record.condition_feature) for record in records]


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
def test_both_ways_find_the_gates(way):
    found = Case(1000).search(way())
    assert {("a", "b"), ("c", "kind")} <= set(pairs(found.ledger.accepted))
    assert sum(tree.n_splits for tree in found.trees) == len(found.ledger.accepted)
    assert found.ledger.is_joint == (way is Joint) == bool(found.path)


def test_the_path_is_cut_at_the_chosen_number():
    found = Case().search()
    (chosen,) = [point.n_splits for point in found.ledger.path if point.chosen]
    assert 0 < chosen < len(found.path) <= Joint().max_auto_splits
    assert found.trees == trees_after(found.path[:chosen], 4)
    records = found.ledger.splits
    assert [record.accepted for record in records] == [k < chosen for k in range(len(records))]
    assert {record.reason for record in records[chosen:]} == {
        f"beyond the {chosen} splits that cross-validation keeps"
    }
    errors = {point.n_splits: point.error for point in found.ledger.path}
    assert errors[0] > errors[chosen]
    assert found.errors["gam"] > found.errors["calm"]
    assert found.errors["reference"] < found.errors["gam"]


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
@pytest.mark.parametrize("max_splits", ["auto", None, 1])
def test_max_curves_bounds_every_way_of_growing(way, max_splits):
    case = Case()
    for max_curves in (4, 6):
        found = case.search(way(max_curves=max_curves), max_splits=max_splits)
        n_splits = sum(tree.n_splits for tree in found.trees)
        most = max_curves - 4
        assert len(found.path) <= most
        expected = most if max_splits is None else min(most, 1)
        assert expected <= n_splits <= most
    with pytest.raises(ValueError, match="max_curves must be at least 4, a curve for every feat"):
        case.search(way(max_curves=3), max_splits=max_splits)


def test_heterogeneity_is_cut_to_the_best_splits():
    case, growth = Case(1000), Heterogeneity(min_drop=0.05)
    everything = case.search(growth, max_splits=None)
    n_found = len(everything.ledger.accepted)
    assert n_found > 4
    found = case.search(growth)
    points = found.ledger.path
    quarter, half = -(-n_found // 4), -(-n_found // 2)
    assert [point.n_splits for point in points] == [0, quarter, half, n_found]
    (chosen,) = [point for point in points if point.chosen]
    kept = case.search(growth, max_splits=chosen.n_splits)
    assert 0 < chosen.n_splits == len(kept.ledger.accepted) < n_found
    assert found.trees == kept.trees
    assert {record.reason for record in found.ledger.splits} & {
        f"beyond the {chosen.n_splits} splits that cross-validation keeps"
    }
    assert found.errors["calm"] == chosen.error < points[0].error == found.errors["gam"]
    assert 0 < found.errors["reference"] < found.errors["gam"]


@pytest.mark.parametrize("n_background", [None, 600])
def test_heterogeneity_without_a_limit_is_what_is_cut(n_background):
    """Whatever cross-validation draws, growth on all rows has drawn before."""
    case = Case(1000)
    growth = Heterogeneity(n_background=n_background, min_samples_leaf=50)
    everything = case.search(growth, max_splits=None)
    found = case.search(replace(growth, sparsity=0.0))
    assert found.ledger.accepted
    assert set(found.ledger.accepted) <= set(everything.ledger.accepted)


def test_sparsity_moves_along_the_path():
    n_splits = [
        sum(tree.n_splits for tree in Case().search(Joint(sparsity=sparsity)).trees)
        for sparsity in (0.0, 1.0, 50.0)
    ]
    assert n_splits == sorted(n_splits, reverse=True)
    assert n_splits[0] > n_splits[-1] == 0


@pytest.mark.parametrize("max_splits", [0, 3])
def test_a_number_of_splits_is_taken_as_it_is(max_splits):
    found = Case().search(max_splits=max_splits)
    assert len(found.path) == len(found.ledger.accepted) == max_splits
    assert found.ledger.path == ()
    assert found.errors == {}


def test_without_a_limit_the_path_ends_where_nothing_gains():
    everything = Case().search(max_splits=None, max_depth=1)
    assert 3 < len(everything.path) == sum(tree.n_splits for tree in everything.trees)
    assert Case().search(max_splits=3, max_depth=1).path == everything.path[:3]


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_tables_too_small_for_folds_are_not_split_and_say_why(task, way, monkeypatch):
    monkeypatch.setattr(folds, "FOLDS", replace(folds.FOLDS, min_rows=1000))
    found = Case(task=task).search(way(), n_bags=1)
    assert all(tree.n_splits == 0 for tree in found.trees)
    assert bool(found.path) == (way is Joint)
    reasons = [record.reason for record in found.ledger.splits]
    assert "too few rows to cross-validate a split" in reasons
    assert way is Heterogeneity or len(set(reasons)) == 1
    assert found.ledger.path == ()
    assert list(found.errors) == ["reference"]


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
def test_a_handful_of_rows_is_left_whole(way):
    assert all(tree.n_splits == 0 for tree in Case(8).search(way(min_samples_leaf=1)).trees)


def test_large_tables_are_searched_on_a_sample():
    case, growth = Case(2000), Joint(n_background=600, min_samples_leaf=100)
    found, again = (case.search(growth) for _ in range(2))
    assert found.ledger == again.ledger
    assert ("a", "b") in pairs(found.ledger.accepted)
    assert found.ledger.splits[0].n_rows == 600
    sides = [min(record.n_left, record.n_right) for record in found.ledger.splits]
    assert 30 <= min(sides) < 100  # 100 of all rows are 30 of the sample


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
def test_classes_are_searched_too(way):
    found = Case(1500, "classification").search(way())
    assert pairs(found.ledger.accepted)[0] == ("a", "b")
    assert found.errors["calm"] < found.errors["gam"]


@pytest.mark.parametrize("growth", [Joint(), Heterogeneity(min_drop=0.0)])
def test_split_and_condition_features_restrict_the_search(growth):
    options = {"split_features": ["a", "c"], "condition_features": ["kind", 2]}
    found = Case().search(growth, max_splits=6, **options)
    assert found.ledger.accepted
    assert {record.feature for record in found.ledger.splits} <= {"a", "c"}
    assert {record.condition_feature for record in found.ledger.splits} <= {"c", "kind", None}


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
def test_threads_do_not_change_the_result(way):
    one, two = Case().search(way()), Case().search(way(), n_jobs=2)
    assert one.ledger.path
    assert (one.path, one.ledger, one.errors) == (two.path, two.ledger, two.errors)


@pytest.mark.parametrize("way", [Joint, Heterogeneity])
def test_without_cross_validation_bags_measure_the_reference(way):
    found = Case().search(way(), max_splits=2, n_bags=1)
    assert list(found.errors) == ["reference"]
    assert 0 < found.errors["reference"] < Case().target.scale


def test_joint_growth_measures_no_feature_of_its_own():
    ledger = Case().search(max_splits=4).ledger
    assert ledger.features == ()
    assert np.isnan(ledger.bound)
