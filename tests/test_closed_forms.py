"""Objectives on one categorical feature: the weighted GLM, quantiles, M-estimators."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, softmax

from calmgam import Boosting, Huber, Quantile
from calmgam.fit.curves.boosting import boost
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.bags import TRAINS, VALIDATES
from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.objectives import loss_of
from calmgam.fit.data.target import Target
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree


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
