"""Residuals: observed minus predicted, in groups of rows with similar predictions.

In: a model of numbers and rows with their target. Out: the mean and the quartiles of the residuals
in tenths of the rows by prediction, and of all rows the quantiles that enough rows lie beyond. With
a log link and an offset both are counted per unit of exposure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.glassbox import Model
from calmgam.model.objectives import weighted_quantile
from calmgam.read.measures.outcomes import MIN_ROWS, Outcomes, groups_in_order, outcomes
from calmgam.read.view_types import View
from calmgam.read.words.numbers import brief_number, scale_of
from calmgam.read.words.table import text_table

N_GROUPS = 10
LEVELS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@dataclass(frozen=True)
class ResidualGroup(View):
    """Rows with similar predictions: mean prediction, mean residual, and quartiles of residuals."""

    n_rows: int
    share: float
    predicted: float
    mean: float
    low: float
    median: float
    high: float


@dataclass(frozen=True, repr=False)
class Residuals(View):
    """Observed minus predicted.

    Attributes
    ----------
    n_rows : int
    mean : float
    quantiles : tuple of (float, float)
        Share of the rows below, and the residual; only where enough rows lie beyond.
    groups : tuple of ResidualGroup
        From the lowest predictions to the highest.
    """

    n_rows: int
    mean: float
    quantiles: tuple[tuple[float, float], ...]
    groups: tuple[ResidualGroup, ...]

    def __str__(self) -> str:
        numbers = [n for g in self.groups for n in (g.low, g.high)]
        predictions, scale = scale_of([g.predicted for g in self.groups]), scale_of(numbers)
        rows = [
            [
                f"{k}",
                f"{g.n_rows:,}",
                predictions.text(g.predicted),
                *(scale.text(n, signed=True) for n in (g.mean, g.low, g.median, g.high)),
            ]
            for k, g in enumerate(self.groups, 1)
        ]
        header = ["group", "rows", "predicted", "mean residual", "25 %", "median", "75 %"]
        spread = ", ".join(f"{level:.0%} {brief_number(value)}" for level, value in self.quantiles)
        head = f"observed minus predicted, {self.n_rows:,} rows: mean {brief_number(self.mean)}"
        return "\n".join(
            [head, *([f"quantiles: {spread}"] if spread else []), *_table(header, rows)]
        )

    __repr__ = __str__


def residuals(
    model: Model,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    min_rows: int = MIN_ROWS,
) -> Residuals:
    """Find how far observed numbers lie from predictions, along the predictions.

    Parameters
    ----------
    model : Model
        Of numbers.
    X : data frame or array
    y : array
    sample_weight, offset : array, optional
    min_rows : int
        Of a group, and beyond a quantile.

    Returns
    -------
    Residuals
    """
    if model.classes:
        raise ValueError(
            "residuals are those of numbers; of classes there are roc, confusion and calibration"
        )
    rows = outcomes(model, X, y, sample_weight, offset)
    left = rows.observed - rows.predicted
    groups = groups_in_order(rows.predicted, rows.weights, N_GROUPS, min_rows)
    quantiles = tuple(
        (level, weighted_quantile(left, rows.weights, level))
        for level in LEVELS
        if min(level, 1.0 - level) * rows.n_rows >= min_rows
    )
    return Residuals(
        n_rows=rows.n_rows,
        mean=float(np.average(left, weights=rows.weights)),
        quantiles=quantiles,
        groups=tuple(_group(rows, at) for at in groups),
    )


def _group(rows: Outcomes, at: NDArray[np.intp]) -> ResidualGroup:
    weights, left = rows.weights[at], rows.observed[at] - rows.predicted[at]
    low, median, high = (weighted_quantile(left, weights, level) for level in (0.25, 0.5, 0.75))
    return ResidualGroup(
        n_rows=len(at),
        share=float(weights.sum() / rows.weights.sum()),
        predicted=float(np.average(rows.predicted[at], weights=weights)),
        mean=float(np.average(left, weights=weights)),
        low=low,
        median=median,
        high=high,
    )


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    return [text_table(header, rows)] if rows else []
