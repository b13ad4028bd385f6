"""Residuals and calibration of numbers, and features that move together."""

import numpy as np
import pandas as pd
import pytest
from reading_models import hand_model
from scipy.stats import spearmanr

from calmgam.model import Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.read import (
    calibration,
    correlated_features,
    plot_calibration,
    plot_residuals,
    residuals,
)

rng = np.random.default_rng(2)
N = 400
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, N),
        "job": rng.choice(["nurse", "cook"], N),
        "flag": rng.random(N) < 0.5,
    }
)
MODEL = hand_model()
Y = MODEL.predict(X) + rng.normal(size=N) + 0.5


def test_residuals_are_observed_minus_predicted():
    found = residuals(MODEL, X, Y)
    left = Y - MODEL.predict(X)
    assert found.mean == pytest.approx(left.mean())
    assert dict(found.quantiles)[0.5] == pytest.approx(np.median(left), abs=0.02)
    assert set(dict(found.quantiles)) == {0.05, 0.25, 0.5, 0.75, 0.95}  # 1 % are four rows
    assert sum(g.n_rows for g in found.groups) == N and len(found.groups) == 10
    assert sum(g.share * g.mean for g in found.groups) == pytest.approx(left.mean())
    assert all(g.low <= g.median <= g.high for g in found.groups)
    assert "mean residual" in str(found)


def test_small_groups_are_joined():
    found = residuals(MODEL, X[:23], Y[:23])
    assert sum(g.n_rows for g in found.groups) == 23
    assert min(g.n_rows for g in found.groups) >= 5
    assert residuals(MODEL, X[:4], Y[:4]).groups == ()
    assert len(calibration(MODEL, X[:23], Y[:23], min_rows=5).groups) < 5


def test_classes_have_no_residuals():
    with pytest.raises(ValueError, match="residuals are those of numbers"):
        residuals(hand_model("logit"), X, np.where(X["flag"], "yes", "no"))


def test_calibration_has_an_error_and_a_picture():
    found = calibration(MODEL, X, Y)
    assert found.error == pytest.approx(0.5, abs=0.2)
    assert "predicted  observed" in str(found)
    assert plot_calibration(MODEL, X, Y).get_ylabel() == "observed"
    assert plot_residuals(MODEL, X, Y).get_ylabel() == "observed minus predicted"


def plain(n_features):
    features = [Feature(f"f{k}", k, "numeric") for k in range(n_features)]
    always = PartitionTree.trivial()
    shapes = [ShapeFunction(f, [0.0], [0.0, 1.0, 0.0], np.ones(3), np.zeros(3)) for f in features]
    terms = [Term(f, always, (s,)) for f, s in zip(features, shapes, strict=True)]
    return Model(Schema(tuple(features)), 0.0, tuple(terms))


def test_pairs_that_move_together_are_found_with_scipys_correlation():
    a = rng.normal(size=300)
    table = np.column_stack([a, np.exp(a + 0.1 * rng.normal(size=300)), -a, rng.normal(size=300)])
    table[rng.random(300) < 0.2, 1] = np.nan
    found = correlated_features(plain(4), table)
    assert [(p.first, p.second) for p in found.pairs] == [("f0", "f2"), ("f0", "f1"), ("f1", "f2")]
    for pair in found.pairs:
        one, other = (table[:, int(name[1])] for name in (pair.first, pair.second))
        expected = spearmanr(one, other, nan_policy="omit").statistic
        assert pair.correlation == pytest.approx(expected, abs=1e-12)
    assert found.pairs[1].n_rows == np.isfinite(table[:, 1]).sum()
    assert "share their effect" in str(found)


def test_all_pairs_are_compared_at_a_threshold_of_nothing():
    table = np.round(rng.normal(size=(60, 5)), 1)
    found = correlated_features(plain(5), table, 0.0)
    assert len(found.pairs) == 10
    for pair in found.pairs:
        one, other = (table[:, int(name[1])] for name in (pair.first, pair.second))
        assert pair.correlation == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)


def test_constants_and_levels_without_order_move_with_nothing():
    table = np.column_stack([np.zeros(50), np.arange(50.0)])
    assert correlated_features(plain(2), table).pairs == ()
    assert correlated_features(MODEL, X).features == ("hour", "flag")
    with pytest.raises(ValueError, match=r"threshold must be a number in \[0, 1\]; got 2"):
        correlated_features(MODEL, X, 2)
