"""A grid never changes a slot: what is left to compare is enough, for any edges and numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calmgam.read.export.sql.grid import grid_of

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def slots(grid, edges, numbers):
    """Search as the query does."""
    with np.errstate(over="ignore"):
        place = (numbers - grid.low) * grid.scale
    cells = np.floor(np.clip(place, 0, grid.n_cells - 1)).astype(int)
    found = np.array(grid.first)[cells]
    padded = np.append(edges, np.full(2**grid.n_steps, np.inf))
    for bit in reversed(range(grid.n_steps)):
        found = found + 2**bit * (numbers > padded[found + 2**bit - 1])
    return found


def check(edges):
    grid = grid_of(edges)
    if grid is None:
        return
    numbers = np.concatenate(
        [edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [-1e308, 0.0, 1e308]]
    )
    np.testing.assert_array_equal(slots(grid, edges, numbers), np.searchsorted(edges, numbers))


@given(st.lists(NUMBERS, min_size=1, max_size=60, unique=True))
@settings(max_examples=200, deadline=None)
def test_slots_are_those_of_a_plain_search(edges):
    check(np.unique(edges))


@pytest.mark.parametrize("shape", ["normal", "lognormal", "whole"])
def test_many_edges_leave_few_steps(shape):
    rng = np.random.default_rng(0)
    values = {"normal": rng.normal, "lognormal": rng.lognormal}.get(shape)
    edges = np.unique(values(size=1000) if values else np.arange(1000.0) + 0.5)
    check(edges)
    assert grid_of(edges).n_steps <= 5 < len(edges).bit_length()


def test_edges_beyond_any_grid_have_none():
    assert grid_of(np.array([1.0])) is None
    assert grid_of(np.array([-1.7e308, 0.0, 1.7e308])) is None
