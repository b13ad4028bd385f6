import numpy as np
import pytest

from calmgam.fit.support.settings import check_in, check_integer, check_number


@pytest.mark.parametrize("value", [1, 7, np.int64(3), 10**30])
def test_integers_pass(value):
    check_integer("n", value, low=1)


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", None, True, np.nan])
def test_anything_else_is_refused(value):
    with pytest.raises(ValueError, match="n must be an integer >= 1; got "):
        check_integer("n", value, low=1)


def test_none_passes_where_it_may():
    check_integer("n", None, low=1, or_none=True)
    with pytest.raises(ValueError, match="n must be an integer >= 1 or None; got 0"):
        check_integer("n", 0, low=1, or_none=True)


@pytest.mark.parametrize(
    ("bounds", "inside", "outside", "interval"),
    [
        ({"low": 0}, [0, 1e300, np.float32(2), np.inf], [-1e-9], r"\[0, inf\)"),
        ({"above": 0, "high": 1}, [1e-9, 1], [0, 1.001], r"\(0, 1\]"),
        ({"low": 0, "below": 1}, [0, 0.999], [1, -1], r"\[0, 1\)"),
        ({}, [-1e300, 5], [], r"\(-inf, inf\)"),
    ],
)
def test_numbers_between_bounds(bounds, inside, outside, interval):
    for value in inside:
        check_number("x", value, **bounds)
    for value in [*outside, "1", None, True]:
        with pytest.raises(ValueError, match=f"x must be a number in {interval}; got "):
            check_number("x", value, **bounds)


def test_not_a_number_is_outside_every_bound():
    with pytest.raises(ValueError, match="got nan"):
        check_number("x", np.nan, low=0)


def test_one_of_a_few():
    check_in("grid", "uniform", ("quantile", "uniform"))
    with pytest.raises(ValueError, match="grid must be one of 'quantile', 'uniform'; got 'all'"):
        check_in("grid", "all", ("quantile", "uniform"))
