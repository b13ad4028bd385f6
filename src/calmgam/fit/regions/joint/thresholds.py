"""Where exactly a threshold lies: the roundest number that the rows cannot tell from the best one.

In: the rows of a leaf, given by their code among the cuts around a coarse threshold and by the bin
of the feature whose curve is split. Out: one of the cuts. Joint growth looks for its splits at few
thresholds, then here at all cuts between the neighbours of the best. Several of them fit nearly
alike, and people's rules change at round numbers, which are also easier to read.
"""

from __future__ import annotations

from decimal import Decimal
from math import inf

import numpy as np
from numpy.typing import NDArray

from calmgam.model.schema import FloatArray

CONFIDENCE = 4.0  # variances of gain: what 95 % confidence in a change of the fit asks for


def threshold_gains(
    codes: NDArray[np.uint16],
    bins: NDArray[np.uint16],
    residual: FloatArray,
    weights: FloatArray,
    n_cuts: int,
    *,
    min_rows: float,
    ridge: float,
    noise: float,
) -> FloatArray:
    """Return what a split at every cut gains (cpp/joint.hpp); -inf if a side has too few rows.

    Parameters
    ----------
    codes : (n_rows,) array
        Number of cuts below the row; ``n_cuts + 1`` if missing.
    bins : (n_rows,) array
        Bin of the feature whose curve is split.
    residual, weights : (n_rows,) array
    n_cuts : int
    min_rows, ridge : float
    noise : float
        The gain by chance of every bin that is divided.

    Returns
    -------
    (2, n_cuts) array, missing rows right and left; the second line is -inf if there are none.
    """
    shape = n_cuts + 2, int(bins.max(initial=0)) + 1
    cells = codes.astype(np.intp) * shape[1] + bins
    sums: FloatArray = np.stack(
        [
            np.bincount(cells, values, shape[0] * shape[1]).reshape(shape)
            for values in (np.ones(len(cells)), weights, weights * residual)
        ]
    )
    total, missing = sums.sum(axis=1, keepdims=True), sums[:, -1:]

    def gains(left: FloatArray) -> FloatArray:
        right = total - left
        divided = (left[0] > 0) & (right[0] > 0)
        parts = [
            part[2] ** 2 / np.maximum(part[1] + ridge, 1e-300) for part in (left, right, total)
        ]
        gain = np.where(divided, parts[0] + parts[1] - parts[2] - noise, 0.0).sum(axis=1)
        n_rows = np.minimum(left[0].sum(axis=1), right[0].sum(axis=1))
        return np.where(n_rows >= min_rows, gain, -inf)

    left = np.cumsum(sums[:, :n_cuts], axis=1)
    others = gains(left + missing) if missing[0].any() else np.full(n_cuts, -inf)
    return np.stack([gains(left), others])


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
