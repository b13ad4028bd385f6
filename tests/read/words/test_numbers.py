import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.read.words.numbers import (
    Scale,
    brief_number,
    data_number,
    number_texts,
    range_text,
    scale_of,
    short_number,
    signed_number,
    signed_texts,
    tick_texts,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1234.0, "1234"),  # integers stay whole
        (12345.678, "12346"),
        (-0.00012345, "-0.000123"),
        (9.9996, "10"),
        (0.0, "0"),
        (-0.0, "0"),
        (139, "139"),
        (1.5e300, "1.5e300"),
        (-1.23456e-9, "-1.23e-9"),
        (1e-310, "1e-310"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_a_number_has_a_few_digits(number, text):
    assert brief_number(number) == text


def test_a_change_has_a_sign():
    assert [signed_number(x) for x in (2.0, -0.12345, 0.0, 1e300)] == [
        "+2",
        "-0.123",
        "0",
        "+1e300",
    ]


def test_numbers_that_are_compared_can_be_told_apart():
    assert number_texts([1234000.4, 1234007.9]) == ["1234000.4", "1234007.9"]
    assert number_texts([10, 7, 6]) == ["10", "7", "6"]
    assert number_texts([0.34512, 0.34498, 0.33], 4) == ["0.34512", "0.34498", "0.33"]
    assert number_texts([5.0, 5.0 + 1e-13]) == ["5", "5"]
    assert number_texts([-1.7e308, 1.7e308]) == ["-1.7e308", "1.7e308"]
    assert number_texts([]) == []


def test_a_range_of_one_number_is_the_number():
    assert range_text(-1.0, 2.0) == "[-1, 2]"
    assert range_text(4.0, 4.0) == "4"
    assert range_text(0.0, 0.0) == "0"


def test_both_ends_of_a_range_have_the_same_decimals():
    assert range_text(-0.0000571, 0.36989) == "[0, 0.37]"
    assert range_text(-138.69, 48.55) == "[-139, 49]"
    assert range_text(0.0001234, 0.00056789) == "[0.000123, 0.000568]"
    assert range_text(1000.1, 1000.3) == "[1000.1, 1000.3]"


def test_what_is_but_rounding_is_nothing():
    assert signed_texts([0.5, -0.25, 1.137e-13]) == ["+0.500", "-0.250", "0.000"]
    assert signed_texts([1.137e-13], beside=1e6) == ["0"]
    assert signed_texts([1.137e-13]) == ["+1.14e-13"]  # there is nothing else to compare with
    assert signed_texts([3e5, -25012.3], beside=1e6) == ["+300000", "-25012"]
    assert signed_texts([]) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (86556179.0, "86556179"),
        (7.0, "7"),
        (0.1 + 0.2, "0.3"),
        (1234567.891, "1234567.89"),
        (20110101.5, "20110101.5"),
        (0.123456789, "0.123457"),
        (-0.0, "0"),
        (1e-9, "1e-9"),
        (1e300, "1e300"),
        (math.nan, "nan"),
    ],
)
def test_numbers_are_written_as_the_data_has_them(value, text):
    assert data_number(value) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0, 100, 200], ["0", "100", "200"]),
        ([2000, 2010], ["2000", "2010"]),
        ([200_000, 210_000], ["200k", "210k"]),
        ([-2.5e6, 0, 2.5e6], ["-2.5M", "0", "2.5M"]),
        ([207_300, 207_350], ["207.3k", "207.35k"]),
        ([12345670, 12345680], ["12345670", "12345680"]),
        ([0, 1e-9, 2.5e-9], ["0", "1e-9", "2.5e-9"]),
        ([-1e300, 0, 1.5e300], ["-1e300", "0", "1.5e300"]),
        ([1e17, 2e17], ["1e17", "2e17"]),
        ([-1.7e308, 1.7e308], ["-1.7e308", "1.7e308"]),
        ([0], ["0"]),
        ([], []),
    ],
)
def test_ticks_are_short_and_different(values, texts):
    assert tick_texts(values) == texts


def test_numbers_on_a_logarithmic_axis():
    numbers = (0, 1e-7, 0.1, 100, 1000, 2.5e6, -1e4, 1e12, 1e17)
    texts = ["0", "1e-7", "0.1", "100", "1k", "2.5M", "-10k", "1T", "1e17"]
    assert [short_number(x) for x in numbers] == texts


@given(st.lists(FINITE, min_size=1, max_size=8))
def test_no_number_fills_a_page(values):
    texts = [
        *map(brief_number, values),
        *map(data_number, values),
        *number_texts(values),
        *signed_texts(values),
        *tick_texts(values),
        *scale_of(values).sum_texts(values),
    ]
    assert max(map(len, texts)) <= 30


@given(st.floats(-1e307, 1e307))
def test_a_brief_number_is_close(value):
    assert float(brief_number(value, 4)) == pytest.approx(value, rel=1e-3)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.integers(0, 4))
def test_written_numbers_add_up_and_stay_close(values, n_decimals):
    scale = Scale(n_decimals)
    written = [Decimal(text) for text in scale.sum_texts(values)]
    unit = Decimal(1).scaleb(-n_decimals)
    assert abs(sum(written) - sum(map(Decimal, values))) <= Decimal("0.51") * unit
    assert all(abs(w - Decimal(v)) <= unit for w, v in zip(written, values, strict=True))


def test_the_largest_remainders_go_up():
    assert Scale(0).sum_texts([0.2, 0.9, 0.9]) == ["0", "+1", "+1"]
    assert Scale(1).sum_texts([0.14, 0.19, -0.07]) == ["+0.2", "+0.2", "-0.1"]


def test_numbers_of_any_size_add_up():
    scale = scale_of([1e300, 5e299, -1e290], 4)
    assert scale.sum_texts([1e300, 5e299, -1e290]) == ["+1.000e300", "+0.500e300", "0.000"]
