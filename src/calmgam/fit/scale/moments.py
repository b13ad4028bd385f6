"""Everything that curves of squared error need to know of the rows, as sums of integers.

In: blocks of rows. Out: `Moments`: per fold the weights and sums of y of all cells, the Gram matrix
of the cells' indicators (one tile per pair of features), and y'y. Sums are added with ``+`` in any
order and grouping, with the same bits: weights and y are rounded to a fixed number of binary places
once, row by row, and integers are added. Rows of weight 1 are counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import add_cells, add_pairs, find_slots
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.losses import Loss
from calmgam.fit.scale.batches import Batch, fold_of, row_hashes
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

MIN_HESSIAN = 1e-3  # of an expanded row
MAX_LOG_ODDS = 30.0  # of an expanded row, before its offset
BEYOND = 3.0  # the logarithm of a mean is at most so much more than that of the largest y
MAX_REST = 1e3  # of an expanded row's loss: what no curve changes
BITS = 61  # of a sum: a sign, and a bit in case ranges are a little wider


@dataclass(frozen=True)
class FixedPoint:
    """How y and weights become integers: binary places, so many that no sum can overflow.

    Attributes
    ----------
    mean, scale : float
        Of y, as in `Target`.
    unit : float
        Sample weight that counts as 1.
    value_bits, square_bits, weight_bits, count_bits : int
        Places of y, its squares, what rows weigh in a step, and their own weights.
    heaviest, largest : float
        Most that all rows may weigh together; the largest abs((y - mean) / scale).
    """

    mean: float
    scale: float
    unit: float = 1.0
    value_bits: int = 32
    square_bits: int = 32
    weight_bits: int = 0
    count_bits: int = 0
    heaviest: float = 1.0
    largest: float = 1.0

    @classmethod
    def of(
        cls,
        n_rows: int,
        largest: float,
        units: tuple[float, float],
        weights: tuple[float, float] | None = None,
    ) -> FixedPoint:
        """Choose the binary places for n_rows rows.

        Parameters
        ----------
        n_rows : int
        largest : float
            Of all abs(y - mean).
        units : (float, float)
            Mean and scale of y.
        weights : (float, float), optional
            Their unit, and the largest.
        """
        unit, heaviest = (1.0, 1.0) if weights is None else (weights[0], weights[1] / weights[0])
        fixed = cls(*units, unit, heaviest=n_rows * heaviest, largest=largest / units[1])
        count_bits = 0 if weights is None else fixed.places(1.0)
        return replace(
            fixed,
            value_bits=fixed.places(fixed.largest),
            square_bits=fixed.places(fixed.largest**2),
            weight_bits=count_bits,
            count_bits=count_bits,
        )

    def places(self, summand: float) -> int:
        """Return how many binary places a summand may have that is at most so large."""
        whole = math.ceil(math.log2(max(self.heaviest * summand, 1.0)))
        return min(BITS - whole, 52)

    def integers(self, values: FloatArray, bits: int) -> NDArray[np.int64]:
        """Round to binary places."""
        return np.rint(np.ldexp(values, bits)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cell a row is in: the bins, and the regions.

    Attributes
    ----------
    binned : Binned
        Bins of the Gram matrix, joined from the fine ones; of no rows.
    trees : tuple of PartitionTree
    """

    binned: Binned
    trees: tuple[PartitionTree, ...]

    @property
    def fine(self) -> Binned:
        """The bins that the curves will have."""
        return self.binned.fine or self.binned

    @cached_property
    def n_cells(self) -> list[int]:
        """Cells of every feature."""
        return [t.n_leaves * n for t, n in zip(self.trees, self.binned.n_slots, strict=True)]

    @cached_property
    def n_fine_cells(self) -> list[int]:
        """Cells of every feature with fine bins."""
        return [t.n_leaves * n for t, n in zip(self.trees, self.fine.n_slots, strict=True)]

    @cached_property
    def firsts(self) -> NDArray[np.intp]:
        """Where the cells of every feature begin among all; at last their number."""
        return np.cumsum([0, *self.n_cells])

    @cached_property
    def joined(self) -> list[NDArray[np.uint16]]:
        """For every feature the bin of every fine slot."""
        return [
            joined_slots(fine, coarse)
            if feature.is_numeric
            else np.arange(n_slots, dtype=np.uint16)
            for feature, n_slots, fine, coarse in zip(
                self.binned.features,
                self.binned.n_slots,
                self.fine.edges,
                self.binned.edges,
                strict=True,
            )
        ]

    def of(
        self, batch: Batch, order: NDArray[np.intp], n_jobs: int
    ) -> tuple[NDArray[Any], NDArray[np.uint16]]:
        """Return the cells, and the fine cells, of a block of rows, taken in the given order."""
        fine = np.empty((len(self.trees), len(order)), dtype=np.uint16)

        def fill(i: int) -> None:
            feature = self.binned.features[i]
            values = batch.encoded(feature)[order]
            if feature.is_numeric:
                find_slots(values, self.fine.edges[i], fine[i])
            else:
                fine[i] = np.where(np.isnan(values), self.fine.n_slots[i] - 1, values)

        list(parallel_map(fill, range(len(fine)), n_jobs))
        rows = replace(self.fine, codes=fine)
        fine_cells = fine.copy() if any(tree.n_splits for tree in self.trees) else fine
        code = np.uint8 if max(self.n_cells) <= 256 else np.uint16
        cells = np.empty(fine.shape, dtype=code)

        def divide(i: int) -> None:
            np.take(self.joined[i].astype(code), fine[i], out=cells[i])
            if self.trees[i].n_splits:
                leaf = rows.leaf_of(self.trees[i])
                cells[i] += (leaf * self.binned.n_slots[i]).astype(code)
                fine_cells[i] += (leaf * self.fine.n_slots[i]).astype(np.uint16)

        list(parallel_map(divide, range(len(fine)), n_jobs))
        return cells, fine_cells


def joined_slots(fine: FloatArray, coarse: FloatArray) -> NDArray[np.uint16]:
    """Return the coarse slot of every fine slot of a number; coarse edges are fine ones, too."""
    bins = np.append(np.searchsorted(coarse, fine), len(coarse))
    return np.append(bins, len(coarse) + 1).astype(np.uint16)


@dataclass(frozen=True, eq=False)
class Expansion:
    """A loss as least squares around the scores of curves: one Newton step for all rows.

    Attributes
    ----------
    loss : Loss
    intercept : float
    heights : sequence of (n_cells,) arrays
        Of every feature's cells; empty for a constant score.
    largest : float
        The largest abs(y).
    """

    loss: Loss
    intercept: float
    heights: Sequence[FloatArray] = ()
    largest: float = 1.0

    @property
    def max_score(self) -> float:
        """How far scores are from 0 at most: no sum may overflow."""
        if self.loss.link == "log":
            return BEYOND + math.log(max(self.largest, 1.0))
        return MAX_LOG_ODDS

    def scores(self, cells: NDArray[Any], offset: FloatArray | None) -> FloatArray:
        """Return the scores of rows, bounded."""
        scores = np.full(cells.shape[1], self.intercept)
        for line, heights in zip(cells, self.heights, strict=False):
            scores += heights[line]
        bound = self.max_score
        return np.clip(scores, -bound, bound) + (0.0 if offset is None else offset)

    def fixed(self, rows: FixedPoint) -> FixedPoint:
        """Return the binary places for sums of the expansion, by how large it can become."""
        bound = self.max_score
        corners = np.array([(y, s) for y in (0.0, self.largest) for s in (-bound, 0.0, bound)])
        gradient, hessian = self.loss.derivatives(*corners.T)
        most = max(float(np.abs(gradient).max()), float(hessian.max()), 1.0)
        return replace(
            rows,
            value_bits=rows.places(most * (bound + 1.0)),
            square_bits=rows.places(most * bound * (bound + 2.0) + MAX_REST),
            weight_bits=rows.places(most),
        )


@dataclass(frozen=True, eq=False)
class MomentsPass:
    """How moments are made of a block of rows.

    Attributes
    ----------
    cells : Cells
    fixed : FixedPoint
    n_folds : int
    weighted : bool
    n_jobs : int
    expansion : Expansion, optional
        Of a loss that is not squared error.
    """

    cells: Cells
    fixed: FixedPoint
    n_folds: int
    weighted: bool
    n_jobs: int = 1
    expansion: Expansion | None = None

    def start(self) -> Moments:
        """Return the moments of no rows."""
        n_cells = self.cells.n_cells
        n_pairs = sum(a * b for i, a in enumerate(n_cells) for b in n_cells[i + 1 :])
        shape = self.n_folds, sum(n_cells)
        is_short = not self.weighted and self.fixed.heaviest < 2**32  # counts fit in 32 bits
        return Moments(
            0,
            np.zeros(shape, dtype=np.int64),
            np.zeros(shape, dtype=np.int64),
            np.zeros(self.n_folds, dtype=np.int64),
            np.zeros((self.n_folds, n_pairs), dtype=np.uint32 if is_short else np.int64),
            np.zeros((1, sum(self.cells.n_fine_cells)), dtype=np.int64),
        )

    def add(self, moments: Moments, batch: Batch) -> Moments:
        """Add a block of rows, in place."""
        fold = fold_of(row_hashes(batch, self.n_jobs), self.n_folds)
        order = np.argsort(fold, kind="stable")
        starts = np.searchsorted(fold[order], np.arange(self.n_folds + 1)).tolist()
        cells, fine_cells = self.cells.of(batch, order, self.n_jobs)
        if self.expansion is None:
            values, squares, weights = self._integers(batch, order)
        else:
            values, squares, weights = self._expanded(self.expansion, batch, order, cells)
        n_cells, n_fine_cells = self.cells.n_cells, self.cells.n_fine_cells
        add_cells(
            cells, n_cells, starts, weights, values, moments.weights, moments.sums, self.n_jobs
        )
        once, heavy = [0, len(order)], self._row_weights(batch, order)
        add_cells(fine_cells, n_fine_cells, once, heavy, None, moments.counts, None, self.n_jobs)
        add_pairs(cells, n_cells, starts, weights, moments.tiles, self.n_jobs)
        moments.squares[:] += np.add.reduceat(np.append(squares, 0), starts[:-1]) * (
            np.diff(starts) > 0
        )
        return replace(moments, n_rows=moments.n_rows + batch.n_rows)

    def _row_weights(self, batch: Batch, order: NDArray[np.intp]) -> NDArray[np.int64] | None:
        """Return the rows' own weights; None: all are 1."""
        _, given = batch.target()
        if given is None:
            return None
        return self.fixed.integers(given[order] / self.fixed.unit, self.fixed.count_bits)

    def _integers(
        self, batch: Batch, order: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64] | None]:
        """Return weight times y, weight times y squared, and the weights; None: all are 1."""
        y, _ = batch.target()
        fixed, values = self.fixed, (y[order] - self.fixed.mean) / self.fixed.scale
        weights, squares = self._row_weights(batch, order), values**2
        if weights is not None:
            weight = np.ldexp(weights.astype(float), -fixed.weight_bits)
            values, squares = weight * values, weight * squares
        return (
            fixed.integers(values, fixed.value_bits),
            fixed.integers(squares, fixed.square_bits),
            weights,
        )

    def _expanded(
        self,
        expansion: Expansion,
        batch: Batch,
        order: NDArray[np.intp],
        cells: NDArray[Any],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the same of the working response, whose weights are hessians."""
        y, given = batch.target()
        offset, fixed = batch.offset(), self.fixed
        scores = expansion.scores(cells, None if offset is None else offset[order])
        values = (y[order] - fixed.mean) / fixed.scale
        gradient, hessian = expansion.loss.derivatives(values, scores)
        if offset is not None:  # curves learn what the offset does not say
            scores = scores - offset[order]
        scale = 1.0 if given is None else given[order] / fixed.unit
        hessian = np.maximum(hessian, MIN_HESSIAN)
        rest = np.minimum(gradient**2 / hessian, MAX_REST)
        squares = hessian * scores**2 + 2.0 * scores * gradient + rest
        return (
            fixed.integers(scale * (hessian * scores + gradient), fixed.value_bits),
            fixed.integers(scale * squares, fixed.square_bits),
            fixed.integers(scale * hessian, fixed.weight_bits),
        )


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over rows.

    Attributes
    ----------
    n_rows : int
    weights, sums : (n_folds, n_cells) arrays
        Of the rows' weights and of weight times y, by cell.
    squares : (n_folds,) array
        Of weight times y squared.
    tiles : (n_folds, n) array
        The weights of rows that are in two cells, for all pairs of features one after the other.
    counts : (1, n_fine_cells) array
        The rows' weights by fine cell.
    """

    n_rows: int
    weights: NDArray[np.int64]
    sums: NDArray[np.int64]
    squares: NDArray[np.int64]
    tiles: NDArray[Any]
    counts: NDArray[np.int64]

    def __add__(self, other: Moments) -> Moments:
        return Moments(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    @property
    def parts(self) -> Sequence[Any]:
        """All sums."""
        return self.n_rows, self.weights, self.sums, self.squares, self.tiles, self.counts
