"""Fields of a model: numbers that users give for every row, and what errors say of them."""

import numpy as np
import pandas as pd
import pytest

from calmgam.model.fields import as_numbers, checked_offset, checked_weights, name_of


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "x"], "w must be numbers; got 'x' in row 1"),
        ([1.0, None, "x"], "w must be numbers; got None in row 1"),
        (np.array(["2026-01-01"], dtype="datetime64[D]"), "w must be numbers; got .* in row 0"),
        (pd.Series(pd.date_range("2026-01-01", periods=2)), "w must be numbers; got .* in row 0"),
        (np.array([1, 2], dtype="timedelta64[s]"), "w must be numbers; got .* in row 0"),
        ([1 + 2j, 3j], r"w must be numbers; got \(1\+2j\) in row 0"),
        ([[1.0], [1.0, 2.0]], "w must be numbers"),
    ],
)
def test_what_is_no_number_is_named(values, message):
    with pytest.raises(ValueError, match=message):
        as_numbers("w", values)


def test_numbers_of_any_kind_become_floats():
    for values in ([1, 2], ["1", "2"], pd.Series([1, 2], dtype="Int64"), np.array([1, 2], "f4")):
        np.testing.assert_array_equal(as_numbers("w", values), [1.0, 2.0])
    np.testing.assert_array_equal(as_numbers("w", [True, None]), [1.0, np.nan])


def test_an_offset_is_a_number_for_every_row_or_one_for_all():
    np.testing.assert_array_equal(checked_offset(2, 3), [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(checked_offset(np.array([[1], [2]]), 2), [1.0, 2.0])
    for offset, message in (
        ("a", "offset must be numbers; got 'a' in row 0"),
        ([1.0, np.inf], "offset must be finite; got inf in row 1"),
        ([1.0, pd.NA], "offset must be .*; got .* in row 1"),
        ([1.0], r"offset must have 2 values; got shape \(1,\)"),
        (np.ones((2, 2)), r"offset must have 2 values; got shape \(2, 2\)"),
    ):
        with pytest.raises(ValueError, match=message):
            checked_offset(offset, 2)


def test_weights_are_at_least_zero_and_one_of_them_is_more():
    np.testing.assert_array_equal(checked_weights(None, 2), [1.0, 1.0])
    np.testing.assert_array_equal(checked_weights([[3], [0]], 2), [3.0, 0.0])
    for weights, message in (
        (
            [1.0, -1.0],
            r"sample_weight must be >= 0 and not all zero; its smallest is -1, its sum 0",
        ),
        ([0, 0], "sample_weight must be >= 0 and not all zero"),
        ([1.0, np.nan], "sample_weight must be finite; got nan in row 1"),
        (2.0, r"sample_weight must have 2 values; got shape \(\)"),
    ):
        with pytest.raises(ValueError, match=message):
            checked_weights(weights, 2)


@pytest.mark.parametrize(
    ("one", "names", "name"),
    [("b", "ab", "b"), (1, "ab", "b"), (-1, "ab", "b"), (np.int64(0), "ab", "a"), (0, "01", "0")],
)
def test_columns_are_given_by_name_or_position(one, names, name):
    assert name_of(one, tuple(names), "w must name columns") == name


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (1, "columns; 1 is the name of one and the position of another: write '1' or '2'"),
        (3, "columns; got 3, whose name is '3'"),
        (4, "columns; got 4"),
        (-4, "columns; got -4"),
        ("x", "columns; got 'x'"),
        (True, "columns; got True"),
        (1.0, r"columns; got 1\.0"),
        (None, "columns; got None"),
    ],
)
def test_columns_called_by_numbers_are_not_taken_for_others(one, message):
    """As those of a CSV file without a header, of which the first column was dropped."""
    with pytest.raises(ValueError, match=f"^w must name {message}$"):
        name_of(one, ("1", "2", "3"), "w must name columns")
