"""How well a model predicts given rows, measured as it was fitted, in numpy alone.

With three classes or more AUC is the mean over the classes of each against all others (macro
one-vs-rest), as far as the rows hold the class and others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.fields import checked_offset, checked_weights
from calmgam.model.glassbox import Model
from calmgam.model.links import response, softmax
from calmgam.model.measures import checked_target, losses_of
from calmgam.read.measures.calibration import calibration_groups, expected_error
from calmgam.read.view_types import CalibrationView


@dataclass(frozen=True)
class Measured:
    """What rows say of a model.

    Attributes
    ----------
    measures : dict from str to float
    calibration : tuple of CalibrationView
    """

    measures: dict[str, float]
    calibration: tuple[CalibrationView, ...]


def performance(
    model: Model, X: Any, y: Any, sample_weight: Any = None, offset: Any = None
) -> dict[str, float]:
    """Measure a model on data.

    Parameters
    ----------
    model : Model
    X : data frame or array
    y : array
        Numbers, or labels of the classes.
    sample_weight, offset : array, optional

    Returns
    -------
    dict
        "R²" and "RMSE", or "AUC", "log loss", "accuracy" and "calibration error" (the expected
        one); of other objectives "D²", the share of
        their loss that is explained, and what belongs to them: a deviance, "MAE", "pinball loss".
        The first is left out where all y are equal, or so small beside the errors that it is no
        number.
    """
    return measure(model, X, y, sample_weight, offset).measures


def measure(
    model: Model, X: Any, y: Any, sample_weight: Any = None, offset: Any = None
) -> Measured:
    """Measure a model on data, and compare its predictions with what was observed.

    Parameters
    ----------
    model, X, y, sample_weight, offset
        As in `performance`.
    """
    score = model.score(X, offset)
    y = checked_target(y, len(score), model.classes)
    weights = checked_weights(sample_weight, len(score))
    weights = weights / weights.max()
    added = None if offset is None else checked_offset(offset, len(score))
    if model.link == "softmax":
        return Measured(_of_many_classes(model, score, y, weights), ())
    prediction = response(model.link, score)
    if model.link == "logit":
        measures = _of_two_classes(model, score, y, weights)
        y = (y == model.classes[1]).astype(np.float64)
    elif model.objective.name == "squared_error" or not model.objective.is_known:
        measures = _of_means(y, prediction, weights)
    else:
        measures = _of_objective(model, y, prediction, weights, added)
    groups = calibration_groups(model, y, prediction, weights, added)
    if model.link == "logit":
        measures["calibration error"] = expected_error(groups)
    return Measured(measures, groups)


def _of_means(y: FloatArray, prediction: FloatArray, weights: FloatArray) -> dict[str, float]:
    error = root_mean_square(y, -prediction, weights)
    spread = root_mean_square(y, -_mean(y, weights), weights)
    ratio = error / spread if spread > 0 else math.inf
    r2 = 1.0 - ratio * ratio
    tells = np.any(y != y[0]) and math.isfinite(r2)
    return {**({"R²": r2} if tells else {}), "RMSE": error}


def _of_two_classes(
    model: Model, score: FloatArray, y: Any, weights: FloatArray
) -> dict[str, float]:
    positive = y == model.classes[1]
    tells = positive.any() and not positive.all()
    auc = {"AUC": area_under_curve(score, positive, weights)} if tells else {}
    return {**auc, **_right(model, score, y, weights)}


def _right(model: Model, score: FloatArray, y: Any, weights: FloatArray) -> dict[str, float]:
    """Return log loss and accuracy."""
    rows = {"log loss": losses_of(model, score, y), "accuracy": model.classify(score) == y}
    return {name: float(np.average(each, weights=weights)) for name, each in rows.items()}


def _of_many_classes(
    model: Model, score: FloatArray, y: Any, weights: FloatArray
) -> dict[str, float]:
    codes = np.array([model.classes.index(label) for label in y.tolist()])
    auc = {"AUC": macro_auc(score, codes, weights)} if np.any(codes != codes[0]) else {}
    return {**auc, **_right(model, score, y, weights)}


def macro_auc(
    score: FloatArray, codes: NDArray[np.intp], weights: FloatArray | None = None
) -> float:
    """Return the mean AUC of every class's probability against all other classes.

    Parameters
    ----------
    score : (n_rows, n_classes) array
    codes : (n_rows,) array of int
        The true classes.
    weights : (n_rows,) array, optional
    """
    probability = softmax(score)
    seen = np.unique(codes)
    areas = [area_under_curve(probability[:, k], codes == k, weights) for k in seen]
    return float(np.mean(areas))


def _of_objective(
    model: Model,
    y: FloatArray,
    prediction: FloatArray,
    weights: FloatArray,
    offset: FloatArray | None,
) -> dict[str, float]:
    objective = model.objective
    explained = objective.explained(y, prediction, weights, offset)
    loss = float(np.average(objective.losses(y, prediction), weights=weights))
    measures = {"D²": explained} if np.any(y != y[0]) and math.isfinite(explained) else {}
    measures[objective.measure] = loss
    if objective.name == "quantile":
        measures["share below"] = float(np.average(y <= prediction, weights=weights))
    else:
        measures.setdefault("MAE", float(np.average(np.abs(y - prediction), weights=weights)))
    return measures


def root_mean_square(first: FloatArray, second: FloatArray | float, weights: FloatArray) -> float:
    """Return the root mean square of a sum, also where squares would overflow or vanish."""
    largest = max(np.abs(first).max(), np.abs(second).max())
    if largest == 0:
        return 0.0
    squares = (first / largest + second / largest) ** 2
    return float(largest * np.sqrt(np.average(squares, weights=weights)))


def _mean(values: FloatArray, weights: FloatArray) -> float:
    """Return the mean of numbers whose sum may be too large."""
    largest = np.abs(values).max()
    return float(np.average(values / largest, weights=weights) * largest) if largest > 0 else 0.0


def area_under_curve(
    score: FloatArray, positive: NDArray[np.bool_], weights: FloatArray | None = None
) -> float:
    """Return how often a positive row scores higher than a negative one; ties count half.

    Parameters
    ----------
    score : array of float
    positive : array of bool
    weights : array of float, optional
    """
    weights = np.ones(len(score)) if weights is None else weights
    _, distinct = np.unique(score, return_inverse=True)
    ups = np.bincount(distinct, weights * positive)
    downs = np.bincount(distinct, weights * ~positive)
    below = np.cumsum(downs) - 0.5 * downs  # of equal scores half
    return float((ups / ups.sum()) @ below / downs.sum())
