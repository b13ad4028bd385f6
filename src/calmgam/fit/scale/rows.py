"""All rows of a large table, of which a sample is prepared, and the ways to go through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.contract import Curves
from calmgam.fit.data.checks import is_frame
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.target import Target
from calmgam.fit.prepared import Prepared
from calmgam.fit.scale.arrow import ArrowBatch, Columns, read_batch
from calmgam.fit.scale.batches import ROWS_PER_BATCH, MemoryBatch, fold_of, row_hashes
from calmgam.fit.scale.engines.contract import Engine
from calmgam.fit.scale.moments import Cells, Expansion, FixedPoint, Moments, MomentsPass
from calmgam.fit.scale.profile import SAMPLE_ROWS, Profile
from calmgam.fit.scale.ranges import Range
from calmgam.fit.scale.totals import Totals, TotalsPass
from calmgam.fit.support.progress import Progress
from calmgam.model.schema import FloatArray

N_FOLDS = 5  # of sums; each bag validates on one of them
LARGE_TABLE = 300_000  # rows in memory from which on curves are learned from sums


@dataclass(frozen=True)
class Roles:
    """Names of the columns of a dataset that are not features."""

    target: str
    weight: str | None = None
    offset: str | None = None

    @classmethod
    def read(cls, target: str, weight: Any, offset: Any) -> Roles:
        """Take the names that users give, and refuse anything else."""
        for role, name in (("sample_weight", weight), ("offset", offset)):
            if name is not None and not isinstance(name, str):
                raise TypeError(
                    f"{role} must be the name of a column of the dataset, as y is; "
                    f"got {type(name).__name__}"
                )
        return cls(target, weight, offset)


@dataclass(frozen=True, eq=False)
class ArrowPass:
    """A pass over record batches, after the first one."""

    columns: Columns
    of_rows: Any

    def start(self) -> Any:
        """Return the sums of no rows."""
        return self.of_rows.start()

    def add(self, sums: Any, batch: Any, partition: str) -> Any:
        """Add a record batch."""
        del partition
        rows = read_batch(batch, self.columns)
        return self.of_rows.add(sums, rows) if rows.n_rows else sums


@dataclass(frozen=True, eq=False)
class AllRows:
    """All rows of a table.

    Attributes
    ----------
    fixed : FixedPoint
    weighted : bool
    engine, columns : Engine and Columns
        Of a dataset; None for a table in memory.
    batch : MemoryBatch or None
        A table in memory.
    """

    fixed: FixedPoint
    weighted: bool
    engine: Engine | None = None
    columns: Columns | None = None
    batch: MemoryBatch | None = None

    @classmethod
    def of_dataset(
        cls, engine: Engine, columns: Columns, profile: Profile, target: Target
    ) -> AllRows:
        """Return the rows of a dataset; mean and scale of y are those of the sample."""
        low, high, heaviest = _bounds(profile, target.loss)
        weights, given = None, sampled_rows(profile.sampled(), columns).target()[1]
        if given is not None:
            weights = float(np.mean(given)), heaviest
        largest = max(abs(low - target.mean), abs(high - target.mean))
        units = target.mean, target.scale
        fixed = FixedPoint.of(profile.n_rows, largest, units, weights)
        return cls(fixed, weights is not None, engine, columns)

    @classmethod
    def in_memory(cls, X: FloatArray, target: Target) -> AllRows:
        """Return the rows of an encoded table."""
        y, weights = target.values, target.uneven_weights
        largest = float(np.abs(y).max())
        heaviest = None if weights is None else (1.0, float(weights.max()))
        fixed = FixedPoint.of(len(y), largest, (0.0, 1.0), heaviest)
        return cls(fixed, weights is not None, batch=MemoryBatch(X, y, weights))

    def sample(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of a table in memory with the smallest hashes, in order, and folds."""
        assert self.batch is not None
        hashes = row_hashes(self.batch)
        some = np.argpartition(hashes, SAMPLE_ROWS)[:SAMPLE_ROWS]
        some = some[np.argsort(hashes[some], kind="stable")]
        return some, fold_of(hashes[some], N_FOLDS)

    def moments(
        self,
        cells: Cells,
        n_jobs: int,
        progress: Progress | None,
        expansion: Expansion | None = None,
    ) -> Moments:
        """Go through all rows; other losses than squared error are expanded around scores."""
        one_pass = MomentsPass(
            cells,
            expansion.fixed(self.fixed) if expansion else self.fixed,
            N_FOLDS,
            self.weighted or expansion is not None,
            n_jobs,
            expansion,
        )
        moments: Moments = self._summed(one_pass, progress)
        return moments

    def totals(
        self, cells: Cells, curves: Curves, loss: Loss, n_jobs: int, progress: Progress | None
    ) -> Totals:
        """Go through all rows to add up y, and what curves in fine bins predict."""
        mean = Curves(
            curves.intercepts.mean(keepdims=True),
            [values.mean(axis=0, keepdims=True) for values in curves.values],
            curves.losses,
        )
        totals: Totals = self._summed(TotalsPass(cells, self.fixed, mean, loss, n_jobs), progress)
        return totals

    def _summed(self, one_pass: MomentsPass | TotalsPass, progress: Progress | None) -> Any:
        if self.batch is None:
            assert self.engine is not None and self.columns is not None
            statistic = ArrowPass(self.columns, one_pass)
            return self.engine.map_reduce(statistic, self.columns.names, progress)
        sums: Any
        sums, rows = one_pass.start(), self.batch
        for start in range(0, rows.n_rows, ROWS_PER_BATCH):
            sums = one_pass.add(sums, rows.part(slice(start, start + ROWS_PER_BATCH)))
            if progress:
                progress(min(start + ROWS_PER_BATCH, rows.n_rows), rows.n_rows)
        return sums


@dataclass(frozen=True, eq=False)
class Large:
    """A large table.

    Attributes
    ----------
    prepared : Prepared
        Of a sample of its rows.
    folds : array
        Of the sample's rows.
    rows : AllRows
    n_rows : int
    table_sha256 : str
        Digest of a dataset.
    """

    prepared: Prepared
    folds: NDArray[np.intp]
    rows: AllRows
    n_rows: int
    table_sha256: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the sample is the whole table."""
        return self.prepared.n_rows == self.n_rows


def sampled_rows(table: Any, columns: Columns) -> ArrowBatch:
    """Return the rows of the sample."""
    (batch,) = table.combine_chunks().to_batches()
    return ArrowBatch(batch, columns)


def sampled_target(
    table: Any, columns: Columns
) -> tuple[Any, FloatArray | None, FloatArray | None]:
    """Return y, the weights and the offset of the sample."""
    rows = sampled_rows(table, columns)
    weights, offset = (
        None if name is None else rows.numbers(name).astype(float)
        for name in (columns.weight, columns.offset)
    )
    return rows.batch.column(columns.target).to_numpy(zero_copy_only=False), weights, offset


def as_frame(table: Any) -> Any:
    """Return an Arrow table as the data frame that most libraries know."""
    try:
        return table.to_pandas()
    except ImportError:
        return table


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table in memory."""
    return nw.from_native(X, eager_only=True)[rows].to_native() if is_frame(X) else X[rows]


def _bounds(profile: Profile, loss: Loss) -> tuple[float, float, float]:
    """Return the smallest and the largest y, and the largest weight, once an offset is in them."""
    y, offset = profile.roles.get("y", Range(0.0, 1.0)), profile.roles.get("offset")
    heaviest = profile.roles.get("weights", Range(1.0, 1.0)).high
    if offset is None:
        return y.low, y.high, heaviest
    ends = np.array([(a, b) for a in (y.low, y.high) for b in (offset.low, offset.high)])
    values, weights, _ = loss.without_offset(ends[:, 0], np.full(len(ends), heaviest), ends[:, 1])
    return float(values.min()), float(values.max()), float(weights.max())
