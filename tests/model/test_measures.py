"""Losses on given rows are those that the model was fitted to minimise."""

from dataclasses import replace

import numpy as np
import pytest

from calmgam.model.measures import checked_target, loss_name, losses_of
from calmgam.model.objectives import Objective
from tests.model.edits.example import MODEL


def test_losses_by_objective():
    score, y = np.array([0.0, 1.0, -2.0]), np.array([1.0, 1.0, 0.0])
    np.testing.assert_array_equal(losses_of(MODEL, score, y), [1, 0, 4])
    assert loss_name(MODEL) == "squared error"
    absolute = replace(MODEL, objective=Objective("absolute_error"))
    np.testing.assert_array_equal(losses_of(absolute, score, y), [1, 0, 2])
    assert loss_name(absolute) == "absolute error"
    counts = replace(MODEL, link="log", objective=Objective("poisson"), intervals=None)
    expected = 2 * (1 * np.log(1 / np.e) - (1 - np.e))
    assert losses_of(counts, score, y)[1] == pytest.approx(expected)
    classifier = replace(MODEL, link="logit", classes=("a", "b"), objective=None, intervals=None)
    labels = np.array(["a", "b", "b"])
    expected = np.logaddexp(0, [0.0, -1.0, 2.0])
    np.testing.assert_allclose(losses_of(classifier, score, labels), expected)
    assert loss_name(classifier) == "log loss"


def test_wrong_targets_are_named():
    for y, classes, message in [
        (None, (), "y must be given with X"),
        ([1.0], (), "y must have one value per row of X, 2"),
        ([1.0, np.nan], (), "y must hold finite numbers; got nan"),
        (["a", "c"], ("a", "b"), r"y must hold the classes \('a', 'b'\); got 'c'"),
    ]:
        with pytest.raises(ValueError, match=message):
            checked_target(y, 2, classes)
    with pytest.raises(ValueError, match="X must have rows"):
        checked_target([], 0, ())
