import sys

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from calmgam.fit.data.losses import SquaredError
from calmgam.fit.effects.shapley import shap_values
from calmgam.fit.references.reference import Reference
from prepared import fit_reference
from tables import mixed_table

X, Y, SCHEMA = mixed_table(300)
NUMBERS = X[:, [0, 1, 4]]
ESTIMATORS = {
    "xgboost": xgboost.XGBRegressor(n_estimators=15, n_jobs=1, max_cat_to_onehot=1),
    "xgboost classifier": xgboost.XGBClassifier(n_estimators=15, n_jobs=1),
    "lightgbm": lightgbm.LGBMRegressor(n_estimators=15, n_jobs=1, verbose=-1),
    "lightgbm classifier": lightgbm.LGBMClassifier(n_estimators=15, n_jobs=1, verbose=-1),
    "hist gradient boosting": HistGradientBoostingRegressor(max_iter=15),
    "hist gradient boosting classifier": HistGradientBoostingClassifier(max_iter=15),
    "forest": RandomForestRegressor(15, min_samples_leaf=3),
    "forest classifier": RandomForestClassifier(15, min_samples_leaf=3),
}


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_values_add_up_to_the_score(name):
    if "boosting" in name or "forest" in name:
        pytest.importorskip("shap")
    task = "classification" if "classifier" in name else "regression"
    y = Y if task == "regression" else (Y > 0).astype(int)
    reference = fit_reference(ESTIMATORS[name], X, y, SCHEMA, task=task)
    values = shap_values(reference, X, rng())
    assert values.shape == X.shape
    rest = reference.score(X) - values.sum(axis=1)
    np.testing.assert_allclose(rest, rest[0], atol=1e-4)
    assert values.std(axis=0).max() > 0.1


def test_the_sampled_values_of_a_product_are_halves():
    rows = np.random.default_rng(1).uniform(-1, 1, (4000, 3))
    reference = Reference(lambda Z: Z[:, 0] * Z[:, 1] + Z[:, 2], SquaredError())
    values = shap_values(reference, rows, rng())
    half = rows[:, 0] * rows[:, 1] / 2
    for i in (0, 1):
        assert np.corrcoef(values[:, i], half)[0, 1] > 0.8
    np.testing.assert_allclose(values[:, 2] - rows[:, 2], values[0, 2] - rows[0, 2], atol=1e-9)
    np.testing.assert_array_equal(values, shap_values(reference, rows, rng()))


def test_exact_and_sampled_values_agree():
    model = xgboost.XGBRegressor(n_estimators=30, max_depth=2, n_jobs=1).fit(NUMBERS, Y)
    exact = shap_values(Reference(model, SquaredError()), NUMBERS, rng())
    sampled = shap_values(Reference(model.predict, SquaredError()), NUMBERS, rng())
    for i in range(3):
        assert np.corrcoef(exact[:, i], sampled[:, i])[0, 1] > 0.8


def test_an_early_stopped_booster_is_explained_up_to_its_best_round():
    model = xgboost.XGBRegressor(n_estimators=200, early_stopping_rounds=3, n_jobs=1)
    model.fit(NUMBERS[:200], Y[:200], eval_set=[(NUMBERS[200:], Y[200:])], verbose=False)
    assert model.best_iteration < 190
    values = shap_values(Reference(model, SquaredError()), NUMBERS, rng())
    rest = model.predict(NUMBERS) - values.sum(axis=1)
    np.testing.assert_allclose(rest, rest[0], atol=1e-4)


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    reference = Reference(RandomForestRegressor(3).fit(NUMBERS, Y), SquaredError())
    with pytest.raises(ImportError, match=r"pip install calmgam\[shap\]"):
        shap_values(reference, NUMBERS, rng())
