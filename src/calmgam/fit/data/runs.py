"""How a curve must run along its feature: freely, one way, or bent one way.

Curves are steps, so "convex" is about their heights at the centres of the bins.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from calmgam.model.schema import FloatArray


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
