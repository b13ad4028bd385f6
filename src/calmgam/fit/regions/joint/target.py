"""What joint growth explains: the reference's scores, with many rows more and more of y itself.

In: the reference's scores on training rows, and y. Out: the target of growth and its weights. The
reference has less noise than y, but has also missed some of its structure. With few rows the noise
is worse; with many it averages out within a region, and y shows what the reference has missed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.target import Target
from calmgam.model.schema import FloatArray

FEW_ROWS = 5_000  # up to which the reference counts alone; beyond them y gains …
SHARE_PER_ROW = 1e-4
MAX_SHARE = 0.75  # … up to this share
MIN_CURVATURE = 0.1


def growth_target(
    scores: FloatArray, target: Target, rows: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """Return the target of growth and its weights, of mean 1, on some rows.

    Parameters
    ----------
    scores : (n,) array
        The reference's, of these rows.
    target : Target
    rows : (n,) array of int

    Notes
    -----
    The target is part of a Newton step from the scores towards y; of squared error, part of the
    way to y. Log-odds count by the curvature of the log loss, bounded below: far from 0 they matter
    less.
    """
    slopes, curvatures = target.steepness(scores, rows)
    weights = np.maximum(curvatures, MIN_CURVATURE * target.weights[rows])
    counted = weights > 0
    steps = np.divide(slopes, weights, out=np.zeros(len(rows)), where=counted)
    share = share_of_y(int(counted.sum()))
    return scores + share * steps if share else scores, weights / weights.mean()


def share_of_y(n_rows: int) -> float:
    """Return how far the target of growth goes from the reference to y."""
    return min(SHARE_PER_ROW * max(n_rows - FEW_ROWS, 0), MAX_SHARE)
