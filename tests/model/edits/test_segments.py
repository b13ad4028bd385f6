"""Bands of a sequence: the exact minimum for any price."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.model.edits.segments import Sequence, joined_starts


def brute_force(heights, weights, price):
    """Try every way to cut."""
    n = len(heights)
    best = np.inf
    for size in range(n):
        for cuts in itertools.combinations(range(1, n), size):
            cost = price * (size + 1)
            for part in np.split(np.arange(n), cuts):
                mean = np.average(heights[part], weights=weights[part])
                cost += weights[part] @ (heights[part] - mean) ** 2
            best = min(best, cost)
    return best


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0.1, 2)), min_size=1, max_size=9),
    st.floats(0.01, 5),
)
def test_bands_have_the_smallest_cost(pairs, price):
    heights, weights = np.array(pairs).T
    sequence = Sequence(heights, weights)
    cuts = sequence.cut(price)
    ends = np.concatenate([[0], cuts, [len(sequence.starts)]])
    cost = sequence.costs(ends[:-1], ends[1:]).sum() + price * (len(ends) - 1)
    assert cost == pytest.approx(brute_force(heights, weights, price), abs=1e-9)


def test_neighbours_that_differ_least_are_joined_first():
    heights = np.array([0, 0, 1, 1.1, 5, 5.05, 5.0])
    starts = joined_starts(heights, np.ones(7), 3)
    assert starts.tolist() == [0, 2, 4]
    assert joined_starts(heights, np.ones(7), 9).tolist() == [0, 2, 3, 4, 5, 6]  # equal ones, too


def test_long_sequences_are_joined_before_they_are_cut():
    rng = np.random.default_rng(0)
    truth = np.repeat([0.0, 1.0, -1.0, 2.0], 250)
    sequence = Sequence(truth + rng.normal(size=1000) / 20, np.ones(1000))
    cuts = sequence.cut(10.0)
    np.testing.assert_allclose(sequence.starts[cuts], [250, 500, 750], atol=2)


def test_cuts_may_move_where_that_costs_little():
    heights = np.array([0, 0, 0.1, 0.2, 0.9, 1, 1, 1.0])
    sequence = Sequence(heights, np.ones(8))
    cuts = sequence.cut(0.2)
    at = sequence.starts[cuts].tolist()
    assert at == [4]
    windows = sequence.nearly_as_good(cuts, 0.0)
    assert sequence.starts[windows].tolist() == [[4, 4]]
    low, high = sequence.starts[sequence.nearly_as_good(cuts, 10.0)][0]
    assert low <= 4 <= high
    assert low < high
