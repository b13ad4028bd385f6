"""Every objective from `fit` to `predict`: GLMs, exposures, rare events, a loss of one's own."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, softmax
from sklearn import metrics, model_selection, pipeline, preprocessing
from sklearn.base import clone

import calmgam
from calmgam import (
    Boosting,
    CALMClassifier,
    CALMRegressor,
    Huber,
    Loss,
    Poisson,
    Quantile,
    Tweedie,
)
from calmgam.fit.curves.boosting import boost
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.bags import TRAINS, VALIDATES
from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.objectives import LOSSES, loss_of
from calmgam.fit.data.target import Target
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree

QUICK = {"n_jobs": 1, "random_state": 0}
SMALL = Boosting(n_bags=4, learning_rate=0.1, max_rounds=200, patience=20)
EVERY = [*LOSSES.values()]


class Table:
    """Rows whose effect of `a` turns round with `b`, and a target for every loss."""

    def __init__(self, n=1200, seed=0):
        rng = np.random.default_rng(seed)
        a, b, c = rng.normal(size=(3, n))
        self.score = np.where(b > 0, 0.6, -0.6) * a + 0.4 * (c > 0.5)
        self.X = pd.DataFrame({"a": a, "b": b, "c": c})
        self.exposure = rng.uniform(0.2, 3.0, n)
        self.rng = rng

    def y(self, loss):
        rng, mean = self.rng, np.exp(self.score)
        if loss.link == "identity":
            return 10 + 3 * (self.score + 0.4 * rng.standard_t(3, len(mean)))
        if loss.name == "gamma":
            return rng.gamma(3.0, mean / 3.0)
        counts = rng.poisson(mean)
        return counts.astype(float) if loss.name == "poisson" else rng.gamma(counts + 1e-12, 0.5)


# ---- one feature: the weighted GLM ---------------------------------------------------------------


def one_categorical_feature(levels, target):
    """Curves with nothing that shrinks them: a score for every level, in the units of y."""
    X = pd.DataFrame({"level": levels})
    schema = Schema.learn(X)
    binned = bin_table(schema.encode(X), schema, 256)
    everyone = np.full((len(levels), 1), TRAINS | VALIDATES, dtype=np.uint8)
    data = CurveData(binned.codes, binned, [PartitionTree.trivial()], target, everyone)
    free = Boosting(
        learning_rate=0.5, momentum=0, ridge=0, level_smoothing=0, tolerance=0, patience=95
    )
    shift, scale = target.units
    return shift + scale * boost(data, free).scores(data.cells)


def glm(sm, loss, dummies, y, weights):
    family = {
        "squared_error": lambda: sm.families.Gaussian(),
        "poisson": lambda: sm.families.Poisson(),
        "gamma": lambda: sm.families.Gamma(sm.families.links.Log()),
        "tweedie": lambda: sm.families.Tweedie(sm.families.links.Log(), var_power=1.5),
    }[loss.name]()
    fitted = sm.GLM(y, dummies, family=family, var_weights=weights).fit(tol=1e-12)
    return dummies @ fitted.params


@pytest.mark.parametrize("name", ["squared_error", "poisson", "gamma", "tweedie"])
def test_one_categorical_feature_gives_the_weighted_glm(name):
    sm = pytest.importorskip("statsmodels.api")
    rng, loss = np.random.default_rng(1), loss_of(name)
    levels = rng.choice(["p", "q", "r", "s"], 600, p=[0.5, 0.3, 0.15, 0.05])
    mean = 40 * np.select([levels == "q", levels == "r", levels == "s"], [2.0, 0.3, 5.0], 1.0)
    y = rng.poisson(mean).astype(float) + (name == "gamma")
    weights = rng.gamma(1.0, 1.0, 600)
    dummies = np.stack([levels == one for one in "pqrs"], axis=1).astype(float)
    score = one_categorical_feature(levels, Target.regression(y, weights, loss))
    expected = glm(sm, loss, dummies, y, weights)
    np.testing.assert_allclose(loss.response(score), loss.response(expected), rtol=1e-3)


def test_one_categorical_feature_gives_the_weighted_logistic_regression():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(6)
    levels, weights = rng.choice(["p", "q", "r"], 900, p=[0.6, 0.3, 0.1]), rng.gamma(1.0, 1.0, 900)
    y = (rng.random(900) < np.select([levels == "q", levels == "r"], [0.8, 0.05], 0.3)).astype(
        float
    )
    dummies = np.stack([levels == one for one in "pqr"], axis=1).astype(float)
    family = sm.families.Binomial()
    fitted = sm.GLM(y, dummies, family=family, var_weights=weights).fit(tol=1e-12)
    score = one_categorical_feature(levels, Target.classification(y, weights))
    np.testing.assert_allclose(expit(score), fitted.mu, rtol=1e-3)


@pytest.mark.parametrize("n_classes", [3, 7])
def test_one_categorical_feature_gives_the_weighted_shares_of_classes(n_classes):
    """Which is what a multinomial regression on the levels gives: it has a parameter for each."""
    rng = np.random.default_rng(7)
    levels, weights = rng.choice(["p", "q", "r"], 3000), rng.gamma(1.0, 1.0, 3000)
    shares = dict(zip("pqr", rng.dirichlet(np.full(n_classes, 2.0), 3), strict=True))
    y = np.array([rng.choice(n_classes, p=shares[level]) for level in levels]).astype(float)
    score = one_categorical_feature(
        levels, Target.classification(y, weights, tuple(range(n_classes)))
    )
    for level in "pqr":
        there = levels == level
        expected = np.bincount(y[there].astype(int), weights[there], n_classes)
        found = softmax(score[there][0])
        np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-3)


@pytest.mark.parametrize("loss", [Quantile(0.9), Quantile(0.25), loss_of("absolute_error")])
def test_one_categorical_feature_loses_what_weighted_quantiles_lose(loss):
    """A quantile of a draw is loose between rows far apart: what it loses is not."""
    rng = np.random.default_rng(2)
    levels = rng.choice(["p", "q", "r"], 3000)
    y = rng.normal(np.select([levels == "q", levels == "r"], [5.0, -3.0]), 1.0)
    weights = rng.gamma(1.0, 1.0, 3000)
    score = one_categorical_feature(levels, Target.regression(y, weights, loss))
    for level in "pqr":
        there = levels == level
        best = loss.best_constant(y[there], weights[there])
        lost, least = (
            np.average(loss.losses(y[there], one), weights=weights[there])
            for one in (score[there], np.full(there.sum(), best))
        )
        assert least <= lost <= 1.001 * least


@pytest.mark.parametrize("level", [0.1, 0.25, 0.5, 0.9])
def test_one_categorical_feature_gives_quantiles(level):
    n = 10_001
    draws = stats.norm.ppf((np.arange(n) + 0.5) / n)  # as even as a normal distribution gets
    levels = np.repeat(["p", "q"], n)
    y = np.r_[draws, 5 + 2 * draws]
    for smoothing, share_apart in ((Quantile().smoothing, 6e-3), (0.1, 2e-4)):
        loss = Quantile(level, smoothing)
        score = one_categorical_feature(levels, Target.regression(y, np.ones(2 * n), loss))
        for one in "pq":
            there = levels == one
            share = np.mean(y[there] <= score[there])
            assert share == pytest.approx(level, abs=share_apart)
    # with hardly any smoothing, the quantile itself, to a thousandth of the spread
    np.testing.assert_allclose(score[:1], np.quantile(draws, level), atol=1e-3)
    np.testing.assert_allclose(score[-1:], 5 + 2 * np.quantile(draws, level), atol=2e-3)


def test_one_categorical_feature_gives_hubers_m_estimator():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(3)
    levels = rng.choice(["p", "q"], 2000)
    y = np.where(levels == "q", 4.0, 0.0) + rng.standard_t(2, 2000)
    score = one_categorical_feature(levels, Target.regression(y, np.ones(2000), Huber(0.5)))
    width = Target.regression(y, np.ones(2000), Huber(0.5)).scale * 0.5
    for level in "pq":
        there = levels == level
        centre = score[there][0]
        assert np.clip(y[there] - centre, -width, width).mean() == pytest.approx(0, abs=1e-4)
        scale = sm.robust.scale.mad(y[there])
        assert abs(centre - np.median(y[there])) < scale


# ---- the whole way ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_every_objective_finds_the_interaction(kind):
    table, loss = Table(), kind()
    y = table.y(loss)
    model = CALMRegressor(objective=loss, curves=SMALL, **QUICK).fit(table.X, y)
    assert ("a", "b") in {
        (term.feature.name, model.model_.schema.names[j])
        for term in model.model_.terms
        for j in term.conditioned_on
    }
    assert model.model_.link == loss.link
    errors = model.model_.errors
    assert errors["metric"] == loss.metric and errors["calm"] < errors["gam"]
    fresh = Table(seed=1)
    assert np.corrcoef(fresh.score, model.model_.score(fresh.X))[0, 1] > 0.9
    assert model.predict(table.X).shape == (1200,)
    assert 0.05 < model.score(fresh.X, fresh.y(loss)) < 1
    again = calmgam.model.serialize.from_json(calmgam.model.serialize.to_json(model.model_))
    assert again == model.model_ and again.objective == model.model_.objective
    np.testing.assert_array_equal(again.predict(table.X), model.predict(table.X))


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_splines_minimise_every_objective(kind):
    table, loss = Table(), kind()
    partitions = {"a": ["b <= 0", "b > 0"]}
    model = CALMRegressor(objective=loss, curves="splines", growth=partitions, **QUICK)
    model.fit(table.X, table.y(loss))
    fresh = Table(seed=1)
    assert np.corrcoef(fresh.score, model.model_.score(fresh.X))[0, 1] > 0.95


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_networks_minimise_every_objective(kind):
    pytest.importorskip("torch")
    table, loss = Table(400), kind()
    networks = calmgam.Networks(n_epochs=2, min_steps=400)
    partitions = {"a": ["b <= 0", "b > 0"]}
    model = CALMRegressor(objective=loss, curves=networks, growth=partitions, **QUICK)
    model.fit(table.X, table.y(loss))
    assert np.corrcoef(table.score, model.model_.score(table.X))[0, 1] > 0.6


def test_learners_that_cannot_say_so():
    table = Table(100)
    y = table.y(Poisson())
    with pytest.raises(ValueError, match=r"Backfitting\(\) cannot minimise poisson: it minimises"):
        CALMRegressor(objective="poisson", curves="backfitting").fit(table.X, y)
    with pytest.raises(ValueError, match=r"Networks\(\) cannot minimise LogCosh: it has no torch"):
        CALMRegressor(objective=LogCosh(), curves="networks").fit(table.X, y)


def test_units_of_y_do_not_matter():
    table = Table(600)
    for loss in (Poisson(), Tweedie(1.5), loss_of("gamma"), Quantile(0.8), Huber()):
        y = table.y(loss)
        fits = [
            CALMRegressor(objective=loss, curves=SMALL, max_depth=0, **QUICK).fit(table.X, f * y)
            for f in (1.0, 1024.0)
        ]
        one, other = (fit.predict(table.X) for fit in fits)
        np.testing.assert_allclose(other, 1024.0 * one, rtol=1e-6)


def test_a_quantile_covers_its_share():
    table = Table(3000)
    y = table.score + np.exp(0.5 * table.X["c"]) * table.rng.normal(size=3000)
    model = CALMRegressor(objective=Quantile(0.9), curves=SMALL, **QUICK)
    model.fit(table.X[:2000], y[:2000])
    assert 0.87 < np.mean(y[2000:] <= model.predict(table.X[2000:])) < 0.93


# ---- a loss of one's own -------------------------------------------------------------------------


class LogCosh(Loss):
    """Written by a user: nothing is compiled, no file of calmgam is touched."""

    def losses(self, y, score):
        return np.logaddexp(y - score, score - y) - np.log(2)

    def derivatives(self, y, score):
        slope = np.tanh(y - score)
        return slope, np.maximum(1 - slope**2, 0.05)


class PlainPoisson(Loss):
    """Like the one that the kernels know."""

    link, last_constant = "log", "all"

    def losses(self, y, score):
        return Poisson().losses(y, score)

    def derivatives(self, y, score):
        return Poisson().derivatives(y, score)

    def units(self, y, weights):
        return Poisson().units(y, weights)

    def strata(self, y):
        return Poisson().strata(y)


def test_a_loss_of_ones_own_goes_all_the_way():
    table = Table(800)
    y = table.score + 0.3 * table.rng.standard_t(2, 800)
    model = CALMRegressor(objective=LogCosh(), curves=SMALL, **QUICK).fit(table.X, y)
    assert model.n_splits_ >= 1
    assert model.model_.errors["metric"] == "LogCosh"
    assert np.corrcoef(table.score, model.predict(table.X))[0, 1] > 0.9
    assert 0.2 < model.score(table.X, y) < 1
    assert "LogCosh" in model.summary(table.X, y)


def test_a_loss_in_python_gives_the_model_of_the_compiled_one():
    table = Table(500)
    y = table.y(Poisson())
    fits = [
        CALMRegressor(objective=loss, curves=SMALL, max_splits=1, **QUICK).fit(table.X, y)
        for loss in (Poisson(), PlainPoisson())
    ]
    one, other = (fit.predict(table.X) for fit in fits)
    np.testing.assert_allclose(one, other, rtol=2e-3)


# ---- exposure ------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [Poisson(), Tweedie(1.5), loss_of("gamma")])
def test_counts_with_an_offset_are_rates_with_weights(loss):
    table = Table(900)
    e = table.exposure
    rate = table.y(loss)
    weights = e ** (2 - (loss.power))
    estimator = CALMRegressor(objective=loss, curves=SMALL, **QUICK)
    counts = clone(estimator).fit(table.X, rate * e, offset=np.log(e))
    rates = clone(estimator).fit(table.X, rate, sample_weight=weights)
    np.testing.assert_allclose(counts.predict(table.X), rates.predict(table.X), rtol=1e-6)
    np.testing.assert_allclose(
        counts.predict(table.X, offset=np.log(e)), e * rates.predict(table.X), rtol=1e-6
    )
    shares = (
        counts.score(table.X, rate * e, offset=np.log(e)),
        rates.score(table.X, rate, sample_weight=weights),
    )
    assert shares[0] == pytest.approx(shares[1], rel=1e-6)


def test_offsets_of_means_and_log_odds():
    table = Table(900)
    known = 2.0 * table.X["c"].to_numpy()
    y = table.score + known + 0.3 * table.rng.normal(size=900)
    model = CALMRegressor(curves=SMALL, max_depth=0, **QUICK).fit(table.X, y, offset=known)
    plain = CALMRegressor(curves=SMALL, max_depth=0, **QUICK).fit(table.X, y - known)
    np.testing.assert_allclose(model.predict(table.X), plain.predict(table.X))
    np.testing.assert_allclose(model.predict(table.X, offset=known), plain.predict(table.X) + known)
    yes = (table.score + known + table.rng.logistic(size=900) > 0).astype(int)
    for curves in (SMALL, "splines"):
        odds = CALMClassifier(curves=curves, **QUICK).fit(table.X, yes, offset=known)
        without = CALMClassifier(curves=curves, **QUICK).fit(table.X, yes)
        slope = [np.polyfit(known, m.decision_function(table.X), 1)[0] for m in (odds, without)]
        assert abs(slope[0]) < 0.3 < 0.6 < slope[1]  # what the offset says need not be learned
        assert odds.score(table.X, yes, offset=known) > 0.75
        both = odds.predict_proba(table.X, offset=known)[:, 1]
        np.testing.assert_allclose(
            np.log(both / (1 - both)), odds.decision_function(table.X) + known, atol=1e-6
        )


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (np.zeros(3), r"offset must have 100 values; got shape \(3,\)"),
        (np.where(np.arange(100) == 6, np.nan, 0.0), "offset must be finite; got nan in row 6"),
        (np.where(np.arange(100) == 6, -np.inf, 0.0), "offset must be finite; got -inf in row 6"),
        (["a"] * 100, "offset must be numbers; got 'a' in row 0"),
        (np.full(100, 800.0), "offset must be the logarithm of an exposure that y can be divided"),
    ],
)
def test_wrong_offsets(offset, message):
    table = Table(100)
    with pytest.raises(ValueError, match=message):
        CALMRegressor(objective="poisson", **QUICK).fit(table.X, table.y(Poisson()), offset=offset)


def test_metadata_routing_passes_offsets_through_pipelines_and_searches():
    import sklearn

    table = Table(400)
    e = table.exposure
    y = table.y(Poisson()) * np.round(e * 3)
    y, offset = y, np.log(np.round(e * 3) + 1)
    estimator = CALMRegressor(objective="poisson", curves=SMALL, max_depth=0, **QUICK)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator.set_fit_request(offset=True).set_predict_request(offset=True)
        estimator.set_score_request(offset=True)
        steps = pipeline.make_pipeline(preprocessing.StandardScaler(), estimator)
        steps.fit(table.X.to_numpy(), y, offset=offset)
        alone = clone(estimator).fit(steps[0].transform(table.X.to_numpy()), y, offset=offset)
        np.testing.assert_array_equal(
            steps.predict(table.X.to_numpy(), offset=offset),
            alone.predict(steps[0].transform(table.X.to_numpy()), offset=offset),
        )
        search = model_selection.GridSearchCV(estimator, {"max_bins": [8, 64]}, cv=2)
        search.fit(table.X, y, offset=offset)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_search_over_a_pipeline_passes_offsets_and_weights_to_fits_and_scores():
    import sklearn

    table = Table(300)
    X, y = table.X.to_numpy(), table.y(Poisson())
    given = {"offset": np.log(table.exposure), "sample_weight": table.rng.uniform(0.1, 5.0, 300)}
    estimator = CALMRegressor(objective="poisson", curves=SMALL, max_depth=0, **QUICK)
    splits = model_selection.KFold(2)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator.set_fit_request(offset=True, sample_weight=True)
        estimator.set_score_request(offset=True, sample_weight=True)
        scaler = preprocessing.StandardScaler().set_fit_request(sample_weight=True)
        steps = pipeline.make_pipeline(scaler, estimator)
        search = model_selection.GridSearchCV(
            steps, {"calmregressor__max_bins": [8, 64]}, cv=splits
        )
        search.fit(X, y, **given)
        for k, (train, test) in enumerate(splits.split(X)):
            parts = [
                {name: values[rows] for name, values in given.items()} for rows in (train, test)
            ]
            for column, max_bins in enumerate((8, 64)):
                model = clone(steps).set_params(calmregressor__max_bins=max_bins)
                score = model.fit(X[train], y[train], **parts[0]).score(
                    X[test], y[test], **parts[1]
                )
                assert search.cv_results_[f"split{k}_test_score"][column] == score


def test_cross_validation_passes_offsets_and_weights_to_fits_and_scores():
    import sklearn

    table = Table(300)
    y, offset = table.y(Poisson()), np.log(table.exposure)
    weights = table.rng.uniform(0.1, 5.0, 300)
    estimator = CALMRegressor(objective="poisson", curves=SMALL, max_depth=0, **QUICK)
    given = {"offset": offset, "sample_weight": weights}
    splits = model_selection.KFold(2)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator.set_fit_request(offset=True, sample_weight=True)
        estimator.set_score_request(offset=True, sample_weight=True)
        found = model_selection.cross_validate(estimator, table.X, y, cv=splits, params=given)
    by_hand = []
    for train, test in splits.split(table.X):
        parts = [{name: values[rows] for name, values in given.items()} for rows in (train, test)]
        model = clone(estimator).fit(table.X.iloc[train], y[train], **parts[0])
        by_hand.append(model.score(table.X.iloc[test], y[test], **parts[1]))
    np.testing.assert_array_equal(found["test_score"], by_hand)


# ---- scores as scikit-learn has them -------------------------------------------------------------


def test_scores_are_those_of_scikit_learn():
    table = Table(300)
    weights = table.exposure
    cases = {
        "poisson": lambda y, p: metrics.d2_tweedie_score(y, p, sample_weight=weights, power=1),
        "gamma": lambda y, p: metrics.d2_tweedie_score(y, p, sample_weight=weights, power=2),
        "tweedie": lambda y, p: metrics.d2_tweedie_score(y, p, sample_weight=weights, power=1.5),
        "squared_error": lambda y, p: metrics.r2_score(y, p, sample_weight=weights),
    }
    for name, expected in cases.items():
        y = table.y(loss_of(name))
        model = CALMRegressor(objective=name, curves=SMALL, max_depth=0, **QUICK).fit(table.X, y)
        found = model.score(table.X, y, sample_weight=weights)
        assert found == pytest.approx(expected(y, model.predict(table.X)), rel=1e-9)
    y = table.y(Quantile())
    for loss, level in ((Quantile(0.8), 0.8), ("absolute_error", 0.5)):
        model = CALMRegressor(objective=loss, curves=SMALL, max_depth=0, **QUICK).fit(table.X, y)
        expected = metrics.d2_pinball_score(y, model.predict(table.X), alpha=level)
        assert model.score(table.X, y) == pytest.approx(expected, rel=1e-3)


# ---- rare events, uneven weights -----------------------------------------------------------------


def test_rare_events_and_survey_weights_do_not_overflow():
    rng = np.random.default_rng(4)
    n = 4000
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 3, n).astype(str)})
    weights = 10 ** rng.uniform(-2, 3, n)
    rate = 0.005 * np.exp(1.2 * (X["a"] > 1) + 0.0)
    y = rng.poisson(rate).astype(float)
    assert 0.002 < (y > 0).mean() < 0.02
    for estimator, target in (
        (CALMRegressor(objective="poisson", curves=SMALL, **QUICK), y),
        (CALMRegressor(objective="tweedie", curves=SMALL, **QUICK), y * rng.gamma(2, 500, n)),
        (CALMClassifier(curves=SMALL, **QUICK), (y > 0).astype(int)),
    ):
        model = estimator.fit(X, target, sample_weight=weights)
        is_class = isinstance(model, CALMClassifier)
        predicted = model.predict_proba(X)[:, 1] if is_class else model.predict(X)
        assert np.isfinite(predicted).all()
        ratio = np.average(predicted, weights=weights) / np.average(target, weights=weights)
        assert 0.3 < ratio < 3 if is_class else ratio == pytest.approx(1)
        assert predicted.max() < 200 * predicted.mean()


def test_bags_share_out_the_events():
    from calmgam.fit.data.bags import draw_bags

    y = np.zeros(2000)
    y[:10] = 5.0
    target = Target.regression(y, np.ones(2000), Poisson())
    bags = draw_bags(target, 30, np.random.default_rng(0))
    events = (bags[:10] == VALIDATES).sum(axis=0)
    assert set(events.tolist()) == {2}  # of ten events, in every bag


@pytest.mark.parametrize("n_zeros", [0, 1, 2])
def test_few_rows_with_large_exposures(n_zeros):
    rng = np.random.default_rng(5)
    exposure = rng.uniform(100, 900, 64)
    group = rng.choice(["young", "old"], 64)
    rate = np.where(group == "young", 0.06, 0.02)
    y = rng.poisson(rate * exposure).astype(float)
    y[:n_zeros] = 0.0  # a single row without events must not keep the others from being learned
    X = pd.DataFrame({"group": group, "noise": rng.normal(size=64)})
    model = CALMRegressor(objective="poisson", **QUICK).fit(X, y, offset=np.log(exposure))
    predicted = model.predict(X)  # rates
    for one in ("young", "old"):
        there = group == one
        observed = y[there].sum() / exposure[there].sum()
        assert predicted[there].mean() == pytest.approx(observed, rel=0.25)
    assert model.predict(X, offset=np.log(exposure)).sum() == pytest.approx(y.sum(), rel=0.1)


# ---- references ----------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_libraries_minimise_the_same_objective(library, kind):
    pytest.importorskip(library)
    table, loss = Table(600), kind()
    y = table.y(loss)
    model = CALMRegressor(
        objective=loss, reference=library, curves=SMALL, max_splits=2, **QUICK
    ).fit(table.X, y)
    assert model.n_splits_ >= 1
    assert (
        np.isfinite(model.model_.errors["reference"]) if "reference" in model.model_.errors else 1
    )
    assert np.corrcoef(table.score, model.model_.score(table.X))[0, 1] > 0.8


def test_references_that_cannot_say_so():
    table = Table(100)
    y = table.y(Poisson())
    with pytest.raises(
        ValueError, match="reference='mlp' cannot minimise poisson; 'boosted_trees'"
    ):
        CALMRegressor(objective="poisson", reference="mlp", **QUICK).fit(table.X, y)
    with pytest.raises(ValueError, match="reference='random_forest' cannot minimise LogCosh"):
        CALMRegressor(objective=LogCosh(), reference="random_forest", **QUICK).fit(table.X, y)


def test_a_function_as_reference_predicts_means():
    table = Table(600)
    y = table.y(Poisson())

    def truth(X):
        return 7.0 * np.exp(np.where(X["b"] > 0, 0.6, -0.6) * X["a"] + 0.4 * (X["c"] > 0.5))

    model = CALMRegressor(
        objective="poisson", reference=truth, curves=SMALL, max_splits=1, **QUICK
    ).fit(table.X, 7 * y)
    assert model.model_.terms[0].conditioned_on == (1,)


@pytest.mark.slow
@pytest.mark.skipif("CALMGAM_DATA" not in os.environ, reason="needs the tables of CALMGAM_DATA")
@pytest.mark.parametrize("name", ["ccpp", "california_housing", "seoul_bike"])
def test_a_quantile_covers_its_share_of_real_rows(name):
    table = pd.read_csv(Path(os.environ["CALMGAM_DATA"]) / f"{name}.csv.gz")
    y = table.pop("target").to_numpy()
    folds = model_selection.KFold(5, shuffle=True, random_state=0)
    train, test = next(iter(folds.split(table)))
    model = CALMRegressor(objective=Quantile(0.9), random_state=0)
    model.fit(table.iloc[train], y[train])
    assert 0.88 <= np.mean(y[test] <= model.predict(table.iloc[test])) <= 0.92
