"""What `from_regions` makes of many regions; test_tree.py has the few that people write."""

import itertools
import math
import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_strategies import SCHEMA, TABLE, trees

from calmgam.model import Condition, Feature, PartitionTree, Region, Schema, parse_region, partition

N_REGIONS = 500
WIDE = Schema(
    (
        Feature("x", 0, "numeric", has_missing=True),
        Feature("y", 1, "numeric"),
        Feature("k", 2, "categorical", tuple(map(str, range(N_REGIONS))), has_missing=True),
    )
)
X, Y, K = WIDE.features


def intervals(feature, n):
    """Return n intervals of a feature; the third one holds missing values."""
    edges = [-math.inf, *range(1, n), math.inf]
    return [
        Region((Condition(feature, ">", low, low == 2), Condition(feature, "<=", high, low == 2)))
        if low > -math.inf
        else Region((Condition(feature, "<=", high),))
        for low, high in itertools.pairwise(edges)
    ]


LEVELS = [Region((Condition(K, "=", (code,)),)) for code in range(N_REGIONS - 1)]
PARTITIONS = {
    "intervals": intervals(X, N_REGIONS),
    "levels": [*LEVELS, Region((Condition(K, "!=", tuple(range(N_REGIONS - 1)), True),))],
    "grid": [one & two for one in intervals(X, 20) for two in intervals(Y, 25)],
}


@pytest.mark.parametrize("name", PARTITIONS)
def test_many_regions_make_a_flat_tree_soon(name):
    regions = random.Random(0).sample(PARTITIONS[name], N_REGIONS)
    start = time.perf_counter()
    tree = PartitionTree.from_regions(regions)
    assert time.perf_counter() - start < 20  # about 2 s; it was minutes
    assert tree.n_leaves == N_REGIONS
    assert tree.depth < 25
    assert PartitionTree.from_dict(tree.to_dict(), WIDE) == tree
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.uniform(-2, 502, 400), rng.uniform(-2, 30, 400), np.arange(400)])
    table[:20, 0] = table[-20:, 2] = math.nan
    leaf_of_row = tree.leaf_of(np.asfortranarray(table))
    region_of_row = np.argmax([region.contains(table) for region in regions], axis=0)
    pairs = set(zip(leaf_of_row.tolist(), region_of_row.tolist(), strict=True))
    assert len(pairs) == len(set(leaf_of_row)) == len(set(region_of_row)) > 40


@pytest.mark.parametrize("name", PARTITIONS)
def test_a_flaw_among_many_regions_is_found(name):
    regions = PARTITIONS[name]
    gap = regions[217]
    with pytest.raises(ValueError, match="cover everything") as caught:
        PartitionTree.from_regions([region for region in regions if region is not gap])
    assert str(gap) in str(caught.value)
    with pytest.raises(ValueError, match="must not overlap"):
        PartitionTree.from_regions([*regions, gap])


def test_regions_of_seen_labels_alone_are_refused_with_advice():
    halves = [Region((Condition(K, "=", (code,)),)) for code in (0, 1)]
    with pytest.raises(ValueError, match=r"cover everything.*write != in one of them"):
        PartitionTree.from_regions(halves)


@given(trees(max_splits=12), st.randoms(use_true_random=False))
def test_halving_gives_the_same_partition(tree, random):
    shuffled = random.sample(tree.regions, tree.n_leaves)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "FEW_REGIONS", 1)
        halved = PartitionTree.from_regions(shuffled)
    pairs = set(zip(tree.leaf_of(TABLE), halved.leaf_of(TABLE), strict=True))
    assert len(pairs) == tree.n_leaves == halved.n_leaves


def staircase(n_steps):
    """Return regions that only a chain of splits can make."""
    regions, path = [], Region()
    for step in range(n_steps):
        condition = Condition((X, Y)[step % 2], "<=", step, missing=True)
        regions.append(path.with_condition(condition))
        path = path.with_condition(condition.negate())
    return [*regions, path]


def test_trees_have_a_greatest_depth():
    deepest = PartitionTree.from_regions(staircase(100))
    assert deepest.depth == partition.MAX_DEPTH == 100
    message = "at most 100 conditions on the way to a leaf"
    with pytest.raises(ValueError, match=message):
        PartitionTree.from_regions(staircase(101))
    with pytest.raises(ValueError, match=message):
        deepest.split(100, Condition(K, "=", (0,)))
    nested, plain = None, {}
    for _ in range(5000):
        nested = (Condition(X, "<=", 0.0), nested, None)
    for _ in range(200):
        plain = {"condition": Condition(X, "<=", 0.0).to_dict(), "left": plain, "right": {}}
    with pytest.raises(ValueError, match=message):
        PartitionTree.from_nested(nested)
    with pytest.raises(ValueError, match=message):
        PartitionTree.from_dict(plain, WIDE)


def test_few_regions_keep_the_conditions_people_wrote():
    texts = ("x = 3", "x != 3 or missing and other numbers <= 1", "x != 3 and other numbers > 1")
    regions = [parse_region(text, SCHEMA) for text in texts[:2]]
    regions.append(parse_region("x != 3 or missing and other numbers > 1", SCHEMA))
    tree = PartitionTree.from_regions(regions)
    assert {str(region) for region in tree.regions} == {str(region) for region in regions}
