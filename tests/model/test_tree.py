import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_strategies import SCHEMA, TABLE, conditions, trees

from calmgam.model import Condition, Feature, Node, PartitionTree, Region, Schema, parse_region

X, OTHER, JOB, FLAG = SCHEMA.features
LEFT = Condition(X, "<=", 0.0)


@given(trees())
def test_every_row_is_in_exactly_one_leaf_whose_region_holds_it(tree):
    masks = np.array([region.contains(TABLE) for region in tree.regions])
    assert (masks.sum(axis=0) == 1).all()
    np.testing.assert_array_equal(tree.leaf_of(TABLE), masks.argmax(axis=0))
    assert tree.leaf_of(TABLE).dtype == np.int32


@given(trees())
def test_sizes(tree):
    assert tree.n_leaves == len(tree.regions) == tree.n_splits + 1
    assert tree.depth == max(len(region.conditions) for region in tree.regions)
    asked = {c.feature.index for region in tree.regions for c in region.conditions}
    assert tree.condition_features == tuple(sorted(asked))
    assert str(tree).count("leaf") == tree.n_leaves


@given(trees())
def test_parents_are_one_condition_above(tree):
    leaves = [region.conditions for region in tree.regions]
    ways = list(dict.fromkeys(way[:depth] for way in leaves for depth in range(len(way))))
    above = [ways.index(way[:-1]) if way else 0 for way in ways + leaves]
    assert list(tree.parents) == above
    assert all(parent < position for position, parent in enumerate(above) if position)


@given(trees())
def test_trees_come_back_from_plain_values(tree):
    assert PartitionTree.from_dict(tree.to_dict(), SCHEMA) == tree


@given(trees(), st.randoms(use_true_random=False))
def test_regions_in_any_order_give_the_same_partition(tree, random):
    shuffled = random.sample(tree.regions, tree.n_leaves)
    rebuilt = PartitionTree.from_regions(shuffled)
    assert rebuilt.n_leaves == tree.n_leaves
    pairs = set(zip(tree.leaf_of(TABLE), rebuilt.leaf_of(TABLE), strict=True))
    assert len(pairs) == tree.n_leaves


@given(trees(), st.data())
def test_a_missing_or_doubled_region_is_refused(tree, data):
    leaf = data.draw(st.integers(0, tree.n_leaves - 1))
    others = [region for number, region in enumerate(tree.regions) if number != leaf]
    with pytest.raises(ValueError, match="overlap"):
        PartitionTree.from_regions([*tree.regions, tree.regions[leaf]])
    rows = TABLE[~np.isnan(TABLE[:, [1, 3]]).any(axis=1)]  # missing values never seen may be free
    if tree.regions[leaf].contains(rows).any():
        with pytest.raises(ValueError, match="cover everything"):
            PartitionTree.from_regions(others)


@given(trees(), st.data())
def test_splitting_one_region_keeps_the_others(tree, data):
    condition = data.draw(conditions())
    leaf = data.draw(st.integers(0, tree.n_leaves - 1))
    region = tree.regions[leaf]
    if region.implies(condition) or region.contradicts(condition):
        with pytest.raises(ValueError, match="no row can reach"):
            tree.split(leaf, condition)
        return
    split = tree.split(leaf, condition)
    assert split.regions[:leaf] == tree.regions[:leaf]
    assert split.regions[leaf] == region.with_condition(condition)
    assert split.regions[leaf + 1] == region.with_condition(condition.negate())
    assert split.regions[leaf + 2 :] == tree.regions[leaf + 1 :]


def parsed(*texts):
    return [parse_region(text, SCHEMA) for text in texts]


def test_regions_as_people_write_them():
    tree = PartitionTree.from_regions(
        parsed(
            "0 < x <= 1",
            "x > 1 or missing and flag = True",
            "x <= 0",
            "x > 1 or missing and flag != True",
        ),
    )
    assert tree.n_leaves == 4
    levels = parsed("job in {nurse}", "job not in {nurse} or missing")
    assert PartitionTree.from_regions(levels).n_leaves == 2
    missing = parsed("x is missing", "x is not missing")
    assert PartitionTree.from_regions(missing).n_leaves == 2
    assert PartitionTree.from_regions([Region()]) == PartitionTree.trivial()


def test_missing_values_never_seen_need_no_region():
    tree = PartitionTree.from_regions(parsed("other numbers <= 0.5", "other numbers > 0.5"))
    assert tree.n_leaves == 2
    with pytest.raises(ValueError, match="none of them holds: x is missing"):
        PartitionTree.from_regions(parsed("x <= 0", "x > 0"))


def test_conditions_that_say_nothing_do_no_harm():
    everything = Condition(OTHER, "<=", math.inf, missing=True)
    halves = [Region((everything, LEFT)), Region((LEFT.negate(), everything))]
    assert PartitionTree.from_regions(halves).regions == (Region((LEFT,)), Region((LEFT.negate(),)))


def test_level_groups_that_overlap_are_separated_as_a_whole():
    schema = Schema(
        (
            Feature("k", 0, "categorical", tuple("abcdef"), has_missing=True),
            Feature("u", 1, "numeric"),
            Feature("v", 2, "numeric"),
        )
    )
    texts = (  # {a, b, c} hang together by u, the others by v
        "k in {a, b} and u <= 0", "k in {c} and u <= 0", "k in {a} and u > 0",
        "k in {b, c} and u > 0",
        "k in {d, e} and v <= 0", "k not in {a, b, c, d, e} or missing and v <= 0",
        "k in {d} and v > 0", "k not in {a, b, c, d} or missing and v > 0",
    )  # fmt: skip
    tree = PartitionTree.from_regions([parse_region(text, schema) for text in texts])
    assert tree.n_leaves == 8


def test_what_is_wrong_with_regions_is_named():
    with pytest.raises(ValueError, match=r"\(x <= 1\) and \(x > 0 or missing\).*0 < x <= 1|0 < x"):
        PartitionTree.from_regions(parsed("x <= 1", "x > 0 or missing"))
    with pytest.raises(ValueError, match="none of them holds: 0 < x <= 1"):
        PartitionTree.from_regions(parsed("x <= 0", "x > 1 or missing"))
    with pytest.raises(ValueError, match="not be empty"):
        PartitionTree.from_regions(parsed("x <= 0 and x > 1", "everywhere"))


def test_a_pinwheel_comes_from_no_tree():
    x, y = "x", "other numbers"
    blades = parsed(
        f"{x} <= 2 or missing and {y} <= 1", f"{x} > 2 and {y} <= 2",
        f"{x} > 1 and {y} > 2", f"{x} <= 1 or missing and {y} > 1",
        f"1 < {x} <= 2 and 1 < {y} <= 2",
    )  # fmt: skip
    with pytest.raises(ValueError, match="splitting in two"):
        PartitionTree.from_regions(blades)


@pytest.mark.parametrize(
    "nodes",
    [
        (),
        (Node(leaf=1),),
        (Node(leaf=0), Node(leaf=1)),
        (Node(LEFT, 1, 1), Node(leaf=0)),
        (Node(LEFT, 0, 1), Node(leaf=0)),
        (Node(LEFT, 1, 7), Node(leaf=0), Node(leaf=1)),
        (Node(LEFT, 2, 1), Node(leaf=0), Node(leaf=1)),
    ],
)
def test_what_is_not_a_tree_is_refused(nodes):
    with pytest.raises(ValueError, match=r"tree|numbered"):
        PartitionTree(nodes)


def test_a_node_is_inner_or_leaf():
    with pytest.raises(ValueError, match="a node"):
        Node(LEFT, leaf=0)
    with pytest.raises(ValueError, match="a node"):
        Node(LEFT, 1)


def test_equal_trees_are_equal_however_they_were_made():
    right = Condition(FLAG, "=", (1,))
    mirrored = (Node(LEFT, 2, 1), Node(right, 4, 3), Node(leaf=0), Node(leaf=2), Node(leaf=1))
    assert PartitionTree(mirrored) == PartitionTree.trivial().split(0, LEFT).split(1, right)


def test_text():
    tree = PartitionTree.trivial().split(0, LEFT).split(0, Condition(FLAG, "=", (1,)))
    assert str(tree) == (
        "x <= 0:\n    flag = True: leaf 0\n    flag != True: leaf 1\nx > 0 or missing: leaf 2"
    )
    assert str(PartitionTree.trivial()) == "leaf 0"
