"""Flatten, clamp, monotone, smooth and round: what changes, what stays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import isotonic_regression

from calmgam.model.edits import Clamp, Flatten, Monotone, Round, Smooth
from calmgam.model.edits.heights import isotonic, smoothed
from tests.model.edits.example import MODEL, ROWS

HEIGHTS = st.lists(st.floats(-5, 5), min_size=1, max_size=20)


def values(model, feature=0, leaf=0):
    return model.terms[feature].shapes[leaf].values


def means(model):
    return [shape.mean for term in model.terms for shape in term.shapes]


def test_flatten_gives_a_range_its_mean_and_keeps_the_mean_of_every_curve():
    flat = Flatten("age", 20, 40).apply(MODEL)
    assert values(flat)[1] == values(flat)[2] == (2 * -1 + 3 * 2) / 5
    np.testing.assert_array_equal(values(flat)[[0, 3, 4, 5]], values(MODEL)[[0, 3, 4, 5]])
    np.testing.assert_allclose(means(flat), means(MODEL))
    np.testing.assert_array_equal(values(flat, 1), values(MODEL, 1))


def test_flatten_to_a_side_or_a_number():
    assert values(Flatten("age", 40, to="left").apply(MODEL)).tolist() == [0.5, -1, 2, 2, 2, 0.25]
    assert values(Flatten("age", high=30, to="right").apply(MODEL))[:3].tolist() == [2, 2, 2]
    assert values(Flatten("age", to="left").apply(MODEL)).tolist() == [0.5] * 5 + [0.25]
    assert values(Flatten("age", 20, 30, to=7).apply(MODEL))[1] == 7


def test_ends_of_a_range_become_edges_and_nothing_else_changes():
    flat = Flatten("age", 33, 64, to=0.0).apply(MODEL)
    assert flat.terms[0].edges.tolist() == [20, 30, 33, 40, 50, 64]
    inside = (ROWS[:, 0] > 33) & (ROWS[:, 0] <= 64)
    before, after = MODEL.terms[0].contribution(ROWS), flat.terms[0].contribution(ROWS)
    assert (after[inside] == 0).all()
    np.testing.assert_array_equal(before[~inside], after[~inside])
    totals = [sum(s.counts.sum() for s in m.terms[0].shapes) for m in (MODEL, flat)]
    assert totals[0] == totals[1]


def test_where_chooses_regions_inside_another():
    flat = Flatten("age", where="hour > 7").apply(MODEL)
    np.testing.assert_array_equal(values(flat, leaf=0), values(MODEL, leaf=0))
    assert len(set(values(flat, leaf=1)[:5])) == len(set(values(flat, leaf=2)[:5])) == 1
    only = Flatten("age", where="hour > 7 and job = nurse").apply(MODEL)
    np.testing.assert_array_equal(values(only, leaf=2), values(MODEL, leaf=2))
    with pytest.raises(ValueError, match="must lie inside 'hour > 9'; its regions are: hour <= 7;"):
        Flatten("age", where="hour > 9").apply(MODEL)


def test_levels():
    flat = Flatten("job", levels=("nurse", "smith")).apply(MODEL)
    assert values(flat, 2)[[0, 2]].tolist() == [pytest.approx((0.3 + 3 * 0.25) / 4)] * 2
    assert values(flat, 2)[1] == -0.2
    with pytest.raises(ValueError, match=r"levels of 'job' must be among .* got 'pilot'"):
        Flatten("job", levels=("pilot",)).apply(MODEL)
    with pytest.raises(ValueError, match="low and high must be of numbers; 'job' has levels"):
        Flatten("job", 1).apply(MODEL)
    with pytest.raises(ValueError, match="'age' has none"):
        Flatten("age", levels=("nurse",)).apply(MODEL)


def test_clamp():
    assert values(Clamp("age", lowest=0, highest=1).apply(MODEL)).tolist() == [
        0.5, 0, 1, 1, 1, 0.25,
    ]  # fmt: skip
    assert values(Clamp("age", low=30, highest=1.5).apply(MODEL))[4] == 1.5
    with pytest.raises(ValueError, match="lowest or highest must be given"):
        Clamp("age")
    with pytest.raises(ValueError, match="lowest must not exceed highest; got 2 and 1"):
        Clamp("age", lowest=2, highest=1)


@given(HEIGHTS, st.randoms())
def test_isotonic_is_that_of_scikit_learn(heights, random):
    heights = np.array(heights)
    counts = np.array([random.randint(1, 9) for _ in heights], dtype=float)
    expected = isotonic_regression(heights, sample_weight=counts)
    np.testing.assert_allclose(isotonic(heights, counts), expected, atol=1e-9)


def test_monotone_curves_never_turn_and_keep_their_means():
    up = Monotone("age").apply(MODEL)
    down = Monotone("age", direction="decreasing", low=30).apply(MODEL)
    for leaf in range(3):
        assert (np.diff(values(up, leaf=leaf)[:5]) >= 0).all()
        assert (np.diff(values(down, leaf=leaf)[2:5]) <= 0).all()
    np.testing.assert_allclose(means(up), means(MODEL), atol=1e-6)
    with pytest.raises(ValueError, match="monotone must be of numbers or of ordered levels"):
        Monotone("job").apply(MODEL)


@given(HEIGHTS.filter(lambda heights: len(heights) > 2), st.floats(0.01, 1))
def test_smoothing_keeps_the_mean_and_straight_lines(heights, span):
    heights = np.array(heights)
    counts = np.arange(1.0, len(heights) + 1)
    smooth = smoothed(heights, counts, span)
    assert smooth @ counts == pytest.approx(heights @ counts, abs=1e-5)
    roughness = [np.sum(np.diff(h, 2) ** 2) for h in (smooth, heights)]
    assert roughness[0] <= roughness[1] + 1e-9
    line = np.linspace(1, 2, len(heights))
    np.testing.assert_allclose(smoothed(line, counts, span), line, atol=1e-6)


def test_smooth_leaves_missing_values_alone():
    smooth = Smooth("age", span=1.0).apply(MODEL)
    assert values(smooth)[-1] == 0.25
    assert (
        np.abs(np.diff(values(smooth)[:5], 2)).max() < np.abs(np.diff(values(MODEL)[:5], 2)).max()
    )


def test_round():
    rounded = Round(0.1).apply(Flatten("age").apply(MODEL))
    assert values(rounded, 1).tolist() == [0.1, 0.3, 0.2, 0.6, 0.4, 0]
    assert rounded.intercept == 1.5
    one = Round(0.5, "hour").apply(MODEL)
    assert values(one, 1).tolist() == [0, 0.5, 0, 0.5, 0.5, 0]
    assert one.terms[2] == MODEL.terms[2]
    assert values(Round(2).apply(MODEL)).tolist() == [0, 0, 2, 0, 4, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Flatten("age", 5, 4), "low must be below high; got 5 and 4"),
        (lambda: Flatten("age", "5"), "low must be a number or None; got '5'"),
        (lambda: Flatten("age", to="up"), r"to must be one of .* or a number; got 'up'"),
        (lambda: Monotone("age", direction="up"), "direction must be one of"),
        (lambda: Smooth("age", span=0), r"span must be in \(0, 1\]; got 0"),
        (lambda: Round(0), "step must be a number above 0; got 0"),
        (lambda: Flatten("agee").apply(MODEL), "feature must be one of .* got 'agee'"),
    ],
)
def test_errors_name_the_thing_the_rule_and_the_value(make, message):
    with pytest.raises(ValueError, match=message):
        make()
