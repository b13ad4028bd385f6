import numpy as np
import pytest

from calmgam import Boosting, CALMRegressor
from calmgam.fit.curves.by_name import LEARNERS
from calmgam.parameters import PARAMETERS

QUICK = {"n_jobs": 1, "random_state": 0}
LEARNER = {"boosting": Boosting(n_bags=2, max_rounds=60)}


def interaction(n_rows=400):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n_rows, 3))
    return X, np.where(X[:, 1] > 0, 2.0, -2.0) * X[:, 0] + X[:, 2]


@pytest.fixture(params=["boosting", "splines", "backfitting"])
def estimator(request):
    return CALMRegressor(**QUICK, curves=LEARNER.get(request.param, request.param))


def test_every_learner_gives_a_model(estimator):
    X, y = interaction()
    estimator.fit(X, y)
    assert estimator.n_splits_ > 0
    assert estimator.score(X, y) > 0.9
    total = estimator.model_.intercept + estimator.contributions(X).sum(axis=1)
    np.testing.assert_allclose(total, estimator.predict(X), atol=1e-9)
    assert estimator.model_ == estimator.fit(X, y).model_


def test_own_gam_is_fitted_with_the_same_learner(estimator):
    X, y = interaction()
    regions = {"x0": ["x1 <= 0", "x1 > 0"]}
    calm = estimator.set_params(growth=regions).fit(X, y).model_.errors
    gam = estimator.set_params(growth="joint", max_depth=0).fit(X, y).model_.errors
    assert calm["gam"] == pytest.approx(gam["calm"], rel=1e-6)
    assert calm["calm"] < 0.6 * calm["gam"]


def test_the_same_trees_whatever_learns_the_curves():
    X, y = interaction()
    trees = [
        [term.tree for term in CALMRegressor(**QUICK, curves=curves).fit(X, y).model_.terms]
        for curves in (LEARNER["boosting"], "splines")
    ]
    assert trees[0] == trees[1]


def test_learners_that_do_not_exist_are_refused():
    message = "curves must be one of 'boosting', 'splines', .*; got 'lines'"
    with pytest.raises(ValueError, match=message):
        CALMRegressor(curves="lines").fit(*interaction())


def test_every_learner_is_documented():
    for name in LEARNERS:
        assert f'"{name}"' in PARAMETERS
