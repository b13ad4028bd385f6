import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_strategies import SCHEMA, TABLE, regions

from calmgam.model import Condition, Feature, Region, Schema, parse_region

BIKES = Schema(
    (
        Feature("hour", 0, "numeric", has_missing=True),
        Feature("workingday", 1, "categorical", ("no", "yes")),
        Feature("job", 2, "categorical", ("a", "b", "United States", "don't")),
        Feature("7", 3, "numeric"),
        Feature("wind speed", 4, "numeric"),
    )
)
HOUR, WORKING, JOB, SEVEN, WIND = BIKES.features


@given(regions(tight=True))
def test_text_reads_back_as_the_same_region(region):
    reread = parse_region(str(region), SCHEMA)
    rows = TABLE[~np.isnan(TABLE[:, [1, 3]]).any(axis=1)]  # text is silent on missing never seen
    np.testing.assert_array_equal(reread.contains(rows), region.contains(rows))


@given(st.text(min_size=1), st.lists(st.text(), min_size=1, max_size=4, unique=True))
def test_any_name_and_level_can_be_written(name, levels):
    schema = Schema(
        (Feature(name, 0, "categorical", tuple(levels)), Feature(name + "2", 1, "numeric"))
    )
    level, number = schema.features
    for condition in (Condition(level, "=", (0,)), Condition(level, "!=", (0,))):
        for bound in (Condition(number, "<=", 1.5), Condition(number, ">", -1e300)):
            region = Region((condition, bound))
            assert parse_region(str(region), schema) == region


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("", []),
        ("everywhere", []),
        ("hour <= 7", [Condition(HOUR, "<=", 7)]),
        ("hour<=7 or missing", [Condition(HOUR, "<=", 7, True)]),
        ("hour < 7", [Condition(HOUR, "<=", math.nextafter(7, 0))]),
        ("hour >= 7", [Condition(HOUR, ">", math.nextafter(7, 0))]),
        ("hour == 7", [Condition(HOUR, "=", 7, bounds=(math.nextafter(7, 0), 7))]),
        ("7 < hour", [Condition(HOUR, ">", 7)]),
        ("12 >= hour > 7", [Condition(HOUR, "<=", 12), Condition(HOUR, ">", 7)]),
        ("7 < hour <= 12", [Condition(HOUR, ">", 7), Condition(HOUR, "<=", 12)]),
        ('"7" <= 8', [Condition(SEVEN, "<=", 8)]),
        ("7 <= 8", [Condition(SEVEN, "<=", 8)]),
        (
            "wind speed > 1e3 AND hour IS MISSING",
            [Condition(WIND, ">", 1000), Condition(HOUR, ">", math.inf, True)],
        ),
        ("hour is not missing", [Condition(HOUR, "<=", math.inf)]),
        ("workingday = yes", [Condition(WORKING, "=", (1,))]),
        ("'workingday' != \"yes\"", [Condition(WORKING, "!=", (1,))]),
        ("job in {b, a, United States}", [Condition(JOB, "=", (0, 1, 2))]),
        ('job not in {b, "don\'t"} or missing', [Condition(JOB, "!=", (1, 3), True)]),
        ("job in {}", [Condition(JOB, "=", ())]),
    ],
)
def test_what_people_write(text, conditions):
    assert parse_region(text, BIKES) == Region(tuple(conditions))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hours <= 7", "no feature 'hours'; did you mean 'hour'"),
        ("HOUR <= 7", "did you mean 'hour'"),
        ("qqq <= 7", "no feature 'qqq'; there are"),
        ("workingday = yess", "no level 'yess'; did you mean 'yes'"),
        ("workingday <= yes", "has levels"),
        ("hour <= noon", "one number"),
        ("hour <= nan", "one number"),
        ("hour in {1, 2}", "one number"),
        ("hour", "expected a comparison, got the end"),
        ("hour <=", "expected a value, got the end"),
        ("<= 7", "expected a feature's name, got '<='"),
        ("hour <= 7 or", "expected 'and' or the end, got 'or'"),
        ("hour <= 7 and", "expected a feature's name, got the end"),
        ("job in a", "expected '{'"),
        ("job in {a", "expected ',' or '}'"),
        ("7 < hour = 8", "a range is written"),
        ("hour <= 7 ! 8", "'! 8' is not understood"),
        ('"hour <= 7', "not understood"),
    ],
)
def test_errors_say_what_is_wrong(text, message):
    with pytest.raises(ValueError, match="cannot read region") as caught:
        parse_region(text, BIKES)
    assert message in str(caught.value)


@given(st.text(st.sampled_from(list("hour7<=>!{},'\" andormissing\\")), max_size=30))
def test_any_text_gives_a_region_or_a_value_error(text):
    with contextlib.suppress(ValueError):
        parse_region(text, BIKES)
