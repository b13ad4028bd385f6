"""How a curve must run along its feature: freely, one way, or bent one way.

Curves are steps, so "convex" is about their heights at the centres of the bins.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from scipy.optimize import linprog

from calmgam.model.schema import FloatArray

INSIDE = 1e-6  # of a bin: how far points stay from the end that does not belong to it


class Run(str, Enum):
    """A constraint on all curves of a feature."""

    free = "free"
    increasing = "increasing"
    decreasing = "decreasing"
    convex = "convex"
    concave = "concave"

    @property
    def sign(self) -> int:
        """1 where (second) differences must not be below 0, -1 where not above, 0 where free."""
        if self is Run.free:
            return 0
        return 1 if self in (Run.increasing, Run.convex) else -1

    @property
    def is_bend(self) -> bool:
        """Whether it is about second differences."""
        return self in (Run.convex, Run.concave)

    @property
    def direction(self) -> int:
        """1 for curves that never fall, -1 for those that never rise, 0 for others."""
        return 0 if self.is_bend else self.sign


def centres_that_bend(heights: FloatArray, cuts: FloatArray) -> FloatArray | None:
    """Find a point in every bin such that heights are convex at them, or nothing if there is none.

    Slopes rise where ``after * (middle - low) >= before * (high - middle)``: heights being given,
    that is linear in the points, so a linear program knows.

    Parameters
    ----------
    heights : (n_bins,) array
    cuts : (n_bins + 1,) array
        The ends of the bins, the first and the last one included.
    """
    steps, span = np.diff(heights), cuts[-1] / 2 - cuts[0] / 2  # no overflow
    ends = (cuts / 2 - cuts[0] / 2) / (span or 1.0)
    lowest = ends[:-1] + INSIDE * np.diff(ends)  # a bin is open below
    before, after = steps[:-1], steps[1:]
    at = np.flatnonzero(~((before <= 0) & (after >= 0)))  # else the slope rises anyway
    sizes = np.maximum(np.abs(before), np.abs(after))[at] * (ends[at + 3] - ends[at])
    before, after, inner = before[at] / sizes, after[at] / sizes, np.arange(len(at))
    rules = np.zeros((len(at), len(heights) + 1))  # the last column: what is left, at least
    rules[inner, at], rules[inner, at + 1], rules[inner, at + 2] = after, -(before + after), before
    rules[:, -1] = 1.0
    aim = np.append(np.zeros(len(heights)), -1.0)
    bounds = [*zip(lowest, ends[1:], strict=True), (0.0, 1.0)]
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(aim, A_ub=rules, b_ub=np.zeros(len(rules)), bounds=bounds, options=exact)
    return found.x[:-1] if found.status == 0 else None


def chords(centres: FloatArray) -> FloatArray:
    """Return the matrix that says how far every inner bin lies below the chord of its neighbours.

    Of heights that are convex at the centres of the bins, no product with it is negative.
    """
    low, middle, high = centres[:-2], centres[1:-1], centres[2:]
    share = (high - middle) / (high - low)
    inner = np.arange(len(share))
    matrix = np.zeros((len(share), len(centres)))
    matrix[inner, inner], matrix[inner, inner + 1], matrix[inner, inner + 2] = (
        share,
        -1.0,
        1.0 - share,
    )
    return matrix
