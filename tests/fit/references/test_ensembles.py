import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from calmgam.fit.references.ensembles import library_of, read_trees
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
LABELS = (Y > 0).astype(int)
N_CODES = (0, 0, 8, 0, 0)
CATEGORIES = [False, False, True, False, False]
XGBOOST = {
    "n_estimators": 30,
    "n_jobs": 1,
    "feature_types": ["q", "q", "c", "q", "q"],
    "enable_categorical": True,
}
LIGHTGBM = {"n_estimators": 30, "n_jobs": 1, "verbose": -1, "min_data_per_group": 5}

# name -> (train, margin, tolerance)
MODELS = {
    "xgboost": (
        lambda: xgboost.XGBRegressor(**XGBOOST).fit(X, Y),
        lambda model, X: model.predict(X),
        1e-5,
    ),
    "xgboost classifier": (
        lambda: xgboost.XGBClassifier(**XGBOOST).fit(X, LABELS),
        lambda model, X: model.predict(X, output_margin=True),
        2e-5,
    ),
    "lightgbm": (
        lambda: lightgbm.LGBMRegressor(**LIGHTGBM).fit(X, Y, categorical_feature=[2]),
        lambda model, X: model.predict(X),
        1e-11,
    ),
    "lightgbm classifier": (
        lambda: lightgbm.LGBMClassifier(**LIGHTGBM).fit(X, LABELS, categorical_feature=[2]),
        lambda model, X: model.predict(X, raw_score=True),
        1e-11,
    ),
    "hist gradient boosting": (
        lambda: HistGradientBoostingRegressor(max_iter=30, categorical_features=CATEGORIES).fit(
            X, Y
        ),
        lambda model, X: model.predict(X),
        1e-11,
    ),
    "hist gradient boosting classifier": (
        lambda: HistGradientBoostingClassifier(max_iter=30, categorical_features=CATEGORIES).fit(
            X, LABELS
        ),
        lambda model, X: model.decision_function(X),
        1e-11,
    ),
    "forest": (
        lambda: RandomForestRegressor(10, random_state=0).fit(X, Y),
        lambda model, X: model.predict(X),
        1e-11,
    ),
    "forest classifier": (
        lambda: RandomForestClassifier(10, random_state=0).fit(X, LABELS),
        lambda model, X: model.predict_proba(X)[:, 1],
        1e-11,
    ),
    "extra trees classifier": (
        lambda: ExtraTreesClassifier(10, random_state=0).fit(X, LABELS),
        lambda model, X: model.predict_proba(X)[:, 1],
        1e-11,
    ),
}


def rows_on_thresholds(trees, n_rows=400):
    """Rows whose numbers are thresholds, and the nearest numbers above and below them."""
    rng = np.random.default_rng(0)
    rows = X[rng.integers(0, len(X), n_rows)].copy()
    for feature in (0, 1, 4):
        thresholds = trees.thresholds[(trees.features == feature) & np.isfinite(trees.thresholds)]
        chosen = rng.choice(thresholds, n_rows)
        rounded = chosen.astype(np.float32)
        neighbours = [
            chosen,
            np.nextafter(chosen, np.inf),
            np.nextafter(chosen, -np.inf),
            rounded,
            np.nextafter(rounded, np.float32(np.inf)),
            np.nextafter(rounded, np.float32(-np.inf)),
        ]
        rows[:, feature] = np.choose(rng.integers(0, len(neighbours), n_rows), neighbours)
    return rows


@pytest.mark.parametrize("name", MODELS)
def test_trees_score_like_the_library(name):
    train, margin, tolerance = MODELS[name]
    model = train()
    trees = read_trees(model, N_CODES)
    assert trees.probability == (name in ("forest classifier", "extra trees classifier"))
    for rows in (X, rows_on_thresholds(trees)):
        np.testing.assert_allclose(trees.score(rows), margin(model, rows), atol=tolerance, rtol=0)
    codes = X[:80].copy()
    codes[:, 2] = np.arange(80) % 8
    np.testing.assert_allclose(trees.score(codes), margin(model, codes), atol=tolerance, rtol=0)


@pytest.mark.parametrize("name", [name for name in MODELS if "forest" not in name])
def test_a_level_never_seen_in_training_goes_where_the_library_sends_it(name):
    train, margin, tolerance = MODELS[name]
    try:
        X[X[:, 2] == 3, 2] = 7
        model = train()
    finally:
        X[:] = mixed_table()[0]
    rows = X[:100].copy()
    rows[:, 2] = 3
    scores = read_trees(model, N_CODES).score(rows)
    np.testing.assert_allclose(scores, margin(model, rows), atol=tolerance, rtol=0)


def test_lightgbm_takes_a_missing_value_for_zero_where_it_saw_none():
    model = lightgbm.LGBMRegressor(n_estimators=10, n_jobs=1, verbose=-1).fit(X[:, [1, 4]], Y)
    rows = X[:50, [1, 4]].copy()
    rows[::2, 0], rows[1::2, 1] = np.nan, np.nan
    np.testing.assert_allclose(read_trees(model, (0, 0)).score(rows), model.predict(rows))


def test_early_stopped_xgboost_is_read_up_to_its_best_iteration():
    model = xgboost.XGBRegressor(n_estimators=200, early_stopping_rounds=2, n_jobs=1)
    model.fit(X[:300], Y[:300], eval_set=[(X[300:], Y[300:])], verbose=False)
    trees = read_trees(model, N_CODES)
    assert len(trees.roots) == model.best_iteration + 1 < 200
    np.testing.assert_allclose(trees.score(X), model.predict(X), atol=1e-5)


NUMBERS = np.nan_to_num(X)
THREE = np.digitize(Y, [-0.5, 0.5])


@pytest.mark.parametrize(
    "train",
    [
        lambda: xgboost.XGBRegressor(n_estimators=3, booster="dart").fit(NUMBERS, Y),
        lambda: xgboost.XGBRegressor(n_estimators=3, booster="gblinear").fit(NUMBERS, Y),
        lambda: xgboost.XGBRegressor(n_estimators=3, missing=-999.0).fit(NUMBERS, Y),
        lambda: xgboost.XGBRegressor(**XGBOOST).fit(NUMBERS, Y),
        lambda: xgboost.XGBClassifier(n_estimators=3).fit(NUMBERS, THREE),
        lambda: lightgbm.LGBMRegressor(zero_as_missing=True, **LIGHTGBM).fit(NUMBERS, Y),
        lambda: lightgbm.LGBMRegressor(linear_tree=True, **LIGHTGBM).fit(NUMBERS, Y),
        lambda: lightgbm.LGBMRegressor(
            boosting_type="rf", bagging_freq=1, bagging_fraction=0.5, **LIGHTGBM
        ).fit(NUMBERS, Y),
        lambda: lightgbm.LGBMRegressor(**LIGHTGBM).fit(NUMBERS, Y, categorical_feature=[2]),
        lambda: lightgbm.LGBMClassifier(**LIGHTGBM).fit(NUMBERS, THREE),
        lambda: RandomForestClassifier(3).fit(NUMBERS, THREE),
        lambda: RandomForestRegressor(3).fit(NUMBERS, np.column_stack([Y, Y])),
        lambda: HistGradientBoostingClassifier(max_iter=3).fit(NUMBERS, THREE),
        lambda: HistGradientBoostingRegressor(max_iter=3, categorical_features=CATEGORIES).fit(
            NUMBERS, Y
        ),
        lambda: GradientBoostingRegressor(n_estimators=3).fit(NUMBERS, Y),
    ],
)
def test_what_cannot_be_represented_exactly_is_not_read(train):
    assert read_trees(train(), (0, 0, 0, 0, 0)) is None


def test_libraries_are_told_apart():
    assert library_of(HistGradientBoostingRegressor()) == "hist_gradient_boosting"
    assert library_of(ExtraTreesClassifier()) == "random_forest"
    assert library_of(xgboost.XGBRFClassifier()) == "xgboost"
    assert library_of(lightgbm.LGBMRegressor()) == "lightgbm"
    assert library_of(GradientBoostingRegressor()) is None
    assert library_of(len) is None
