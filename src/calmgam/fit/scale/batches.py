"""A block of rows, wherever it comes from, and the hash of every row's values.

In: a block of rows. Out: encoded columns, and one 64-bit number per row that depends on its values
alone: not on where the row stands, nor on how the table is divided. It decides which rows are
sampled and which fold a row is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import mix_column
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import Feature, FloatArray

Hashes = NDArray[np.uint64]

ROWS_PER_BATCH = 1 << 18  # a tile is worth its way to the cache, and a batch of 100 columns 200 MB


class Batch(Protocol):
    """A block of rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def encoded(self, feature: Feature) -> NDArray[np.floating]:
        """Return a column as `Schema.encode` does; numbers may be of single precision."""

    def hashed(self) -> Sequence[NDArray[np.floating]]:
        """Return numbers that stand for the values of all columns, target and weights included."""

    def target(self) -> tuple[FloatArray, FloatArray | None]:
        """Return y, and the sample weights, if there are any; a number less its offset."""

    def offset(self) -> FloatArray | None:
        """Return what is added to the scores of classes, if anything is."""


@dataclass(frozen=True, eq=False)
class MemoryBatch:
    """Rows of a table in memory, encoded."""

    X: FloatArray
    y: FloatArray
    weights: FloatArray | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    def encoded(self, feature: Feature) -> NDArray[np.floating]:
        """Return a column."""
        return np.ascontiguousarray(self.X[:, feature.index])

    def hashed(self) -> Sequence[NDArray[np.floating]]:
        """Return all columns, y and weights."""
        more = [self.y] if self.weights is None else [self.y, self.weights]
        return [np.ascontiguousarray(column) for column in (*self.X.T, *more)]

    def target(self) -> tuple[FloatArray, FloatArray | None]:
        """Return y and the sample weights."""
        return self.y, self.weights

    def offset(self) -> FloatArray | None:
        """Return nothing: a table in memory has none."""
        return None

    def part(self, rows: slice) -> MemoryBatch:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return MemoryBatch(self.X[rows], self.y[rows], weights)


def row_hashes(batch: Batch, n_jobs: int = 1) -> Hashes:
    """Return the hash of every row."""
    columns = batch.hashed()
    hashes = np.zeros(batch.n_rows, dtype=np.uint64)

    def mix(rows: NDArray[np.intp]) -> None:
        part = slice(rows[0], rows[-1] + 1)
        for column in columns:
            mix_column(column[part], hashes[part])

    blocks = [rows for rows in np.array_split(np.arange(batch.n_rows), n_jobs) if len(rows)]
    list(parallel_map(mix, blocks, n_jobs))
    return hashes


def fold_of(hashes: Hashes, n_folds: int) -> NDArray[np.intp]:
    """Return the fold of every row: another part of its hash than the one that orders samples."""
    return ((hashes & np.uint64(0xFFFFFFFF)) % np.uint64(n_folds)).astype(np.intp)
