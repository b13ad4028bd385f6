import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.fit.data.dense import DenseColumn, DenseTable, standardisation
from calmgam.model.schema import Feature
from tables import mixed_table

X, _, SCHEMA = mixed_table()
NUMBER = Feature("x", 0, "numeric")
LEVELS = Feature("c", 0, "categorical", ("p", "q", "r"))


def test_numbers_are_scaled_and_missing_ones_marked():
    column = np.array([1.0, 3.0, np.nan, 5.0])
    dense = DenseColumn.learn(NUMBER, column)
    step = np.sqrt(1.5)
    np.testing.assert_allclose(
        dense.encode(column), [[-step, 0], [0, 0], [0, 1], [step, 0]], atol=1e-12
    )
    np.testing.assert_allclose(
        DenseColumn.learn(NUMBER, column[:2]).encode(column[:2]), [[-1], [1]]
    )


def test_levels_have_columns_if_they_were_seen():
    dense = DenseColumn.learn(LEVELS, np.array([0.0, 2.0, np.nan, 2.0]))
    values = np.array([0.0, 1.0, 2.0, 3.0, np.nan])
    expected = [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]
    np.testing.assert_array_equal(dense.encode(values), expected)
    assert dense.width == 3


@pytest.mark.parametrize("value", [0.0, -4.0, np.nan])
def test_a_constant_column_is_zero(value):
    column = np.full(5, value)
    encoded = DenseColumn.learn(NUMBER, column).encode(column)
    np.testing.assert_allclose(encoded[:, 0], 0, atol=1e-12)


def test_columns_stand_where_the_table_says():
    table = DenseTable.learn(X, SCHEMA)
    encoded = table.encode(X)
    assert encoded.shape == (len(X), sum(column.width for column in table.columns))
    for i, column in enumerate(table.columns):
        np.testing.assert_array_equal(encoded[:, table.place(i)], column.encode(X[:, i]))
    assert np.isfinite(encoded).all()
    assert (encoded.std(axis=0) > 0).all()


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=20))
def test_standardised_numbers_have_mean_zero_and_variance_one(values):
    column = np.array(values)
    _, scale = standardisation(column)
    assert np.isfinite(scale)
    if scale > 1e-6 * np.abs(column).max():
        encoded = DenseColumn.learn(NUMBER, column).encode(column)[:, 0]
        assert encoded.mean() == pytest.approx(0, abs=1e-6)
        assert encoded.std() == pytest.approx(1, abs=1e-6)
