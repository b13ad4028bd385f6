import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_strategies import SCHEMA, TABLE, conditions, regions

from calmgam.model import Condition, Feature, Region

X, OTHER, JOB, FLAG = SCHEMA.features


@given(conditions())
def test_a_condition_and_its_negation_partition_every_value(condition):
    assert (condition.contains(TABLE) ^ condition.negate().contains(TABLE)).all()
    assert condition.negate().negate() == condition


@given(conditions())
def test_support_agrees_with_the_mask(condition):
    column = TABLE[:, condition.feature.index]
    inside = [any(a < v <= b for a, b in condition.support.intervals) for v in column.tolist()]
    expected = np.where(np.isnan(column), condition.support.missing, inside)
    np.testing.assert_array_equal(condition.holds(column), expected)


@given(st.data())
def test_condition_algebra_agrees_with_brute_force(data):
    features = (data.draw(st.sampled_from(SCHEMA.features)),)
    first, second = (
        data.draw(conditions(features=features)),
        data.draw(conditions(features=features)),
    )
    mask, other_mask = first.contains(TABLE), second.contains(TABLE)
    assert first.implies(second) == (mask <= other_mask).all()
    assert first.contradicts(second) == (not (mask & other_mask).any())


@given(regions(), regions())
def test_region_algebra_agrees_with_brute_force(first, second):
    mask, other_mask = first.contains(TABLE), second.contains(TABLE)
    assert first.is_empty == (not mask.any())
    assert first.implies(second) == (mask <= other_mask).all()
    assert first.contradicts(second) == (not (mask & other_mask).any())


@given(regions(), conditions())
def test_a_region_compares_with_a_condition_and_takes_one_more(region, condition):
    assert region.implies(condition) == region.implies(Region((condition,)))
    assert region.contradicts(condition) == region.contradicts(Region((condition,)))
    mask = region.with_condition(condition).contains(TABLE)
    np.testing.assert_array_equal(mask, region.contains(TABLE) & condition.contains(TABLE))


@given(regions())
def test_regions_come_back_from_plain_values(region):
    assert Region.from_dict(region.to_dict(), SCHEMA) == region


def test_conditions_on_different_features_say_nothing_about_each_other():
    first, second = Condition(X, "<=", 0.0), Condition(OTHER, "<=", 0.0)
    assert not first.implies(second)
    assert not first.contradicts(second)


def test_an_unseen_level_fails_every_equality():
    unseen = np.array([3.0])
    assert not Condition(JOB, "=", (0, 1, 2)).holds(unseen).any()
    assert Condition(JOB, "!=", (0, 1, 2)).holds(unseen).all()


HOUR = Feature("hour", 0, "numeric", has_missing=True)
DAY = Feature("day", 1, "numeric")
WORK = Feature("job", 2, "categorical", ("a", "b", "c", "in"), has_missing=True)


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ([], "everywhere"),
        ([Condition(HOUR, "<=", 7)], "hour <= 7"),
        ([Condition(HOUR, "<=", 7, missing=True)], "hour <= 7 or missing"),
        ([Condition(DAY, "<=", np.float64(0.5), missing=True)], "day <= 0.5"),
        ([Condition(HOUR, ">", 7), Condition(HOUR, "<=", 12)], "7 < hour <= 12"),
        (
            [Condition(HOUR, ">", 7, True), Condition(HOUR, "<=", 12, True)],
            "7 < hour <= 12 or missing",
        ),
        ([Condition(HOUR, ">", 7, True), Condition(HOUR, "<=", 12, False)], "7 < hour <= 12"),
        (
            [Condition(HOUR, "<=", 9), Condition(DAY, ">", 3), Condition(HOUR, "<=", 7)],
            "hour <= 7 and day > 3",
        ),
        ([Condition(HOUR, ">", 7, True), Condition(HOUR, "<=", 5, True)], "hour is missing"),
        ([Condition(HOUR, ">", 7), Condition(HOUR, "<=", 5)], "hour > 7 and hour <= 5"),
        ([Condition(HOUR, "<=", math.inf)], "hour is not missing"),
        ([Condition(HOUR, "=", 3, bounds=(2.5, 3.5))], "hour = 3"),
        (
            [Condition(HOUR, "!=", 3, True, (2.5, 3.5)), Condition(HOUR, "<=", 9, True)],
            "hour != 3 or missing and hour <= 9 or missing",
        ),
        ([Condition(WORK, "=", (0,))], "job = a"),
        ([Condition(WORK, "!=", (0,), True)], "job != a or missing"),
        ([Condition(WORK, "=", (0, 1))], "job in {a, b}"),
        ([Condition(WORK, "!=", (0, 3))], 'job not in {a, "in"}'),
        ([Condition(WORK, "!=", (0,)), Condition(WORK, "!=", (1,))], "job not in {a, b}"),
        ([Condition(WORK, "=", (0, 1)), Condition(WORK, "!=", (1,))], "job = a"),
        ([Condition(WORK, "!=", ())], "job is not missing"),
    ],
)
def test_text(conditions, text):
    assert str(Region(tuple(conditions))) == text


@pytest.mark.parametrize(
    ("feature", "operator", "value", "message"),
    [
        (JOB, "<=", 1.0, "operator"),
        (X, "in", 1.0, "operator"),
        (X, "<=", math.nan, "threshold"),
        (X, "<=", (1,), "threshold"),
        (JOB, "=", 1.0, "codes"),
        (JOB, "=", (1, 0), "codes"),
        (JOB, "=", (3,), "codes below 3"),
    ],
)
def test_wrong_conditions_are_refused(feature, operator, value, message):
    with pytest.raises(ValueError, match=message):
        Condition(feature, operator, value)


def test_bounds_must_hold_the_value_and_belong_to_equality():
    with pytest.raises(ValueError, match="low < value <= high"):
        Condition(X, "=", 1.0, bounds=(1.0, 2.0))
    with pytest.raises(ValueError, match="bounds"):
        Condition(X, "<=", 1.0, bounds=(0.0, 2.0))


def test_edges_are_the_places_where_a_condition_changes():
    assert Condition(X, "<=", 1.0).edges == (1.0,)
    assert Condition(X, ">", math.inf).edges == ()
    assert Condition(X, "!=", 1.0, bounds=(0.5, 1.5)).edges == (0.5, 1.5)
    assert Condition(X, "=", 1.0, bounds=(-math.inf, 1.5)).edges == (1.5,)
    assert Condition(FLAG, "=", (1,)).edges == ()
