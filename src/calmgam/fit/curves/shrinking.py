"""Curves shrunk to what they are worth on rows not trained on (Breiman's non-negative garrote).

In: the curves of every bag, the part that regions share, and who validated in which bag. Out: the
curves, first with what each feature's regions add multiplied by a factor in 0..1, then with every
feature's curves drawn towards their mean by another. The factors are those that fit the held-out
rows best. So regions of a split that was a mistake fall back to the curve that they share, and
features that say nothing lie flat, where boosting, which stops all features in the same round, has
learned some of their noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam._kernels import VALIDATES
from calmgam.fit.curves.contract import CurveData, Curves
from calmgam.fit.data.bags import Bags
from calmgam.fit.data.target import Target
from calmgam.fit.support.parts import tuned
from calmgam.model.schema import FloatArray

MAX_SWEEPS, TOLERANCE = 200, 1e-9  # when the factors have settled


@dataclass(frozen=True)
class Shrinking:
    """How features are shrunk.

    Attributes
    ----------
    benefit_of_doubt : float
        How much evidence speaks for a factor of 1 beforehand: half the squared distance from 1
        counts as so many units of log-likelihood.
    max_rows, max_cells : int
        Most rows, and rows times features, that the factors are fitted to.
    """

    benefit_of_doubt: float = tuned(
        2.0, "folds 1 to 4 of nine tables without regions, simulated shapes with seeds 60 and 61"
    )
    max_rows: int = tuned(100_000, "set by hand: a few dozen factors need no more")
    max_cells: int = tuned(5_000_000, "set by hand: a small part of the time of a fit")


SHRINKING = Shrinking()


@dataclass(frozen=True)
class HeldOut:
    """Rows that validate in some bag, and what curves say of them on the mean over those bags.

    Attributes
    ----------
    rows : (n,) array of int
    cells : (n_features, n) array
        Of these rows.
    roles : (n, n_bags) array
        As `draw_bags` gives them, of these rows.
    target : Target
        Of all rows.
    classes : tuple of int
        () of one score, (n_classes,) of many classes.
    """

    rows: NDArray[np.intp]
    cells: NDArray[np.uint16]
    roles: Bags
    target: Target
    classes: tuple[int, ...]

    @classmethod
    def of(cls, data: CurveData, curves: Curves) -> HeldOut | None:
        """Return the rows; None if there are none."""
        rows = np.flatnonzero((data.bags == VALIDATES).any(axis=1))
        if len(rows) == 0:
            return None
        most = min(SHRINKING.max_rows, SHRINKING.max_cells // max(len(data.cells), 1))
        rows = rows[:: 1 + len(rows) // max(most, 1)]
        cells, roles = data.cells.take(rows, axis=1), data.bags.take(rows, axis=0)
        return cls(rows, cells, roles, data.target, curves.intercepts.shape[1:])

    def said(self, heights: Mapping[int, FloatArray]) -> FloatArray:
        """Return what some features' heights in every bag say: (n_features, n, *classes)."""
        return self._means(self.cells[list(heights)], [*heights.values()])

    def mean(self, constants: FloatArray) -> FloatArray:
        """Return the mean of what every bag adds to all of its scores: (n, *classes)."""
        one_cell = np.zeros((1, len(self.rows)), dtype=np.uint16)
        means: FloatArray = self._means(one_cell, [constants])[0]
        return means

    def _means(self, cells: NDArray[np.uint16], heights: Sequence[FloatArray]) -> FloatArray:
        n_bags, n_outputs = self.roles.shape[1], math.prod(self.classes)
        lines = [values.reshape(n_bags, n_outputs, -1) for values in heights]
        n_cells = [line.shape[-1] for line in lines]
        in_one = np.ascontiguousarray(np.concatenate(lines, axis=-1))
        means: FloatArray = _kernels.held_out_means(cells, n_cells, in_one, self.roles)
        return means.reshape(len(lines), len(self.rows), *self.classes)


def shrink(data: CurveData, curves: Curves, shared: Mapping[int, FloatArray]) -> list[FloatArray]:
    """Return the values of the curves, shrunk by regions and then by features.

    Parameters
    ----------
    data : CurveData
    curves : Curves
        One per bag.
    shared : mapping from int to (n_bags, 1, n_slots) array
        What the regions of split features have in common.
    """
    held_out = HeldOut.of(data, curves)
    if held_out is None or not curves.values:
        return curves.values
    own = {i: curves.values[i] - common for i, common in shared.items()}
    values = list(curves.values)
    for i, factor in worth_of_regions(held_out, curves, own).items():
        values[i] = shared[i] + factor * own[i]
    curves = replace(curves, values=values)
    means = [mean_heights(data, i, heights) for i, heights in enumerate(values)]
    worth = worth_of_features(held_out, curves, means)
    return [
        heights if factor == 1.0 else mean + factor * (heights - mean)
        for heights, mean, factor in zip(values, means, worth.tolist(), strict=True)
    ]


def worth_of_regions(
    held_out: HeldOut, curves: Curves, own: Mapping[int, FloatArray]
) -> dict[int, float]:
    """Return the factor of every split feature, given what its regions add."""
    if not own:
        return {}
    terms = held_out.said(dict(enumerate(curves.values)))
    scores = held_out.mean(curves.intercepts) + terms.sum(axis=0)
    factors = best_factors(scores, held_out.said(own), held_out.target, held_out.rows)
    return dict(zip(own, factors.tolist(), strict=True))


def worth_of_features(held_out: HeldOut, curves: Curves, means: Sequence[FloatArray]) -> FloatArray:
    """Return the factor of every feature's curves, about their means."""
    parts = held_out.said({i: heights - means[i] for i, heights in enumerate(curves.values)})
    constants = curves.intercepts + sum(mean[..., 0, 0] for mean in means)
    scores = held_out.mean(constants) + parts.sum(axis=0)
    doubt = SHRINKING.benefit_of_doubt
    return best_factors(scores, parts, held_out.target, held_out.rows, doubt)


def mean_heights(data: CurveData, i: int, heights: FloatArray) -> FloatArray:
    """Return the mean height of a feature's curves over the rows, for every bag (and class)."""
    n_cells = heights.shape[-2] * heights.shape[-1]
    shares = np.bincount(data.cells[i], data.target.weights, n_cells) / data.target.weights.sum()
    means: FloatArray = heights.reshape(*heights.shape[:-2], n_cells) @ shares
    return means[..., None, None]


def best_factors(
    scores: FloatArray,
    parts: FloatArray,
    target: Target,
    rows: NDArray[np.intp],
    benefit_of_doubt: float = 0.0,
) -> FloatArray:
    """Return the factors in 0..1 of parts of the scores that lead to the smallest loss.

    Parameters
    ----------
    scores : (n,) or (n, n_classes) array
    parts : (n_parts, n) or (n_parts, n, n_classes) array
        What makes up the scores, or some of it.
    target : Target
    rows : (n,) array of int
        Rows of the target that the scores are of.
    benefit_of_doubt : float
        Units of log-likelihood that half a squared distance from 1 costs. The unit is the
        dispersion, the sum of squared gradients over that of hessians: of squared error the
        variance of the noise.
    """
    factors = np.ones(len(parts))
    flat = parts.reshape(len(parts), -1)  # rows and classes in one line
    pull = 0.0
    for step in range(target.loss.n_newton_steps):
        now = scores - np.einsum("k,kn->n", 1.0 - factors, flat).reshape(scores.shape)
        gradient, hessian = (one.ravel() for one in target.derivatives(now, rows))
        if step == 0 and benefit_of_doubt:
            pull = benefit_of_doubt * float((gradient**2).sum() / max(hessian.sum(), 1e-300))
        slopes, curvatures = _kernels.slopes_and_curvatures(flat, gradient, hessian)
        curvatures.flat[:: len(parts) + 1] += pull
        before = factors
        factors = bounded_minimum(slopes + pull * (1.0 - before), curvatures, before)
        if np.abs(factors - before).max(initial=0.0) < TOLERANCE:
            break
    return factors


def bounded_minimum(
    slopes: FloatArray, curvatures: FloatArray, start: FloatArray | None = None
) -> FloatArray:
    """Return the x in 0..1 with the largest slopes @ step - step @ curvatures @ step / 2.

    The step is x - start; the start is 1 everywhere unless it is given.
    """
    start = np.ones(len(slopes)) if start is None else start
    x: FloatArray = _kernels.bounded_minimum(slopes, curvatures, start, MAX_SWEEPS, TOLERANCE)
    return x
