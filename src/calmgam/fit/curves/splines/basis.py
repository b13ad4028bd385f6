"""What curves of splines are made of.

In: the bins of a feature. Out: a `Basis`. Its *columns* are cubic B-splines and missing, or levels:
a slot has at most four values other than 0, side by side. Its *coefficients* are of the same
functions, sorted by how they are penalised: a straight part, deviations from it, missing, or
levels. Penalties are sums of squares of coefficients: those of deviations are second differences of
neighbouring B-splines, so that a curve goes on straight where there are no rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import WIDTH
from calmgam.model.schema import FloatArray

# A number's place among its splines is half its bin's place among all bins and half its value:
# where rows are crowded there are many splines, and far outliers have few.
SHARE_OF_VALUE = 0.5
STRAIGHT, BENT, MISSING, LEVELS, MEAN = range(5)  # kinds of coefficients of a curve


@dataclass(frozen=True)
class Basis:
    """The functions of one curve.

    Attributes
    ----------
    first : (n_slots,) array
        The first of the neighbouring columns in which a slot has values.
    values : (n_slots, WIDTH) array
        These values; they add up to 1.
    transform : (n_columns, n_coefficients) array
        From coefficients to columns.
    kinds : (n_coefficients,) array
    """

    first: NDArray[np.int32]
    values: FloatArray
    transform: FloatArray
    kinds: NDArray[np.intp]

    def of_slots(self, seen: NDArray[np.bool_]) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return transform and kinds of those coefficients on which these slots depend."""
        columns = self.first[seen, None] + np.arange(WIDTH)
        reached = np.bincount(columns.ravel(), self.values[seen].ravel(), len(self.transform))
        used = reached @ np.abs(self.transform) > 0
        return self.transform[:, used], self.kinds[used]


def spline_basis(
    centres: FloatArray, max_splines: int, share_of_value: float = SHARE_OF_VALUE
) -> Basis:
    """Make the basis of a number from the centres of its bins; missing comes last.

    A curve that must be convex is one of values alone: `share_of_value` is 1.
    """
    n_bins = len(centres)
    n_splines = min(max(n_bins, WIDTH), max_splines)
    span = centres[-1] / 2 - centres[0] / 2  # no overflow
    by_value = (centres / 2 - centres[0] / 2) / (span or 1.0)
    by_bin = np.arange(n_bins) / max(n_bins - 1, 1)
    place = (n_splines - 3) * (share_of_value * by_value + (1 - share_of_value) * by_bin)
    first = np.minimum(place.astype(np.int32), n_splines - WIDTH)
    t = place - first
    values = [(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, 1 + 3 * (t + t**2 - t**3), t**3]

    straight = np.arange(n_splines) - (n_splines - 1) / 2
    transform = np.zeros((n_splines + 1, n_splines))
    transform[:-1, 0] = straight / straight.std()
    transform[:-1, 1:-1] = np.linalg.pinv(np.diff(np.eye(n_splines), 2, axis=0))
    transform[-1, -1] = 1.0
    return Basis(
        np.append(first, np.int32(n_splines + 1 - WIDTH)),
        np.vstack([np.column_stack(values) / 6, np.eye(WIDTH)[-1]]),
        transform,
        np.array([STRAIGHT, *[BENT] * (n_splines - 2), MISSING]),
    )


def level_basis(n_slots: int) -> Basis:
    """Make the basis of levels: a column each."""
    n_columns = max(n_slots, WIDTH)
    slots = np.arange(n_slots, dtype=np.int32)
    first = np.minimum(slots, n_columns - WIDTH)
    return Basis(
        first, np.eye(WIDTH)[slots - first], np.eye(n_columns, n_slots), np.full(n_slots, LEVELS)
    )
