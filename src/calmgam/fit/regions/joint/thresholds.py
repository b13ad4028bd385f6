"""Where exactly a threshold lies: the roundest number that the rows cannot tell from the best one.

In: rows, given by their code among the cuts around a coarse threshold and by bin and leaf of the
feature whose curve is split. Out: one of the cuts. Joint growth looks for its splits at few
thresholds, then here at all cuts between the neighbours of the best. Several of them fit nearly
alike, and people's rules change at round numbers, which are also easier to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import inf

import numpy as np
from numpy.typing import NDArray

from calmgam.model.schema import FloatArray

CONFIDENCE = 4.0  # variances of gain: what 95 % confidence in a change of the fit asks for


@dataclass(frozen=True)
class Divided:
    """The rows of all leaves of a feature's tree, of which one is to be divided.

    Attributes
    ----------
    codes : (n_rows,) array
        Number of cuts below the row; ``n_cuts + 1`` if missing.
    bins, leaves : (n_rows,) array
        Bin and leaf of the feature whose curve is split.
    weights : (n_rows,) array
    n_cuts : int
    leaf : int
        The one that is to be divided.
    """

    codes: NDArray[np.uint16]
    bins: NDArray[np.uint16]
    leaves: NDArray[np.uint16]
    weights: FloatArray
    n_cuts: int
    leaf: int

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up values by code, leaf and bin."""
        shape = self.n_cuts + 2, int(self.leaves.max()) + 1, int(self.bins.max()) + 1
        cells = np.ravel_multi_index((self.codes, self.leaves, self.bins), shape)
        added: FloatArray = np.bincount(cells, values, int(np.prod(shape))).astype(float)
        return added.reshape(shape)


def threshold_gains(
    rows: Divided,
    residual: FloatArray,
    *,
    min_rows: float,
    ridge: float,
    noise: float,
    charge_steps: bool,
) -> FloatArray:
    """Return what a split at every cut gains (cpp/joint.hpp); -inf if a side has too few rows.

    Parameters
    ----------
    rows : Divided
    residual : (n_rows,) array
    min_rows, ridge : float
    noise : float
        The gain by chance of every bin that is divided.
    charge_steps : bool
        Whether what one step in all bins would gain is taken off: where bins are wide.

    Returns
    -------
    (2, n_cuts) array, missing rows right and left; the second line is -inf if there are none.
    """
    ones = np.ones(len(residual))
    sums = np.stack([rows.sums(v) for v in (ones, rows.weights, rows.weights * residual)])
    total, missing = sums.sum(axis=1, keepdims=True), sums[:, -1:]

    def gains(left: FloatArray) -> FloatArray:
        right = total - left
        divided = (left[0] > 0) & (right[0] > 0)
        parts = [
            part[2] ** 2 / np.maximum(part[1] + ridge, 1e-300) for part in (left, right, total)
        ]
        gain = np.where(divided, parts[0] + parts[1] - parts[2] - noise, 0.0)[:, rows.leaf].sum(1)
        if charge_steps:
            gain = gain - step_gains(left, right, divided)[rows.leaf]
        n_rows = np.minimum(left[0, :, rows.leaf].sum(axis=1), right[0, :, rows.leaf].sum(axis=1))
        return np.where(n_rows >= min_rows, gain, -inf)

    left = np.cumsum(sums[:, : rows.n_cuts], axis=1)
    any_missing = missing[0, :, rows.leaf].any()
    others = gains(left + missing) if any_missing else np.full(rows.n_cuts, -inf)
    return np.stack([gains(left), others])


def step_gains(left: FloatArray, right: FloatArray, divided: NDArray[np.bool_]) -> FloatArray:
    """Return what one step, the same in all cells that a cut divides, takes away in every leaf.

    It has the best height for all leaves together: no interaction is needed for it.
    """
    left, both = np.where(divided, left, 0.0), np.where(divided, left + right, 0.0)
    weight, residual = both[1], both[2]
    spread = (left[1] * (weight - left[1]) / np.maximum(weight, 1e-300)).sum(axis=2)
    share = left[1].sum(axis=2) / np.maximum(weight.sum(axis=2), 1e-300)
    height = left[2].sum(axis=2) - share * residual.sum(axis=2)
    step = height.sum(axis=1) / np.maximum(spread.sum(axis=1), 1e-300)
    return np.maximum(step * (2 * height.T - step * spread.T), 0.0)


def roundest_of_the_best(cuts: FloatArray, gains: FloatArray, noise: float) -> int:
    """Return the position of the roundest cut whose gain is not clearly less than the largest."""
    best = gains.max()
    near = (gains == best) | ((gains > 0) & (gains >= best - CONFIDENCE * noise))
    candidates = np.flatnonzero(near).tolist()
    return max(candidates, key=lambda k: (roundness(float(cuts[k])), gains[k]))


def roundness(number: float) -> float:
    """Return the power of ten of a number's last digit: 1200 has 2, 0.25 has -2, and 0 has most."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return float(exponent) if number else inf
