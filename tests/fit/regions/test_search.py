import numpy as np
import pandas as pd
import pytest

from calmgam.fit.curves.contract import draw_bags
from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.target import Target
from calmgam.fit.references.reference import ReferenceLearner
from calmgam.fit.regions import held_out as folds
from calmgam.fit.regions.heterogeneity.growing import GrowthSettings
from calmgam.fit.regions.joint import how_many as selection
from calmgam.fit.regions.joint.path import trees_after
from calmgam.fit.regions.search import search_regions
from calmgam.model.schema import Schema


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
        self.binned = bin_table(self.X, self.schema, 128)

    def search(self, growth="joint", *, with_roles=False, options=None, **settings):
        learner = ReferenceLearner(
            "boosted_trees", self.schema, self.target, (), None, random_state=0, n_jobs=1
        )
        rng = np.random.default_rng(5)
        roles = draw_bags(self.target, 1, rng)[:, 0] if with_roles else None
        return search_regions(
            growth,
            learner,
            self.X,
            self.binned,
            GrowthSettings(**settings),
            rng=rng,
            roles=roles,
            **(options or {}),
        )


def pairs(records):
    return [(record.feature, record.condition_feature) for record in records]


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_both_ways_find_the_gates(growth):
    found = Case(1000).search(growth)
    assert {("a", "b"), ("c", "kind")} <= set(pairs(found.ledger.accepted))
    assert sum(tree.n_splits for tree in found.trees) == len(found.ledger.accepted)
    assert found.reference is not None
    assert found.ledger.is_joint == (growth == "joint") == bool(found.path)


def test_the_path_is_cut_at_the_chosen_number():
    found = Case().search()
    (chosen,) = [point.n_splits for point in found.ledger.path if point.chosen]
    assert 0 < chosen < len(found.path) <= selection.MAX_AUTO_SPLITS
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


def test_heterogeneity_is_cut_to_the_best_splits():
    case, settings = Case(1000), {"min_drop": 0.05}
    everything = case.search("heterogeneity", max_splits=None, **settings)
    n_found = len(everything.ledger.accepted)
    assert n_found > 4
    found = case.search("heterogeneity", **settings)
    points = found.ledger.path
    quarter, half = -(-n_found // 4), -(-n_found // 2)
    assert [point.n_splits for point in points] == [0, quarter, half, n_found]
    (chosen,) = [point for point in points if point.chosen]
    kept = case.search("heterogeneity", max_splits=chosen.n_splits, **settings)
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
    case, settings = Case(1000), {"n_background": n_background, "min_samples_leaf": 50}
    everything = case.search("heterogeneity", max_splits=None, **settings)
    found = case.search("heterogeneity", sparsity=0.0, **settings)
    assert found.ledger.accepted
    assert set(found.ledger.accepted) <= set(everything.ledger.accepted)


def test_sparsity_moves_along_the_path():
    n_splits = [
        sum(tree.n_splits for tree in Case().search(sparsity=sparsity).trees)
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


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_tables_too_small_for_folds_are_not_split_and_say_why(task, growth, monkeypatch):
    monkeypatch.setattr(folds, "MIN_ROWS_PER_FOLD", 1000)
    found = Case(task=task).search(growth, with_roles=True)
    assert all(tree.n_splits == 0 for tree in found.trees)
    assert bool(found.path) == (growth == "joint")
    reasons = [record.reason for record in found.ledger.splits]
    assert "too few rows to cross-validate a split" in reasons
    assert growth == "heterogeneity" or len(set(reasons)) == 1
    assert found.ledger.path == ()
    assert list(found.errors) == ["reference"]


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_a_handful_of_rows_is_left_whole(growth):
    assert all(tree.n_splits == 0 for tree in Case(8).search(growth, min_samples_leaf=1).trees)


def test_large_tables_are_searched_on_a_sample():
    case = Case(2000)
    found, again = (case.search(n_background=600, min_samples_leaf=100) for _ in range(2))
    assert found.ledger == again.ledger
    assert ("a", "b") in pairs(found.ledger.accepted)
    assert found.ledger.splits[0].n_rows == 600
    sides = [min(record.n_left, record.n_right) for record in found.ledger.splits]
    assert 30 <= min(sides) < 100  # 100 of all rows are 30 of the sample


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_classes_are_searched_too(growth):
    found = Case(1500, "classification").search(growth)
    assert pairs(found.ledger.accepted)[0] == ("a", "b")
    assert found.errors["calm"] < found.errors["gam"]


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_split_and_condition_features_restrict_the_search(growth):
    options = {"split_features": ["a", "c"], "condition_features": ["kind", 2]}
    found = Case().search(growth, max_splits=6, min_drop=0.0, options=options)
    assert found.ledger.accepted
    assert {record.feature for record in found.ledger.splits} <= {"a", "c"}
    assert {record.condition_feature for record in found.ledger.splits} <= {"c", "kind", None}


def test_unknown_features_are_refused():
    with pytest.raises(ValueError, match="split_features must name features; got 'z'"):
        Case(50).search(options={"split_features": ["z"]})


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_threads_do_not_change_the_result(growth):
    one, two = Case().search(growth), Case().search(growth, options={"n_jobs": 2})
    assert one.ledger.path
    assert (one.path, one.ledger, one.errors) == (two.path, two.ledger, two.errors)


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_without_cross_validation_roles_measure_the_reference(growth):
    found = Case().search(growth, max_splits=2, with_roles=True)
    assert list(found.errors) == ["reference"]
    assert 0 < found.errors["reference"] < Case().target.scale


def test_values_of_a_number_are_never_joined():
    """Conditions can name one value of a number, not several."""
    rng = np.random.default_rng(0)
    case = Case()
    case.X[:, 2] = rng.integers(0, 6, len(case.X))
    case.binned = bin_table(case.X, case.schema, 128)
    case.target = Target.regression(
        case.X[:, 0] * np.isin(case.X[:, 2], [0, 3, 5]), case.target.weights
    )
    found = case.search(max_splits=3, equal_up_to=10, options={"split_features": ["a"]})
    assert {step.record.condition.operator for step in found.path} == {"="}


def test_joint_growth_measures_no_feature_of_its_own():
    ledger = Case().search(max_splits=4).ledger
    assert ledger.features == ()
    assert np.isnan(ledger.bound)
