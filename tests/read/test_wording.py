import math

import pytest

from calmgam.model import Condition, Feature, Region
from calmgam.read.wording import (
    brief_number,
    cut,
    listed,
    pretty,
    range_text,
    rule_text,
    short_number,
    threshold_text,
    wrap,
)

YEAR = Feature("year", 0, "numeric", low=2000, high=2020)


@pytest.mark.parametrize(
    ("high", "threshold", "text"),
    [
        (40, 13.650000000000002, "13.65"),
        (2, 1.23456789, "1.235"),  # 1/2000 of the range is finer than three digits
        (2, -0.00564248, "-0.00564"),  # three digits are finer
        (2020, 2011.5, "2011.5"),  # never 2012: that year lies on the other side
        (1e8, 20110101.5, "20110101.5"),
        (10, -117.67500000000001, "-117.675"),
        (1, 0.0, "0"),
        (math.nan, 1.23456789, "1.23456789"),  # nothing is known of the range
    ],
)
def test_thresholds_are_short_but_not_misleading(high, threshold, text):
    feature = Feature("x", 0, "numeric", low=0.0, high=high)
    assert threshold_text(feature, threshold) == text
    assert rule_text(Region((Condition(feature, "<=", threshold),))) == f"x <= {text}"


def test_values_and_levels_are_left_alone():
    value = 1.23456789
    condition = Condition(YEAR, "=", value, bounds=(1.0, 2.0))
    assert rule_text(Region((condition,))) == f"year = {value}"
    job = Feature("job", 0, "categorical", ("a", "b"))
    assert rule_text(Region((Condition(job, "!=", (1,)),))) == "job != b"
    assert rule_text(Region()) == "everywhere"


@pytest.mark.parametrize(
    ("number", "text"),
    [(1234.0, "1230"), (-0.00012345, "-0.000123"), (0.0, "0"), (-0.0, "0"), (139, "139")],
)
def test_brief_numbers_have_no_exponent(number, text):
    assert brief_number(number) == text


def test_a_range_of_one_number_is_the_number():
    assert range_text(-1.0, 2.0) == "[-1, 2]"
    assert range_text(4.0, 4.0) == "4"
    assert range_text(0.0, 0.0) == "0"


def test_both_ends_of_a_range_have_the_same_decimals():
    assert range_text(-0.0000571, 0.36989) == "[0, 0.37]"
    assert range_text(-138.69, 48.55) == "[-139, 49]"
    assert range_text(0.0001234, 0.00056789) == "[0.000123, 0.000568]"


def test_numbers_on_an_axis():
    assert [short_number(x) for x in (0.1, 100, 1000, 2.5e6, -1e4)] == [
        "0.1",
        "100",
        "1k",
        "2.5M",
        "-10k",
    ]


def test_long_texts_are_cut_or_wrapped():
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    text = wrap("one two three four five six", 10)
    assert text.count("\n") == 1
    assert text.endswith("…")
    assert all(len(line) <= 10 for line in text.split("\n"))


def test_conditions_do_not_break_inside():
    rule = pretty("age <= 3 and job != a-b")
    assert wrap(rule, 12).split("\n") == ["age\u00a0≤\u00a03 and", "job\u00a0≠\u00a0a-b"]


@pytest.mark.parametrize(
    ("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")]
)
def test_names_in_one_phrase(names, text):
    assert listed(names) == text
