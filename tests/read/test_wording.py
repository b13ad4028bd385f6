import pytest

from calmgam.model import Condition, Feature, Region
from calmgam.read.wording import (
    brief_number,
    cut,
    pretty,
    range_text,
    rule_text,
    short_number,
    threshold_text,
    wrap,
)

YEAR = Feature("year", 0, "numeric")


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (13.650000000000002, "13.65"),
        (2011.5, "2011.5"),  # never 2012: that year lies on the other side
        (20110101.5, "20110101.5"),
        (0.000123456789, "0.000123457"),
        (-117.67500000000001, "-117.675"),
        (0.0, "0"),
    ],
)
def test_thresholds_are_short_but_not_misleading(threshold, text):
    assert threshold_text(threshold) == text
    assert rule_text(Region((Condition(YEAR, "<=", threshold),))) == f"year <= {text}"


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
