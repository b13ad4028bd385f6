"""Prediction intervals: coverage, scales by region, what edits do to them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from calmgam import CALMRegressor
from calmgam.model import from_json, to_json
from calmgam.model.intervals import COVERAGES, Group, Intervals
from tests.model.edits.example import MODEL, ROWS, TREE


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = ROWS[rng.integers(len(ROWS), size=6000)]
    noise = np.where(X[:, 1] <= 7, 0.1, 1.0)  # by region
    return X, MODEL.score_encoded(X) + noise * rng.standard_t(4, size=len(X))


def intervals_of(X, y):
    return Intervals.learn([TREE], X, MODEL.score_encoded(X), y)


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95])
def test_coverage_in_total_and_by_region(rows, coverage):
    X, y = rows
    half = len(y) // 2
    intervals = intervals_of(X[:half], y[:half])
    X, y = X[half:], y[half:]
    prediction = MODEL.score_encoded(X)
    widths = intervals.half_widths(X, prediction, coverage)
    holds = np.abs(y - prediction) <= widths
    assert holds.mean() == pytest.approx(coverage, abs=0.025)
    for leaf in range(TREE.n_leaves):
        assert holds[TREE.leaf_of(X) == leaf].mean() == pytest.approx(coverage, abs=0.05)
    early = X[:, 1] <= 7
    assert widths[~early].mean() > 4 * widths[early].mean()


def test_quantiles_are_those_of_split_conformal_prediction():
    rng = np.random.default_rng(0)
    X, errors = np.zeros((99, 3)), rng.random(99)
    intervals = Intervals.learn([], X, np.zeros(99), errors)
    width = intervals.half_widths(X[:1], np.zeros(1), 0.9)[0]
    assert width == pytest.approx(np.sort(errors)[89])  # ceil(0.9 * 100) of 99


def test_weights_count_as_rows():
    X, errors = np.zeros((100, 3)), np.arange(100.0)
    weights = np.where(errors < 50, 3.0, 1.0)
    twice = np.repeat(errors, weights.astype(int))
    plain = Intervals.learn([], np.zeros((200, 3)), np.zeros(200), twice)
    weighted = Intervals.learn([], X, np.zeros(100), errors, weights)
    np.testing.assert_allclose(weighted.quantiles, plain.quantiles, rtol=0.05, atol=0.05)


def test_they_are_saved_with_the_model(rows):
    model = replace(MODEL, intervals=intervals_of(*rows))
    assert from_json(to_json(model)) == model
    document = json.loads(to_json(model))
    document["intervals"]["quantiles"][3] = -1.0
    with pytest.raises(ValueError, match="intervals: quantiles must be 99 numbers"):
        from_json(json.dumps(document))


def test_edits_widen_by_the_largest_change(rows):
    X, y = rows
    model = replace(MODEL, intervals=intervals_of(X, y))
    edited = model.edit().flatten("age", 20, 40).done()
    change = edited.trail[0].effect.largest_change
    assert edited.intervals.slack == change > 0
    old, new = (m.intervals.half_widths(X, m.score_encoded(X), 0.9) for m in (model, edited))
    moved = np.abs(edited.score_encoded(X) - model.score_encoded(X))
    assert (new + 1e-12 >= old + moved).all()  # whatever the old interval held, the new one holds


def test_measured_on_given_rows(rows):
    X, y = rows
    table = X.astype(object)
    table[:, 2] = np.array(["nurse", "cook", "smith"])[X[:, 2].astype(int)]
    measured = replace(MODEL, intervals=None).with_intervals(table, y)
    ends = measured.predict_interval(table, 0.9)
    assert np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])) == pytest.approx(0.9, abs=0.02)
    with pytest.raises(ValueError, match=r"coverage must be in \[0.01, 0.99\]; got 1"):
        measured.predict_interval(table, 1)
    with pytest.raises(ValueError, match=r"got 'most'"):
        measured.predict_interval(table, "most")
    with pytest.raises(ValueError, match=r"the size of its errors: .* model.with_intervals"):
        replace(MODEL, intervals=None).predict_interval(table)
    with pytest.raises(ValueError, match="intervals need at least 50 rows; got 10"):
        MODEL.with_intervals(table[:10], y[:10])


def test_an_offset_moves_the_ends(rows):
    X, y = rows
    table = X.astype(object)
    table[:, 2] = np.array(["nurse", "cook", "smith"])[X[:, 2].astype(int)]
    offset = np.random.default_rng(1).normal(0, 10, len(y))
    plain = replace(MODEL, intervals=None).with_intervals(table, y)
    moved = replace(MODEL, intervals=None).with_intervals(table, y + offset, offset=offset)
    ends = plain.predict_interval(table, 0.9)
    np.testing.assert_allclose(moved.predict_interval(table, 0.9), ends, rtol=1e-9)
    there = moved.predict_interval(table, 0.9, offset)
    np.testing.assert_allclose(there, ends + offset[:, None], rtol=1e-9)
    holds = (there[:, 0] <= y + offset) & (y + offset <= there[:, 1])
    assert holds.mean() == pytest.approx(0.9, abs=0.02)


def test_counts_scatter_by_their_exposure():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 1))
    exposure = np.exp(rng.normal(0, 1.5, len(X)))
    y = rng.poisson(exposure * np.exp(1 + 0.5 * X[:, 0])).astype(float)
    counts = CALMRegressor(objective="poisson", max_depth=0, n_jobs=1, random_state=0)
    offset, old, new = np.log(exposure), slice(2000), slice(2000, None)
    counts.fit(X[old], y[old], offset=offset[old])
    with pytest.raises(ValueError, match="with their offset if there is one"):
        counts.predict_interval(X[new], 0.9, offset[new])
    model = counts.model_.with_intervals(X[old], y[old], offset=offset[old])
    low, high = model.predict_interval(X[new], 0.9, offset[new]).T
    holds = (low <= y[new]) & (y[new] <= high)
    assert holds.mean() == pytest.approx(0.9, abs=0.03)
    large = exposure[new] > 5
    assert holds[large].mean() > 0.75  # promised is only the mean
    assert (high - low)[large].mean() > 3 * (high - low)[~large].mean()


def test_a_fit_with_offsets_has_intervals():
    rng = np.random.default_rng(0)
    X, offset = rng.normal(size=(1000, 2)), rng.normal(0, 10, 1000)
    y = X[:, 0] + offset + rng.normal(size=1000)
    fitted = CALMRegressor(max_depth=0, n_jobs=1, random_state=0)
    fitted.fit(X[:600], y[:600], offset=offset[:600])
    low, high = fitted.predict_interval(X[600:], 0.9, offset[600:]).T
    assert np.mean((low <= y[600:]) & (y[600:] <= high)) == pytest.approx(0.9, abs=0.04)


def test_classifiers_have_probabilities():
    classifier = replace(MODEL, link="logit", classes=("no", "yes"), intervals=None)
    with pytest.raises(ValueError, match=r"intervals are of numbers.*use predict_proba"):
        classifier.predict_interval(ROWS)
    with pytest.raises(ValueError, match="the model is a classifier"):
        classifier.with_intervals(ROWS, ["no"] * len(ROWS))


def test_wrong_parts_are_refused():
    good = {"edges": (0.0,), "factors": (1.0, 1.0), "groups": (), "quantiles": tuple(COVERAGES)}
    assert Intervals(**good, n_rows=5).slack == 0
    for name, value, message in [
        ("edges", (1.0, 0.0), "edges must be finite and increasing"),
        ("factors", (1.0,), "factors must be 2; got 1"),
        ("factors", (1.0, 0.0), "factors must be numbers above 0"),
        ("quantiles", (1.0,), "quantiles must be 99"),
    ]:
        with pytest.raises(ValueError, match=message):
            Intervals(**(good | {name: value}), n_rows=5)
    with pytest.raises(ValueError, match="factors must be one for each of 3 leaves; got 1"):
        Group(TREE, (1.0,))
    with pytest.raises(ValueError, match="slack must be a number >= 0"):
        Intervals(**good, n_rows=5, slack=-1.0)
