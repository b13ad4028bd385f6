import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from calmgam import _kernels
from calmgam.fit.scale.batches import MemoryBatch, fold_of, row_hashes
from calmgam.fit.scale.moments import FixedPoint, joined_slots
from fit_scale import moments_pass, table_of


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hashes_equal_their_twin_and_ignore_precision(dtype):
    values = np.array([0.0, -0.0, 1.5, np.nan, -np.nan, 1e30, 0.1], dtype=dtype)
    hashes = np.arange(len(values), dtype=np.uint64)
    expected = oracles.mix_column(values.astype(float), hashes)
    _kernels.mix_column(values, hashes)
    np.testing.assert_array_equal(hashes, expected)


def test_zeros_and_missing_values_of_any_bits_have_one_hash():
    hashes = np.zeros(2, dtype=np.uint64)
    _kernels.mix_column(np.array([0.0, -0.0]), hashes)
    assert hashes[0] == hashes[1]
    hashes[:] = 0
    _kernels.mix_column(np.array([np.nan, -np.nan]), hashes)
    assert hashes[0] == hashes[1]


@given(st.integers(0, 70), st.integers(0, 40), st.booleans())
@settings(max_examples=50, deadline=None)
def test_slots_equal_their_twin(n_edges, n_rows, single):
    rng = np.random.default_rng(n_edges * 41 + n_rows)
    edges = np.unique(rng.integers(-20, 20, n_edges).astype(float))
    values = rng.integers(-22, 22, n_rows).astype(np.float32 if single else np.float64)
    values[rng.random(n_rows) < 0.1] = np.nan
    slots = np.empty(n_rows, dtype=np.uint16)
    _kernels.find_slots(values, edges, slots)
    np.testing.assert_array_equal(slots, oracles.find_slots(values, edges))


@pytest.mark.parametrize("code", [np.uint8, np.uint16])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_equal_their_twins(code, weighted):
    rng = np.random.default_rng(0)
    n_cells, n_folds, n_rows = [5, 3, 7], 3, 200
    codes = np.array([rng.integers(0, n, n_rows) for n in n_cells], dtype=code)
    fold = np.sort(rng.integers(0, n_folds, n_rows))
    starts = np.searchsorted(fold, np.arange(n_folds + 1)).tolist()
    weights = rng.integers(0, 2**40, n_rows) if weighted else np.ones(n_rows, dtype=np.int64)
    values = rng.integers(-(2**50), 2**50, n_rows)
    given_weights = weights if weighted else None
    kind = np.int64 if weighted else np.uint32
    tiles = np.zeros((n_folds, 5 * 3 + 5 * 7 + 3 * 7), dtype=kind)
    _kernels.add_pairs(codes, n_cells, starts, given_weights, tiles, 2)
    np.testing.assert_array_equal(tiles, oracles.add_pairs(codes, n_cells, fold, n_folds, weights))
    sums, totals = (np.zeros((n_folds, 15), dtype=np.int64) for _ in range(2))
    _kernels.add_cells(codes, n_cells, starts, given_weights, values, totals, sums, 2)
    np.testing.assert_array_equal(sums, oracles.add_cells(codes, n_cells, fold, n_folds, values))
    np.testing.assert_array_equal(totals, oracles.add_cells(codes, n_cells, fold, n_folds, weights))


def test_sums_beyond_their_bits_go_round():
    """As numpy's do: a signed overflow would be undefined."""
    codes, most = np.zeros((2, 2), np.uint8), np.full(2, 2**63 - 1, np.int64)
    tiles, totals, sums = (np.zeros((1, n), np.int64) for n in (1, 2, 2))
    _kernels.add_pairs(codes, [1, 1], [0, 2], most, tiles, 1)
    _kernels.add_cells(codes, [1, 1], [0, 2], most, most, totals, sums, 1)
    assert [tiles.tolist(), totals.tolist(), sums.tolist()] == [[[-2]], [[-2, -2]], [[-2, -2]]]
    tiles[:] = most[0]
    _kernels.add_pairs(codes, [1, 1], [0, 2], None, tiles, 1)
    assert tiles.tolist() == [[1 - 2**63]]


def test_codes_beyond_their_cells_are_refused():
    codes, tiles = np.array([[0, 3], [0, 1]], dtype=np.uint8), np.zeros((1, 6), dtype=np.uint32)
    with pytest.raises(ValueError, match=r"codes\[0\] must be below 3; got 3"):
        _kernels.add_pairs(codes, [3, 2], [0, 2], None, tiles, 1)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.randoms(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_any_grouping_has_the_same_bits(sizes, random, weighted):
    X, y, weights = table_of(sum(sizes), weighted)
    if weighted:  # of very different sizes
        weights = 10.0 ** np.random.default_rng(2).uniform(-7, 7, len(y))
    one_pass = moments_pass(X, y, weights)
    whole = one_pass.add(one_pass.start(), MemoryBatch(X, y, weights))
    rows = np.random.default_rng(1).permutation(len(y))
    parts = []
    for part in np.split(rows, np.cumsum(sizes)[:-1]):
        batch = MemoryBatch(X[part], y[part], None if weights is None else weights[part])
        parts.append(one_pass.add(one_pass.start(), batch))
    while len(parts) > 1:  # added two by two, in any order
        random.shuffle(parts)
        parts.append(parts.pop() + parts.pop())
    for one, other in zip(whole.parts, parts[0].parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_integers_are_the_sums_they_stand_for():
    X, y, weights = table_of(500, weighted=True)
    one_pass = moments_pass(X, y, weights)
    moments = one_pass.add(one_pass.start(), MemoryBatch(X, y, weights))
    fixed = one_pass.fixed
    z = (y - fixed.mean) / fixed.scale
    scaled = weights / fixed.unit
    n_first = one_pass.cells.n_cells[0]
    assert moments.sums[:, :n_first].sum() / 2**fixed.value_bits == pytest.approx(
        (scaled * z).sum(), abs=1e-6
    )
    assert moments.squares.sum() / 2**fixed.square_bits == pytest.approx((scaled * z**2).sum())
    assert moments.weights[:, :n_first].sum() / 2**fixed.weight_bits == pytest.approx(scaled.sum())
    assert moments.n_rows == 500


@pytest.mark.parametrize("n_rows", [10, 10**9])
@pytest.mark.parametrize("largest", [1e-300, 1.0, 1e9])
def test_no_sum_of_fixed_point_numbers_overflows(n_rows, largest):
    fixed = FixedPoint.of(n_rows, largest, (0.0, 1.0), (1.0, 50.0))
    for bits, summand in (
        (fixed.value_bits, 50 * largest),
        (fixed.square_bits, 50 * largest**2),
        (fixed.weight_bits, 50.0),
    ):
        assert n_rows * summand * 2.0**bits < 2**63


def test_fine_slots_join_into_coarse_ones():
    fine = np.array([0.0, 1.0, 2.0, 3.0])
    assert joined_slots(fine, fine[[1, 3]]).tolist() == [0, 0, 1, 1, 2, 3]


def test_folds_and_hashes_depend_on_values_alone():
    X, y, _ = table_of(300, weighted=False)
    order = np.random.default_rng(3).permutation(300)
    hashes = row_hashes(MemoryBatch(X, y, None))
    np.testing.assert_array_equal(hashes[order], row_hashes(MemoryBatch(X[order], y[order], None)))
    shares = np.bincount(fold_of(hashes, 5), minlength=5) / 300
    assert shares.min() > 0.1
