"""Calibration: predicted against observed, in groups of rows with similar predictions.

In: a model and rows with their target. Out: tenths of the rows by prediction, of equal weight; of a
model of rates, of equal exposure. What is observed is what the model predicts: the mean of a group,
or its quantile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model
from calmgam.read.measures.outcomes import groups_in_order, observed_value, outcomes, per_exposure
from calmgam.read.view_types import CalibrationView, View
from calmgam.read.words.numbers import brief_number, scale_of
from calmgam.read.words.table import text_table

N_GROUPS = 10


@dataclass(frozen=True, repr=False)
class Calibration(View):
    """Predicted against observed, from the lowest predictions to the highest.

    Attributes
    ----------
    n_rows : int
    groups : tuple of CalibrationView
    """

    n_rows: int
    groups: tuple[CalibrationView, ...]

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of predicted and observed."""
        return expected_error(self.groups)

    def __str__(self) -> str:
        scale = scale_of([n for g in self.groups for n in (g.predicted, g.observed)])
        rows = [
            [f"{k}", f"{g.n_rows:,}", scale.text(g.predicted), scale.text(g.observed)]
            for k, g in enumerate(self.groups, 1)
        ]
        table = text_table(["group", "rows", "predicted", "observed"], rows)
        return f"mean distance of predicted and observed: {brief_number(self.error)}\n{table}"

    __repr__ = __str__


def calibration(
    model: Model,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    of_class: Any = None,
    min_rows: int = 1,
) -> Calibration:
    """Compare predictions with what was observed, in tenths of the rows.

    Parameters
    ----------
    model : Model
    X : data frame or array
    y : array
        Numbers, or labels of the classes.
    sample_weight, offset : array, optional
        Of a log link: the logarithm of the exposure, per which all is counted.
    of_class
        With many classes: the label of the one whose probability is looked at.
    min_rows : int
        Groups of fewer rows are joined.
    """
    rows = outcomes(model, X, y, sample_weight, offset, of_class)
    compared = rows.observed, rows.predicted, rows.weights
    return Calibration(rows.n_rows, calibration_groups(model, *compared, min_rows=min_rows))


def calibration_groups(
    model: Model,
    y: FloatArray,
    prediction: FloatArray,
    weights: FloatArray,
    offset: FloatArray | None = None,
    min_rows: int = 1,
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
    min_rows : int
    """
    y, prediction, weights = per_exposure(model, y, prediction, weights, offset)
    return tuple(
        CalibrationView(
            n_rows=len(rows),
            share=float(weights[rows].sum() / weights.sum()),
            predicted=float(np.average(prediction[rows], weights=weights[rows])),
            observed=observed_value(model, y[rows], weights[rows]),
        )
        for rows in groups_in_order(prediction, weights, N_GROUPS, min_rows)
    )


def expected_error(groups: Sequence[CalibrationView]) -> float:
    """Return the expected calibration error: the mean distance of predicted and observed.

    Parameters
    ----------
    groups : sequence of CalibrationView
    """
    return sum(group.share * abs(group.predicted - group.observed) for group in groups)
