"""Losses: what is minimised, and all that a stage needs to know of it.

A loss is one object: losses of rows, gradient and hessian, the best constant, the link, and the
name and size of the error that people read. No stage asks which loss it is. y comes standardised
where the loss allows it (`Target`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from calmgam.model.schema import FloatArray


class Loss(ABC):
    """A loss of scores.

    Attributes
    ----------
    metric : str
        Name of the error that people read.
    link : str
        Of the model: how scores become predictions.
    task : {"regression", "classification"}
        Which kind of estimator libraries offer for it.
    is_logistic : bool
        Which of the two losses the kernels know it is.
    max_hessian : float
        Largest second derivative of a row's loss: what a row can weigh in a step.
    n_newton_steps : int
        How many quadratic expansions lead to the minimum, for all practical purposes.
    """

    metric: ClassVar[str]
    link: ClassVar[str]
    task: ClassVar[str]
    is_logistic: ClassVar[bool]
    max_hessian: ClassVar[float]
    n_newton_steps: ClassVar[int]

    @property
    def is_quadratic(self) -> bool:
        """Whether one expansion is the loss itself."""
        return self.n_newton_steps == 1

    @abstractmethod
    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:
        """Loss of every row."""

    @abstractmethod
    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Negative gradient and hessian of every row; of squared error, those of half of it."""

    @abstractmethod
    def best_constant(self, y: FloatArray, weights: FloatArray) -> float:
        """Return the score with the smallest mean loss."""

    @abstractmethod
    def error(self, loss: Any, scale: float) -> Any:
        """Return the error that people read for a mean loss, in the units of y."""

    @abstractmethod
    def error_slope(self, loss: FloatArray, scale: float) -> FloatArray:
        """Return the derivative of `error`: what a standard error of the loss becomes."""

    @abstractmethod
    def response(self, score: FloatArray) -> FloatArray:
        """Return the mean response of scores: the inverse of the link."""

    @abstractmethod
    def response_slope(self, score: FloatArray) -> FloatArray:
        """Return the derivative of `response`."""

    def strata(self, y: FloatArray) -> list[NDArray[np.intp]]:
        """Rows that are drawn apart, so that every draw has its share of each."""
        return [np.arange(len(y))]

    @abstractmethod
    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:
        """`losses` of torch tensors."""


class SquaredError(Loss):
    """(y - score)²."""

    metric, link, task = "rmse", "identity", "regression"
    is_logistic, max_hessian, n_newton_steps = False, 1.0, 1

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return (y - score) ** 2

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        return y - score, np.ones(len(y))

    def best_constant(self, y: FloatArray, weights: FloatArray) -> float:  # noqa: D102
        return float(np.average(y, weights=weights))

    def error(self, loss: Any, scale: float) -> Any:  # noqa: D102
        return scale * np.sqrt(loss)

    def error_slope(self, loss: FloatArray, scale: float) -> FloatArray:  # noqa: D102
        return scale / (2 * np.sqrt(np.maximum(loss, 1e-300)))

    def response(self, score: FloatArray) -> FloatArray:  # noqa: D102
        return score

    def response_slope(self, score: FloatArray) -> FloatArray:  # noqa: D102
        return np.ones(len(score))

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        return (y - score) ** 2


class LogLoss(Loss):
    """Negative log-likelihood of 0 or 1, for scores that are log-odds of 1."""

    metric, link, task = "log_loss", "logit", "classification"
    is_logistic, max_hessian, n_newton_steps = True, 0.25, 5

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return np.logaddexp(0.0, score) - y * score

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        probability = expit(score)
        return y - probability, probability * (1.0 - probability)

    def best_constant(self, y: FloatArray, weights: FloatArray) -> float:  # noqa: D102
        mean = float(np.average(y, weights=weights))
        return math.log(mean / (1.0 - mean))

    def error(self, loss: Any, scale: float) -> Any:  # noqa: D102
        return loss

    def error_slope(self, loss: FloatArray, scale: float) -> FloatArray:  # noqa: D102
        return np.ones(len(loss))

    def response(self, score: FloatArray) -> FloatArray:  # noqa: D102
        return expit(score)

    def response_slope(self, score: FloatArray) -> FloatArray:  # noqa: D102
        probability = expit(score)
        return probability * (1.0 - probability)

    def strata(self, y: FloatArray) -> list[NDArray[np.intp]]:  # noqa: D102
        return [np.flatnonzero(y == label) for label in (0, 1)]

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        return torch.nn.functional.softplus(score) - y * score
