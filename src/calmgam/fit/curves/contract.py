"""What every learner of curves takes and gives.

A learner is a function ``learn(cells, binned, trees, target, roles, settings, *, seed, order,
n_jobs, progress) -> Curves``: the cells of all rows in, the heights of all curves out. Here are
that value, and who trains and who validates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.data.target import Target
from calmgam.model.schema import FloatArray

VALIDATION_SHARE = 0.15
MIN_ROWS_TO_VALIDATE = 30

Progress = Callable[[int, int], None]
Roles = NDArray[np.uint8]  # TRAINS, VALIDATES or both, (n_rows, n_bags)


@dataclass(frozen=True)
class Curves:
    """Curves of every bag; their mean is the model, their spread its bands.

    A learner may give any number of bags, not only one for each column of roles.

    Attributes
    ----------
    intercepts : (n_bags,) array
    values : list of (n_bags, n_leaves, n_slots) arrays
        One per feature, on the scale of the fit.
    losses : array
        Mean loss on the validation rows of the first bag, and of others if they are fitted apart.
    """

    intercepts: FloatArray
    values: list[FloatArray]
    losses: FloatArray

    def scores(self, cells: NDArray[np.uint16]) -> FloatArray:
        """Mean score over bags of rows given by their cells."""
        scores = np.full(cells.shape[1], self.intercepts.mean())
        for feature_cells, values in zip(cells, self.values, strict=True):
            scores += values.mean(axis=0).ravel()[feature_cells]
        return scores

    def validation_loss(self, cells: NDArray[np.uint16], target: Target, roles: Roles) -> float:
        """Mean loss on the validation rows of the first bag."""
        rows = np.flatnonzero(roles[:, 0] & VALIDATES)
        losses = target.losses(self.scores(cells[:, rows]), rows)
        return float(np.average(losses, weights=target.weights[rows]))


def draw_bags(target: Target, n_bags: int, rng: np.random.Generator) -> Roles:
    """Draw who trains and who validates in every bag, (n_rows, n_bags); classes keep their shares.

    Rows of weight 0 are never drawn. In a table too small to spare rows, all do both.
    """
    counts = target.weights > 0
    if counts.sum() < MIN_ROWS_TO_VALIDATE:
        return np.full((len(counts), n_bags), TRAINS | VALIDATES, dtype=np.uint8)
    strata = [np.flatnonzero(counts)]
    if target.is_classification:
        strata = [np.flatnonzero(counts & (target.values == label)) for label in (0, 1)]
    roles = np.full((len(counts), n_bags), TRAINS, dtype=np.uint8)
    for bag in range(n_bags):
        for rows in strata:
            n_validation = round(VALIDATION_SHARE * len(rows))
            roles[rng.permutation(rows)[:n_validation], bag] = VALIDATES
    return roles
