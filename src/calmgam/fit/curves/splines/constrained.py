"""Splines that must run one way: the nearest coefficients whose curves do.

In: an estimate and the runs of its features. Out: the coefficients that minimise the penalised loss
(its quadratic expansion at the estimate) among those whose heights never go the wrong way from bin
to bin, or never bend it. With ``coefficients = root @ u`` the distance is that of u, and the
projection on the cone ``A root u >= 0`` is the non-negative least squares of its dual; rows of A
are added until none is violated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from calmgam.fit.curves.splines.design import Design
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.runs import Run, chords
from calmgam.model.schema import FloatArray

ROUNDING = 1e-12  # of the largest difference: what counts as not violated
BATCH = 50  # coefficients whose heights are computed at once: a matter of memory


def differences(design: Design, binned: Binned) -> FloatArray:
    """Return what must not be negative of every coefficient, (n_differences, n_coefficients)."""
    every = np.eye(len(design.group_of))
    columns = np.array_split(every, 1 + len(every) // BATCH, axis=1)
    return np.concatenate([_changes(design.curves(some).values, binned) for some in columns]).T


def _changes(values: Sequence[FloatArray], binned: Binned) -> FloatArray:
    """Return the changes along all constrained curves, one line for every bag."""
    lines = []
    for i, run in enumerate(binned.runs):
        if run is Run.free:
            continue
        n_apart = 1 if binned.features[i].is_numeric else 2  # missing, and rare levels
        for heights in np.moveaxis(values[i], 1, 0)[..., :-n_apart]:
            change = heights @ chords(binned.centres[i]).T if run.is_bend else np.diff(heights)
            lines.append(run.sign * change)
    return np.concatenate(lines, axis=1)


def nearest(coefficients: FloatArray, root: FloatArray, differences: FloatArray) -> FloatArray:
    """Return the nearest coefficients with ``differences @ coefficients >= 0``.

    Parameters
    ----------
    coefficients : (n_columns,) array
    root : (n_columns, n_columns) array
        root @ root.T is their covariance, which says what is near.
    differences : (n_differences, n_columns) array
    """
    sizes = np.abs(differences).max(axis=1, initial=0.0)
    differences = differences[sizes > 0] / sizes[sizes > 0, None]
    if not len(differences):
        return coefficients
    start = np.linalg.solve(root, coefficients)
    tolerance = ROUNDING * max(float(np.abs(coefficients).max()), 1e-300)
    held = np.zeros(len(differences), dtype=bool)
    found = coefficients
    while np.any(violated := (differences @ found < -tolerance) & ~held):
        held |= violated
        normals = differences[held] @ root
        pushes, _ = nnls(normals.T, -start, maxiter=100 * len(normals))
        found = root @ (start + normals.T @ pushes)
    return found
