"""Rows with their outcomes: what was observed and what is predicted, as they are compared.

In: a model, a table, its target, weights and offset. Out: `Outcomes`. Classes become 0 and 1 (the
second of two classes, or one of many against all others); with a log link and an offset, which is
the logarithm of an exposure, both are counted per unit of exposure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.fields import checked_offset, checked_weights
from calmgam.model.glassbox import Model
from calmgam.model.links import response
from calmgam.model.measures import checked_target, losses_of
from calmgam.model.objectives import weighted_quantile
from calmgam.model.outputs import class_index

MIN_ROWS = 5  # fewer are never summed up alone: who knows the rest could tell what one row holds


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What rows say of a model.

    Attributes
    ----------
    observed, predicted : array
        Numbers, or whether a row has the class and its probability.
    weights : array
        With which both are averaged.
    losses : array
        Of every row, as the model was fitted to make them small.
    row_weights : array
        With which losses are averaged.
    """

    observed: FloatArray
    predicted: FloatArray
    weights: FloatArray
    losses: FloatArray
    row_weights: FloatArray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.observed)


def outcomes(
    model: Model,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    offset: Any = None,
    of_class: Any = None,
) -> Outcomes:
    """Put observed and predicted side by side.

    Parameters
    ----------
    model : Model
    X : data frame or array
    y : array
    sample_weight, offset : array, optional
    of_class
        Label of one of many classes.
    """
    score = model.score(X, offset)
    y = checked_target(y, len(score), model.classes)
    row_weights = checked_weights(sample_weight, len(score))
    with np.errstate(over="ignore"):
        losses = losses_of(model, score, y)
    observed, predicted, weights = y, response(model.link, score), row_weights
    if model.link == "softmax":
        label = _one_class(model, of_class)
        observed = (y == label).astype(np.float64)
        predicted = predicted[:, model.classes.index(label)]
    elif model.link == "logit":
        observed = (y == model.classes[1]).astype(np.float64)
    elif offset is not None:
        added = checked_offset(offset, len(score))
        observed, predicted, weights = per_exposure(model, y, predicted, weights, added)
    return Outcomes(observed, predicted, weights, losses, row_weights)


def _one_class(model: Model, of_class: Any) -> Any:
    if of_class is None:
        raise ValueError(
            f"of_class must be one of the {len(model.classes)} classes, such as "
            f"{model.classes[0]!r}; got None"
        )
    return model.classes[class_index(model, of_class)]


def per_exposure(
    model: Model,
    y: FloatArray,
    prediction: FloatArray,
    weights: FloatArray,
    offset: FloatArray | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return observed, predicted and weights per unit of exposure, if the model counts so."""
    if offset is None or model.link != "log":
        return y, prediction, weights
    exposure = np.exp(offset)
    return y / exposure, prediction / exposure, weights * exposure


def level_of(model: Model) -> float | None:
    """Return the level of the quantile that a model predicts; None if it predicts means."""
    levels = {"absolute_error": 0.5, "quantile": model.objective.parameter}
    return levels.get(model.objective.name)


def observed_value(model: Model, y: FloatArray, weights: FloatArray) -> float:
    """Return what the model predicts of some rows: their mean, or a quantile of them."""
    level = level_of(model)
    if level is None:
        return float(np.average(y, weights=weights))
    return weighted_quantile(y, weights, level)


def groups_in_order(
    values: FloatArray, weights: FloatArray, n_groups: int, min_rows: int = 1
) -> list[NDArray[np.intp]]:
    """Split rows into groups of equal weight by a value, each of at least some rows.

    Parameters
    ----------
    values, weights : array
        Rows of weight 0 are left out.
    n_groups : int
        At most.
    min_rows : int
        Of every group; too few rows altogether are no group.
    """
    with np.errstate(over="ignore"):
        order = np.argsort(values.astype(np.float32), kind="stable")  # equal but for rounding
    order = order[weights[order] > 0]
    below = np.cumsum(weights[order]) - 0.5 * weights[order]
    group_of = np.minimum((n_groups * below / weights.sum()).astype(np.intp), n_groups - 1)
    groups: list[NDArray[np.intp]] = []
    for group in range(n_groups):
        rows = order[group_of == group]
        if groups and len(groups[-1]) < min_rows:
            groups[-1] = np.concatenate([groups[-1], rows])
        elif len(rows):
            groups.append(rows)
    if len(groups) > 1 and len(groups[-1]) < min_rows:
        groups[-2:] = [np.concatenate(groups[-2:])]
    return groups if groups and len(groups[0]) >= min_rows else []
