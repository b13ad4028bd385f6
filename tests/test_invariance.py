"""What must not matter: units, places of columns, threads; and structure that must be found."""

import numpy as np
import pytest
from scipy.special import expit

from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity, Joint

QUICK = {"curves": Boosting(n_bags=3, max_rounds=150), "n_jobs": 1, "random_state": 0}


def interaction(n_rows=500, seed=0):
    """The slope of x2 changes its sign with x1; x0 and x3 only add."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, 4))
    slope = np.where(X[:, 1] > 0, 2.0, -2.0)
    return X, X[:, 0] ** 2 + slope * X[:, 2] + 0.3 * X[:, 3] + 0.1 * rng.normal(size=n_rows)


def trees(estimator):
    return [term.tree for term in estimator.model_.terms]


@pytest.fixture(scope="module")
def data():
    return interaction()


@pytest.fixture(scope="module")
def fitted(data):
    estimator = CALMRegressor(**QUICK).fit(*data)
    assert estimator.n_splits_ > 0
    return estimator


# ---- units ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [-40, -1, 7, 40])
def test_powers_of_two_give_the_same_trees_and_scaled_scores(data, fitted, exponent):
    X, y = data
    factor = 2.0**exponent
    scaled = CALMRegressor(**QUICK).fit(X, factor * y)
    assert trees(scaled) == trees(fitted)
    np.testing.assert_allclose(scaled.predict(X), factor * fitted.predict(X), rtol=1e-6)


@pytest.mark.parametrize(("factor", "shift"), [(1e-8, 0), (1e-8, 1e-6), (-3, 50), (1e8, -1e9)])
def test_units_of_y_do_not_matter(data, fitted, factor, shift):
    X, y = data
    scaled = CALMRegressor(**QUICK).fit(X, factor * y + shift)
    assert trees(scaled) == trees(fitted)
    spread = np.ptp(fitted.predict(X))
    np.testing.assert_allclose(
        (scaled.predict(X) - shift) / factor, fitted.predict(X), rtol=0, atol=1e-6 * spread
    )
    assert scaled.model_.errors["calm"] / abs(factor) == pytest.approx(fitted.model_.errors["calm"])


@pytest.mark.parametrize("factor", [0.01, 1000.0])
def test_units_of_weights_do_not_matter(data, factor):
    X, y = data
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    one = CALMRegressor(**QUICK).fit(X, y, sample_weight=weights)
    other = CALMRegressor(**QUICK).fit(X, y, sample_weight=factor * weights)
    spread = np.ptp(one.predict(X))
    np.testing.assert_allclose(other.predict(X), one.predict(X), rtol=0, atol=1e-3 * spread)


# ---- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [CALMRegressor, CALMClassifier])
def test_places_of_columns_do_not_matter(data, kind):
    X, y = data
    y = y > 0 if kind is CALMClassifier else y
    order = [2, 0, 3, 1]
    straight, moved = kind(**QUICK).fit(X, y), kind(**QUICK).fit(X[:, order], y)

    def splits(estimator, names):
        return {
            (names[term.feature.index], names[node.condition.feature.index], node.condition.value)
            for term in estimator.model_.terms
            for node in term.tree.nodes
            if node.condition
        }

    assert straight.n_splits_ > 0
    assert splits(moved, order) == splits(straight, range(4))
    difference = moved.contributions(X[:, order]).sum(1) - straight.contributions(X).sum(1)
    assert np.abs(difference).max() < 0.01 * np.ptp(straight.contributions(X).sum(1))


@pytest.mark.parametrize("kind", [CALMRegressor, CALMClassifier])
def test_threads_do_not_change_a_bit(data, kind):
    X, y = data
    y = y > 0 if kind is CALMClassifier else y
    settings = {**QUICK, "curves": Boosting(n_bags=12, max_rounds=40)}  # two groups of bags
    one = kind(**settings).fit(X, y)
    two = kind(**{**settings, "n_jobs": 2}).fit(X, y)
    assert one.model_ == two.model_
    again = kind(**{**settings, "random_state": 1}).fit(X, y)
    assert one.model_ != again.model_


# ---- structure -----------------------------------------------------------------------------------


def log_odds(X):
    return 2 * X[:, 0] + 1.5 * X[:, 1] ** 2 + np.sin(2 * X[:, 2]) - 1


@pytest.fixture(scope="module")
def logit_additive():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (3000, 3))
    return X, rng.random(len(X)) < expit(log_odds(X))


@pytest.mark.parametrize("growth", ["joint", "heterogeneity"])
def test_logit_additive_truth_yields_no_split(logit_additive, growth):
    """Interactions that a reference makes up itself are seen through by cross-validation alone."""
    learned = CALMClassifier(growth=growth, n_jobs=1, random_state=0).fit(*logit_additive)
    assert learned.n_splits_ == 0
    assert learned.ledger_.path


def test_logit_additive_truth_is_additive_on_the_link_scale_only(logit_additive):
    settings = {"reference": log_odds, "max_splits": None, "curves": Boosting(max_rounds=1)}
    link, response = (
        CALMClassifier(**settings, growth=Heterogeneity(effect_scale=scale)).fit(*logit_additive)
        for scale in ("link", "response")
    )
    assert link.n_splits_ == 0
    assert response.n_splits_ > 0


def root(estimator, feature):
    return estimator.model_.terms[feature].tree.nodes[0].condition


@pytest.mark.parametrize("growth", [Joint, Heterogeneity])
@pytest.mark.parametrize("seed", range(2))
def test_split_at_the_median_of_a_skewed_feature_is_found(seed, growth):
    rng = np.random.default_rng(seed)
    x, skewed, other = rng.uniform(-1, 1, 2000), rng.lognormal(0, 1.5, 2000), rng.normal(size=2000)
    y = 2 * np.where(skewed <= 1, x, -x) + 0.3 * other + 0.2 * rng.normal(size=2000)
    estimator = CALMRegressor(**QUICK, growth=growth(split_features=[0]), max_depth=1)
    condition = root(estimator.fit(np.column_stack([x, skewed, other]), y), 0)
    assert condition.feature.index == 1
    assert abs(np.mean(skewed <= condition.value) - np.mean(skewed <= 1)) < 0.04


def test_structure_of_the_first_synthetic_case_is_recovered():
    rng = np.random.default_rng(0)
    X, X_new = rng.uniform(-1, 1, (2, 1000, 3))

    def truth(X):
        angle = np.pi / 2 * X[:, 2]
        wave = np.where(X[:, 1] >= 0, np.sin(angle), np.cos(angle))
        return X[:, 0] ** 2 + np.log(np.abs(X[:, 1])) + 2 * wave

    estimator = CALMRegressor(n_jobs=1, random_state=0).fit(X, truth(X))
    condition = root(estimator, 2)
    assert condition.feature.index == 1
    assert abs(condition.value) < 0.05
    assert estimator.model_.terms[0].tree.n_splits == 0
    assert estimator.score(X_new, truth(X_new)) > 0.98
