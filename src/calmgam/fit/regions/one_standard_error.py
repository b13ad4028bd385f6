"""Which number of splits: the fewest that are not clearly worse than the best.

In: held-out losses of models with more and more splits, row by row. Out: a `Selection`, the number
chosen and the errors that led to it. Both ways of growing choose so: see `how_many.py`
in `joint/` and in `heterogeneity/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calmgam.fit.data.target import Target
from calmgam.model.ledger import PathPoint
from calmgam.model.schema import FloatArray

# Times the standard errors that fewer splits may cost: what no split at all may. Set by hand.
OF_NONE = 2.0


@dataclass(frozen=True)
class Selection:
    """What cross-validation says; with too few rows for it, no splits.

    Attributes
    ----------
    n_splits : int
        The number chosen.
    points : tuple of PathPoint
        Errors of the numbers that were tried: with joint growth of its own model, else of boosted
        curves.
    errors : dict
        Held-out errors of own GAM and CALM, both with boosted curves, and of the reference.
    leave_out : bool
        Whether features that say nothing beyond chance are better left without curves.
    """

    n_splits: int = 0
    points: tuple[PathPoint, ...] = ()
    errors: dict[str, float] = field(default_factory=dict)
    leave_out: bool = False

    @property
    def reason(self) -> str:
        """Why further splits are refused."""
        if not self.points:
            return "too few rows to cross-validate a split"
        return f"beyond the {self.n_splits} splits that cross-validation keeps"


@dataclass(frozen=True)
class PathScores:
    """Held-out losses of models with more and more splits.

    Attributes
    ----------
    losses : (n, n_rows) array
        Of every row, when its fold was left out; the first model has no split.
    weights : (n_rows,) array
    """

    losses: FloatArray
    weights: FloatArray

    @property
    def means(self) -> FloatArray:
        """Mean loss after every number of splits."""
        return np.average(self.losses, axis=1, weights=self.weights)

    @property
    def standard_errors(self) -> FloatArray:
        """Standard errors of the paired differences to the best."""
        differences = self.losses - self.losses[int(np.argmin(self.means))]
        centred = differences - np.average(differences, axis=1, weights=self.weights)[:, None]
        return np.sqrt(((self.weights * centred) ** 2).sum(axis=1)) / self.weights.sum()

    def choose(self, sparsity: float) -> int:
        """Return the first model that is not clearly worse than the best.

        No split at all has more benefit of doubt: a GAM is given up for clear gains only.
        """
        allowed = sparsity * self.standard_errors
        allowed[0] *= OF_NONE
        return int(np.argmax(self.means <= self.means.min() + allowed))

    def errors(self, target: Target, chosen: int, reference_losses: FloatArray) -> dict[str, float]:
        """Return the errors of the first and the chosen model and of the reference."""
        losses = {
            "gam": self.means[0],
            "calm": self.means[chosen],
            "reference": np.average(reference_losses, weights=self.weights),
        }
        return {name: target.error_of_loss(float(loss)) for name, loss in losses.items()}

    def points(self, target: Target, numbers: Sequence[int], chosen: int) -> tuple[PathPoint, ...]:
        """Return the errors for the ledger, in the units of y, by the models' numbers of splits."""
        errors = [target.error_of_loss(loss) for loss in self.means]
        slopes = target.loss.error_slope(self.means, target.scale)
        return tuple(
            PathPoint(number, error, float(slope * standard_error), number == chosen)
            for number, error, slope, standard_error in zip(
                numbers, errors, slopes, self.standard_errors, strict=True
            )
        )
