import numpy as np
import pandas as pd
import pytest

from benchmarks.preprocessing import coded, prepare
from benchmarks.rivals import Rival

X_TRAIN = pd.DataFrame({"age": [1.0, 2.0, 3.0], "job": ["nurse", "cook", "nurse"]})
X_TEST = pd.DataFrame({"age": [4.0, 5.0], "job": ["cook", "pilot"]})
Y_TRAIN = np.array([10.0, 20.0, 60.0])


def rival(**wishes):
    return Rival(requirements=(), fit=lambda: None, **wishes)


def test_codes_come_from_the_training_rows():
    train, test = coded(X_TRAIN, X_TEST)
    assert list(train["job"]) == [1, 0, 1]
    assert list(test["job"]) == [0, -1]
    assert list(test["age"]) == [4.0, 5.0]


def test_a_model_that_takes_everything_gets_everything():
    given = prepare(X_TRAIN, Y_TRAIN, X_TEST, "regression", rival(accepts_text=True))
    assert given.X_train is X_TRAIN
    assert given.y_train is Y_TRAIN
    assert given.restored(7.0) == 7.0


def test_scales_come_from_the_training_rows():
    given = prepare(X_TRAIN, Y_TRAIN, X_TEST, "regression", rival(scaling="min-max"))
    assert list(given.X_train["age"]) == [0.0, 0.5, 1.0]
    assert list(given.X_test["age"]) == [1.5, 2.0]
    given = prepare(X_TRAIN, Y_TRAIN, X_TEST, "regression", rival(scaling="z-score"))
    np.testing.assert_allclose(given.X_train.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(given.X_train.std(ddof=0), 1)
    assert (given.X_test["age"] > given.X_train["age"].max()).all()


def test_text_stays_text_beside_scaled_numbers():
    wishes = {"accepts_text": True, "scaling": "min-max"}
    given = prepare(X_TRAIN, Y_TRAIN, X_TEST, "regression", rival(**wishes))
    assert list(given.X_train["job"]) == list(X_TRAIN["job"])
    assert list(given.X_test["age"]) == [1.5, 2.0]
    assert list(given.X_test.columns) == ["age", "job"]


def test_predictions_return_to_the_original_scale():
    given = prepare(X_TRAIN, Y_TRAIN, X_TEST, "regression", rival(scaling="z-score"))
    assert (given.y_train.mean(), given.y_train.std()) == pytest.approx((0, 1))
    np.testing.assert_allclose(given.restored(given.y_train), Y_TRAIN)


def test_classes_stay_classes():
    labels = np.array([0, 1, 1])
    given = prepare(X_TRAIN, labels, X_TEST, "classification", rival(scaling="z-score"))
    assert given.y_train is labels
    assert given.restored(0.25) == 0.25
