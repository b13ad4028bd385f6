"""What is minimised: squared error on standardised y, or log loss on 0/1.

In: y and sample weights. Out: a `Target`: the numbers the stages work on, and the way back to the
user's units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from calmgam.model.schema import FloatArray


@dataclass(frozen=True)
class Target:
    """y as the fit sees it.

    Attributes
    ----------
    task : {"regression", "classification"}
    values : array
        Standardised y, or 0/1.
    weights : array
        Sample weights; those above 0 have mean 1, so that rows of weight 0 change nothing.
    mean, scale : float
        y = mean + scale * value; 0 and 1 for classes.
    """

    task: str
    values: FloatArray
    weights: FloatArray
    mean: float = 0.0
    scale: float = 1.0

    @classmethod
    def regression(cls, y: FloatArray, weights: FloatArray) -> Target:
        """Standardise y, so that no stage depends on its units."""
        mean = float(np.average(y, weights=weights))
        scale = float(np.max(np.abs(y - mean)[weights > 0]))
        if scale <= 1e-12 * abs(mean):  # constant but for rounding
            scale = 1.0
        else:  # squares of y itself could overflow
            scale *= float(np.sqrt(np.average(((y - mean) / scale) ** 2, weights=weights)))
        return cls("regression", (y - mean) / scale, _scaled(weights), mean, scale)

    @classmethod
    def classification(cls, y: FloatArray, weights: FloatArray) -> Target:
        """Take 0/1 as they are."""
        return cls("classification", y, _scaled(weights))

    @property
    def is_classification(self) -> bool:
        """Whether scores are log-odds."""
        return self.task == "classification"

    @property
    def curvature(self) -> float:
        """Largest second derivative of a row's loss: what a row can weigh in a step."""
        return 0.25 if self.is_classification else 1.0

    @property
    def metric(self) -> str:
        """Name of the error that `error` gives."""
        return "log_loss" if self.is_classification else "rmse"

    @property
    def uneven_weights(self) -> FloatArray | None:
        """The sample weights, or None if all are equal."""
        return None if np.all(self.weights == 1.0) else self.weights

    @property
    def strata(self) -> list[NDArray[np.intp]]:
        """Rows of either class; of a regression, all rows."""
        if not self.is_classification:
            return [np.arange(len(self.values))]
        return [np.flatnonzero(self.values == label) for label in (0, 1)]

    def take(self, rows: NDArray[Any]) -> Target:
        """Return some of the rows."""
        return replace(self, values=self.values[rows], weights=self.weights[rows])

    def losses(self, score: FloatArray, rows: NDArray[Any]) -> FloatArray:
        """Loss of every row, on the fit's own scale."""
        y = self.values[rows]
        return np.logaddexp(0.0, score) - y * score if self.is_classification else (y - score) ** 2

    def steepness(self, score: FloatArray, rows: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Weighted slope downwards and curvature: of half the squared error, of the log loss."""
        y, weights = self.values[rows], self.weights[rows]
        if not self.is_classification:
            return weights * (y - score), weights
        probability = expit(score)
        return weights * (y - probability), weights * probability * (1.0 - probability)

    def error(self, score: FloatArray, rows: NDArray[Any]) -> float:
        """Log loss, or root mean squared error in the units of y, of scores on some rows."""
        losses = self.losses(score, rows)
        return self.error_of_loss(np.average(losses, weights=self.weights[rows]))

    def error_of_loss(self, loss: float) -> float:
        """`error` for a mean loss on the fit's own scale."""
        return float(loss) if self.is_classification else self.scale * float(np.sqrt(loss))


def _scaled(weights: FloatArray) -> FloatArray:
    return weights / weights[weights > 0].mean()
