"""The exact range of the score, and of one term's contribution, over all inputs.

    score(x) = b0 + sum_i f_i^(r_i)(x_i)

Every term has a state, its leaf, as in `changes`: tied to the features its tree asks about by what
the leaf allows, to its own feature by the lowest height inside a piece; `minimise` does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calmgam.model.exact.changes import Part
from calmgam.model.exact.inputs import Inputs
from calmgam.model.exact.optimise import minimise
from calmgam.model.glassbox import Term
from calmgam.model.schema import FloatArray


@dataclass(frozen=True, eq=False)
class Attained:
    """A sound bound of a sum of curves, and an encoded row that comes as near as was found."""

    bound: float
    attained: float
    row: FloatArray


def score_extremes(inputs: Inputs) -> tuple[Attained, Attained]:
    """Return the smallest and the largest score over all inputs."""
    low, high = (_score_extreme(inputs, sign) for sign in (1, -1))
    return low, high


def term_extremes(inputs: Inputs, term: Term) -> tuple[Attained, Attained]:
    """Return the smallest and the largest contribution of one term; both are attained."""
    axis, leaves = inputs.axes[term.feature.index], inputs.reachable(term)
    heights = axis.heights[leaves]
    found = []
    for at in (heights.argmin(), heights.argmax()):
        leaf, point = np.unravel_index(at, heights.shape)
        row = inputs.typical.copy()
        for k, mask in inputs.allowed(term).items():
            other = inputs.axes[k]
            inside = np.flatnonzero(mask[leaves[leaf]][other.pieces])
            row[k] = other.points[other.typical(inside)]
        row[term.feature.index] = axis.points[point]
        height = float(heights[leaf, point])
        found.append(Attained(height, height, row))
    return found[0], found[1]


def _score_extreme(inputs: Inputs, sign: int) -> Attained:
    model, axes = inputs.model, inputs.axes
    parts = [
        Part(term, sign, sign * axes[term.feature.index].heights, inputs.allowed(term))
        for term in model.terms
    ]
    bound, assignment = minimise([factor for part in parts for factor in part.factors(inputs)])
    row = inputs.typical.copy()
    for k, part in enumerate(parts):
        members = axes[k].members(assignment[k])
        heights = part.changes[assignment[len(axes) + k], members]
        lowest = members[heights == heights.min()]
        row[k] = axes[k].points[axes[k].typical(lowest)]
    attained = float(model.score_encoded(row[None])[0])
    return Attained(model.intercept + sign * bound, attained, row)
