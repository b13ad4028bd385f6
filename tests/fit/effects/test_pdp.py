import lightgbm
import numpy as np
import pytest
import xgboost
from scipy.special import expit
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from calmgam.fit.data.losses import LogLoss, SquaredError
from calmgam.fit.effects import pdp as ice
from calmgam.fit.effects.pdp import grid_for, ice_curves, tree_sums
from calmgam.fit.references.reference import Reference
from calmgam.model.schema import Feature, Schema
from oracles import ice_sums
from prepared import fit_reference
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
NUMERIC = Feature("x", 0, "numeric")
CATEGORICAL = Feature("c", 0, "categorical", ("p", "q", "r"))

LIGHTGBM = {"n_estimators": 15, "n_jobs": 1, "verbose": -1, "min_data_per_group": 1, "cat_l2": 0}
ESTIMATORS = {
    "xgboost": xgboost.XGBRegressor(n_estimators=15, n_jobs=1),
    "xgboost classifier": xgboost.XGBClassifier(n_estimators=15, n_jobs=1),
    "lightgbm": lightgbm.LGBMRegressor(**LIGHTGBM),
    "lightgbm classifier": lightgbm.LGBMClassifier(**LIGHTGBM),
    "hist gradient boosting": HistGradientBoostingRegressor(max_iter=15),
    "hist gradient boosting classifier": HistGradientBoostingClassifier(max_iter=15),
    "forest": RandomForestRegressor(15, min_samples_leaf=3),
    "forest classifier": RandomForestClassifier(15, min_samples_leaf=3),
}


@pytest.fixture(scope="module", params=ESTIMATORS)
def reference(request):
    """Return the reference of each library and task, with its trees."""
    task = "classification" if "classifier" in request.param else "regression"
    y = Y if task == "regression" else (Y > 0).astype(int)
    fitted = fit_reference(ESTIMATORS[request.param], X, y, SCHEMA, task=task)
    assert fitted.ensemble is not None
    return fitted


def predicted(reference):
    """The same reference without its trees."""
    return Reference(reference.estimator, reference.loss, min_probability=reference.min_probability)


def grid_with_thresholds(reference, feature):
    """Quantiles, the missing value and values exactly on thresholds of the trees."""
    trees = reference.ensemble
    grid, _ = grid_for(SCHEMA.features[feature], X[:, feature], size=8)
    if SCHEMA.features[feature].is_numeric:
        thresholds = trees.thresholds[(trees.features == feature) & np.isfinite(trees.thresholds)]
        grid = np.unique(np.append(grid, thresholds[:: max(1, len(thresholds) // 8)]))
    return grid, np.full(len(grid), 1.0 / len(grid))


class TestGrid:
    def test_quantiles_include_both_ends_and_are_distinct(self):
        column = np.repeat([0.0, 1.0, 2.0, 5.0], [70, 10, 10, 10])
        grid, weights = grid_for(NUMERIC, column, size=20)
        np.testing.assert_array_equal(grid, [0, 1, 2, 5])
        np.testing.assert_allclose(weights, 0.25)

    def test_quantiles_are_values_of_the_column(self):
        column = np.random.default_rng(0).lognormal(size=1000)
        grid, weights = grid_for(NUMERIC, column, size=20)
        assert len(grid) == 20
        assert np.isin(grid, column).all()
        assert (grid[0], grid[-1]) == (column.min(), column.max())
        assert weights.sum() == pytest.approx(1)

    def test_uniform_is_equally_spaced(self):
        grid, weights = grid_for(NUMERIC, np.array([0.0, 0.1, 0.2, 19.0]), "uniform", size=20)
        np.testing.assert_allclose(grid, np.arange(20))
        np.testing.assert_allclose(weights, 0.05)

    @pytest.mark.parametrize("kind", ["quantile", "uniform"])
    def test_missing_is_one_more_value_weighted_by_its_share(self, kind):
        grid, weights = grid_for(NUMERIC, np.array([1.0, 2.0, np.nan, 3.0]), kind, size=3)
        np.testing.assert_array_equal(grid, [1, 2, 3, np.nan])
        np.testing.assert_allclose(weights, 0.25)

    def test_levels_are_weighted_by_frequency_or_equally(self):
        column = np.array([0.0, 0.0, 0.0, 2.0, 3.0, np.nan])  # 1 was not seen, 3 is rare
        grid, weights = grid_for(CATEGORICAL, column)
        np.testing.assert_array_equal(grid, [0, 2, 3, np.nan])
        np.testing.assert_allclose(weights, np.array([3, 1, 1, 1]) / 6)
        _, weights = grid_for(CATEGORICAL, column, "uniform")
        np.testing.assert_allclose(weights, [5 / 18, 5 / 18, 5 / 18, 1 / 6])

    @pytest.mark.parametrize("kind", ["quantile", "uniform"])
    @pytest.mark.parametrize("value", [4.0, np.nan])
    def test_a_constant_column_has_one_value(self, kind, value):
        grid, weights = grid_for(NUMERIC, np.full(5, value), kind)
        np.testing.assert_array_equal(grid, [value])
        np.testing.assert_array_equal(weights, [1])


@pytest.mark.parametrize("effect_scale", ["link", "response"])
def test_tree_walk_equals_batched_predictions(reference, effect_scale):
    rows = X[:60]
    float32 = type(reference.estimator).__module__.startswith("xgboost")
    tolerance = np.ptp(reference.score(X)) * (1e-5 if float32 else 1e-9)
    for feature in range(5):
        grid, weights = grid_with_thresholds(reference, feature)
        walked = ice_curves(reference, rows, feature, grid, weights, effect_scale)
        asked = ice_curves(predicted(reference), rows, feature, grid, weights, effect_scale)
        assert np.ptp(walked.curves) > 0
        np.testing.assert_allclose(walked.curves, asked.curves, rtol=0, atol=tolerance)


@pytest.mark.parametrize("all_trees", [False, True])
def test_kernel_equals_its_numpy_twin(reference, all_trees):
    for feature in range(5):
        grid, _ = grid_with_thresholds(reference, feature)
        sums = tree_sums(reference.ensemble, X[:8], feature, grid, all_trees)
        twin = ice_sums(reference.ensemble, X[:8], feature, grid, all_trees)
        np.testing.assert_allclose(sums, twin, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
def test_threads_and_memory_order_do_not_change_a_bit(reference, order):
    rows = np.array(np.tile(X, (6, 1)), order=order)  # several blocks of rows
    grid, weights = grid_for(SCHEMA.features[0], X[:, 0])
    one, two, five = (
        ice_curves(reference, rows, 0, grid, weights, n_jobs=n).curves for n in (1, 2, 5)
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, five)
    np.testing.assert_array_equal(one[: len(X)], one[len(X) : 2 * len(X)])


@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_more_classes_of_grid_values_than_bits(kind):
    rng = np.random.default_rng(0)
    n_values = 200
    x = np.column_stack([np.arange(2000) % n_values, rng.normal(size=2000)])
    y = rng.normal(size=n_values)[x[:, 0].astype(int)] + (x[:, 1] > 0)
    levels = tuple(map(str, range(n_values))) if kind == "categorical" else ()
    schema = Schema((Feature("x", 0, kind, levels), Feature("z", 1, "numeric")))
    model = xgboost.XGBRegressor(n_estimators=3, max_depth=30, max_cat_to_onehot=1, n_jobs=1)
    deep = fit_reference(model, x, y, schema, task="regression")
    grid, weights = grid_for(schema.features[0], x[:, 0], size=n_values)
    assert len(grid) == n_values
    walked = ice_curves(deep, x[:50], 0, grid, weights).curves
    assert len(np.unique(walked[0])) > 64
    asked = ice_curves(predicted(deep), x[:50], 0, grid, weights).curves
    np.testing.assert_allclose(walked, asked, atol=1e-5)


def callable_reference(loss):
    return Reference(lambda X: X[:, 0] * X[:, 1], loss)


def test_predictions_come_in_bounded_batches(monkeypatch):
    sizes = []

    def score(X):
        sizes.append(len(X))
        return X[:, 0] * X[:, 1]

    rows = np.random.default_rng(0).normal(size=(103, 2))
    grid, weights = np.array([-1.0, 0.0, 4.0]), np.array([0.5, 0.25, 0.25])
    monkeypatch.setattr(ice, "BATCH_ROWS", 30)
    local = ice_curves(Reference(score, SquaredError()), rows, 0, grid, weights)
    assert max(sizes) <= 30
    assert local.curves.shape == (103, 3)
    np.testing.assert_allclose(local.curves, (grid - grid @ weights) * rows[:, 1:])
    np.testing.assert_allclose(local.curves @ weights, 0, atol=1e-15)


def test_tree_walk_in_batches_gives_the_same_bits(reference, monkeypatch):
    grid, weights = grid_for(SCHEMA.features[4], X[:, 4])
    whole = ice_curves(reference, X, 4, grid, weights).curves
    monkeypatch.setattr(ice, "BATCH_ROWS", 77)
    np.testing.assert_array_equal(ice_curves(reference, X, 4, grid, weights).curves, whole)


def test_response_scale_is_the_probability_of_a_classifier():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    grid, weights = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    probability = expit(grid * rows[:, 1:])
    local = ice_curves(callable_reference(LogLoss()), rows, 0, grid, weights, "response")
    np.testing.assert_allclose(local.curves, probability - probability.mean(1, keepdims=True))
    local = ice_curves(callable_reference(SquaredError()), rows, 0, grid, weights, "response")
    np.testing.assert_allclose(local.curves, grid * rows[:, 1:])


def test_a_constant_feature_has_no_effect(reference):
    local = ice_curves(reference, X, 1, np.array([0.5]), np.array([1.0]))
    np.testing.assert_array_equal(local.curves, np.zeros((len(X), 1)))
