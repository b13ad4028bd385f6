"""Losses of counts and sizes, whose mean is the exponential of the score: half of deviances.

    -log-likelihood = mean^(2-p) / (2-p) - y mean^(1-p) / (1-p) + …       variance = mean^p

p = 1: counts (Poisson), p = 2: sizes (gamma), between: sizes that are often 0 (Tweedie). An offset
o is an exposure e^o: the same is lost by y / e^o with the weight e^(o (2-p)) times as large, so a
fit to counts with an offset and one to rates with weights are the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam.fit.data.losses import Loss
from calmgam.fit.support.settings import check_number
from calmgam.model.links import MAX_LOG
from calmgam.model.objectives import Objective, tweedie_deviance, weighted_mean
from calmgam.model.schema import FloatArray


class LogLinkLoss(Loss):
    """What losses with a log link share: those of counts and sizes."""

    link, last_constant = "log", "all"
    power: float
    accepts: ClassVar[str] = "must be >= 0"

    def takes(self, y: FloatArray) -> tuple[NDArray[np.bool_], str]:  # noqa: D102
        return y >= 0, self.accepts

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return 0.5 * tweedie_deviance(y, np.exp(np.clip(score, -MAX_LOG, MAX_LOG)), self.power)

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        score = np.clip(score, -MAX_LOG, MAX_LOG)
        fall, rest = self.power - 1.0, 2.0 - self.power
        event, mean = y * np.exp(-fall * score), np.exp(rest * score)
        return event - mean, fall * event + rest * mean

    def units(self, y: FloatArray, weights: FloatArray) -> tuple[float, float]:
        """Return 0 and the mean: what is 0 stays 0."""
        mean = float(np.average(y / y.max(), weights=weights) * y.max()) if y.max() > 0 else 0.0
        if not mean > 0:
            raise ValueError(f"{self.name}: y must be > 0 in some row; all are 0")
        return 0.0, mean

    def without_offset(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        with np.errstate(over="ignore", under="ignore"):
            rates, weighted = y * np.exp(-offset), weights * np.exp((2.0 - self.power) * offset)
        bad = np.flatnonzero(~np.isfinite(rates) | ~np.isfinite(weighted) | (weighted <= 0))
        if len(bad):
            raise ValueError(
                "offset must be the logarithm of an exposure that y can be divided by; "
                f"got {offset[bad[0]]:g}"
            )
        return rates, weighted, None

    def strata(self, y: FloatArray) -> list[NDArray[np.intp]]:
        """Rows with events and rows without: bags must share out the events."""
        parts = [np.flatnonzero(y == 0), np.flatnonzero(y > 0)]
        return [rows for rows in parts if len(rows)]

    def events(self, y: FloatArray) -> list[NDArray[np.intp]]:
        """Rows with events: a lone row without any is no hindrance."""
        return [np.flatnonzero(y > 0)]

    def best_constant(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> float:
        if offset is not None:
            rates, weights, _ = self.without_offset(y, weights, offset)
            return self.best_constant(rates, weights)
        return math.log(max(weighted_mean(y, weights), 1e-6))  # y has mean 1, but a bag's has not

    def correction(self, y: FloatArray, weights: FloatArray, score: FloatArray) -> float:
        """Return what makes predictions add up to what was observed, whatever the power."""
        means = np.exp(np.clip(score, -MAX_LOG, MAX_LOG))
        return math.log(float(weights @ y) / float(weights @ means))

    def error(self, loss: Any, scale: float) -> Any:
        """Return the mean deviance."""
        return 2.0 * scale ** (2.0 - self.power) * loss

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        score = torch.clamp(score, -MAX_LOG, MAX_LOG)
        if self.power == 1.0:
            return torch.exp(score) - y * score
        if self.power == 2.0:
            return y * torch.exp(-score) + score
        fall, rest = self.power - 1.0, 2.0 - self.power
        return torch.exp(rest * score) / rest + y * torch.exp(-fall * score) / fall


@dataclass(frozen=True)
class Poisson(LogLinkLoss):
    """Deviance of counts, or of rates with exposures as weights; log link."""

    name, metric, power = "poisson", "poisson_deviance", 1.0

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.Poisson()


@dataclass(frozen=True)
class Gamma(LogLinkLoss):
    """Deviance of sizes whose spread grows with their mean; log link."""

    name, metric, power = "gamma", "gamma_deviance", 2.0
    accepts = "must be > 0"

    def takes(self, y: FloatArray) -> tuple[NDArray[np.bool_], str]:  # noqa: D102
        return y > 0, self.accepts

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.Gamma()


@dataclass(frozen=True)
class Tweedie(LogLinkLoss):
    """Deviance of sizes that are often exactly 0, such as sums of claims; log link.

    Parameters
    ----------
    power : float
        The variance is the mean to this power, between 1 (counts) and 2 (sizes).
    """

    name, metric = "tweedie", "tweedie_deviance"

    power: float = 1.5

    def __post_init__(self) -> None:
        check_number("power", self.power, above=1, below=2)

    def objective(self, scale: float) -> Objective:  # noqa: D102
        return Objective(self.name, self.power)

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.Tweedie(self.power)
