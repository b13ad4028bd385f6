"""The target: y and sample weights as the fit sees them, and the way back to the user's units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.losses import LogLoss, Loss, SquaredError
from calmgam.model.schema import FloatArray


@dataclass(frozen=True)
class Target:
    """y as the fit sees it.

    Attributes
    ----------
    loss : Loss
    values : array
        Standardised y, or 0/1.
    weights : array
        Sample weights; those above 0 have mean 1, so that rows of weight 0 change nothing.
    mean, scale : float
        y = mean + scale * value; 0 and 1 for classes.
    classes : tuple
        The labels of 0 and 1; empty for a number.
    """

    loss: Loss
    values: FloatArray
    weights: FloatArray
    mean: float = 0.0
    scale: float = 1.0
    classes: tuple[Any, ...] = ()

    @classmethod
    def regression(cls, y: FloatArray, weights: FloatArray) -> Target:
        """Standardise y, so that no stage depends on its units."""
        weights = _scaled(weights)
        mean = float(np.average(y, weights=weights))
        scale = float(np.max(np.abs(y - mean)[weights > 0]))
        if scale <= 1e-12 * abs(mean):  # constant but for rounding
            scale = 1.0
        else:  # squares of y itself could overflow
            scale *= float(np.sqrt(np.average(((y - mean) / scale) ** 2, weights=weights)))
        return cls(SquaredError(), (y - mean) / scale, weights, mean, scale)

    @classmethod
    def classification(
        cls, y: FloatArray, weights: FloatArray, classes: tuple[Any, ...] = (0, 1)
    ) -> Target:
        """Take 0/1 as they are."""
        return cls(LogLoss(), y, _scaled(weights), classes=classes)

    @property
    def n_rows(self) -> int:
        """Number of rows, those of weight 0 included."""
        return len(self.values)

    @property
    def uneven_weights(self) -> FloatArray | None:
        """The sample weights, or None if all are equal."""
        return None if np.all(self.weights == 1.0) else self.weights

    @property
    def strata(self) -> list[NDArray[np.intp]]:
        """Rows that are drawn apart: those of either class."""
        return self.loss.strata(self.values)

    def take(self, rows: NDArray[Any]) -> Target:
        """Return some of the rows."""
        return replace(self, values=self.values[rows], weights=self.weights[rows])

    def losses(self, score: FloatArray, rows: NDArray[Any]) -> FloatArray:
        """Loss of every row, on the fit's own scale."""
        return self.loss.losses(self.values[rows], score)

    def derivatives(self, score: FloatArray, rows: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Weighted negative gradient and hessian of some rows."""
        gradient, hessian = self.loss.derivatives(self.values[rows], score)
        weights = self.weights[rows]
        return weights * gradient, weights * hessian

    def error(self, score: FloatArray, rows: NDArray[Any]) -> float:
        """Error that people read, in the units of y, of scores on some rows."""
        losses = self.losses(score, rows)
        return self.error_of_loss(np.average(losses, weights=self.weights[rows]))

    def error_of_loss(self, loss: Any) -> float:
        """`error` for a mean loss on the fit's own scale."""
        return float(self.loss.error(loss, self.scale))


def _scaled(weights: FloatArray) -> FloatArray:
    """Scale weights so that those above 0 have mean 1."""
    with np.errstate(over="ignore"):
        mean = weights[weights > 0].mean()
    return weights / mean if np.isfinite(mean) else _scaled(weights / weights.max())
