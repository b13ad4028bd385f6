"""All curves of splines as one linear model of the rows.

In: cells. Out: a `Design`: which coefficients there are and which are penalised alike, the normal
equations of weighted rows, and the curves of given coefficients. Rows enter by their cells alone. A
split feature has one curve for all rows, to which every region adds what is its own, like boosting:
a split does not tear the rows of a curve apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from calmgam._kernels import WIDTH, gram
from calmgam.fit.curves.contract import Curves
from calmgam.fit.curves.splines.basis import (
    MEAN,
    MISSING,
    SHARE_OF_VALUE,
    STRAIGHT,
    Basis,
    level_basis,
    spline_basis,
)
from calmgam.fit.data.binning import Binned
from calmgam.model.schema import FloatArray

# Splines of a feature's curve, and of what a region adds to it: few where there are many curves, as
# the work grows with the cube of their number.
N_SPLINES, MIN_SPLINES, MAX_SPLINES, MAX_REGION_SPLINES = 600, 10, 60, 20

Key = tuple[int, int, int, int]  # feature, number of its curves, curve, kind


@dataclass(frozen=True)
class Term:
    """The curve of a feature for all rows, or what its regions add to it.

    Attributes
    ----------
    feature : int
    n_curves : int
    basis : Basis
        The same for all curves.
    is_numeric : bool
    seen : (n_curves, n_slots) array of bool
        Which slots of every curve have rows.
    """

    feature: int
    n_curves: int
    basis: Basis
    is_numeric: bool
    seen: NDArray[np.bool_]

    @property
    def n_cells(self) -> int:
        """Number of slots of all curves."""
        return self.n_curves * len(self.basis.first)

    @property
    def slots(self) -> list[NDArray[np.intp]]:
        """For every curve and slot the slot whose height it takes: mostly its own.

        What a region adds to a number's curve stays as it is where the region's rows end.
        """
        slots = np.tile(np.arange(len(self.basis.first)), (self.n_curves, 1))
        if self.is_numeric:
            for line, bins in zip(slots[:, :-1], self.seen[:, :-1], strict=True):
                if bins.any():
                    line[:] = np.clip(line, *np.flatnonzero(bins)[[0, -1]])
        return list(slots)

    def coefficients(self) -> tuple[Any, list[Key]]:
        """Return the matrix from coefficients to heights, and every coefficient's group."""
        transforms: list[FloatArray] = []
        groups: list[Key] = []
        for curve, seen in enumerate(self.seen):
            transform, kinds = self.basis.of_slots(seen)
            if self.n_curves > 1:
                transform = np.column_stack([np.ones(len(transform)), transform])
                groups.append(self._group(0, MEAN))
            transforms.append(transform)
            groups += [self._group(curve, kind) for kind in kinds.tolist()]
        return sparse.block_diag(transforms), groups

    def _group(self, curve: int, kind: int) -> Key:
        """Return a key for the group of a coefficient.

        Slopes, and jumps where a value is missing, are one group over all features; so are the
        means of a feature's regions. Everything else is for each curve to find out.
        """
        if self.n_curves == 1 and kind in (STRAIGHT, MISSING):
            return (-1, 1, 0, kind)
        return (self.feature, self.n_curves, 0 if kind == MEAN else curve, kind)


class Design:
    """All curves of all features.

    Parameters
    ----------
    seen : sequence of (n_leaves, n_slots) arrays of bool
        Which slots of every curve have rows.
    binned : Binned

    Attributes
    ----------
    group_of : (n_coefficients,) array
        The group of every coefficient; the first, the intercept, is in none: -1.
    """

    def __init__(self, seen: Sequence[NDArray[np.bool_]], binned: Binned) -> None:
        self._seen = seen
        self._terms = _terms(seen, binned)
        transforms, groups = zip(*(term.coefficients() for term in self._terms), strict=True)
        n_columns = [transform.shape[0] for transform in transforms]
        starts = np.cumsum([0, *n_columns])
        # in every row the columns of any one term add up to 1
        intercept = np.repeat([1.0, 0.0], [n_columns[0], starts[-1] - n_columns[0]])
        self._transform = sparse.hstack(
            [intercept[:, None], sparse.block_diag(transforms)], format="csr"
        )
        _, group_of = np.unique(np.concatenate(groups), axis=0, return_inverse=True)
        self.group_of = np.append(-1, group_of.ravel())
        self._first = np.concatenate(
            [
                start + curve * len(term.basis.transform) + term.basis.first[slots]
                for term, start in zip(self._terms, starts[:-1], strict=True)
                for curve, slots in enumerate(term.slots)
            ]
        ).astype(np.int32)
        self._values = np.concatenate(
            [term.basis.values[slots] for term in self._terms for slots in term.slots]
        )

    @classmethod
    def of_rows(cls, cells: NDArray[np.uint16], binned: Binned, n_leaves: Sequence[int]) -> Design:
        """Make the design of rows, given by their cells."""
        shapes = zip(n_leaves, binned.n_slots, strict=True)
        return cls(
            [
                np.bincount(line, minlength=n * n_slots).reshape(n, n_slots) > 0
                for line, (n, n_slots) in zip(cells, shapes, strict=True)
            ],
            binned,
        )

    def normal_equations(
        self,
        cells: NDArray[np.uint16],
        weights: FloatArray,
        weighted: FloatArray,
        n_jobs: int = 1,
    ) -> tuple[FloatArray, FloatArray]:
        """Return X'WX, and X'r for responses r that are `weighted` already, of rows."""
        n_cells = [term.n_cells for term in self._terms]
        to_columns, n_columns = self._transform, self._transform.shape[0]
        lines = np.stack([self._cells_of(term, cells[term.feature]) for term in self._terms])
        upper = gram(lines, n_cells, self._first, self._values, weights, n_columns, n_jobs)
        full = np.triu(upper) + np.triu(upper, 1).T
        sums = np.concatenate(
            [np.bincount(line, weighted, n) for line, n in zip(lines, n_cells, strict=True)]
        )
        columns = self._first[:, None] + np.arange(WIDTH)
        right = np.bincount(columns.ravel(), (self._values * sums[:, None]).ravel(), n_columns)
        return to_columns.T @ (to_columns.T @ full).T, to_columns.T @ right

    @staticmethod
    def _cells_of(term: Term, cells: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the cells of a term, given those of its feature."""
        return cells if term.n_curves > 1 else cells % np.uint16(len(term.basis.first))

    def of_cells(self) -> Any:
        """Return the coefficients' part in the height of every cell, one feature after the other.

        It is sparse, (n_cells, n_coefficients); the first feature has the intercept.
        """
        columns = self._first[:, None] + np.arange(WIDTH)
        indexes = np.repeat(np.arange(len(columns)), WIDTH), columns.ravel()
        shape = len(columns), self._transform.shape[0]
        by_term = sparse.csr_matrix((self._values.ravel(), indexes), shape) @ self._transform
        blocks: dict[int, Any] = {}
        ends = np.cumsum([0, *(term.n_cells for term in self._terms)])
        for term, start, end in zip(self._terms, ends[:-1], ends[1:], strict=True):
            n_leaves, n_slots = self._seen[term.feature].shape
            cells = self._cells_of(term, np.arange(n_leaves * n_slots, dtype=np.uint16))
            own = by_term[start:end][cells]
            blocks[term.feature] = blocks[term.feature] + own if term.feature in blocks else own
        return sparse.vstack([blocks[i] for i in range(len(self._seen))], format="csr")

    def curves(self, coefficients: FloatArray) -> Curves:
        """Return the curves of (n_coefficients, n_bags) coefficients.

        Missing and levels that no row has are left at 0.
        """
        columns = self._transform[:, 1:] @ coefficients[1:]
        heights = np.einsum(
            "cw,cwb->bc", self._values, columns[self._first[:, None] + np.arange(WIDTH)]
        )
        ends = np.cumsum([term.n_cells for term in self._terms])
        n_bags = coefficients.shape[1]
        values = [np.zeros((n_bags, *seen.shape)) for seen in self._seen]
        for term, part in zip(self._terms, np.split(heights, ends[:-1], axis=1), strict=True):
            values[term.feature] += part.reshape(n_bags, term.n_curves, -1)
        for term_values, seen in zip(values, self._seen, strict=True):
            term_values[..., ~seen.any(axis=0)] = 0
        return Curves(coefficients[0], values, np.empty(0))


def _terms(seen: Sequence[NDArray[np.bool_]], binned: Binned) -> list[Term]:
    """Return a term for every feature, and one more for the regions of a split one."""
    n_leaves = [len(one) for one in seen]
    n_regions = sum(n for n in n_leaves if n > 1)
    n_splines = np.clip(N_SPLINES // len(n_leaves), MIN_SPLINES, MAX_SPLINES)
    n_region_splines = np.clip(N_SPLINES // max(n_regions, 1), MIN_SPLINES, MAX_REGION_SPLINES)

    def basis(i: int, max_splines: int) -> Basis:
        if binned.features[i].is_numeric:
            share = 1.0 if binned.runs[i].is_bend else SHARE_OF_VALUE
            return spline_basis(binned.centres[i], max_splines, share)
        return level_basis(binned.n_slots[i])

    terms = []
    for i, n_curves in enumerate(n_leaves):
        numeric, whole = binned.features[i].is_numeric, np.logical_or.reduce(seen[i])[None]
        terms.append(Term(i, 1, basis(i, n_splines), numeric, whole))
        if n_curves > 1:
            terms.append(Term(i, n_curves, basis(i, n_region_splines), numeric, seen[i]))
    return terms
