import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calmgam import Heterogeneity
from calmgam.fit.effects.local_effects import CurveEffects
from calmgam.fit.references.reference import Reference
from calmgam.fit.regions.heterogeneity.growing import Background, grow_all, grow_tree
from calmgam.fit.regions.heterogeneity.top_splits import GrownTrees
from calmgam.parameters import paper_parameters
from prepared import LOSSES, prepared_of

PAPER = paper_parameters()
PAPER_LIMITS = {name: PAPER[name] for name in ("max_depth", "max_splits")}


def grow(formula, frame, growth=None, task="regression", weights=None, **options):
    growth = growth or Heterogeneity()
    more = {name: options.pop(name) for name in ("n_jobs", "progress") if name in options}
    more["n_spaced"] = growth.n_spaced
    prepared = prepared_of(
        frame, np.arange(len(frame)), weights=weights, max_bins=2000, limits=options, **more
    )
    grown = grow_all(Reference(formula, LOSSES[task]), prepared, growth)
    return dict(zip(prepared.schema.names, grown.trees, strict=True)), grown.ledger()


def uniform(n_rows=1000, n_features=4, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (n_rows, n_features))
    return pd.DataFrame(X, columns=list("abcdefgh")[:n_features])


def texts(tree):
    return [str(region) for region in tree.regions]


def gate(X):
    """The effect of a depends on the sign of b, and nothing else."""
    return X[:, 0] * (X[:, 1] > 0) + X[:, 2] ** 2


# ---- structure that must be found ---------------------------------------------------------------


@pytest.mark.parametrize(("growth", "limits"), [(None, {}), (PAPER["growth"], PAPER_LIMITS)])
def test_a_gate_is_found_on_both_sides_and_nothing_else(growth, limits):
    trees, _ = grow(gate, uniform(), growth, **limits)
    assert trees["a"].condition_features == (1,)
    condition = trees["a"].regions[0].conditions[0]
    assert condition.feature.name == "b"
    assert abs(condition.value) < 0.06  # half a step of the paper's thresholds
    assert trees["b"].condition_features == (0,)
    assert trees["c"].n_leaves == trees["d"].n_leaves == 1


def test_two_gates_make_a_tree_of_depth_two():
    def formula(X):
        low, first, second = X[:, 0] > 0, np.sin(3 * X[:, 2]), np.cos(3 * X[:, 2])
        return np.where(
            low, np.where(X[:, 1] > 0, first, second), np.where(X[:, 1] > 0, X[:, 2], 0)
        )

    trees, _ = grow(formula, uniform(3000), max_depth=2)
    assert trees["c"].depth == 2
    assert trees["c"].n_leaves == 4
    assert trees["c"].condition_features == (0, 1)
    shallow, _ = grow(formula, uniform(3000), max_depth=1)
    assert shallow["c"].n_leaves == 2


def test_a_level_can_be_the_gate():
    frame = uniform().assign(
        season=np.random.default_rng(1).choice(["spring", "summer", "winter"], 1000)
    )
    trees, _ = grow(lambda X: X[:, 0] * (X[:, 4] == 2), frame)
    assert texts(trees["a"]) == ["season = winter", "season != winter"]
    assert trees["season"].condition_features == (0,)


def test_few_numbers_are_compared_by_thresholds_in_the_paper():
    frame = uniform().assign(hour=np.random.default_rng(1).integers(0, 5, 1000))
    formula = lambda X: X[:, 0] * (X[:, 4] > 2)  # noqa: E731
    trees, _ = grow(formula, frame, PAPER["growth"], **PAPER_LIMITS)
    (condition,) = trees["a"].regions[0].conditions
    spaced = np.linspace(0, 4, 20)
    assert condition.value == spaced[spaced >= 2][0]  # the first that divides hours like this


def test_a_single_row_may_be_a_region_in_the_paper():
    frame = uniform(200, 3)
    frame.loc[7, "b"] = 5.0
    formula = lambda X: X[:, 0] * (X[:, 1] > 4)  # noqa: E731
    _, ledger = grow(formula, frame, PAPER["growth"], **PAPER_LIMITS)
    assert (ledger.accepted[0].feature, ledger.accepted[0].n_right) == ("a", 1)
    assert grow(formula, frame)[0]["a"].n_leaves == 1


def test_missing_values_can_be_the_gate():
    frame = uniform()
    frame.loc[::3, "b"] = np.nan
    trees, _ = grow(lambda X: X[:, 0] * np.isnan(X[:, 1]), frame)
    assert texts(trees["a"]) == ["b is not missing", "b is missing"]
    trees, _ = grow(lambda X: X[:, 0] * ~(X[:, 1] > 0), frame)
    left, right = trees["a"].regions
    assert left.conditions[0].missing
    assert not right.conditions[0].missing
    assert str(left).endswith("or missing")


def test_the_median_of_a_skewed_feature_is_found():
    skewed = np.exp(3 * np.random.default_rng(1).normal(size=4000))
    frame = uniform(4000).assign(skewed=skewed)
    median = np.median(skewed)
    trees, _ = grow(lambda X: X[:, 0] * (X[:, 4] > median), frame)
    (condition,) = trees["a"].regions[0].conditions
    assert condition.feature.name == "skewed"
    assert abs(np.mean(skewed <= condition.value) - 0.5) < 0.01
    paper, _ = grow(lambda X: X[:, 0] * (X[:, 4] > median), frame, PAPER["growth"], **PAPER_LIMITS)
    assert paper["a"].n_leaves == 1  # equally spaced thresholds lie in the tail


def test_an_additive_score_is_not_split():
    trees, ledger = grow(lambda X: X[:, 0] ** 2 + np.sin(X[:, 1]) + X[:, 2], uniform())
    assert all(tree.n_leaves == 1 for tree in trees.values())
    assert {record.reason for record in ledger.splits} == {"no heterogeneity"}  # but for rounding


# ---- options ------------------------------------------------------------------------------------


def test_split_and_condition_features_restrict_the_search():
    trees, ledger = grow(gate, uniform(), split_features=["a", 2])
    assert (trees["a"].n_leaves, trees["b"].n_leaves) == (2, 1)
    assert [feature.feature for feature in ledger.features] == ["a", "c"]
    trees, _ = grow(gate, uniform(), condition_features=["c", "a"])
    assert (trees["a"].n_leaves, trees["b"].condition_features) == (1, (0,))


def test_a_background_sample_finds_the_same_and_the_seed_decides():
    growth = Heterogeneity(n_background=500)
    trees, ledger = grow(gate, uniform(3000), growth)
    assert trees["a"].condition_features == (1,)
    assert ledger.splits[0].n_rows == 500
    again, same = grow(gate, uniform(3000), growth)
    assert again == trees
    assert same == ledger


def test_threads_do_not_change_the_result():
    formula = lambda X: X[:, 0] * X[:, 1] + X[:, 2] * (X[:, 3] > 0.2)  # noqa: E731
    assert grow(formula, uniform(), n_jobs=1) == grow(formula, uniform(), n_jobs=2)


def test_progress_is_told_feature_by_feature():
    calls = []
    grow(gate, uniform(), progress=lambda *call: calls.append(call))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_weights_decide_what_counts():
    frame = uniform()
    weights = np.where(frame["b"] > 0, 1.0, 1e-9)
    trees, _ = grow(gate, frame, weights=weights)
    assert trees["a"].n_leaves == 1  # nearly all the weight lies on one side of the gate


@pytest.mark.parametrize("exponent", [-30, 7])
def test_the_unit_of_the_score_does_not_matter(exponent):
    factor = 2.0**exponent
    formula = lambda X: np.sin(3 * X[:, 0]) * X[:, 1] + X[:, 2] * (X[:, 3] > 0.2)  # noqa: E731
    scaled, _ = grow(lambda X: factor * formula(X), uniform(), task="classification")
    assert scaled == grow(formula, uniform(), task="classification")[0]


def test_the_order_of_columns_does_not_matter():
    frame = uniform()
    trees, _ = grow(lambda X: np.sin(3 * X[:, 0]) * X[:, 1] + X[:, 2] * (X[:, 3] > 0.2), frame)
    other, _ = grow(
        lambda X: np.sin(3 * X[:, 3]) * X[:, 2] + X[:, 1] * (X[:, 0] > 0.2), frame[list("dcba")]
    )
    assert {name: texts(tree) for name, tree in trees.items()} == {
        name: texts(tree) for name, tree in other.items()
    }
    assert sum(tree.n_splits for tree in trees.values()) >= 4


# ---- limits and the ledger ----------------------------------------------------------------------


def products(X):
    return X[:, 0] * X[:, 1] + 0.5 * X[:, 2] * (X[:, 3] > 0.2)


def test_numbers_of_splits_may_be_those_of_numpy():
    few, _ = grow(gate, uniform(), max_splits=np.int64(1))
    assert sum(tree.n_splits for tree in few.values()) == 1


def test_max_splits_takes_the_best_whose_parents_are_in():
    _, everything = grow(products, uniform())
    n_splits = len(everything.accepted)
    assert n_splits > 6
    kept, best_refused = set(), None
    for max_splits in range(n_splits + 1):
        trees, ledger = grow(products, uniform(), max_splits=max_splits)
        assert sum(tree.n_splits for tree in trees.values()) == max_splits
        added = set(ledger.accepted) - kept
        assert [record.gain for record in added] == ([best_refused] if max_splits else [])
        kept = set(ledger.accepted)
        reason = f"beyond max_splits {max_splits}"
        cut = [record.gain for record in ledger.splits if record.reason == reason]
        best_refused = max(cut, default=None)
    assert best_refused is None
    assert ledger == everything


@pytest.mark.parametrize("given", [{}, {"max_splits": 5}, {"max_splits": 1}])
def test_max_curves_counts_a_curve_for_every_feature(given):
    growth = Heterogeneity(max_curves=4 + 3)
    trees, ledger = grow(products, uniform(), growth, **given)
    n_splits = min(3, given.get("max_splits", 3))
    assert sum(tree.n_leaves for tree in trees.values()) == 4 + n_splits
    best, _ = grow(products, uniform(), max_splits=n_splits)
    assert trees == best
    rule = "max_splits 1" if n_splits == 1 else "max_curves 7"
    assert f"beyond {rule}" in {record.reason for record in ledger.splits}
    with pytest.raises(ValueError, match="max_curves must be at least 4, a curve for every fea"):
        grow(products, uniform(), Heterogeneity(max_curves=3))


def test_rank_absolute_and_relative_differ():
    def formula(X):  # a large effect with a half gate, a small one with a whole gate
        return 5 * X[:, 0] * X[:, 1] + X[:, 2] * (X[:, 3] > 0)

    one = {"max_splits": 1, "max_depth": 1}
    absolute, _ = grow(formula, uniform(), **one)
    relative, _ = grow(formula, uniform(), Heterogeneity(rank="relative"), **one)
    assert absolute["c"].n_leaves == 1
    assert relative["c"].n_leaves == 2


def test_the_ledger_holds_every_split_and_every_leaf():
    trees, ledger = grow(products, uniform(), max_splits=5)
    for name, tree in trees.items():
        records = [record for record in ledger.splits if record.feature == name]
        leaves = [record.region for record in records if not record.accepted]
        assert leaves == list(tree.regions)
        assert len(records) == tree.n_leaves + tree.n_splits
        assert all(record.reason for record in records if not record.accepted)
        assert not any(record.reason for record in records if record.accepted)
        assert sum(record.share for record in records if not record.accepted) == pytest.approx(1)
        for record in records:
            assert record.n_left + record.n_right == record.n_rows
            assert 0 <= record.drop <= 1
    for feature in ledger.features:
        gains = sum(record.gain for record in ledger.accepted if record.feature == feature.feature)
        assert feature.heterogeneity_after == pytest.approx(feature.heterogeneity_before - gains)


@pytest.mark.parametrize(
    ("settings", "limits", "reason"),
    [
        ({"min_drop": 0.9}, {}, "drop 0.7. <= min_drop 0.9"),
        ({}, {"max_depth": 0}, "max_depth 0 reached"),
        ({"min_heterogeneity": 0.5}, {}, r"heterogeneity 0.1\d* < 0.5 of the variance"),
        ({"min_samples_leaf": 600}, {}, "no condition leaves 600 rows on both sides"),
        ({}, {"max_splits": 0}, "beyond max_splits 0"),
    ],
)
def test_a_refusal_says_why(settings, limits, reason):
    growth, limits = Heterogeneity(**settings), {"split_features": ["a"], **limits}
    _, ledger = grow(lambda X: X[:, 0] * X[:, 1], uniform(), growth, **limits)
    (record,) = ledger.splits
    assert not record.accepted
    assert re.fullmatch(reason, record.reason)


# ---- random small inputs ------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_rows=st.integers(2, 60),
    max_depth=st.integers(0, 3),
    max_splits=st.none() | st.integers(0, 4),
    min_samples_leaf=st.integers(1, 8),
    with_missing=st.booleans(),
)
def test_trees_keep_their_promises(
    seed, n_rows, max_depth, max_splits, min_samples_leaf, with_missing
):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n_rows, 3)), 1)
    X[0] = 0.0  # every column has a value
    if with_missing:
        X[1:][rng.random((n_rows - 1, 3)) < 0.2] = np.nan
    prepared = prepared_of(X, np.arange(n_rows))
    schema, X = prepared.schema, prepared.X
    growth = Heterogeneity(min_drop=0.05, min_samples_leaf=min_samples_leaf, min_heterogeneity=0)
    background = Background.of(growth.candidates(prepared), prepared.binned)
    growths = {
        feature.index: grow_tree(
            CurveEffects(np.arange(4.0), np.full(4, 0.25), rng.normal(size=(n_rows, 4))),
            feature,
            background,
            growth,
            max_depth,
        )
        for feature in schema.features
    }
    grown = GrownTrees(growths, 3, "pdp", "absolute")
    if max_splits is not None:
        n_splits = grown.n_splits
        grown = grown.keeping(max_splits)
        assert grown.n_splits == min(max_splits, n_splits)
    assert grown.n_splits == sum(tree.n_splits for tree in grown.trees)
    for feature, tree in zip(schema.features, grown.trees, strict=True):
        one = grown.growths[feature.index]
        assert tree.depth <= max_depth
        assert feature.index not in tree.condition_features
        counts = np.bincount(tree.leaf_of(X), minlength=tree.n_leaves)
        leaves = [record for record in one.records if not record.accepted]
        assert [record.n_rows for record in leaves] == counts.tolist()
        assert tree.n_leaves == 1 or counts.min() >= min_samples_leaf
