"""Merging regions, dropping splits and terms."""

import numpy as np
import pytest

from calmgam.model.edits import DropSplit, DropTerm, MergeRegions
from tests.model.edits.example import MODEL, ROWS


def term_mean(term):
    counts = np.concatenate([shape.counts for shape in term.shapes])
    return np.average(np.concatenate([s.values for s in term.shapes]), weights=counts)


def test_merging_the_sides_of_a_split_removes_it():
    regions = "hour > 7 and job = nurse", "hour > 7 and job != nurse"
    merged = MergeRegions("age", regions).apply(MODEL).terms[0]
    assert [str(region) for region in merged.tree.regions] == ["hour <= 7", "hour > 7"]
    before = MODEL.terms[0].shapes
    counts = before[1].counts + before[2].counts
    np.testing.assert_array_equal(merged.shapes[1].counts, counts)
    expected = before[1].values * before[1].counts + before[2].values * before[2].counts
    np.testing.assert_allclose(merged.shapes[1].values, expected / counts)
    assert term_mean(merged) == pytest.approx(term_mean(MODEL.terms[0]))


def test_merging_other_regions_gives_them_one_curve():
    regions = "hour > 7 and job = nurse", "hour <= 7"
    merged = MergeRegions("age", regions).apply(MODEL).terms[0]
    assert merged.tree == MODEL.terms[0].tree
    np.testing.assert_array_equal(merged.shapes[0].values, merged.shapes[1].values)
    assert merged.shapes[2] == MODEL.terms[0].shapes[2]
    assert term_mean(merged) == pytest.approx(term_mean(MODEL.terms[0]))


def test_dropping_a_split_drops_those_below():
    dropped = DropSplit("age", "hour > 7").apply(MODEL)
    assert dropped.terms[0].tree.n_splits == 0
    assert term_mean(dropped.terms[0]) == pytest.approx(term_mean(MODEL.terms[0]))
    lower = DropSplit("age", "job != nurse", where="hour > 7").apply(MODEL).terms[0]
    assert [str(region) for region in lower.tree.regions] == ["hour <= 7", "hour > 7"]


def test_a_dropped_term_leaves_its_mean():
    dropped = DropTerm("age").apply(MODEL)
    assert (dropped.terms[0].contribution(ROWS) == 0).all()
    assert dropped.terms[0].tree.n_leaves == 1
    assert dropped.intercept == pytest.approx(MODEL.intercept + term_mean(MODEL.terms[0]))
    assert DropTerm("hour").apply(MODEL).terms[0].tree == MODEL.terms[0].tree


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (MergeRegions("age", ("hour <= 7", "hour > 8")),
         "'hour > 8' must be a region of 'age'; its regions are: hour <= 7; hour > 7 and job"),
        (MergeRegions("age", ("hour <= 7", "hour <= 7")), "regions must be two different ones"),
        (DropSplit("age", "hour <= 8"),
         r"'age' must have one split 'hour <= 8'; it has 0; its splits are: hour <= 7 \(in every"),
        (DropSplit("hour", "job = nurse"), "its splits are: none"),
        (DropSplit("age", "job = nurse", where="hour <= 7"), "in 'hour <= 7'; it has 0"),
    ],
)  # fmt: skip
def test_errors_say_what_there_is(edit, message):
    with pytest.raises(ValueError, match=message):
        edit.apply(MODEL)
