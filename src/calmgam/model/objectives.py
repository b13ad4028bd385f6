"""What a model was fitted to minimise: losses of predictions, in numpy alone.

An `Objective` is a name and a number, which a saved model keeps, so that whoever reads the model
can measure it as it was fitted. `fit/data/losses.py` minimises the same losses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.plain import Document, Plain


def squared_error(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """(y - prediction)²."""
    return (y - prediction) ** 2


def absolute_error(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """|y - prediction|."""
    return np.abs(y - prediction)


def huber_loss(y: FloatArray, prediction: FloatArray, width: float) -> FloatArray:
    """Half the squared error up to `width`, beyond it straight on."""
    size = np.abs(y - prediction)
    inside = np.minimum(size, width)
    return inside * (size - 0.5 * inside)


def pinball_loss(y: FloatArray, prediction: FloatArray, level: float) -> FloatArray:
    """`level` times what y is above the prediction, 1 - `level` times what it is below."""
    error = y - prediction
    return np.where(error >= 0, level * error, (level - 1.0) * error)


def class_losses(score: FloatArray, codes: NDArray[Any]) -> FloatArray:
    """Minus the logarithm of the true class's probability; scores have an axis of classes."""
    highest = score.max(axis=1)
    total = highest + np.log(np.exp(score - highest[:, None]).sum(axis=1))
    own = np.take_along_axis(score, codes[:, None], axis=1)[:, 0]
    losses: FloatArray = np.maximum(total - own, 0.0)
    return losses


def tweedie_deviance(y: FloatArray, prediction: FloatArray, power: float) -> FloatArray:
    """Twice the log-likelihood that is lost beside the prediction y; variance = mean ** `power`."""
    if power == 1.0:
        ratio = np.where(y > 0, y / prediction, 1.0)
        return 2.0 * (y * np.log(ratio) - (y - prediction))
    if power == 2.0:
        ratio = y / prediction
        return 2.0 * (ratio - 1.0 - np.log(ratio))
    own, rest = 1.0 - power, 2.0 - power
    least = y**rest / (own * rest)
    return 2.0 * (least - y * prediction**own / own + prediction**rest / rest)


@dataclass(frozen=True)
class Objective:
    """What a model was fitted to minimise.

    Attributes
    ----------
    name : str
        One of `OBJECTIVES`, or the name of a loss that somebody else has written.
    parameter : float, optional
        Level of a quantile, width of the Huber loss in the units of y, power of Tweedie.
    """

    name: str = "squared_error"
    parameter: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"the objective's name must be text; got {self.name!r}")
        if self.parameter is not None:
            object.__setattr__(self, "parameter", float(self.parameter))
        if self.name in RANGES:
            low, high = RANGES[self.name]
            if self.parameter is None or not low < self.parameter < high:
                raise ValueError(
                    f"the parameter of {self.name} must be in ({low:g}, {high:g}); "
                    f"got {self.parameter}"
                )
        elif self.parameter is not None and self.is_known:
            raise ValueError(f"{self.name} has no parameter; got {self.parameter}")

    @property
    def is_known(self) -> bool:
        """Whether losses can be computed; not those that somebody else has written."""
        return self.name in OBJECTIVES

    @property
    def measure(self) -> str:
        """Name of the mean loss that people read."""
        return OBJECTIVES[self.name] if self.is_known else f"mean {self.name}"

    @property
    def text(self) -> str:
        """Name and number, such as "quantile 0.9"."""
        name = self.name.replace("_", " ")
        return name if self.parameter is None else f"{name} {self.parameter:g}"

    @property
    def power(self) -> float | None:
        """Power of the mean that the variance of y is, for deviances; None for other losses."""
        return {"poisson": 1.0, "gamma": 2.0, "tweedie": self.parameter}.get(self.name)

    def losses(self, y: FloatArray, prediction: FloatArray) -> FloatArray:
        """Loss of every row's prediction, in the units of y.

        Parameters
        ----------
        y : array
            Numbers, or 0 and 1.
        prediction : array
            Or the probability of 1.
        """
        if self.power is not None:
            return tweedie_deviance(y, prediction, self.power)
        if self.name == "log_loss":
            share = np.where(y == 1, prediction, 1.0 - prediction)
            return -np.log(np.maximum(share, 1e-300))
        if self.name == "absolute_error":
            return absolute_error(y, prediction)
        if self.parameter is None:
            return squared_error(y, prediction)
        with_number = {"huber": huber_loss, "quantile": pinball_loss}[self.name]
        return with_number(y, prediction, self.parameter)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"name": self.name, "parameter": self.parameter}

    @classmethod
    def from_dict(cls, plain: Document) -> Objective:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("name", "parameter")
        parameter = plain["parameter"]
        number = None if parameter.value is None else parameter.number()
        return plain.make(cls, plain["name"].text(), number)

    def constant(
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> FloatArray:
        """Return the predictions of the best model without features, one for every row.

        Parameters
        ----------
        y, weights : arrays
        offset : array, optional
            What a row's score has besides the constant.
        """
        if offset is None:
            offset = np.zeros(len(y))
        if self.power is not None:
            weights = weights * np.exp((2.0 - self.power) * offset)
            return np.exp(offset) * weighted_mean(y * np.exp(-offset), weights)
        rest = y - offset
        if self.name in ("absolute_error", "quantile"):
            level = 0.5 if self.parameter is None else self.parameter
            return offset + weighted_quantile(rest, weights, level)
        if self.name == "huber":
            assert self.parameter is not None
            return offset + huber_centre(rest, weights, self.parameter)
        return offset + weighted_mean(rest, weights)

    def explained(
        self,
        y: FloatArray,
        prediction: FloatArray,
        weights: FloatArray,
        offset: FloatArray | None = None,
    ) -> float:
        """Return which share of the best constant's loss predictions explain: R², D².

        Parameters
        ----------
        y, prediction, weights : arrays
        offset : array, optional
        """
        constant = self.constant(y, weights, offset)
        return explained_share(self.losses(y, prediction), self.losses(y, constant), weights)


# Names, and what their mean loss is called.
OBJECTIVES = {
    "squared_error": "RMSE",
    "log_loss": "log loss",
    "absolute_error": "MAE",
    "huber": "Huber loss",
    "quantile": "pinball loss",
    "poisson": "Poisson deviance",
    "gamma": "gamma deviance",
    "tweedie": "Tweedie deviance",
}
# What is minimised where nobody says so, by link.
NATURAL = {
    "identity": "squared_error",
    "logit": "log_loss",
    "log": "poisson",
    "softmax": "log_loss",
}
# Of parameters, without the ends.
RANGES = {"huber": (0.0, math.inf), "quantile": (0.0, 1.0), "tweedie": (1.0, 2.0)}


def explained_share(losses: FloatArray, of_constant: FloatArray, weights: FloatArray) -> float:
    """Return which share of the losses of a constant is gone."""
    left = float(np.average(losses, weights=weights))
    whole = float(np.average(of_constant, weights=weights))
    return 1.0 - left / whole if whole > 0 else float(left == 0)


def weighted_mean(y: FloatArray, weights: FloatArray) -> float:
    """Return the mean, summed row by row."""
    total = np.add.accumulate(weights)[-1]
    return float(np.add.accumulate(weights * y)[-1] / max(total, 1e-300))


def weighted_quantile(y: FloatArray, weights: FloatArray, level: float) -> float:
    """Return the smallest number that is no less than a share of all weight; of two, the mean."""
    order = np.argsort(y, kind="stable")
    below, values = np.cumsum(weights[order]), y[order]
    wanted = level * below[-1]
    first = int(np.searchsorted(below, wanted * (1.0 - 1e-12)))
    last = int(np.searchsorted(below, wanted * (1.0 + 1e-12), "right"))
    last = min(max(first, last), len(values) - 1)
    return float(0.5 * values[min(first, last)] + 0.5 * values[last])


def huber_centre(y: FloatArray, weights: FloatArray, width: float) -> float:
    """Return the number with the smallest mean Huber loss."""
    centre = weighted_quantile(y, weights, 0.5)
    for _ in range(100):
        size = np.abs(y - centre)
        shares = weights * np.where(size > width, width / np.maximum(size, 1e-300), 1.0)
        step = float(np.average(y - centre, weights=shares))
        centre += step
        if abs(step) <= 1e-12 * width:
            break
    return centre
