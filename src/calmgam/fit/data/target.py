"""The target: y, weights and offset as the fit sees them, and the way back to the user's units."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.losses import LogLoss, Loss, SquaredError
from calmgam.fit.data.softmax import SoftmaxLoss
from calmgam.model.schema import FloatArray


@dataclass(frozen=True)
class Target:
    """y as the fit sees it.

    Attributes
    ----------
    loss : Loss
    values : array
        y on the scale that the loss chooses: standardised, divided by its mean, or 0/1.
    weights : array
        Sample weights; those above 0 have mean 1, so that rows of weight 0 change nothing.
    mean, scale : float
        y = mean + scale * value; 0 and 1 for classes.
    classes : tuple
        The labels of 0 and 1 (and 2, …); empty for a number.
    offset : array, optional
        What is added to scores, if the loss cannot do without.
    by_exposure : bool
        Whether y was divided by an exposure, the offset's: rates of rows that differ in size.
    """

    loss: Loss
    values: FloatArray
    weights: FloatArray
    mean: float = 0.0
    scale: float = 1.0
    classes: tuple[Any, ...] = ()
    offset: FloatArray | None = None
    by_exposure: bool = False

    @classmethod
    def regression(
        cls,
        y: FloatArray,
        weights: FloatArray,
        loss: Loss | None = None,
        offset: FloatArray | None = None,
    ) -> Target:
        """Bring y to the scale of the loss, so that no stage depends on its units."""
        loss = SquaredError() if loss is None else loss
        loss.check(y)
        by_exposure = offset is not None and loss.link == "log"
        if offset is not None:
            y, weights, offset = loss.without_offset(y, weights, offset)
        weights = _scaled(weights)
        mean, scale = loss.units(y, weights)
        values = (y - mean) / scale
        loss.check_answers(values)
        return cls(loss, values, weights, mean, scale, offset=offset, by_exposure=by_exposure)

    @classmethod
    def classification(
        cls,
        y: FloatArray,
        weights: FloatArray,
        classes: tuple[Any, ...] = (0, 1),
        offset: FloatArray | None = None,
    ) -> Target:
        """Take 0/1, or the codes of more classes, as they are."""
        loss = LogLoss() if len(classes) == 2 else SoftmaxLoss(len(classes))
        return cls(loss, y, _scaled(weights), classes=classes, offset=offset)

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
        """Rows that are drawn apart: those of every class."""
        return self.loss.strata(self.values)

    def take(self, rows: NDArray[Any]) -> Target:
        """Return some of the rows."""
        offset = None if self.offset is None else self.offset[rows]
        return replace(self, values=self.values[rows], weights=self.weights[rows], offset=offset)

    def scores(self, score: FloatArray, rows: Any = slice(None)) -> FloatArray:
        """Add the offset of some rows to their scores."""
        return score if self.offset is None else score + self.offset[rows]

    @property
    def offsets(self) -> FloatArray:
        """The offset of every row; 0 if there is none."""
        return np.zeros(self.n_rows) if self.offset is None else self.offset

    @property
    def units(self) -> tuple[float, float]:
        """The a and b for which a score in the user's units is a + b * score."""
        if self.loss.link == "log":
            return math.log(self.scale), 1.0
        return self.mean, self.scale

    def best_constant(self) -> float:
        """Return the score with the smallest mean loss."""
        return self.loss.best_constant(self.values, self.weights, self.offset)

    def kernel_loss(self) -> Any:
        """Return the loss as the kernels know it."""
        return self.loss.kernel(self.values, self.weights)

    def losses(self, score: FloatArray, rows: NDArray[Any]) -> FloatArray:
        """Loss of every row, on the fit's own scale."""
        return self.loss.losses(self.values[rows], self.scores(score, rows))

    def derivatives(self, score: FloatArray, rows: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Weighted negative gradient and hessian of some rows, of every class if there are many."""
        values, weights = self.values[rows], self.weights[rows]
        gradient, hessian = self.loss.derivatives_given(values, self.scores(score, rows), weights)
        if self.loss.n_outputs:
            weights = weights[:, None]
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
