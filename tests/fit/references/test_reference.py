import pickle

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

from calmgam.model.schema import Feature, Schema
from prepared import fit_reference
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
        model, weights = KNeighborsRegressor(), np.arange(1.0, len(Y) + 1)
        with pytest.warns(UserWarning, match="KNeighborsRegressor takes no sample_weight"):
            fit_reference(model, NUMBERS, Y, NUMERIC, task="regression", weights=weights)

    def test_it_can_be_pickled(self):
        reference = fit_reference("boosted_trees", X, Y, SCHEMA, task="regression")
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


class TestEarlyStopping:
    @pytest.mark.parametrize("task", TARGETS)
    @pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
    def test_rows_are_held_out_for_an_estimator_that_stops_early(self, library, task):
        options = {"n_estimators": 500, "early_stopping_rounds": 5, "n_jobs": 1}
        kind = "Regressor" if task == "regression" else "Classifier"
        if library == "xgboost":
            model = getattr(xgboost, f"XGB{kind}")(**options)
        else:
            model = getattr(lightgbm, f"LGBM{kind}")(verbose=-1, **options)
        y = TARGETS[task]
        weights = np.where(np.arange(len(y)) % 2, 1.0, 2.0)
        reference = fit_reference(model, X, y, SCHEMA, task=task, weights=weights)
        fitted = reference.estimator
        best = fitted.best_iteration if library == "xgboost" else fitted.best_iteration_
        assert 0 < best < 300
        assert reference.ensemble is not None  # the trees up to the best round give the scores

    def test_the_seed_decides_who_is_held_out(self):
        model = xgboost.XGBRegressor(n_estimators=50, early_stopping_rounds=5, n_jobs=1)
        one, same, other = (
            fit_reference(model, X, Y, SCHEMA, task="regression", random_state=seed).score(X)
            for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one, same)
        assert not np.array_equal(one, other)


class TestTorch:
    def test_a_module_is_a_function_with_derivatives(self):
        torch = pytest.importorskip("torch", reason="needs torch: the extra dev-all")

        class Product(torch.nn.Module):
            def forward(self, x):
                return (x[:, 0] * x[:, 1] + x[:, 2])[:, None]

        reference = fit_reference(
            Product(), NUMBERS, Y, NUMERIC, task="regression", y_mean=1.0, y_scale=2.0
        )
        expected = (NUMBERS[:, 0] * NUMBERS[:, 1] + NUMBERS[:, 2] - 1.0) / 2.0
        np.testing.assert_allclose(reference.score(NUMBERS), expected, atol=1e-5)
        np.testing.assert_allclose(reference.gradient(NUMBERS, 0), NUMBERS[:, 1] / 2, atol=1e-6)

    def test_others_have_no_derivatives(self):
        reference = fit_reference(LinearRegression(), NUMBERS, Y, NUMERIC, task="regression")
        assert reference.gradient(NUMBERS, 0) is None


def test_a_categorical_feature_with_too_many_levels_is_given_as_codes():
    schema = Schema((Feature("c", 0, "categorical", tuple(map(str, range(400)))),))
    x = np.arange(800.0)[:, None] % 400
    model = HistGradientBoostingRegressor()
    reference = fit_reference(model, x, x[:, 0] % 7, schema, task="regression")
    assert reference.ensemble is not None
