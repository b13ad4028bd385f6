import pickle
import sys

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from scipy.special import expit, logit
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from calmgam.fit.reference import NAMES, fit_reference
from calmgam.model.schema import Feature, Schema
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
LABELS = (Y > 0).astype(int)
TARGETS = {"regression": Y, "classification": LABELS}
NUMBERS = np.asfortranarray(np.nan_to_num(X)[:, [0, 1, 4]])
NUMERIC = Schema(tuple(Feature(name, i, "numeric") for i, name in enumerate("abe")))


def decode(encoded):
    """The table as its user knows it."""
    levels = np.array([*"pqrstuv", "w", None], dtype=object)
    codes = np.where(np.isnan(encoded[:, 2]), 8, encoded[:, 2]).astype(int)
    frame = pd.DataFrame({name: encoded[:, i] for i, name in enumerate("abcde")})
    return frame.assign(c=levels[codes])


class TestNames:
    @pytest.mark.parametrize("task", TARGETS)
    @pytest.mark.parametrize("name", NAMES)
    def test_every_name_learns_and_has_trees(self, name, task):
        y = TARGETS[task]
        reference = fit_reference(name, X, y, SCHEMA, task=task)
        score = reference.score(X)
        assert score.shape == y.shape
        assert np.corrcoef(score, y)[0, 1] > 0.75
        trees = reference.ensemble
        np.testing.assert_allclose(
            reference.score_of_sums(trees.score(X)), score, atol=1e-4, rtol=1e-4
        )

    @pytest.mark.parametrize("name", NAMES)
    def test_same_seed_same_reference_for_any_number_of_jobs(self, name):
        few = X[:, :2], Y, Schema(SCHEMA.features[:2])
        scores = [
            fit_reference(name, *few, task="regression", random_state=5, n_jobs=n).score(few[0])
            for n in (1, 2)
        ]
        np.testing.assert_array_equal(*scores)

    @pytest.mark.parametrize("name", NAMES)
    def test_weights_count(self, name):
        x = np.tile([[0.0], [1.0]], (200, 1))
        y = np.where(np.arange(400) % 4 < 2, x[:, 0], -x[:, 0])
        weights = np.where(np.arange(400) % 4 < 2, 9.0, 1.0)
        schema = Schema((Feature("x", 0, "numeric"),))
        reference = fit_reference(name, x, y, schema, task="regression", weights=weights)
        np.testing.assert_allclose(reference.score(np.array([[1.0]])), 0.8, atol=0.1)

    def test_a_large_table_stops_early(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(2500, 3))
        y = rng.normal(size=2500)
        reference = fit_reference("hist_gradient_boosting", x, y, NUMERIC, task="regression")
        assert reference.estimator.n_iter_ < 100

    def test_one_row_of_a_class_does_not_stop_early(self):
        x = np.random.default_rng(0).normal(size=(2500, 3))
        y = np.eye(1, 2500, dtype=int)[0]
        reference = fit_reference("hist_gradient_boosting", x, y, NUMERIC, task="classification")
        assert np.isfinite(reference.score(x)).all()

    def test_a_categorical_feature_with_too_many_levels_is_given_as_codes(self):
        schema = Schema((Feature("c", 0, "categorical", tuple(map(str, range(400)))),))
        x = np.arange(800.0)[:, None] % 400
        reference = fit_reference(
            "hist_gradient_boosting", x, x[:, 0] % 7, schema, task="regression"
        )
        assert reference.ensemble is not None

    def test_unknown_name(self):
        with pytest.raises(
            ValueError, match=r"'random_forest', .*got 'xgbost'; did you mean 'xgboost'"
        ):
            fit_reference("xgbost", X, Y, SCHEMA, task="regression")

    @pytest.mark.parametrize("name", ["xgboost", "lightgbm"])
    def test_missing_extra(self, name, monkeypatch):
        monkeypatch.setitem(sys.modules, name, None)
        text = f'reference="{name}" needs the {name} package: pip install calmgam\\[{name}\\]'
        with pytest.raises(ImportError, match=text):
            fit_reference(name, X, Y, SCHEMA, task="regression")


class TestEstimators:
    def test_an_unfitted_one_is_cloned_and_fitted_on_the_standardised_target(self):
        model = HistGradientBoostingRegressor(max_iter=5)
        reference = fit_reference(
            model, NUMBERS, Y, NUMERIC, task="regression", y_mean=7.0, y_scale=3.0
        )
        assert not hasattr(model, "n_iter_")
        assert reference.estimator.random_state == 0
        np.testing.assert_allclose(reference.score(NUMBERS), reference.estimator.predict(NUMBERS))

    @pytest.mark.parametrize(
        "model",
        [
            HistGradientBoostingRegressor(max_iter=5),
            xgboost.XGBRegressor(n_estimators=5, n_jobs=1),
            lightgbm.LGBMRegressor(n_estimators=5, n_jobs=1, verbose=-1, min_data_per_group=5),
        ],
    )
    def test_known_libraries_are_told_the_categories(self, model):
        reference = fit_reference(model, X, Y, SCHEMA, task="regression", decode=decode)
        assert (reference.ensemble.left_codes >= 0).any()
        assert reference.decode is None

    def test_a_foreign_one_sees_the_data_as_the_user_knows_them(self):
        columns = make_column_transformer((OneHotEncoder(), ["c"]), ("passthrough", ["b", "e"]))
        model = make_pipeline(columns, LinearRegression())
        reference = fit_reference(model, X, Y, SCHEMA, task="regression", decode=decode)
        assert reference.ensemble is None
        expected = reference.estimator.predict(decode(X))
        np.testing.assert_allclose(reference.score(X), expected)

    def test_a_fitted_regressor_speaks_in_the_units_of_the_target(self):
        model = HistGradientBoostingRegressor(max_iter=5).fit(NUMBERS, 3 * Y + 7)
        reference = fit_reference(
            model, NUMBERS, Y, NUMERIC, task="regression", y_mean=7.0, y_scale=3.0
        )
        assert reference.estimator is model
        np.testing.assert_allclose(reference.score(NUMBERS), (model.predict(NUMBERS) - 7) / 3)
        sums = reference.ensemble.score(NUMBERS)
        np.testing.assert_allclose(reference.score_of_sums(sums), reference.score(NUMBERS))

    def test_a_fitted_one_with_categories_is_asked_for_predictions(self):
        frame = decode(X).astype({"c": "category"})
        model = HistGradientBoostingRegressor(max_iter=5).fit(frame, Y)
        as_frame = lambda encoded: decode(encoded).astype({"c": frame["c"].dtype})  # noqa: E731
        reference = fit_reference(model, X, Y, SCHEMA, task="regression", decode=as_frame)
        assert reference.ensemble is None
        np.testing.assert_allclose(reference.score(X), model.predict(frame))

    def test_trees_of_another_objective_are_not_used(self):
        model = xgboost.XGBRegressor(n_estimators=20, objective="count:poisson", n_jobs=1)
        reference = fit_reference(
            model.fit(NUMBERS, np.exp(Y)), NUMBERS, Y, NUMERIC, task="regression"
        )
        assert reference.ensemble is None
        np.testing.assert_allclose(reference.score(NUMBERS), model.predict(NUMBERS))

    def test_no_sample_weight(self):
        model = KNeighborsRegressor()
        with pytest.warns(UserWarning, match="KNeighborsRegressor takes no sample_weight"):
            fit_reference(model, NUMBERS, Y, NUMERIC, task="regression", weights=np.ones(len(Y)))

    def test_it_can_be_pickled(self):
        reference = fit_reference("hist_gradient_boosting", X, Y, SCHEMA, task="regression")
        again = pickle.loads(pickle.dumps(reference))
        np.testing.assert_array_equal(again.score(X), reference.score(X))


class TestClassifiers:
    @pytest.mark.parametrize(
        "model",
        [
            HistGradientBoostingClassifier(max_iter=5),
            xgboost.XGBClassifier(n_estimators=5, n_jobs=1),
            lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1),
            lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1, sigmoid=2.0),
            GradientBoostingClassifier(n_estimators=5),
            LogisticRegression(),
            RandomForestClassifier(20, min_samples_leaf=20),
        ],
    )
    def test_scores_are_log_odds(self, model):
        reference = fit_reference(model, NUMBERS, LABELS, NUMERIC, task="classification")
        smallest = 0.5 / len(LABELS)
        probability = reference.estimator.predict_proba(NUMBERS)[:, 1]
        probability = np.clip(probability, smallest, 1 - smallest)
        np.testing.assert_allclose(expit(reference.score(NUMBERS)), probability, atol=1e-6)

    def test_probabilities_are_clipped_by_the_number_of_rows(self):
        reference = fit_reference(
            RandomForestClassifier(5), NUMBERS, LABELS, NUMERIC, task="classification"
        )
        score = reference.score(NUMBERS)
        assert score.max() == pytest.approx(logit(1 - 0.5 / len(LABELS)))
        np.testing.assert_allclose(
            reference.score_of_sums(reference.ensemble.score(NUMBERS)), score
        )

    @pytest.mark.parametrize("classes", [("no", "yes"), ("yes", "no")])
    @pytest.mark.parametrize(
        "model", [HistGradientBoostingClassifier(max_iter=5), RandomForestClassifier(5)]
    )
    def test_the_second_class_of_the_target_counts(self, model, classes):
        y = np.where(LABELS == 1, "yes", "no")
        codes = (y == classes[1]).astype(int)
        reference = fit_reference(
            model.fit(NUMBERS, y), NUMBERS, codes, NUMERIC, task="classification", classes=classes
        )
        assert np.corrcoef(reference.score(NUMBERS), codes)[0, 1] > 0.5
        np.testing.assert_allclose(
            reference.score_of_sums(reference.ensemble.score(NUMBERS)), reference.score(NUMBERS)
        )

    def test_a_fitted_one_may_know_the_classes_as_zero_and_one(self):
        model = LogisticRegression().fit(NUMBERS, LABELS)
        reference = fit_reference(
            model, NUMBERS, LABELS, NUMERIC, task="classification", classes=("no", "yes")
        )
        np.testing.assert_array_equal(reference.score(NUMBERS) > 0, model.predict(NUMBERS) == 1)

    def test_three_classes(self):
        model = LogisticRegression().fit(NUMBERS, np.digitize(Y, [-1, 1]))
        with pytest.raises(ValueError, match="must know two classes; it knows 3"):
            fit_reference(model, NUMBERS, LABELS, NUMERIC, task="classification")

    def test_other_classes(self):
        model = LogisticRegression().fit(NUMBERS, np.where(LABELS == 1, "a", "b"))
        with pytest.raises(ValueError, match="knows the classes 'a', 'b', the target has 0, 1"):
            fit_reference(model, NUMBERS, LABELS, NUMERIC, task="classification")

    @pytest.mark.parametrize("model", [RidgeClassifier(), LinearRegression()])
    def test_no_probabilities(self, model):
        with pytest.raises(TypeError, match=f"predict_proba, which {type(model).__name__}"):
            fit_reference(model, NUMBERS, LABELS, NUMERIC, task="classification")


class TestFunctions:
    def test_a_function_sees_the_data_as_the_user_knows_them(self):
        reference = fit_reference(
            lambda frame: 10 + 2 * frame["e"] * (frame["c"] == "p"),
            *(X, Y, SCHEMA),
            task="regression",
            decode=decode,
            y_mean=10.0,
            y_scale=4.0,
        )
        np.testing.assert_allclose(reference.score(X), X[:, 4] * (X[:, 2] == 0) / 2)
        assert reference.ensemble is None

    def test_a_function_gives_log_odds_of_a_classifier(self):
        reference = fit_reference(
            lambda X: X[:, 0], NUMBERS, LABELS, NUMERIC, task="classification"
        )
        np.testing.assert_array_equal(reference.score(NUMBERS), NUMBERS[:, 0])

    @pytest.mark.parametrize(
        ("function", "text"),
        [
            (lambda X: X, r"one score per row; 600 rows gave shape \(600, 3\)"),
            (lambda X: X[:, 0] * np.nan, "finite scores; got nan"),
        ],
    )
    def test_strange_scores(self, function, text):
        reference = fit_reference(function, NUMBERS, Y, NUMERIC, task="regression")
        with pytest.raises(ValueError, match=text):
            reference.score(NUMBERS)

    @pytest.mark.parametrize("thing", [3, None, HistGradientBoostingRegressor])
    def test_neither_name_nor_estimator_nor_function(self, thing):
        with pytest.raises(TypeError, match="an estimator or a function; got"):
            fit_reference(thing, NUMBERS, Y, NUMERIC, task="regression")
