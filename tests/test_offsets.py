"""Exposures and other offsets, through pipelines and searches, too."""

import numpy as np
import pytest
from sklearn import model_selection, pipeline, preprocessing
from sklearn.base import clone

from calmgam import CALMClassifier, CALMRegressor, Poisson, Tweedie
from calmgam.fit.data.objectives import loss_of
from calmgam.model.provenance import table_digest
from objective_table import QUICK, SMALL, Table


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


@pytest.mark.parametrize("missing", [0.0, np.nan])
def test_rows_of_weight_0_need_no_target(missing):
    """Mean costs of policies, weighted by claims: without claims there is no cost."""
    table = Table(600)
    n_claims = np.random.default_rng(1).poisson(0.8, 600)
    cost, counted = table.y(loss_of("gamma")), n_claims > 0
    exposure = np.where(counted, table.exposure, 0.0)
    sizes = CALMRegressor(objective="gamma", curves=SMALL, **QUICK)
    with np.errstate(divide="ignore"):
        offset = np.log(exposure)
    sizes.fit(table.X, np.where(counted, cost, missing), sample_weight=n_claims, offset=offset)
    alone = clone(sizes).fit(
        table.X[counted], cost[counted], sample_weight=n_claims[counted], offset=offset[counted]
    )
    np.testing.assert_array_equal(sizes.predict(table.X), alone.predict(table.X))


def test_rows_of_weight_0_count_in_the_digest_as_they_are():
    table = Table(300)
    y, weights = table.y(Poisson()), np.r_[np.zeros(20), np.ones(280)]
    counts = CALMRegressor(objective="poisson", curves=SMALL, **QUICK)
    counts.fit(table.X, y, sample_weight=weights)
    digest = table_digest(table.X, y, weights)
    assert counts.model_.provenance.table_sha256 == digest
