"""Losses: what is minimised, and all that a stage needs to know of it.

A loss is one object: losses of rows, gradient and hessian, the best constant, the link, which y it
takes, and the name and size of the error that people read. No stage asks which loss it is. y comes
on a scale that the loss chooses (`Target`). The kernels that boost have the same losses in C++
(`cpp/losses.hpp`); a loss they do not know is asked in Python, once a round.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from calmgam import _kernels
from calmgam.model import links
from calmgam.model.objectives import Objective, squared_error, weighted_mean
from calmgam.model.schema import FloatArray

MAX_NEWTON_STEPS = 100  # to the best constant, which takes a handful
MAX_START = 1e3  # most that one of them moves a constant


class Loss(ABC):
    """A loss of scores; subclass it for one of your own.

    A subclass needs `losses` and `derivatives`; everything else has a default.

    Attributes
    ----------
    name : str
        What messages and the model call it; the name of the class, if not given.
    metric : str
        Name of the error that people read; that of the loss, if not given.
    link : {"identity", "log", "logit"}
        Of the model: how scores become predictions.
    task : {"regression", "classification"}
        Which kind of estimator libraries offer for it.
    max_hessian : float
        Largest second derivative of a row's loss: what a row can weigh in a step.
    n_newton_steps : int
        How many quadratic expansions lead to the minimum, for all practical purposes.
    has_scale : bool
        Whether only the rows show how large the noise is; False if the loss itself says so.
    least_news : float
        Fall of the loss of all validation rows together that keeps boosting going.
    last_constant : {"", "all", "held out"}
        Rows that tell by what constant all scores are moved in the end (`correction`).
    """

    name: ClassVar[str] = ""
    metric: ClassVar[str] = ""
    link: ClassVar[str] = "identity"
    task: ClassVar[str] = "regression"
    max_hessian: ClassVar[float] = 1.0
    n_newton_steps: ClassVar[int] = 5
    has_scale: ClassVar[bool] = True
    least_news: ClassVar[float] = 0.0
    last_constant: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__dict__.get("name", cls.__name__)
        cls.metric = cls.__dict__.get("metric", cls.name)

    @property
    def max_step(self) -> float:
        """Most that one quadratic expansion may move a score, which of a logarithm is not much."""
        return 2.0 if self.link == "log" else math.inf

    @property
    def n_outputs(self) -> int:
        """How many scores a row has, if it has more than one; else 0."""
        return 0

    @property
    def is_quadratic(self) -> bool:
        """Whether one expansion is the loss itself."""
        return self.n_newton_steps == 1

    # ---- what a subclass must have ----------------------------------------------------------

    @abstractmethod
    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:
        """Loss of every row, at least 0."""

    @abstractmethod
    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Negative gradient and hessian of every row; of squared error, those of half of it.

        Where the second derivative vanishes, a positive bound of it.
        """

    def hessian(self, y: FloatArray, score: FloatArray) -> FloatArray:
        """Return the second derivative of every row, where `derivatives` give a bound of it."""
        return self.derivatives(y, score)[1]

    def derivatives_given(
        self, y: FloatArray, score: FloatArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return `derivatives`, per unit of weight, of a loss that may average over the rows."""
        return self.derivatives(y, score)

    def hessian_given(self, y: FloatArray, score: FloatArray, weights: FloatArray) -> FloatArray:
        """Return `hessian`, per unit of weight, of a loss that may average over the rows."""
        return self.hessian(y, score)

    # ---- y ----------------------------------------------------------------------------------

    def takes(self, y: FloatArray) -> tuple[NDArray[np.bool_], str]:
        """Return which y it takes, and the rule in words."""
        return np.ones(len(y), dtype=bool), "must be numbers"

    def check(self, y: FloatArray) -> None:
        """Refuse y that it does not take."""
        taken, rule = self.takes(y)
        if not np.all(taken):
            row = int(np.argmin(taken))
            raise ValueError(f"{self.name}: y {rule}; got {y[row]:g} in row {row}")

    def check_answers(self, y: FloatArray) -> None:
        """Refuse losses and derivatives, of a subclass, that are not one number for each row."""
        few = y[:3]
        score = np.zeros(len(few))
        with np.errstate(all="ignore"):
            answers: dict[str, Any] = {"losses": self.losses(few, score)}
            pair: Any = self.derivatives(few, score)
            if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
                raise ValueError(
                    f"{self.name}: derivatives must be two, the negative gradient and the hessian; "
                    f"got {type(pair).__name__}"
                )
            gradient, hessian = pair
            answers |= {
                "the gradient of derivatives": gradient,
                "the hessian of derivatives": hessian,
                "hessian": self.hessian(few, score),
            }
        for what, answer in answers.items():
            if np.shape(answer) != few.shape:
                raise ValueError(
                    f"{self.name}: {what} must be one number for each row; "
                    f"got shape {np.shape(answer)} for {len(few)} rows"
                )

    def units(self, y: FloatArray, weights: FloatArray) -> tuple[float, float]:
        """Return the m and s of the scale on which the fit sees y: (y - m) / s."""
        return 0.0, 1.0

    def without_offset(
        self, y: FloatArray, weights: FloatArray, offset: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Return y and weights that lose the same without the offset; or all as they are."""
        return y, weights, offset

    def strata(self, y: FloatArray) -> list[NDArray[np.intp]]:
        """Rows that are drawn apart, so that every draw has its share of each."""
        return [np.arange(len(y))]

    def events(self, y: FloatArray) -> list[NDArray[np.intp]]:
        """Return groups of rows; of each some must validate, for they say when to stop."""
        return self.strata(y)

    # ---- scores -----------------------------------------------------------------------------

    def best_constant(
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> float:
        """Return the score with the smallest mean loss, besides the offset: Newton's steps."""
        score, total = 0.0, float(weights.sum())
        offset = np.zeros(len(y)) if offset is None else offset
        for _ in range(MAX_NEWTON_STEPS):
            gradient, hessian = self.derivatives(y, score + offset)
            slope, curvature = float(weights @ gradient), float(weights @ hessian)
            most = min(self.max_step, MAX_START)
            step = min(max(slope / max(curvature, 1e-6 * total), -most), most)
            score += step
            if abs(step) <= 1e-9:
                break
        return score

    def correction(self, y: FloatArray, weights: FloatArray, score: FloatArray) -> float:
        """Return what is to be added to all scores when curves are done."""
        return self.best_constant(y, weights, score)

    def response(self, score: FloatArray) -> FloatArray:
        """Return the prediction of scores: the inverse of the link."""
        return links.response(self.link, score)

    def response_slope(self, score: FloatArray) -> FloatArray:
        """Return the derivative of `response`."""
        return links.response_slope(self.link, score)

    # ---- what people read -------------------------------------------------------------------

    def objective(self, scale: float) -> Objective:
        """Return what the model keeps of the loss, in the units of y."""
        return Objective(self.name)

    def error(self, loss: Any, scale: float) -> Any:
        """Return the error that people read for a mean loss, in the units of y."""
        return loss

    def error_slope(self, loss: FloatArray, scale: float) -> FloatArray:
        """Return the derivative of `error`: what a standard error of the loss becomes."""
        return np.full(len(loss), self.error(1.0, scale))

    # ---- the same elsewhere -----------------------------------------------------------------

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:
        """Return the loss as the kernels know it, for these rows."""

        def ask(scores: FloatArray) -> FloatArray:
            answers = [
                (*self.derivatives_given(y, score, weights), self.losses(y, score))
                for score in scores
            ]
            return np.ascontiguousarray(np.moveaxis(np.array(answers, dtype=np.float64), 1, 0))

        return _kernels.GivenLoss(ask)

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:
        """`losses` of torch tensors."""
        raise ValueError(f'curves="networks" must know the loss in torch; {self.name} has none')


@dataclass(frozen=True)
class SquaredError(Loss):
    """(y - score)²."""

    name, metric = "squared_error", "rmse"
    n_newton_steps = 1  # a parabola needs no more

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return squared_error(y, score)

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        return y - score, np.ones(len(y))

    def units(self, y: FloatArray, weights: FloatArray) -> tuple[float, float]:
        """Return mean and standard deviation."""
        return mean_and_spread(y, weights)

    def without_offset(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        return y - offset, weights, None

    def best_constant(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> float:
        return weighted_mean(y if offset is None else y - offset, weights)

    def error(self, loss: Any, scale: float) -> Any:  # noqa: D102
        return scale * np.sqrt(loss)

    def error_slope(self, loss: FloatArray, scale: float) -> FloatArray:  # noqa: D102
        return scale / (2 * np.sqrt(np.maximum(loss, 1e-300)))

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.SquaredError()

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        return (y - score) ** 2


@dataclass(frozen=True)
class LogLoss(Loss):
    """Negative log-likelihood of 0 or 1, for scores that are log-odds of 1."""

    name, metric, link, task = "log_loss", "log_loss", "logit", "classification"
    max_hessian, has_scale = 0.25, False

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return np.logaddexp(0.0, score) - y * score

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        probability = expit(score)
        return y - probability, probability * (1.0 - probability)

    def best_constant(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> float:
        if offset is not None:
            return super().best_constant(y, weights, offset)
        mean = min(max(weighted_mean(y, weights), 1e-6), 1.0 - 1e-6)
        return math.log(mean / (1.0 - mean))

    def response(self, score: FloatArray) -> FloatArray:  # noqa: D102
        return expit(score)

    def response_slope(self, score: FloatArray) -> FloatArray:  # noqa: D102
        probability = expit(score)
        return probability * (1.0 - probability)

    def strata(self, y: FloatArray) -> list[NDArray[np.intp]]:  # noqa: D102
        return [np.flatnonzero(y == label) for label in (0, 1)]

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.LogLoss()

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        return torch.nn.functional.softplus(score) - y * score


def mean_and_spread(y: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation; 1 instead of it where y is constant but for rounding."""
    mean = float(np.average(y, weights=weights))
    scale = float(np.max(np.abs(y - mean)[weights > 0]))
    if scale <= 1e-12 * abs(mean):
        return mean, 1.0
    # squares of y itself could overflow
    return mean, scale * float(np.sqrt(np.average(((y - mean) / scale) ** 2, weights=weights)))
