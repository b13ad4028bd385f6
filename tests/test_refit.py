"""Refitting around curves that stay; intervals of a fit."""

import numpy as np
import pandas as pd
import pytest

from calmgam import Boosting, CALMClassifier, CALMRegressor, Splines


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 900
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.uniform(0, 24, n).round(1),
            "c": rng.choice(["u", "v"], n),
        }
    )
    score = 2 * np.sin(X.a) * np.where(X.b <= 7, 1, -1) + (X.c == "u")
    return X, score, rng


@pytest.mark.parametrize("keep", [["c"], ["a"], ["b", "c"]])
def test_kept_curves_stay_and_the_others_are_learned_around_them(table, keep):
    X, score, rng = table
    y = score + 0.3 * rng.normal(size=len(X))
    calm = CALMRegressor(random_state=0, n_jobs=1, growth={"a": ["b <= 7", "b > 7"]}).fit(X, y)
    old = calm.model_.edit().flatten(keep[0], to=0.25).done()
    calm.model_ = old
    error = np.mean((y - calm.predict(X)) ** 2)
    calm.refit(X, y, keep=keep)
    for name in X:
        before, after = (m.terms[m.schema.index(name)] for m in (old, calm.model_))
        same = [
            np.array_equal(p.values, q.values)
            for p, q in zip(before.shapes, after.shapes, strict=True)
        ]
        assert after.tree == before.tree
        assert all(same) == (name in keep)
    assert np.mean((y - calm.predict(X)) ** 2) < error
    assert calm.model_.provenance.settings["kept"] == sorted(keep)
    assert calm.model_.trail == ()


def test_a_classifier_is_refitted_with_an_offset(table):
    X, score, rng = table
    y = score + rng.logistic(size=len(X)) > 0
    calm = CALMClassifier(random_state=0, n_jobs=1, max_depth=0).fit(X, y)
    calm.model_ = calm.model_.edit().drop_term("c").done()
    calm.refit(X, y, keep=["c"])
    assert calm.model_.terms[2].importance == 0
    # the other curves do what they can: probabilities are right on average
    assert calm.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)
    with pytest.raises(ValueError, match="keep must name features; got 'd'"):
        calm.refit(X, y, keep=["d"])
    with pytest.raises(ValueError, match="intervals are of numbers"):
        calm.predict_interval(X)


def test_refit_without_keep_learns_all_curves_again(table):
    X, score, rng = table
    y = score + 0.3 * rng.normal(size=len(X))
    calm = CALMRegressor(random_state=0, n_jobs=1, max_depth=0).fit(X, y)
    first = calm.model_
    calm.model_ = first.edit().drop_term("a").done()
    assert calm.refit(X, y).model_.importances == pytest.approx(first.importances, rel=0.05)


def test_every_fit_knows_its_intervals(table):
    X, score, rng = table
    noise = np.where(X.b <= 7, 0.1, 1.0)
    y = score + noise * rng.normal(size=len(X))
    half = len(X) // 2
    calm = CALMRegressor(random_state=0, n_jobs=1, growth={"a": ["b <= 7", "b > 7"]}).fit(
        X[:half], y[:half]
    )
    ends = calm.predict_interval(X[half:], 0.9)
    holds = (ends[:, 0] <= y[half:]) & (y[half:] <= ends[:, 1])
    assert 0.83 < holds.mean() < 0.97
    early = X.b[half:] <= 7
    widths = ends[:, 1] - ends[:, 0]
    assert widths[~early].mean() > 1.5 * widths[early].mean()


def test_a_kept_curve_that_breaks_a_promise_is_refused(table):
    X, score, _ = table
    calm = CALMRegressor(monotone={"b": "increasing"}, random_state=0, n_jobs=1).fit(X, score)
    calm.model_ = calm.model_.edit().flatten("b", low=7, high=12, to=-9.0).done()
    with pytest.raises(RuntimeError, match="could not be proved increasing in 'b'"):
        calm.refit(X, score, keep=["b"])


def test_edits_of_kept_curves_are_remembered(table):
    X, score, _ = table
    calm = CALMRegressor(random_state=0, n_jobs=1, max_depth=0).fit(X, score)
    editor = calm.model_.edit(who="Ada").flatten("b", low=20, why="few rows").flatten("a")
    calm.model_ = editor.done()
    settings = calm.refit(X, score, keep=["b"]).model_.provenance.settings
    assert settings["kept"] == ["b"]
    (edit,) = settings["edits"]
    assert {
        "edit": "flatten",
        "feature": "b",
        "low": 20,
        "who": "Ada",
        "why": "few rows",
    }.items() <= (edit.items())
    settings = calm.refit(X, score, keep=["b", "c"]).model_.provenance.settings
    assert settings["edits"] == [edit]  # the curve is still the edited one
    assert calm.refit(X, score).model_.provenance.settings["edits"] == []


@pytest.mark.parametrize("curves", [Boosting(n_bags=2), Splines(n_draws=2)], ids=["b", "s"])
def test_a_convex_curve_stays_on_other_rows_and_bins(curves):
    rng = np.random.default_rng(0)
    X, other = rng.normal(size=(400, 3)), rng.normal(size=(500, 3))
    calm = CALMRegressor(monotone={"x0": "convex"}, curves=curves, random_state=0, n_jobs=1)
    before = calm.fit(X, X[:, 0] ** 2 + X[:, 1]).model_
    after = calm.refit(other, other[:, 0] ** 2 + other[:, 2], keep=["x0"]).model_
    np.testing.assert_array_equal(before.terms[0].shapes[0].values, after.terms[0].shapes[0].values)
    calm.model_ = before.edit().flatten("x0", low=1.0, to=-9.0).done()
    with pytest.raises(RuntimeError, match="could not be proved convex in 'x0'"):
        calm.refit(other, other[:, 1], keep=["x0"])


def test_something_must_be_left_to_learn():
    X = np.random.default_rng(0).normal(size=(60, 2))
    calm = CALMRegressor(curves=Boosting(n_bags=2), random_state=0, n_jobs=1).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="keep must leave a feature to learn; got all of them"):
        calm.refit(X, X[:, 0], keep=["x0", "x1"])


def test_curves_of_many_classes_are_learned_together(table):
    X, score, _ = table
    calm = CALMClassifier(random_state=0, n_jobs=1, max_depth=0)
    calm.fit(X, np.digitize(score, np.quantile(score, [0.3, 0.6])))
    with pytest.raises(ValueError, match=r"keep must be empty with three classes .* got \['b'\]"):
        calm.refit(X, np.digitize(score, np.quantile(score, [0.3, 0.6])), keep=["b"])


def test_features_of_chosen_splits_keep_their_curves(table):
    """Growth left them flat; splits that are asked for need them."""
    X, score, _ = table
    calm = CALMRegressor(random_state=0, n_jobs=1).fit(X, score)
    split = calm.path_[0].record.feature
    calm.flat_features_ = tuple(X.columns)
    calm.refit_splits(1, X, score)
    assert split not in calm.flat_features_
    before = calm.score(X, score)
    assert calm.refit(X, score).score(X, score) == before


def test_a_refit_says_whether_it_was_stopped(table):
    X, score, _ = table
    calm = CALMRegressor(random_state=0, n_jobs=1, max_seconds=1e-9)
    with pytest.warns(UserWarning, match="stopped by max_seconds") as said:
        calm.fit(X, score)
    assert said[0].filename == __file__
    calm.set_params(max_seconds=None).refit(X, score)
    assert calm.ledger_.stopped == ""
    calm.set_params(max_seconds=1e-9)
    with pytest.warns(UserWarning, match="stopped by max_seconds=1e-09, in stage 'curves'") as said:
        calm.refit(X, score)
    assert said[0].filename == __file__
    assert calm.ledger_.stopped


def test_growth_of_a_given_number_of_splits_can_be_stopped(table):
    X, score, _ = table
    steps = []

    def after_one(step):
        steps.append((step.stage, step.done, step.total))
        return step.stage == "regions" and step.done == 1

    calm = CALMRegressor(random_state=0, n_jobs=1, max_splits=3, verbose=after_one)
    with pytest.warns(UserWarning, match="stopped by a callback, in stage 'regions'"):
        calm.fit(X, score)
    assert calm.n_splits_ == 1
    assert ("regions", 1, 3) in steps
    calm.set_params(verbose=lambda step: step.total == 0).fit(X, score)  # where a stage begins
    assert (calm.ledger_.stopped, calm.n_splits_) == ("", 3)
