"""What joint growth explains: the reference's scores, with many rows more and more of y itself.

In: the reference's scores on training rows, and y. Out: the target of growth and its weights. The
reference has less noise than y, but has also missed some of its structure. With few rows the noise
is worse; with many it averages out within a region, and y shows what the reference has missed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.target import Target
from calmgam.fit.regions.joint.settings import JointSettings
from calmgam.model.schema import FloatArray


def growth_target(
    scores: FloatArray, target: Target, rows: NDArray[np.intp], settings: JointSettings
) -> tuple[FloatArray, FloatArray]:
    """Return the target of growth and its weights, of mean 1, on some rows.

    Parameters
    ----------
    scores : (n,) array
        The reference's, of these rows; of many classes (n, n_classes).
    target : Target
    rows : (n,) array of int
    settings : JointSettings

    Notes
    -----
    The target is part of a Newton step from the scores towards y; of squared error, part of the
    way to y. Log-odds count by the hessian of the log loss, bounded below: far from 0 they matter
    less. The classes of a row share one weight, the sum of their hessians, so that their curves
    share the sums of weights.
    """
    gradient, hessian = target.derivatives(scores, rows)
    if target.loss.n_outputs:
        hessian = hessian.sum(axis=1)  # one weight for all classes, at least that of each
    weights = np.maximum(hessian, settings.min_hessian * target.weights[rows])
    counted = weights > 0
    steps = np.divide(gradient.T, weights, out=np.zeros(gradient.T.shape), where=counted).T
    share = settings.share_of_y(int(counted.sum()))
    return scores + share * steps if share else scores, weights / weights.mean()
