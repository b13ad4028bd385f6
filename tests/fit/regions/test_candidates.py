import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calmgam.fit.data.binning import Binned, bin_table, slots_of
from calmgam.fit.regions.candidates import candidates_for, code_matrix
from calmgam.model.schema import Feature, Schema

QUANTILES = {"thresholds": "quantile", "n_thresholds": 31}


def numeric(column, name, index):
    present = column[~np.isnan(column)]
    low, high = (present.min(), present.max()) if present.size else (np.nan, np.nan)
    has_missing = bool(np.isnan(column).any())
    return Feature(name, index, "numeric", has_missing=has_missing, low=low, high=high)


def cuts(column):
    values = np.unique(column[~np.isnan(column)])
    middle = (values[1:] + values[:-1]) / 2
    return np.where(middle < values[1:], middle, values[:-1])  # nothing lies between neighbours


def binned(*columns, features=None, edges=None):
    """Columns between given cuts, or with all values apart."""
    features = features or [numeric(column, f"x{j}", j) for j, column in enumerate(columns)]
    edges = [cuts(column) for column in columns] if edges is None else edges
    values = [np.unique(column[~np.isnan(column)]) for column in columns]
    codes = slots_of(np.column_stack(columns), Schema(tuple(features)), edges)
    single = (len(v) == len(e) + 1 for v, e in zip(values, edges, strict=True))
    return Binned(tuple(features), tuple(edges), tuple(values), codes, tuple(single))


def conditions_of(candidates):
    return [candidates.condition(k, False) for k in range(candidates.n_conditions)]


def thresholds(candidates):
    return np.array([condition.value for condition in conditions_of(candidates)])


def test_quantile_thresholds_have_equally_many_rows_in_between():
    column = np.exp(3 * np.random.default_rng(0).normal(size=5000))
    found = candidates_for(binned(column), 0, **QUANTILES)
    shares = np.mean(column[:, None] <= thresholds(found), axis=0)
    np.testing.assert_allclose(shares, np.arange(1, 32) / 32, atol=1e-3)


def test_quantile_thresholds_take_all_cuts_when_there_are_few():
    column = np.repeat(np.arange(24.0), [1000] + [1] * 23)
    found = candidates_for(binned(column), 0, **QUANTILES)
    np.testing.assert_array_equal(thresholds(found), np.arange(23) + 0.5)


def uniform_thresholds(column, max_bins=1024):
    schema = Schema((numeric(column, "x0", 0),))
    table = bin_table(column[:, None], schema, max_bins, n_spaced=20)
    return thresholds(candidates_for(table, 0, thresholds="uniform", n_thresholds=20))


@pytest.mark.parametrize("max_bins", [16, 4096])
def test_uniform_thresholds_are_equally_spaced_whatever_the_bins(max_bins):
    column = np.random.default_rng(0).uniform(size=2000)
    spaced = np.linspace(column.min(), column.max(), 20)
    # right of the last there is nothing; left of the first there is the smallest value
    np.testing.assert_array_equal(uniform_thresholds(column, max_bins), spaced[:-1])


def test_uniform_thresholds_that_divide_the_rows_alike_are_one():
    column = np.array([0.0, 1.0, 100.0])
    np.testing.assert_array_equal(uniform_thresholds(column), [0.0, 100 / 19])


def test_all_thresholds_are_all_cuts():
    column = np.arange(500.0)
    found = candidates_for(binned(column), 0, thresholds="all", n_thresholds=1)
    np.testing.assert_array_equal(thresholds(found), cuts(column))


def test_levels_are_compared_by_equality():
    feature = Feature("job", 0, "categorical", ("a", "b", "c"), has_missing=True)
    column = np.array([0.0, 2.0, 3.0, np.nan])  # 3: a level not among them
    found = candidates_for(binned(column, features=[feature], edges=[np.empty(0)]), 0, **QUANTILES)
    assert [str(c) for c in conditions_of(found)] == ["job = a", "job = b", "job = c"]
    np.testing.assert_array_equal(found.codes(column), [0, 2, 3, 4])


@pytest.mark.parametrize("column", [np.full(5, 3.0), np.full(5, np.nan)])
@pytest.mark.parametrize("kind", ["quantile", "uniform", "all"])
def test_a_constant_column_offers_nothing_but_its_missing_values(column, kind):
    found = candidates_for(binned(column), 0, thresholds=kind, n_thresholds=31)
    assert found.n_conditions == 0
    np.testing.assert_array_equal(found.codes(column), np.isnan(column))


VALUES = st.one_of(st.just(np.nan), st.floats(-100, 100), st.integers(-3, 3).map(float))


@given(
    column=hnp.arrays(float, st.integers(1, 40), elements=VALUES),
    kind=st.sampled_from(["quantile", "uniform", "all"]),
    n_thresholds=st.integers(1, 6),
    missing=st.booleans(),
)
@example(column=np.array([0.0, -5e-324]), kind="all", n_thresholds=1, missing=False)
def test_codes_and_conditions_agree(column, kind, n_thresholds, missing):
    schema = Schema((numeric(column, "x0", 0),))
    table = bin_table(column[:, None], schema, 16, n_thresholds if kind == "uniform" else 0)
    (edges,) = table.edges
    found = candidates_for(table, 0, thresholds=kind, n_thresholds=n_thresholds)
    codes = found.codes(column)
    assert codes.dtype == np.uint16
    np.testing.assert_array_equal(code_matrix([found], table), [codes])  # bins know it too
    for t in range(found.n_conditions):
        condition = found.condition(t, missing)
        np.testing.assert_array_equal(found.holds(codes, t, missing), condition.holds(column))
        assert np.isin(condition.edges, edges).all()
    present = found.condition(found.n_conditions, False)
    np.testing.assert_array_equal(found.holds(codes, found.n_conditions, False), ~np.isnan(column))
    np.testing.assert_array_equal(present.holds(column), ~np.isnan(column))


def test_not_missing_is_a_condition_on_levels_too():
    feature = Feature("job", 0, "categorical", ("a", "b"), has_missing=True)
    column = np.array([0.0, 1.0, 2.0, np.nan])
    found = candidates_for(binned(column, features=[feature], edges=[np.empty(0)]), 0, **QUANTILES)
    condition = found.condition(2, False)
    assert str(condition) == "job is not missing"
    np.testing.assert_array_equal(condition.holds(column), [True, True, True, False])
    np.testing.assert_array_equal(
        found.holds(found.codes(column), 2, False), [True, True, True, False]
    )


def test_code_matrix_has_one_line_per_feature():
    table = binned(np.array([1.0, 2.0, 3.0]), np.array([np.nan, 7.0, 8.0]))
    candidates = [candidates_for(table, j, **QUANTILES) for j in (1, 0)]
    np.testing.assert_array_equal(code_matrix(candidates, table), [[2, 0, 1], [0, 1, 2]])
