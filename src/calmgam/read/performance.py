"""How well a model predicts given rows: R² and RMSE, or AUC and log loss, in numpy alone."""

from __future__ import annotations

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
        "R²" and "RMSE", or "AUC" and "log loss".
    """
    score, y = model.score(X), np.asarray(y)
    if model.link == "identity":
        squared_error = np.mean((y - score) ** 2)
        r2 = 1.0 - squared_error / np.var(y)
        return {"R²": float(r2), "RMSE": float(np.sqrt(squared_error))}
    positive = y == model.classes[1]
    log_loss = np.mean(np.logaddexp(0.0, np.where(positive, -score, score)))
    return {"AUC": area_under_curve(score, positive), "log loss": float(log_loss)}


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
