import pytest

from calmgam.fit.regions.heterogeneity.top_splits import GrownNode, GrownTrees
from calmgam.model.ledger import SplitRecord
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Schema

A, B, C = Schema.learn([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]).features


def node(feature, condition, share, before, drop, children=()):
    """Return a split that was made, or a leaf where there is no condition."""
    record = SplitRecord(
        *(feature.name, Region(), condition, 0, 10, 5, 5, share, before, drop),
        accepted=condition is not None,
        reason="" if condition else "no split",
    )
    leaf = GrownNode(SplitRecord(feature.name, Region(), None, 1, 5, 0, 0, 0.5, 0, 0, False, "end"))
    return GrownNode(record, children or ((leaf, leaf) if condition else ()))


@pytest.fixture
def grown():
    # a: the root has a small gain, its child the largest of all; b: a large drop of little; c: none
    child = node(A, Condition(C, "<=", 0.5), 0.5, 10.0, 0.8)  # gain 4
    rest = node(A, None, 0.5, 1.0, 0.1)
    a = node(A, Condition(B, "<=", 0.5), 1.0, 10.0, 0.2, (child, rest))  # gain 2
    b = node(B, Condition(A, "<=", 0.5), 1.0, 3.0, 0.9)  # gain 2.7
    return {"growths": {0: a, 1: b, 2: node(C, None, 1.0, 0.0, 0.0)}, "n_features": 4}


def test_the_best_splits_whose_parents_are_in_are_kept(grown):
    trees = GrownTrees(**grown, effect="pdp", rank="absolute")
    assert trees.n_splits == 3
    kept = [trees.keeping(n_splits).trees for n_splits in range(5)]
    assert [(a.n_splits, b.n_splits) for a, b, _, _ in kept] == [
        (0, 0),
        (0, 1),
        (1, 1),
        (2, 1),
        (2, 1),
    ]
    assert all(len(one) == 4 for one in kept)
    assert kept[-1] == trees.trees


def test_ranks_differ(grown):
    large = node(B, Condition(A, "<=", 0.5), 1.0, 1.0, 0.9)  # gain 0.9, the largest drop
    growths = {**grown["growths"], 1: large}
    by_rank = {
        rank: GrownTrees(growths, 4, "pdp", rank).keeping(1).trees
        for rank in ("absolute", "relative")
    }
    assert [tree.n_splits for tree in by_rank["absolute"]] == [1, 0, 0, 0]
    assert [tree.n_splits for tree in by_rank["relative"]] == [0, 1, 0, 0]


def test_the_ledger_says_why_splits_are_left_out(grown):
    ledger = GrownTrees(**grown, effect="ale", rank="absolute").keeping(1, "beyond").ledger()
    assert [record.reason for record in ledger.splits] == ["beyond", "", "end", "end", "no split"]
    assert [record.feature for record in ledger.accepted] == ["x1"]
    assert (ledger.n_features, ledger.effect, ledger.path) == (4, "ale", ())
