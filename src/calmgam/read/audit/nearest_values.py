"""The values that a feature may take instead of its own, and how far away they are.

The model cannot tell values in one gap between its cuts apart, so each gap offers one value, the
nearest: its upper cut below the row's value; the first number behind its lower cut above it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from calmgam.model.exact.inputs import Axis, rows_per_slot
from calmgam.model.regions import Mask
from calmgam.model.schema import Feature, FloatArray
from calmgam.model.shapes import slot_codes

# Empty bins count as holding this share of the rows, so that the nearest of them wins.
SLIVER = 1e-9
# A number just above a cut is looked for in this part of its bin.
NEAR = 0.01


@dataclass(frozen=True, eq=False)
class Choice:
    """The gaps or levels that a feature may move to.

    Attributes
    ----------
    axis : Axis
    code : float
        The row's own value.
    points : array of float
        A value of every gap, or every level; missing left out.
    steps : array of float
        How far away the nearest value is: in the feature's own unit, from a level or a missing
        value as `distances`. Infinite where the column can have no value.
    distances : array of float
        Share of the training rows in between, or elsewhere.
    """

    axis: Axis
    code: float
    points: FloatArray
    steps: FloatArray
    distances: FloatArray

    @classmethod
    def of(cls, axis: Axis, code: float) -> Choice:
        """Return what a feature with this value may become."""
        points = axis.points[~np.isnan(axis.points)]
        feature, counts = axis.term.feature, rows_per_slot(axis.term)
        slots = slot_codes(feature, axis.term.edges, np.append(points, code))
        if not feature.is_numeric or np.isnan(code):
            n_rows = counts[:-1].sum() if feature.is_numeric else counts.sum()
            elsewhere = 1 - counts[slots[:-1]] / (n_rows or 1.0)
            return cls(axis, code, points, elsewhere, elsewhere)
        shares = counts[:-1] / (counts[:-1].sum() or 1.0) + SLIVER
        ranks = (np.cumsum(shares) - shares / 2)[slots]
        return cls(axis, code, points, _steps(axis, code), np.abs(ranks[:-1] - ranks[-1]))

    def nearest(self, at: int) -> float:
        """Return the nearest value of a gap or level."""
        feature, point = self.axis.term.feature, float(self.points[at])
        if not feature.is_numeric or np.isnan(self.code):
            return point
        lows, highs = _gaps(self.axis)
        if highs[at] < self.code:
            return math.floor(highs[at]) + 0.0 if feature.whole else float(highs[at])
        if self.code <= lows[at]:
            return first_above(feature, float(lows[at]), float(highs[at]))
        return self.code


def first_above(feature: Feature, low: float, high: float) -> float:
    """Return the next whole number above `low`, or a short number just above it; at most `high`."""
    if feature.whole:
        return max(math.floor(low) + 1.0, math.nextafter(low, math.inf))
    end = min(high, feature.high if feature.high > low else math.inf)
    width = end - low if math.isfinite(end - low) else max(abs(low), 1.0)
    return shortest_between(low, low + NEAR * width)


def shortest_between(low: float, high: float) -> float:
    """Return the number with the fewest decimals in (low, high], the lowest of them."""
    if not low < high:
        return math.nextafter(low, math.inf)
    largest = max(abs(low), abs(high))
    for exponent in range(math.floor(math.log10(largest)) + 1, -325, -1):
        multiple = math.floor(Decimal(low).scaleb(-exponent)) + 1
        number = float(f"{multiple}e{exponent}")
        if low < number <= high:
            return number
    return high


def _gaps(axis: Axis) -> tuple[FloatArray, FloatArray]:
    """Return the ends (low, high] of all gaps between cuts."""
    return np.append(-np.inf, axis.cuts), np.append(axis.cuts, np.inf)


def _steps(axis: Axis, code: float) -> FloatArray:
    """Return how far every gap's nearest value is, up to the short number's excess."""
    lows, highs = _gaps(axis)
    is_below, is_above = highs < code, code <= lows
    if axis.term.feature.whole:
        nearest = np.where(is_below, np.floor(highs), np.fmax(np.floor(lows) + 1, lows))
        can_be: Mask = (lows < nearest) & (nearest <= highs)
        return np.where(is_below | is_above, np.where(can_be, np.abs(nearest - code), np.inf), 0.0)
    nearest = np.where(is_below, highs, lows)
    return np.where(is_below | is_above, np.abs(nearest - code), 0.0)
