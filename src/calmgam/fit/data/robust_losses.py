"""Losses that do not square large errors: absolute error, Huber, quantiles.

Their second derivative vanishes, wholly or far from 0. What stands in for it is the curvature of
the parabola that touches the loss at the present error and lies above it everywhere, so that no
step goes too far (Hunter and Lange, 2000). The kink of a quantile's loss is smoothed by a kernel of
fourth order (a logistic density, less what bends quantiles), over a bandwidth that is a share of
the mean loss (`smoothing`), and so shrinks as the fit improves; a final constant makes the share of
rows below the scores what it should be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import expit

from calmgam import _kernels
from calmgam.fit.data.losses import Loss, mean_and_spread
from calmgam.fit.support.parts import tuned
from calmgam.fit.support.settings import check_number
from calmgam.model.objectives import (
    Objective,
    huber_centre,
    huber_loss,
    pinball_loss,
    weighted_quantile,
)
from calmgam.model.schema import FloatArray

HALF_VARIANCE = np.pi**2 / 6  # of the logistic distribution
MAD = 1.4826  # standard deviation of a normal distribution, in median absolute deviations


@dataclass(frozen=True)
class Bandwidth:
    """Over how much the kink of a quantile's loss is smoothed: a share of the mean loss.

    Attributes
    ----------
    share : float
    full_rows : int
        Up to so many rows it is the whole share; with more it is sharper.
    least : float
    """

    share: float = tuned(
        0.8,
        "fold 1 of airfoil, ccpp, seoul_bike, levels 0.25 and 0.9: 0.5 to 1.2 are level, up to 3 % "
        "apart, 0.2 % in the mean",
    )
    full_rows: int = tuned(
        20_000,
        "set by hand; halved or doubled, 30,000 and 80,000 rows stay within .0001 of R² and "
        ".0003 of coverage: see `settings`",
    )
    least: float = 1e-6


BANDWIDTH = Bandwidth()


class RobustLoss(Loss):
    """What robust losses share: y in units of its median and spread."""

    n_newton_steps = 30  # parabolas from above are slower than Newton's

    def units(self, y: FloatArray, weights: FloatArray) -> tuple[float, float]:
        """Return median and spread, on which a few large y have no influence."""
        centre = weighted_quantile(y, weights, 0.5)
        spread = MAD * weighted_quantile(np.abs(y - centre), weights, 0.5)
        if spread > 1e-12 * abs(centre):
            return centre, spread
        return centre, mean_and_spread(y, weights)[1]  # half of y is the same number

    def without_offset(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        return y - offset, weights, None


@dataclass(frozen=True)
class Huber(RobustLoss):
    """Squared error of small errors, absolute error of large ones; its best constant is a mean.

    Parameters
    ----------
    width : float
        Where errors become large, in standard deviations of y (robust ones: 1.48 times the median
        absolute deviation).
    """

    name = metric = "huber"

    width: float = 1.35

    def __post_init__(self) -> None:
        check_number("width", self.width, above=0)

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return huber_loss(y, score, self.width)

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        error = y - score
        share = self.width / np.maximum(np.abs(error), self.width)
        return share * error, share

    def hessian(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return (np.abs(y - score) <= self.width).astype(np.float64)

    def best_constant(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> float:
        return huber_centre(y if offset is None else y - offset, weights, self.width)

    def objective(self, scale: float) -> Objective:  # noqa: D102
        return Objective(self.name, self.width * scale)

    def error(self, loss: Any, scale: float) -> Any:  # noqa: D102
        return scale**2 * loss

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.Huber(self.width)

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        size = torch.abs(y - score)
        inside = torch.clamp(size, max=self.width)
        return inside * (size - 0.5 * inside)


@dataclass(frozen=True)
class Quantile(RobustLoss):
    """Pinball loss: predictions are above y in a share of the rows, wherever one looks.

    Parameters
    ----------
    level : float
        That share; 0.9 predicts what nine of ten rows stay below.
    smoothing : float
        Over how much the kink of the loss is smoothed, as a share of the mean loss. The less, the
        nearer curves come to the quantiles of the training rows, in more rounds.
    """

    name, metric = "quantile", "pinball_loss"
    last_constant = "held out"  # rows that were trained on lie too often below

    level: float = 0.5
    smoothing: float = BANDWIDTH.share

    def __post_init__(self) -> None:
        check_number("level", self.level, above=0, below=1)
        check_number("smoothing", self.smoothing, above=0)

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return pinball_loss(y, score, self.level)

    def derivatives(  # noqa: D102
        self, y: FloatArray, score: FloatArray, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        return self.smoothed_derivatives(y, score, self.bandwidth(y, score, weights))

    def derivatives_given(  # noqa: D102
        self, y: FloatArray, score: FloatArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        return self.derivatives(y, score, weights)

    def hessian(
        self, y: FloatArray, score: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Return the smoothed loss's second derivative: how crowded y is where the scores are."""
        bandwidth = self.bandwidth(y, score, weights)
        share = expit((y - score) / bandwidth)
        return share * (1.0 - share) / bandwidth

    def hessian_given(  # noqa: D102
        self, y: FloatArray, score: FloatArray, weights: FloatArray
    ) -> FloatArray:
        return self.hessian(y, score, weights)

    def bandwidth(
        self, y: FloatArray, score: FloatArray, weights: FloatArray | None = None
    ) -> float:
        """Return over how much the kink is smoothed."""
        counted = np.ones(len(y)) if weights is None else weights
        mean_loss = float(counted @ self.losses(y, score)) / max(float(counted.sum()), 1e-300)
        return max(self.share_of_loss(len(y)) * mean_loss, BANDWIDTH.least)

    def share_of_loss(self, n_rows: int) -> float:
        """Return the bandwidth as a share of the mean loss; of many rows it is sharper."""
        return self.smoothing * min(1.0, BANDWIDTH.full_rows / n_rows) ** (1 / 3)

    def smoothed_derivatives(
        self, y: FloatArray, score: FloatArray, bandwidth: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return `derivatives` for a given bandwidth."""
        error = (y - score) / bandwidth
        size, below = np.maximum(np.abs(error), 1e-3), expit(-error)
        density = HALF_VARIANCE * below * (1.0 - below)
        gradient = self.level - (below - density * (1.0 - 2.0 * below))
        return gradient, np.tanh(size / 2) * (1.0 + 2.0 * density) / (2 * size * bandwidth)

    def best_constant(  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> float:
        return weighted_quantile(y if offset is None else y - offset, weights, self.level)

    def objective(self, scale: float) -> Objective:  # noqa: D102
        return Objective(self.name, self.level)

    def error(self, loss: Any, scale: float) -> Any:  # noqa: D102
        return scale * loss

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        start = self.losses(y, np.full(len(y), self.best_constant(y, weights)))
        mean_loss = float(np.average(start, weights=weights))
        return _kernels.Quantile(self.level, self.share_of_loss(len(y)), mean_loss)

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        error = y - score
        return torch.maximum(self.level * error, (self.level - 1.0) * error)


@dataclass(frozen=True)
class AbsoluteError(Quantile):
    """|y - score|: predictions are medians."""

    name, metric = "absolute_error", "mae"

    level: float = field(default=0.5, init=False)

    def objective(self, scale: float) -> Objective:  # noqa: D102
        return Objective(self.name)

    def error(self, loss: Any, scale: float) -> Any:
        """Return twice the pinball loss."""
        return 2.0 * scale * loss
