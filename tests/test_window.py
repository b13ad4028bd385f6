"""The shop window: what estimators tell is in `calmgam.read`; models become estimators again."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.inspection import PartialDependenceDisplay, partial_dependence

import calmgam.read
from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity, Quantile, load
from calmgam.drawing import Drawing
from calmgam.exporting import Exporting
from calmgam.measuring import Measuring
from calmgam.model.serialize import from_json, to_json
from calmgam.reading import Reading

rng = np.random.default_rng(0)
N = 240
X = pd.DataFrame(
    {
        "size": rng.normal(size=N),
        "age": rng.integers(0, 60, N).astype(float),
        "kind": rng.choice(["a", "b"], N),
    }
)
Y = X["size"] * (X["kind"] == "a") + X["age"] / 30
LABELS = np.where(Y > 1, "high", "low")
QUICK = {"curves": Boosting(n_bags=2, max_rounds=20), "max_splits": 1, "n_jobs": 1}


def reading_methods():
    return sorted(
        name
        for part in (Reading, Measuring, Drawing, Exporting)
        for name, value in vars(part).items()
        if not name.startswith("_") and inspect.isfunction(value)
    )


@pytest.mark.parametrize("name", reading_methods())
def test_every_reading_method_is_a_function_of_a_model(name):
    function = getattr(calmgam.read, name)
    assert name in calmgam.read.__all__
    first, *others = inspect.signature(function).parameters
    assert first in ("model", "model_a")
    assert function.__doc__ and getattr(CALMRegressor, name).__doc__
    own = [p for p in inspect.signature(getattr(CALMRegressor, name)).parameters if p != "self"]
    spread = {"sample_weight", "offset", "of_class", "min_rows", "options", "other", "model_b"}
    assert set(own) - spread == set(others) - spread


def fitted(kind):
    if kind == "regressor":
        return CALMRegressor(**QUICK, random_state=3).fit(X, Y), CALMRegressor
    labels = LABELS if kind == "classifier" else np.where(X["age"] > 45, "old", LABELS)
    return CALMClassifier(**QUICK, random_state=3).fit(X, labels), CALMClassifier


@pytest.mark.parametrize("kind", ["regressor", "classifier", "classes"])
def test_a_model_becomes_the_estimator_that_it_was(kind, tmp_path):
    calm, estimator = fitted(kind)
    calm.model_.save(tmp_path / "model.json")
    again = estimator.from_model(load(tmp_path / "model.json"))
    assert again.get_params().keys() == calm.get_params().keys()
    assert str(again) == str(calm)
    np.testing.assert_array_equal(again.predict(X), calm.predict(X))
    assert again.summary() == calm.summary() and again.to_python() == calm.to_python()
    assert list(again.feature_names_in_) == list(X) and again.n_features_in_ == 3
    for copied in (pickle.loads(pickle.dumps(again)), estimator.from_model(again.model_)):
        np.testing.assert_array_equal(copied.predict(X), calm.predict(X))
        assert to_json(copied.model_) == to_json(calm.model_)


def test_it_can_be_fitted_again_with_the_settings_of_its_fit():
    growth = Heterogeneity(min_drop=0.1, n_thresholds=5)
    settings = {**QUICK, "growth": growth, "objective": Quantile(0.8), "random_state": 5}
    calm = CALMRegressor(**settings).fit(X, Y)
    again = CALMRegressor.from_model(from_json(to_json(calm.model_)))
    assert again.objective == Quantile(0.8) and again.growth.min_drop == 0.1
    fresh = clone(again)
    with pytest.raises(Exception, match="not fitted"):
        fresh.predict(X)
    np.testing.assert_array_equal(fresh.fit(X, Y).predict(X), calm.predict(X))


def test_arrays_have_no_names():
    table = rng.normal(size=(60, 2))
    calm = CALMRegressor(**QUICK, random_state=0).fit(table, table[:, 0])
    again = CALMRegressor.from_model(calm.model_)
    assert not hasattr(again, "feature_names_in_")
    np.testing.assert_array_equal(again.predict(table), calm.predict(table))


def test_settings_that_a_file_cannot_tell_are_named():
    from sklearn.ensemble import RandomForestRegressor

    calm = CALMRegressor(**QUICK, reference=RandomForestRegressor(5, random_state=0))
    model = calm.fit(X[["size", "age"]], Y).model_
    with pytest.warns(UserWarning, match="at their defaults: reference"):
        assert CALMRegressor.from_model(model).reference == "boosted_trees"


def test_the_wrong_kind_of_model_is_refused():
    numbers, classes = fitted("regressor")[0].model_, fitted("classifier")[0].model_
    with pytest.raises(ValueError, match="needs a model of numbers; got one of the classes"):
        CALMRegressor.from_model(classes)
    with pytest.raises(ValueError, match="needs a model of classes; got one of numbers"):
        CALMClassifier.from_model(numbers)
    with pytest.raises(TypeError, match=r"needs a Model, which calmgam\.load reads.*; got str"):
        CALMRegressor.from_model("model.json")


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_scikit_learn_draws_partial_dependence(kind):
    import matplotlib

    matplotlib.use("agg")
    calm, _ = fitted(kind)
    display = PartialDependenceDisplay.from_estimator(
        calm, X, ["size", "kind"], categorical_features=["kind"], grid_resolution=8
    )
    assert display.axes_.size >= 2
    found = partial_dependence(calm, X, ["age"], grid_resolution=6, kind="average")
    grid = found["grid_values"][0]
    answer = calm.predict if kind == "regressor" else lambda rows: calm.predict_proba(rows)[:, 1]
    expected = [answer(X.assign(age=value)).mean() for value in grid]
    np.testing.assert_allclose(found["average"][0], expected)


def test_classifiers_speak_of_probabilities_beside_log_odds():
    calm, _ = fitted("classifier")
    row = X.iloc[0].to_dict()
    (probability,) = calm.predict_proba(X[:1])[:, 1]
    found = calm.reasons(row)
    assert found.probability == pytest.approx(probability)
    assert f"(probability {probability:.3f})" in str(found)
    one = found.reasons[0]
    without = 1 / (1 + np.exp(-(found.score - one.contribution)))
    assert one.probability_change == pytest.approx(probability - without)
    assert "a probability of" in calm.explain(row)
    assert "(log-odds; probability " in str(calm.counterfactual(row, probability=0.8))
    assert "(log-odds)" in calm.plot_sensitivity("size", -1, 1).get_xlabel()
    assert "changes the score (log-odds) by" in str(calm.sensitivity("size", -1, 1))


def test_the_range_of_many_classes_is_that_of_a_pair():
    calm, _ = fitted("classes")
    with pytest.raises(ValueError, match="between must name two of the 3 classes"):
        calm.score_range()
    found = calm.score_range(between=("old", "low"))
    scores = calm.model_.between("old", "low").score(X)
    assert found.low <= scores.min() and scores.max() <= found.high
