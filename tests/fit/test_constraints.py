import numpy as np
import pandas as pd
import pytest

from benchmarks.promises import largest_fall, random_table
from calmgam import Boosting, CALMRegressor, Splines, load
from calmgam.fit.constraints import Constraints
from calmgam.fit.data.runs import Run, centres_that_bend, chords
from calmgam.model.schema import Schema
from oracles import nearest_convex

QUICK = {"curves": Boosting(n_bags=2, max_rounds=60, learning_rate=0.1), "n_jobs": 1}


def falls(model, feature, sign):
    """The largest step against a direction that brute force finds."""
    return largest_fall(model, feature, sign, np.random.default_rng(0))


@pytest.mark.parametrize("curves", [Boosting(n_bags=4), Splines(n_draws=4)])
def test_a_constrained_feature_keeps_its_interaction(curves):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (1500, 3))
    truth = 2 * X[:, 0] * X[:, 1] + X[:, 0]
    y = truth + 0.1 * rng.normal(size=1500)
    r2 = {}
    for monotone in (None, {"x0": "increasing"}):
        model = CALMRegressor(monotone=monotone, curves=curves, random_state=0, n_jobs=1).fit(X, y)
        r2[monotone is None] = 1 - np.mean((truth - model.predict(X)) ** 2) / truth.var()
    assert model.model_.terms[0].conditioned_on == (1,)
    assert r2[False] > r2[True] - 0.01


def test_the_constraint_acts_where_the_data_disagree():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (800, 2))
    y = -np.abs(X[:, 0]) + X[:, 1] + 0.05 * rng.normal(size=800)
    free, held = (
        CALMRegressor(monotone=monotone, max_depth=0, **QUICK, random_state=0).fit(X, y)
        for monotone in (None, {0: "increasing"})
    )
    assert falls(free.model_, "x0", 1) > 0.01
    heights = held.model_.terms[0].shapes[0].values[:-1]
    assert np.all(np.diff(heights) >= 0)
    # rising where the data rise; flat at about the mean where they fall
    assert heights[0] < -0.3 and np.ptp(heights[len(heights) // 2 :]) < 0.25


@pytest.mark.parametrize(
    "curves", [QUICK["curves"], Splines(n_draws=2)], ids=lambda c: type(c).__name__
)
@pytest.mark.parametrize(
    "objective",
    ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"],
)
def test_every_objective_of_numbers_keeps_the_promise(objective, curves):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (300, 2)).round(2)
    y = np.exp(np.sin(6 * X[:, 0]) + X[:, 0] * (X[:, 1] > 0.5) + 0.2 * rng.normal(size=300))
    y = y.round() if objective == "poisson" else y
    settings = {
        "objective": objective,
        "curves": curves,
        "growth": {"x0": ["x1 <= 0.5", "x1 > 0.5"]},
    }
    free, held = (
        CALMRegressor(monotone=monotone, random_state=0, n_jobs=1, **settings).fit(X, y).model_
        for monotone in (None, {"x0": "increasing"})
    )
    assert falls(free, "x0", 1) > 0.01
    assert held.terms[0].tree.n_leaves == 2
    assert falls(held, "x0", 1) == 0


@pytest.mark.parametrize("curves", [Boosting(n_bags=3), Splines(n_draws=3)], ids=["b", "s"])
@pytest.mark.parametrize(("word", "sign"), [("convex", 1), ("concave", -1)])
def test_curves_can_be_bent_one_way(word, sign, curves):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 2))
    truth = sign * X[:, 0] ** 2 + 0.3 * np.sin(4 * X[:, 0]) + X[:, 1]
    y = truth + 0.2 * rng.normal(size=600)
    free, bent = (
        CALMRegressor(monotone=monotone, curves=curves, max_depth=0, random_state=0, n_jobs=1)
        for monotone in (None, {"x0": word})
    )
    at = np.sort(X[:, 0])
    heights = bent.fit(X, y).model_.terms[0].shapes[0].values[:-1]
    assert (sign * chords(at) @ heights).min() > -1e-9
    # about as good as bending the free curve, and that is all that is left to do
    free_heights = free.fit(X, y).model_.terms[0].shapes[0].values[:-1]
    best = sign * nearest_convex(at, sign * free_heights, np.ones(len(at)))
    truth_at = sign * at**2 + 0.3 * np.sin(4 * at)
    error, least = (np.std(truth_at - one) for one in (heights, best))
    assert error < 1.1 * least + 0.01


@pytest.mark.parametrize("objective", ["poisson", "quantile", "gamma"])
def test_boosting_bends_curves_for_every_loss(objective):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.integers(0, 30, 400) / 10, "b": rng.normal(size=400)})
    X.loc[rng.random(400) < 0.1, "a"] = np.nan
    y = rng.poisson(np.exp(np.sin(3 * X.a.fillna(1)))) + (objective == "gamma")
    settings = {"objective": objective, **QUICK, "random_state": 0}
    model = CALMRegressor(monotone={"a": "convex", "b": "increasing"}, **settings).fit(X, y).model_
    heights = model.terms[0].shapes[0].values[:-1]
    bends = chords(np.arange(30.0)) @ heights
    assert len(heights) == 30 and bends.min() > -1e-9 and bends.max() > 1e-3
    assert "a" not in {model.schema.names[i] for term in model.terms for i in term.conditioned_on}


def test_a_bent_feature_must_have_one_region():
    X, score, _ = random_table(3)
    with pytest.raises(ValueError, match=r"growth\['x0'\]: what monotone wants to be convex must"):
        CALMRegressor(
            growth={"x0": ["x1 <= 0 or missing", "x1 > 0"]}, monotone={"x0": "convex"}, **QUICK
        ).fit(X, score)


def test_points_of_bins_at_which_steps_are_convex_are_found():
    cuts = np.array([-1.0, -0.2, 0.1, 0.4, 1.0])
    found = centres_that_bend(np.array([1.0, 0.2, 0.2, 0.9]), cuts)
    assert (chords(found) @ np.array([1.0, 0.2, 0.2, 0.9])).min() >= 0
    assert centres_that_bend(np.array([0.0, 1.0, 0.5, 0.6]), cuts) is None


def test_ordered_levels_have_a_direction_too():
    rng = np.random.default_rng(0)
    grade = rng.choice(list("abcde"), 500)
    X = pd.DataFrame({"grade": pd.Categorical(grade, list("abcde"), ordered=True)})
    X["other"] = rng.normal(size=500)
    y = np.array([{"a": 0, "b": 2, "c": 1, "d": 3, "e": 2.5}[one] for one in grade])
    model = CALMRegressor(monotone={"grade": "increasing"}, **QUICK, random_state=0).fit(X, y)
    heights = model.model_.terms[0].shapes[0].values[:5]
    assert np.all(np.diff(heights) >= 0)
    assert heights[1] == pytest.approx(heights[2]) and heights[4] > heights[0] + 1


def test_what_is_asked_is_part_of_provenance(tmp_path):
    X, score, monotone = random_table(1)
    model = CALMRegressor(monotone=monotone, **QUICK, random_state=0).fit(X, score).model_
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").provenance.settings["parameters"]["monotone"] == monotone


def test_a_model_that_breaks_the_promise_is_refused():
    X, score, _ = random_table(3)
    model = CALMRegressor(**QUICK, random_state=0).fit(X, score).model_
    with pytest.raises(RuntimeError, match="could not be proved increasing in 'x0'; it may fail"):
        Constraints({0: Run.increasing}).prove(model, [])
    with pytest.raises(RuntimeError, match="could not be proved convex in 'x0'"):
        Constraints({0: Run.convex}).prove(model, [np.arange(3.0)])


FRAME = pd.DataFrame({"a": [1.0, 2.0], "colour": ["red", "blue"], "flag": [True, False]})


@pytest.mark.parametrize(
    ("monotone", "message"),
    [
        ({"b": "increasing"}, "monotone must name features; got 'b'"),
        ({"a": "up"}, r"monotone\['a'\] must be one of 'increasing', .*; got 'up'"),
        ({"colour": "increasing"}, "'colour' has levels without an order"),
        ({"flag": "convex"}, r"monotone\['flag'\]: 'convex' needs a number"),
        (["a"], r"monotone must map features to directions, .*; got \['a'\]"),
    ],
)
def test_what_cannot_be_promised_is_refused(monotone, message):
    with pytest.raises(ValueError, match=message):
        Constraints.read(monotone, Schema.learn(FRAME))


@pytest.mark.parametrize(
    ("curves", "word", "message"),
    [
        ("backfitting", "increasing", "curves must be 'boosting' or 'splines' for 'increasing'"),
        ("backfitting", "convex", r"'boosting' or 'splines' for 'convex' .*; got Backfitting\(\)"),
    ],
)
def test_learners_say_what_they_cannot_promise(curves, word, message):
    X, score, _ = random_table(3)
    with pytest.raises(ValueError, match=message):
        CALMRegressor(curves=curves, monotone={"x0": word}).fit(X, score)
