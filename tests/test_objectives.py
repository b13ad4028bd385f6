"""Every objective from `fit` to `predict`: learners, scores, rare events, a loss of one's own."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics, model_selection

import calmgam
from calmgam import CALMClassifier, CALMRegressor, Huber, Loss, Poisson, Quantile, Tweedie
from calmgam.fit.data.bags import VALIDATES
from calmgam.fit.data.objectives import loss_of
from calmgam.fit.data.target import Target
from objective_table import EVERY, QUICK, SMALL, Table

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
