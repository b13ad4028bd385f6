"""Calibration: predicted against observed, in groups of rows with similar predictions.

In: a model and rows with their target. Out: tenths of the rows by prediction, of equal weight; of a
model of rates, of equal exposure. What is observed is what the model predicts: the mean of a group,
or its quantile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model
from calmgam.model.objectives import weighted_quantile
from calmgam.read.view_types import CalibrationView

N_GROUPS = 10


def calibration(
    model: Model,
    y: FloatArray,
    prediction: FloatArray,
    weights: FloatArray,
    offset: FloatArray | None = None,
) -> tuple[CalibrationView, ...]:
    """Compare predictions with what was observed, group by group.

    Parameters
    ----------
    model : Model
    y : array
        Numbers, or 0 and 1.
    prediction : array
        With the offset in it.
    weights : array
    offset : array, optional
        Of a log link: the logarithm of the exposure, per which all is counted.
    """
    if offset is not None and model.link == "log":
        exposure = np.exp(offset)
        y, prediction, weights = y / exposure, prediction / exposure, weights * exposure
    with np.errstate(over="ignore"):
        order = np.argsort(prediction.astype(np.float32), kind="stable")  # equal but for rounding
    order = order[weights[order] > 0]
    below = np.cumsum(weights[order]) - 0.5 * weights[order]
    group_of = np.minimum((N_GROUPS * below / weights.sum()).astype(np.intp), N_GROUPS - 1)
    groups = (order[group_of == group] for group in range(N_GROUPS))
    return tuple(
        CalibrationView(
            n_rows=len(rows),
            share=float(weights[rows].sum() / weights.sum()),
            predicted=float(np.average(prediction[rows], weights=weights[rows])),
            observed=_observed(model, y[rows], weights[rows]),
        )
        for rows in groups
        if len(rows)
    )


def expected_error(groups: Sequence[CalibrationView]) -> float:
    """Return the expected calibration error: the mean distance of predicted and observed.

    Parameters
    ----------
    groups : sequence of CalibrationView
    """
    return sum(group.share * abs(group.predicted - group.observed) for group in groups)


def _observed(model: Model, y: FloatArray, weights: FloatArray) -> float:
    """Return the mean, or the quantile that the model predicts."""
    levels = {"absolute_error": 0.5, "quantile": model.objective.parameter}
    level = levels.get(model.objective.name)
    if level is None:
        return float(np.average(y, weights=weights))
    return weighted_quantile(y, weights, level)
