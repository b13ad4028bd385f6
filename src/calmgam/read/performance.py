"""How well a model predicts given rows: R² and RMSE, or AUC and log loss, in numpy alone."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model


def performance(model: Model, X: Any, y: Any) -> dict[str, float]:
    """Measure a model on data.

    Parameters
    ----------
    model : Model
    X : data frame or array
    y : array
        Numbers, or labels of the two classes.

    Returns
    -------
    dict
        "R²" and "RMSE", or "AUC" and "log loss"; the first is left out where all y are
        equal, or so small beside the errors that it is no number.
    """
    score = model.score(X)
    y = _checked(y, len(score), model.classes)
    tells = np.any(y != y[0])
    if model.link == "identity":
        error, spread = _root_mean_square(y, -score), _root_mean_square(y, -_mean(y))
        ratio = error / spread if spread > 0 else math.inf
        r2 = 1.0 - ratio * ratio
        return {**({"R²": r2} if tells and math.isfinite(r2) else {}), "RMSE": error}
    positive = y == model.classes[1]
    log_loss = float(np.mean(np.logaddexp(0.0, np.where(positive, -score, score))))
    auc = {"AUC": area_under_curve(score, positive)} if tells else {}
    return {**auc, "log loss": log_loss}


def _root_mean_square(first: FloatArray, second: FloatArray | float) -> float:
    """Return it for the sum of two; numbers may be so small or large that squares are not."""
    largest = max(np.abs(first).max(), np.abs(second).max())
    if largest == 0:
        return 0.0
    return float(largest * np.sqrt(np.mean((first / largest + second / largest) ** 2)))


def _mean(values: FloatArray) -> float:
    """Return the mean of numbers whose sum may be too large."""
    largest = np.abs(values).max()
    return float(np.mean(values / largest) * largest) if largest > 0 else 0.0


def _checked(y: Any, n_rows: int, classes: tuple[Any, ...]) -> NDArray[Any]:
    """Return y as an array of one value per row: a known class, or a number if there are none."""
    if y is None:
        raise ValueError("y must be given with X; got None")
    values: NDArray[Any] = np.asarray(y)
    if values.shape != (n_rows,):
        raise ValueError(f"y must have one value per row of X, {n_rows}; got {values.shape}")
    if n_rows == 0:
        raise ValueError("X must have rows to measure the model on; got none")
    if classes:
        odd, rule = [one for one in values.tolist() if one not in classes], f"the classes {classes}"
    else:
        odd = [
            one for one in values.tolist() if not isinstance(one, Real) or not math.isfinite(one)
        ]
        rule = "finite numbers"
    if odd:
        raise ValueError(f"y must hold {rule}; got {odd[0]!r}")
    return values if classes else values.astype(np.float64)


def area_under_curve(score: FloatArray, positive: NDArray[np.bool_]) -> float:
    """Return how often a positive row scores higher than a negative one; ties count half.

    Parameters
    ----------
    score : array of float
    positive : array of bool
    """
    _, distinct, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[distinct]  # equal scores share their mean rank
    n_positive, n_negative = positive.sum(), (~positive).sum()
    n_wins = rank[positive].sum() - n_positive * (n_positive + 1) / 2
    return float(n_wins / (n_positive * n_negative))
