from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calmgam.fit.regions.given import given_trees
from calmgam.model.parsing import parse_region
from calmgam.model.regions import Condition
from calmgam.model.tree import PartitionTree
from prepared import prepared_of

FRAME = pd.DataFrame(
    {
        "temp": np.linspace(0, 1, 60),
        "hour": np.tile([0.0, 6.0, 7.0, 10.0, 23.0, np.nan], 10),
        "day": np.repeat(["sat", "sun", "week"], 20),
        "wind": np.tile([1.0, 2.0, 3.0], 20),
    }
)
PREPARED = prepared_of(FRAME, np.arange(60))
SCHEMA, X = PREPARED.schema, PREPARED.X
MIDDLES = tuple(
    (np.unique(c[~np.isnan(c)])[1:] + np.unique(c[~np.isnan(c)])[:-1]) / 2
    if numeric
    else np.empty(0)
    for c, numeric in zip(X.T, (True, True, False, True), strict=True)
)
PREPARED = replace(PREPARED, binned=replace(PREPARED.binned, edges=MIDDLES))


def texts(partitions, feature="temp"):
    trees = given_trees(partitions, PREPARED)
    return [str(region) for region in trees[SCHEMA.index(feature)].regions]


def test_features_without_a_partition_have_one_region():
    assert texts({}, "temp") == ["everywhere"]
    assert texts({"temp": ["day = sat", "day != sat"]}, "hour") == ["everywhere"]


@pytest.mark.parametrize(
    ("left", "right"),
    [("hour <= 7", "hour > 7"), ("hour < 8", "hour >= 8"), ("hour <= 9.9", "hour > 9.9")],
)
def test_a_threshold_moves_to_the_cut_that_sends_all_rows_the_same_way(left, right):
    # the nearest cut to 7 is 6.5, but "hour <= 7" holds for 7
    expected = ["hour <= 8 or missing", "hour > 8"]  # of whole numbers those up to 8.5
    assert texts({"temp": [f"{left} or missing", right]}) == expected


def test_a_value_is_bounded_by_the_cuts_around_it():
    (tree, *_) = given_trees({"temp": ["wind = 2", "wind != 2 or missing"]}, PREPARED)
    (condition,) = tree.regions[0].conditions
    assert (condition.value, condition.bounds) == (2, (1.5, 2.5))


def test_regions_and_trees_are_taken_too():
    regions = [parse_region(text, SCHEMA) for text in ("wind <= 2", "wind > 2")]
    expected = ["wind <= 2", "wind > 2"]
    assert texts({"temp": regions}) == expected
    tree = PartitionTree.trivial().split(0, Condition(SCHEMA["wind"], "<=", 2.0, True))
    assert texts({"temp": tree}) == expected


def test_several_conditions_make_a_deeper_tree():
    given = ["day = sat and hour <= 7 or missing", "day = sat and hour > 7", "day != sat"]
    (tree, *_) = given_trees({"temp": given}, PREPARED)
    assert (tree.n_leaves, tree.depth) == (3, 2)
    np.testing.assert_array_equal(np.bincount(tree.leaf_of(X)), [14, 6, 40])


@pytest.mark.parametrize(
    ("partitions", "message"),
    [
        ({"tmp": ["day = sat", "day != sat"]}, r"growth\['tmp'\]: no feature is called 'tmp'"),
        ({"temp": ["dya = sat", "day != sat"]}, r"growth\['temp'\]: .*did you mean 'day'"),
        (
            {"temp": ["temp <= 0.5 or missing", "temp > 0.5"]},
            "must not depend on the feature itself",
        ),
        (
            {"temp": ["hour <= 99 or missing", "hour > 99"]},
            "holds for all training rows or for none",
        ),
        (
            {"temp": ["hour <= -1 or missing", "hour > -1"]},
            "holds for all training rows or for none",
        ),
        ({"temp": ["wind = 2.2", "wind != 2.2 or missing"]}, "no training row has wind = 2.2"),
        ({"temp": ["day = sat", "day = sun"]}, r"growth\['temp'\]"),
        ({"temp": ["hour <= 7", "hour > 7"]}, r"growth\['temp'\]"),
    ],
)
def test_what_cannot_be_a_partition_is_refused(partitions, message):
    with pytest.raises(ValueError, match=message):
        given_trees(partitions, PREPARED)


@pytest.mark.parametrize("partition", ["hour <= 7", 7])
def test_one_region_is_not_a_list_of_them(partition):
    message = rf"growth\['temp'\]: must be a tree or a list of regions .*; got {partition!r}"
    with pytest.raises(ValueError, match=message):
        given_trees({"temp": partition}, PREPARED)
