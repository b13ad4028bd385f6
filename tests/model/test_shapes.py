import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from model_strategies import SCHEMA, TABLE, shapes

from calmgam.model import ShapeFunction, slot_codes
from calmgam.model.shapes import count_below, weighted_mean

X, _, JOB, _ = SCHEMA.features
EDGES = np.array([0.0, 1.0, 2.0])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
EDGE_LISTS = st.lists(NUMBERS, max_size=40, unique=True).map(lambda edges: np.sort(edges))


def curve(values=(1.0, 2.0, 3.0, 4.0, 9.0), counts=(1.0, 1.0, 2.0, 0.0, 0.0)):
    return ShapeFunction(X, EDGES, values, counts, np.zeros(5))


@given(EDGE_LISTS, hnp.arrays(float, 30, elements=st.floats()))
def test_count_below_is_searchsorted(edges, column):
    numbers = column[~np.isnan(column)]
    np.testing.assert_array_equal(count_below(edges, numbers), np.searchsorted(edges, numbers))
    on_edges = np.concatenate([edges, np.nextafter(edges, 0.0)])
    np.testing.assert_array_equal(count_below(edges, on_edges), np.searchsorted(edges, on_edges))


def test_a_bin_holds_its_upper_edge_and_missing_comes_last():
    column = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 2.1, math.inf, -math.inf, math.nan])
    codes = slot_codes(X, EDGES, column)
    assert codes.tolist() == [0, 0, 1, 1, 2, 3, 3, 0, 4]
    assert codes.dtype == np.uint16
    assert curve()(column).tolist() == [1, 1, 2, 2, 3, 4, 4, 1, 9]


def test_levels_then_unseen_then_missing():
    column = np.array([2.0, 0.0, 3.0, math.nan])
    assert slot_codes(JOB, np.array([]), column).tolist() == [2, 0, 3, 4]


@given(st.data())
def test_refining_keeps_the_function_and_the_rows(data):
    extra = data.draw(st.lists(st.sampled_from([-2.0, 0.0, 0.5, 1.5, 1.7, 3.0])))
    shape = curve()
    refined = shape.refined(extra)
    column = np.array([-3.0, -2.0, -1.0, 0.0, 0.3, 0.7, 1.6, 1.8, 2.0, 2.5, 4.0, math.nan])
    np.testing.assert_array_equal(refined(column), shape(column))
    assert set(refined.edges) == {*EDGES, *extra}
    assert refined.counts.sum() == shape.counts.sum()
    assert refined.mean == pytest.approx(shape.mean)
    assert refined.refined(EDGES) == refined


def test_refining_with_given_counts():
    refined = curve().refined([0.5], counts=[1, 0.5, 0.5, 2, 0, 0])
    assert refined.counts.tolist() == [1, 0.5, 0.5, 2, 0, 0]


def test_summaries():
    assert curve().mean == (1 + 2 + 6) / 4
    assert curve().range == (1.0, 3.0)
    assert curve(counts=np.zeros(5)).mean == 0.0
    assert curve(counts=np.zeros(5)).range == (1.0, 9.0)
    assert curve().shifted(1.0).values.tolist() == [2, 3, 4, 5, 10]


@given(shapes(X, EDGES))
def test_curves_come_back_from_plain_values_and_pickles(shape):
    assert ShapeFunction.from_dict(shape.to_dict(), X) == shape
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert hash(ShapeFunction.from_dict(shape.to_dict(), X)) == hash(shape)


@given(shapes(JOB, np.array([])))
def test_every_row_finds_a_slot(shape):
    codes = shape.codes(TABLE[:, JOB.index])
    assert set(codes.tolist()) == set(range(shape.n_slots))


def test_arrays_are_copied_and_read_only():
    values = np.arange(5.0)
    shape = curve(values)
    values[0] = 7.0
    assert shape.values[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        shape.values[0] = 1.0


def test_curves_differ_by_value():
    assert curve() == curve()
    assert curve() != curve(values=np.zeros(5))
    assert curve() != "a curve"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": [0.0, 0.0, 1.0]}, "strictly increasing"),
        ({"edges": [0.0, 1.0, math.inf]}, "finite"),
        ({"values": [0.0, 1.0]}, "5 slots; got 2"),
        ({"values": [0.0, 1.0, 2.0, 3.0, math.nan]}, "values of 'x' must be .* finite"),
        ({"counts": -np.ones(5)}, "negative"),
        ({"spreads": -np.ones(5)}, "negative"),
        ({"values": np.zeros((5, 1))}, "must be of the same classes"),
        ({"feature": JOB}, "levels have no edges"),
    ],
)
def test_wrong_curves_are_refused(changes, message):
    parts = {"feature": X, "edges": EDGES} | dict.fromkeys(
        ["values", "counts", "spreads"], np.zeros(5)
    )
    with pytest.raises(ValueError, match=message):
        ShapeFunction(**(parts | changes))


def test_slots_must_fit_into_16_bits():
    zeros = np.zeros(2**16 + 1)
    with pytest.raises(ValueError, match="at most 65536 slots"):
        ShapeFunction(X, np.arange(2**16 - 1.0), zeros, zeros, zeros)


def test_means_of_numbers_whose_sum_overflows():
    assert weighted_mean(np.array([1e308, 1e308, 0.0]), np.array([1.0, 1.0, 0.0])) == 1e308
    large = np.array([1e300, -1e300, 1e300])
    assert weighted_mean(large, np.array([1e10, 0.0, 1e10])) == pytest.approx(1e300)
    assert weighted_mean(large, np.zeros(3)) == 0.0
    assert weighted_mean(np.array([1.0, 4.0]), np.array([2.0, 1.0])) == 2.0
