import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from calmgam.fit.data import binning
from calmgam.fit.data.binning import Binned, bin_table, content_order, cuts
from calmgam.fit.regions.given import given_trees
from calmgam.model.regions import Condition
from calmgam.model.schema import Feature, Schema
from calmgam.model.tree import PartitionTree
from prepared import prepared_of
from tables import MixedTable, mixed_table

finite = st.floats(allow_nan=False, allow_infinity=False)  # huge, tiny and denormal ones too
neighbours = finite.flatmap(lambda x: st.sampled_from([x, np.nextafter(x, np.finfo(float).max)]))
columns = npst.arrays(
    np.float64,
    st.integers(1, 60),
    elements=st.one_of(finite, neighbours, st.sampled_from([0.0, 1.0, 2.0, np.nan])),
)


@given(column=columns, max_bins=st.integers(2, 20))
def test_cuts_lie_between_adjacent_values(column, max_bins):
    edges, centres, _ = cuts(column, max_bins)
    values = np.unique(column[~np.isnan(column)])
    assert len(edges) + 1 <= max_bins
    assert np.all(np.diff(edges) > 0)
    below = np.searchsorted(values, edges, side="right")  # values <= edge
    assert np.all((below >= 1) & (below < len(values)))
    assert len(np.unique(below)) == len(edges)  # no bin is empty
    if len(values) <= max_bins:
        assert len(edges) == max(len(values) - 1, 0)
    if len(values):
        bins = np.searchsorted(edges, values)
        for index, centre in enumerate(centres):  # means but for rounding
            in_bin = values[bins == index] / 2  # no overflow
            slack = 1e-14 * np.abs(values).max()
            assert in_bin.min() - slack <= centre / 2 <= in_bin.max() + slack


@pytest.mark.parametrize(
    ("left", "right", "cut"),
    [
        (-0.0055, 0.0084, 0.0),
        (7.0, 8.0, 7.5),
        (7.0, 10.0, 8.0),
        (64.3, 66.1, 65.0),
        (99.2, 104.0, 100.0),
        (0.12301, 0.12344, 0.1232),
        (-1.9, -1.2, -1.5),
        (1.0, np.nextafter(1.0, 2.0), 1.0),
        (-1e308, 1.5e308, 0.0),
        (0.0, 5e-324, 0.0),
    ],
)
def test_cuts_are_round(left, right, cut):
    np.testing.assert_array_equal(cuts(np.array([left, right]), 2)[0], [cut])


@given(st.integers(-999, 999), st.integers(-6, 6), st.floats(0.001, 0.9), st.floats(0.001, 0.9))
def test_nothing_rounder_lies_between(digits, power, below, above):
    number = float(f"{digits}e{power}")
    unit = 10.0**power
    (edge,), *_ = cuts(np.array([number - below * unit, number + above * unit]), 2)
    # the number itself has its last digit at `power`: the cut needs no finer one
    assert round(edge / unit) == pytest.approx(edge / unit, abs=1e-6)


@given(column=columns, max_bins=st.integers(2, 20))
def test_slots_and_conditions_agree(column, max_bins):
    schema = Schema((Feature("x", 0, "numeric", has_missing=True),))
    binned = bin_table(column[:, None], schema, max_bins)
    codes, edges = binned.codes[0], binned.edges[0]
    missing = np.isnan(column)
    np.testing.assert_array_equal(codes == binned.n_slots[0] - 1, missing)
    for index, edge in enumerate(edges):
        holds = Condition(schema["x"], "<=", float(edge)).holds(column)
        np.testing.assert_array_equal(holds, (codes <= index) & ~missing)


def test_bins_hold_about_equally_many_rows():
    column = np.random.default_rng(0).lognormal(size=10_000)
    _, counts = np.unique(np.searchsorted(cuts(column, 50)[0], column), return_counts=True)
    assert len(counts) == 50
    assert counts.min() >= 199 and counts.max() <= 201


def test_a_frequent_value_shares_its_bin_with_few():
    column = np.append(np.zeros(1000), np.random.default_rng(0).normal(size=1000))
    edges, *_ = cuts(column, 20)
    alone = np.searchsorted(edges, column) == np.searchsorted(edges, 0.0)
    assert alone.sum() <= 1000 + 2 * 100


@pytest.mark.parametrize("column", [[3.0, 3.0, 3.0], [np.nan, np.nan], [np.nan, 7.0], [-0.0, 0.0]])
def test_without_two_values_there_is_nothing_to_cut(column):
    edges, centres, _ = cuts(np.array(column), 10)
    assert (len(edges), len(centres)) == (0, 1)


def test_between_neighbouring_floats_the_left_one_is_the_cut():
    left = 1.0
    right = np.nextafter(left, 2.0)
    np.testing.assert_array_equal(cuts(np.array([left, right]), 10)[0], [left])


def test_the_middle_does_not_overflow():
    largest = np.finfo(float).max
    np.testing.assert_array_equal(cuts(np.array([-largest, largest]), 10)[0], [0.0])
    assert np.isfinite(np.concatenate(cuts(np.array([largest / 2, largest]), 2)[:2])).all()


def test_slots_of_every_kind_of_column():
    X, _, schema = mixed_table()
    binned = bin_table(X, schema, 16)
    assert [len(edges) for edges in binned.edges] == [15, 15, 0, 0, 15]
    assert binned.n_slots == (17, 17, 9, 4, 17)  # bins or levels, unseen for levels, missing
    levels = X[:, 2]
    seen = ~np.isnan(levels)
    np.testing.assert_array_equal(binned.codes[2][seen], levels[seen])
    assert np.all(binned.codes[2][~seen] == 8)


def test_a_cell_is_leaf_times_slots_plus_slot():
    X, y, schema = mixed_table()
    prepared = prepared_of(X, y, schema, max_bins=16)
    binned, trees = prepared.binned, given_trees({"a": ["b <= 0", "b > 0"]}, prepared)
    cells = binned.cells(trees)
    np.testing.assert_array_equal(cells[0] // 17, trees[0].leaf_of(X))
    np.testing.assert_array_equal(cells[0] % 17, binned.codes[0])
    np.testing.assert_array_equal(cells[1:], binned.codes[1:])


def test_too_many_cells_are_refused(monkeypatch):
    X, y, schema = mixed_table()
    prepared = prepared_of(X, y, schema, max_bins=16)
    binned, trees = prepared.binned, given_trees({"a": ["b <= 0", "b > 0"]}, prepared)
    monkeypatch.setattr(binning, "MAX_CELLS", 34)
    binned.cells(trees)
    monkeypatch.setattr(binning, "MAX_CELLS", 33)
    message = "'a' has 2 curves of 17 slots: curves times slots must be at most 33; lower max_bins"
    with pytest.raises(ValueError, match=message):
        binned.cells(trees)


def test_regions_are_looked_up_by_codes():
    """Also of rows in coarser bins: thresholds are cuts of the fine ones."""
    table = MixedTable(max_bins=100)
    coarse = table.binned.coarsened(5)
    rows = np.arange(0, 600, 7)
    for i, tree in enumerate(table.trees):
        leaves = tree.leaf_of(table.X)
        np.testing.assert_array_equal(table.binned.leaf_of(tree), leaves)
        np.testing.assert_array_equal(coarse.leaf_of(tree), leaves)
        np.testing.assert_array_equal(coarse.take(rows).leaf_of(tree), leaves[rows])
        cells = coarse.cells(table.trees)[i]
        np.testing.assert_array_equal(cells, leaves * coarse.n_slots[i] + coarse.codes[i])


def test_cells_reach_to_the_end_of_uint16():
    X = np.arange(4096.0)[:, None]
    X = np.column_stack([X, X[::-1]])
    schema = Schema.learn(X)
    binned = bin_table(X, schema, 4095)  # with missing: 4096 slots
    other = schema.features[1]
    tree = PartitionTree.trivial()
    for cut in range(15):  # 16 leaves of 4096 slots: cells 0 .. 65535
        leaf = int(tree.leaf_of(np.array([[0.0, 4095.0]]))[0])
        tree = tree.split(leaf, Condition(other, "<=", float(binned.edges[1][200 * cut])))
    cells = binned.cells((tree, PartitionTree.trivial()))[0]
    assert cells.dtype == np.uint16
    np.testing.assert_array_equal(cells // 4096, tree.leaf_of(X))
    np.testing.assert_array_equal(cells % 4096, binned.codes[0])


def test_centres_of_joined_bins_are_means_of_their_values():
    X, _, schema = mixed_table()
    coarse = bin_table(X, schema, 100).coarsened(7)
    for i in (0, 1, 4):
        column, codes = X[:, i], coarse.codes[i]
        means = [column[codes == b].mean() for b in range(len(coarse.edges[i]) + 1)]
        np.testing.assert_allclose(coarse.centres[i], means)


def test_the_order_depends_on_values_alone():
    X, _, schema = mixed_table()
    binned, places = bin_table(X, schema, 16), [4, 2, 0, 1, 3]
    moved = Binned(
        tuple(binned.features[i] for i in places),
        tuple(binned.edges[i] for i in places),
        tuple(binned.centres[i] for i in places),
        binned.codes[places],
        tuple(binned.one_value_a_bin[i] for i in places),
    )
    assert [places[i] for i in content_order(moved)] == content_order(binned)


def test_more_slots_than_codes_hold_are_refused():
    schema = Schema((Feature("x", 0, "numeric"),))
    with pytest.raises(ValueError, match=r"'x' has 70001 slots: .* at most 65536 together"):
        bin_table(np.arange(70_000.0)[:, None], schema, 70_000)


def test_some_features_in_another_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    binned = bin_table(X, Schema.learn(X), 8)
    part = binned.only([2, 0])
    assert part.features == (binned.features[2], binned.features[0])
    assert part.n_slots == (binned.n_slots[2], binned.n_slots[0])
    np.testing.assert_array_equal(part.codes, binned.codes[[2, 0]])
    assert part.edges[0] is binned.edges[2]
    assert part.centres[1] is binned.centres[0]
    coarse = binned.coarsened(3).only([2, 0])
    assert coarse.turns == part.turns == tuple({2: 0, 0: 1}[i] for i in binned.turns if i != 1)


def test_wanted_cuts_stay_as_they_are_and_replace_what_divides_alike():
    column = np.array([0.0, 1.0, 2.0, 10.0])
    edges, centres, single = cuts(column, 100, np.array([-1.0, 1.2, 1.4, 3.0, 10.0, 11.0]))
    assert edges.tolist() == [0.5, 1.2, 3.0]  # 1.4 divides like 1.2; beyond the values none does
    assert (centres.tolist(), single) == ([0, 1, 2, 10], True)
    many = np.arange(1000.0)
    edges, centres, single = cuts(many, 2, np.array([700.25]))
    assert edges[1] == 700.25
    assert len(centres) == 3
    assert centres[-1] == np.mean(many[many > 700.25])
    assert not single
