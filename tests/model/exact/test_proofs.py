"""Rounding up is exact: the least double that is not below a real sum."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calmgam.model.exact.proofs import _difference_up, sum_up
from calmgam.verify import up

NUMBERS = st.floats(-1e100, 1e100)


def assert_least(rounded, exact):
    assert Fraction(rounded) >= exact > Fraction(math.nextafter(rounded, -math.inf))


@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_sums(parts):
    exact = sum(map(Fraction, parts))
    assert_least(sum_up(parts), exact)
    assert up(parts) == sum_up(parts)


@given(NUMBERS, NUMBERS | st.floats(-1e-300, 1e-300))
def test_differences(a, b):
    rounded = _difference_up(np.array([a]), np.array([b]))[0]
    assert_least(rounded, Fraction(a) - Fraction(b))
