"""What regions add to their feature's curve, shrunk to what it is worth on rows not trained on.

In: the curves of every bag, the part that regions share, and who validated in which bag. Out: the
curves with what each region adds multiplied by a factor in 0..1, the one of its feature that fits
the held-out rows best (Breiman's non-negative garrote, for regions). Where a split was a mistake,
the regions fall back to the curve that they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import VALIDATES
from calmgam.fit.curves.contract import CurveData, Curves
from calmgam.fit.data.target import Target
from calmgam.model.schema import FloatArray

MAX_ROWS = 100_000  # a few dozen factors need no more
MAX_SWEEPS, TOLERANCE = 200, 1e-9  # when the factors have settled


def shrink_regions(
    data: CurveData, curves: Curves, shared: Mapping[int, FloatArray]
) -> list[FloatArray]:
    """Return the values of the curves, shrunk towards what the regions of a feature share.

    Parameters
    ----------
    data : CurveData
    curves : Curves
        One per bag.
    shared : mapping from int to (n_bags, 1, n_slots) array
        What the regions of split features have in common.
    """
    own = {i: curves.values[i] - common for i, common in shared.items()}
    values = list(curves.values)
    for i, factor in worth_of_regions(data, curves, own).items():
        values[i] = shared[i] + factor * own[i]
    return values


def worth_of_regions(
    data: CurveData, curves: Curves, own: Mapping[int, FloatArray]
) -> dict[int, float]:
    """Return the factor of every split feature, given what its regions add."""
    validates = data.bags == VALIDATES
    rows = np.flatnonzero(validates.any(axis=1))
    rows = rows[:: 1 + len(rows) // MAX_ROWS]
    if not own or len(rows) == 0:
        return dict.fromkeys(own, 1.0)
    if curves.intercepts.ndim == 2:
        return _worth_of_classes(data, curves, own, rows)
    validates = validates[rows]
    n_bags = validates.sum(axis=1)
    of_rows, split = data.cells[:, rows].astype(np.intp), list(own)
    all_heights, all_cells = _in_a_row(curves.values, of_rows)
    own_heights, own_cells = _in_a_row(list(own.values()), of_rows[split])
    scores, parts = np.zeros(len(rows)), np.zeros((len(own), len(rows)))
    for bag, intercept in enumerate(curves.intercepts):
        mine = np.flatnonzero(validates[:, bag])
        scores[mine] += intercept + all_heights[bag].take(all_cells[:, mine]).sum(axis=0)
        parts[:, mine] += own_heights[bag].take(own_cells[:, mine])
    factors = best_factors(scores / n_bags, parts / n_bags, data.target, rows)
    return dict(zip(own, factors.tolist(), strict=True))


def _worth_of_classes(
    data: CurveData, curves: Curves, own: Mapping[int, FloatArray], rows: NDArray[np.intp]
) -> dict[int, float]:
    """Return the factors of models of many classes, one for all classes of a feature."""
    validates, cells = data.bags[rows] == VALIDATES, data.cells[:, rows].astype(np.intp)
    n_bags = validates.sum(axis=1)[:, None]
    scores = np.zeros((len(rows), curves.intercepts.shape[1]))
    parts = np.zeros((len(own), *scores.shape))
    for bag, intercepts in enumerate(curves.intercepts):
        mine = np.flatnonzero(validates[:, bag])
        scores[mine] += intercepts
        for values, of_rows in zip(curves.values, cells, strict=True):
            scores[mine] += _by_cell(values[bag])[of_rows[mine]]
        for k, (i, values) in enumerate(own.items()):
            parts[k, mine] += _by_cell(values[bag])[cells[i, mine]]
    factors = best_factors(scores / n_bags, parts / n_bags, data.target, rows)
    return dict(zip(own, factors.tolist(), strict=True))


def _by_cell(values: FloatArray) -> FloatArray:
    """Return (n_classes, n_leaves, n_slots) values as (n_cells, n_classes)."""
    return values.reshape(len(values), -1).T


def _in_a_row(
    values: Sequence[FloatArray], cells: NDArray[np.intp]
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Join the heights of all features, (n_bags, n_cells), and say where the rows' are."""
    flat = [heights.reshape(len(heights), -1) for heights in values]
    first = np.cumsum([0, *(heights.shape[1] for heights in flat[:-1])])
    return np.concatenate(flat, axis=1), cells + first[:, None]


def best_factors(
    scores: FloatArray, parts: FloatArray, target: Target, rows: NDArray[np.intp]
) -> FloatArray:
    """Return the factors in 0..1 of parts of the scores that lead to the smallest loss."""
    factors = np.ones(len(parts))
    for _ in range(target.loss.n_newton_steps):
        now = scores - np.einsum("k,k...->...", 1.0 - factors, parts)
        gradients, hessians = target.derivatives(now, rows)
        if parts.ndim == 3:  # rows and classes in one line
            gradient, hessian = _sums(_flat(parts), gradients.ravel(), hessians.ravel())
        else:
            gradient, hessian = _sums(parts, gradients, hessians)
        factors = bounded_minimum(hessian, gradient + hessian @ factors)
    return factors


def _flat(parts: FloatArray) -> FloatArray:
    return parts.reshape(len(parts), -1)


def _sums(
    parts: FloatArray, gradients: FloatArray, hessians: FloatArray
) -> tuple[FloatArray, FloatArray]:
    gradient = np.einsum("kr,r->k", parts, gradients)
    return gradient, np.einsum("kr,lr,r->kl", parts, parts, hessians)


def bounded_minimum(hessian: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return the x in 0..1 with the smallest x @ hessian @ x / 2 - gradient @ x."""
    x = np.ones(len(gradient))
    for _ in range(MAX_SWEEPS):
        before = x.copy()
        for k, curvature in enumerate(np.diagonal(hessian)):
            if curvature > 0:
                x[k] += (gradient[k] - hessian[k] @ x) / curvature
                x[k] = min(max(x[k], 0.0), 1.0)
        if np.abs(x - before).max() < TOLERANCE:
            break
    return x
