import numpy as np
import pandas as pd
import pytest
from reading_models import hand_model
from scipy.special import log_softmax
from sklearn import metrics

from calmgam.model import Model
from calmgam.read.measures.performance import area_under_curve, performance
from class_models import with_classes

rng = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, 200),
        "job": rng.choice(["nurse", "cook"], 200),
        "flag": rng.random(200) < 0.5,
    }
)


def test_regression_measures_agree_with_scikit_learn():
    model, y = hand_model(), rng.normal(size=200)
    measures = performance(model, X, y)
    assert measures["R²"] == pytest.approx(metrics.r2_score(y, model.score(X)))
    assert measures["RMSE"] == pytest.approx(metrics.root_mean_squared_error(y, model.score(X)))


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-160, 1.0, 1e160, 1e300])
def test_measures_of_extreme_numbers(size):
    model = hand_model()
    plain = model.to_dict()
    for term in plain["terms"]:
        for shape in term["shapes"]:
            shape["values"] = [size * value for value in shape["values"]]
    plain["intercept"] *= size
    noise = np.random.default_rng(1).normal(size=200)
    usual = performance(model, X, model.score(X) + noise)
    found = performance(Model.from_dict(plain), X, size * (model.score(X) + noise))
    assert found["R²"] == pytest.approx(usual["R²"], rel=1e-6)
    assert found["RMSE"] == pytest.approx(size * usual["RMSE"], rel=1e-6)
    tiny = performance(model, X, size * noise)
    assert all(np.isfinite(list(tiny.values())))


def test_numbers_may_come_as_objects():
    y = pd.Series(range(200), dtype=object)
    assert performance(hand_model(), X, y) == performance(hand_model(), X, np.arange(200.0))


def test_classification_measures_agree_with_scikit_learn():
    model, y = hand_model("logit"), rng.choice(["no", "yes"], 200)
    measures = performance(model, X, y)
    assert measures["AUC"] == pytest.approx(metrics.roc_auc_score(y, model.score(X)))
    assert measures["log loss"] == pytest.approx(metrics.log_loss(y, model.predict(X)))
    decided = np.where(model.score(X) > 0, "yes", "no")
    assert measures["accuracy"] == pytest.approx(metrics.accuracy_score(y, decided))


def test_measures_of_many_classes_agree_with_scikit_learn():
    model = with_classes(hand_model(), ("a", "b", "c", "d"), seed=3)
    y = rng.choice(["a", "b", "c", "d"], 200)
    measures = performance(model, X, y)
    probabilities = model.predict(X)
    options = {"multi_class": "ovr", "average": "macro"}
    assert measures["AUC"] == pytest.approx(metrics.roc_auc_score(y, probabilities, **options))
    # scikit-learn cuts probabilities at the smallest step from 1, which scores can be far beyond
    code = np.searchsorted(model.classes, y)[:, None]
    losses = -np.take_along_axis(log_softmax(model.score(X), axis=1), code, axis=1)
    assert measures["log loss"] == pytest.approx(losses.mean())
    decided = np.array(model.classes)[probabilities.argmax(axis=1)]
    assert measures["accuracy"] == pytest.approx(metrics.accuracy_score(y, decided))


def test_ties_count_half():
    positive = np.array([True, False, True, False])
    assert area_under_curve(np.zeros(4), positive) == 0.5
    assert area_under_curve(np.array([2.0, 1, 1, 0]), positive) == 0.875


def test_what_equal_targets_do_not_tell_is_left_out():
    assert list(performance(hand_model(), X, np.ones(200))) == ["RMSE"]
    measures = performance(hand_model("logit"), X, ["yes"] * 200)
    assert list(measures) == ["log loss", "accuracy", "calibration error"]
    shortfall = 1 - hand_model("logit").predict(X).mean()
    assert measures["calibration error"] == pytest.approx(shortfall)


@pytest.mark.parametrize(
    ("link", "rows", "y", "message"),
    [
        ("logit", X, None, "y must be given with X; got None"),
        ("logit", X, np.ones(3), r"y must have one value per row of X, 200; got \(3,\)"),
        ("logit", X, np.ones((200, 1)), r"y must have .* row of X, 200; got \(200, 1\)"),
        (
            "logit",
            X,
            ["no", "maybe"] * 100,
            r"y must hold the classes \('no', 'yes'\); got 'maybe'",
        ),
        ("logit", X, ["no", None] * 100, r"y must hold the classes \('no', 'yes'\); got None"),
        ("logit", X[:0], [], "X must have rows to measure the model on; got none"),
        ("identity", X, [1.0, np.nan] * 100, "y must hold finite numbers; got nan"),
        ("identity", X, ["1", "2"] * 100, "y must hold finite numbers; got '1'"),
        ("identity", X, [1, None] * 100, "y must hold finite numbers; got None"),
    ],
)
def test_a_bad_target_gets_a_clear_error(link, rows, y, message):
    with pytest.raises(ValueError, match=message):
        performance(hand_model(link), rows, y)
