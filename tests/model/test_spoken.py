"""Texts about whole numbers and numbers with two values, and the way back from them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.model import Condition, Feature, Model, PartitionTree, Region, Schema, parse_region
from calmgam.model.glassbox import Term
from calmgam.model.parsing import parse_region_of
from calmgam.model.regions import between
from calmgam.model.shapes import ShapeFunction
from calmgam.read.words.wording import rule_text, threshold_text

FEATURES = (
    Feature("hour", 0, "numeric", low=0.0, high=23.0, whole=True, has_missing=True),
    Feature("holiday", 1, "numeric", low=0.0, high=1.0, whole=True, two_valued=True),
    Feature("dose", 2, "numeric", low=0.5, high=2.5, two_valued=True, has_missing=True),
    Feature("speed", 3, "numeric", low=0.0, high=9.0),
)
HOUR, HOLIDAY, DOSE, SPEED = FEATURES
SCHEMA = Schema(FEATURES)
# what a fit gives: one cut between neighbouring values, at the roundest number there
CUTS = {0: (4.5, 9.5, 10.5, 12.0, 20.5), 1: (0.5,), 2: (2.0,), 3: (3.25, 7.0)}
VALUES = {0: range(24), 1: (0, 1), 2: (0.5, 2.5), 3: np.linspace(0, 9, 19)}


def model():
    terms = []
    for feature in FEATURES:
        edges = np.array(CUTS[feature.index])
        zeros = np.zeros(len(edges) + 2)
        shape = ShapeFunction(feature, edges, zeros, zeros, zeros + 1)
        terms.append(Term(feature, PartitionTree.trivial(), (shape,)))
    return Model(SCHEMA, 0.0, tuple(terms))


MODEL = model()


@st.composite
def regions(draw):
    conditions = []
    for index in draw(st.lists(st.sampled_from(range(4)), unique=True, max_size=3)):
        feature = FEATURES[index]
        first = draw(st.sampled_from(CUTS[index]))
        missing = feature.has_missing and draw(st.booleans())
        conditions.append(Condition(feature, draw(st.sampled_from(["<=", ">"])), first, missing))
        second = draw(st.sampled_from(CUTS[index]))
        if draw(st.booleans()) and first < second:
            conditions[-1] = Condition(feature, ">", first, missing)
            conditions.append(Condition(feature, "<=", second, missing))
    return Region(tuple(conditions))


@given(regions())
def test_a_printed_rule_gives_the_same_region(region):
    reread = parse_region_of(str(region), MODEL)
    assert reread.supports == region.supports
    assert str(reread) == str(region)


@given(regions())
def test_without_a_model_it_is_the_same_for_all_values_of_training(region):
    reread = parse_region(str(region), SCHEMA)
    rng = np.random.default_rng(0)
    columns = [rng.choice(np.append(VALUES[i], np.nan), 300) for i in range(4)]
    X = np.asfortranarray(np.column_stack(columns))
    for feature in FEATURES:
        if not feature.has_missing:
            column = X[:, feature.index]
            column[np.isnan(column)] = feature.low
    np.testing.assert_array_equal(reread.contains(X), region.contains(X))


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition(HOUR, "<=", 9.5), "hour <= 9"),
        (Condition(HOUR, ">", 9.5, True), "hour > 9 or missing"),
        (Condition(HOUR, "<=", 12.0), "hour <= 12"),
        (Condition(HOUR, "<=", -0.5), "hour <= -1"),
        (Condition(HOLIDAY, "<=", 0.5), "holiday = 0"),
        (Condition(HOLIDAY, ">", 0.5), "holiday = 1"),
        (Condition(HOLIDAY, "!=", 0.0, bounds=(-math.inf, 0.5)), "holiday = 1"),
        (Condition(DOSE, "!=", 2.5, bounds=(2.0, math.inf)), "dose = 0.5"),
        (Condition(DOSE, ">", 2.0, True), "dose = 2.5 or missing"),
        (Condition(DOSE, "<=", 3.0), "dose <= 3"),
        (Condition(SPEED, "<=", 3.25), "speed <= 3.25"),
    ],
)
def test_words(condition, text):
    assert str(condition) == text
    assert rule_text(Region((condition,))) == text


def test_words_of_ranges_and_places():
    assert between(HOUR, 9.5, 17.5) == "9 < hour <= 17"
    assert between(HOLIDAY, -math.inf, 0.5) == "holiday = 0"
    assert threshold_text(HOUR, 9.5) == "9 → 10"
    assert threshold_text(DOSE, 2.0) == "0.5 → 2.5"
    assert threshold_text(SPEED, 3.25) == "3.25"


def test_what_people_write_is_about_the_models_thresholds():
    for text in ("hour <= 9", "hour < 10", "hour <= 9.5", "10 > hour"):
        assert parse_region_of(text, MODEL).conditions == (Condition(HOUR, "<=", 9.5),)
    assert parse_region_of("hour >= 13", MODEL).conditions == (Condition(HOUR, ">", 12.0),)
    assert parse_region_of("hour <= 3", MODEL).conditions == (Condition(HOUR, "<=", 3.0),)
    assert parse_region_of("holiday != 0", MODEL).conditions == (Condition(HOLIDAY, ">", 0.5),)
    assert parse_region_of("speed <= 3", MODEL).conditions == (Condition(SPEED, "<=", 3.0),)


@pytest.mark.parametrize("text", ["hour > 9.2", "hour >= 9.4", "9.1 < hour <= 12"])
def test_whole_numbers_are_compared_with_whole_numbers(text):
    """9.2 would silently be the 9.5 of the model."""
    with pytest.raises(ValueError, match="'hour' holds whole numbers and must be compared with"):
        parse_region_of(text, MODEL)
    assert parse_region_of("hour <= 9.5", MODEL).conditions == (Condition(HOUR, "<=", 9.5),)
