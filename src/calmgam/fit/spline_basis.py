"""The design of splines over cells: which functions the curves are made of.

In: cells and bins. Out: a `Design`. Its *columns* are, for every curve of a number, cubic B-splines
and missing, for every curve of levels, the levels: a row has at most four values other than 0 per
term. Its *coefficients* are of the same functions sorted by how they are penalised: one intercept,
then for every curve its mean (if the feature has several curves), a straight part, deviations from
it and missing, or levels. All penalties are sums of squares of coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from calmgam._kernels import WIDTH, gram
from calmgam.fit.binning import Binned
from calmgam.fit.curves import Curves
from calmgam.model.schema import FloatArray

# A number's place among its splines is half its bin's place among all bins and half its value: where
# rows are crowded there are many splines, and far outliers have few.
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
        These values.
    transform : (n_columns, n_coefficients) array
        From coefficients to columns.
    kinds : (n_coefficients,) array
    """

    first: NDArray[np.int32]
    values: FloatArray
    transform: FloatArray
    kinds: NDArray[np.intp]

    def of_slots(self, seen: NDArray[np.bool_]) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return transform and kinds of the coefficients that matter in any of these slots."""
        columns = self.first[seen, None] + np.arange(WIDTH)
        reached = np.bincount(columns.ravel(), self.values[seen].ravel(), len(self.transform))
        used = reached @ np.abs(self.transform) > 0
        return self.transform[:, used], self.kinds[used]


def spline_basis(centres: FloatArray, max_splines: int) -> Basis:
    """Make the basis of a number from the centres of its bins; missing comes last."""
    n_bins = len(centres)
    n_splines = min(max(n_bins, WIDTH), max_splines)
    span = centres[-1] / 2 - centres[0] / 2  # no overflow
    by_value = (centres / 2 - centres[0] / 2) / (span or 1.0)
    by_bin = np.arange(n_bins) / max(n_bins - 1, 1)
    place = (n_splines - 3) * (SHARE_OF_VALUE * by_value + (1 - SHARE_OF_VALUE) * by_bin)
    first = np.minimum(place.astype(np.int32), n_splines - WIDTH)
    t = place - first
    values = np.column_stack(
        [(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, 1 + 3 * (t + t**2 - t**3), t**3, np.zeros(n_bins)]
    )
    straight = np.arange(n_splines) - (n_splines - 1) / 2
    # coefficients are second differences of neighbouring columns
    bent = np.linalg.pinv(np.diff(np.eye(n_splines), 2, axis=0))
    transform = np.zeros((n_splines + 1, n_splines))
    transform[:-1, 0] = straight / straight.std()
    transform[:-1, 1:-1] = bent
    transform[-1, -1] = 1.0
    return Basis(
        np.append(first, np.int32(n_splines + 1 - WIDTH)),
        np.vstack([values[:, :WIDTH] / 6, np.eye(WIDTH)[-1]]),
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


class Design:
    """All curves of all features as one linear model of the rows.

    Parameters
    ----------
    cells : (n_features, n_rows) array of uint16
    binned : Binned
    n_leaves : sequence of int
    max_splines : int
        Most B-splines of a curve.

    Attributes
    ----------
    group_of : (n_coefficients,) array
        The group of every coefficient: kind and curve, or the means of a feature's curves. The
        first, the intercept, is in none: -1.
    """

    def __init__(
        self, cells: NDArray[np.uint16], binned: Binned, n_leaves: Sequence[int], max_splines: int
    ) -> None:
        self._cells = cells
        self._shapes = list(zip(n_leaves, binned.n_slots, strict=True))
        counts = self._by_term(self._cell_sums(np.ones(cells.shape[1])))
        first, values, known, transforms, keys = [], [], [], [], []
        n_columns = 0
        for i, feature in enumerate(binned.features):
            n_slots = binned.n_slots[i]
            basis = level_basis(n_slots)
            if feature.is_numeric:
                basis = spline_basis(binned.centres[i], max_splines)
            for leaf, seen in enumerate(counts[i] > 0):
                transform, kinds = basis.of_slots(seen)
                keys.append([(i, leaf, kind) for kind in kinds.tolist()])
                if n_leaves[i] > 1:
                    transform = np.column_stack([np.ones(len(transform)), transform])
                    keys[-1].insert(0, (i, 0, MEAN))
                transforms.append(transform)
                first.append(basis.first + np.int32(n_columns))
                values.append(basis.values)
                known.append(seen | (feature.is_numeric & (np.arange(n_slots) < n_slots - 1)))
                n_columns += len(transform)
        self._first, self._values = np.concatenate(first), np.concatenate(values)
        self._known = np.concatenate(known)
        # in every row the columns of any one feature add up to 1
        of_first_feature = np.arange(n_columns) < sum(map(len, transforms[: n_leaves[0]]))
        self._transform = sparse.hstack(
            [of_first_feature[:, None].astype(float), sparse.block_diag(transforms)], format="csr"
        )
        _, group_of = np.unique(sum(keys, []), axis=0, return_inverse=True)
        self.group_of = np.append(-1, group_of.ravel())

    def normal_equations(
        self, weights: FloatArray, weighted: FloatArray, n_jobs: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return X'WX, and X'r for what is `weighted` already."""
        n_columns, n_cells = self._transform.shape[0], [n * slots for n, slots in self._shapes]
        upper = gram(self._cells, n_cells, self._first, self._values, weights, n_columns, n_jobs)
        full = np.triu(upper) + np.triu(upper, 1).T
        sums = self._values * self._cell_sums(weighted)[:, None]
        columns = self._first[:, None] + np.arange(WIDTH)
        right = np.bincount(columns.ravel(), sums.ravel(), n_columns)
        to_columns = self._transform
        return to_columns.T @ (to_columns.T @ full).T, to_columns.T @ right

    def curves(self, coefficients: FloatArray) -> Curves:
        """Return the curves of (n_coefficients, n_bags) coefficients.

        Missing and levels that a region has not seen are left at 0.
        """
        columns = self._transform[:, 1:] @ coefficients[1:]
        columns_of_slots = columns[self._first[:, None] + np.arange(WIDTH)]
        heights = np.einsum("sw,swb->bs", self._values, columns_of_slots) * self._known
        return Curves(coefficients[0], self._by_term(heights), np.empty(0))

    def _cell_sums(self, row_values: FloatArray) -> FloatArray:
        return np.concatenate(
            [
                np.bincount(row_cells, row_values, n_curves * n_slots)
                for row_cells, (n_curves, n_slots) in zip(self._cells, self._shapes, strict=True)
            ]
        )

    def _by_term(self, heights: FloatArray) -> list[FloatArray]:
        """Divide (..., n_cells) into the (..., n_leaves, n_slots) of every term."""
        ends = np.cumsum([n_curves * n_slots for n_curves, n_slots in self._shapes])
        parts = np.split(heights, ends[:-1], axis=-1)
        return [
            part.reshape(*part.shape[:-1], *shape)
            for part, shape in zip(parts, self._shapes, strict=True)
        ]
