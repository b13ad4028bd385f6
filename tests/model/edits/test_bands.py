"""Bands: one height each, the mean of the rows; edges that separate nothing go."""

import numpy as np
import pytest

from calmgam.model.edits import Bands
from tests.model.edits.example import MODEL


def test_bands_have_the_mean_of_their_rows():
    banded = Bands("age", (30.0, 45.0)).apply(MODEL)
    term = banded.terms[0]
    assert term.edges.tolist() == [30, 45]
    for before, after in zip(MODEL.terms[0].shapes, term.shapes, strict=True):
        assert after.mean == pytest.approx(before.mean)
        assert after.counts.sum() == before.counts.sum()
        assert after.values[-1] == before.values[-1]
    assert term.shapes[0].values[0] == pytest.approx((1 * 0.5 + 2 * -1) / 3)


def test_other_regions_keep_their_edges_and_thresholds_stay():
    banded = Bands("age", (30.0,), where="hour <= 7").apply(MODEL)
    assert banded.terms[0].edges.tolist() == [20, 30, 40, 50]
    assert banded.terms[0].shapes[1] == MODEL.terms[0].shapes[1]
    flat = Bands("hour").apply(MODEL)
    assert flat.terms[1].edges.tolist() == [7]  # other curves switch there
    assert len(set(flat.terms[1].shapes[0].values[:2])) == 1


def test_groups_of_levels():
    grouped = Bands("job", groups=(("nurse", "smith"),)).apply(MODEL)
    values = grouped.terms[2].shapes[0].values
    assert values[0] == values[2] == pytest.approx((0.3 + 0.75) / 4)
    np.testing.assert_array_equal(values[[1, 3, 4]], [-0.2, 0, 0])


def test_errors():
    with pytest.raises(ValueError, match=r"cuts must be numbers in increasing order; got \(2, 1\)"):
        Bands("age", (2, 1))
    with pytest.raises(ValueError, match="numbers have cuts, levels have groups"):
        Bands("age", groups=(("nurse",),)).apply(MODEL)
    with pytest.raises(ValueError, match="numbers have cuts, levels have groups"):
        Bands("job").apply(MODEL)
