"""A sample of rows that is the same whatever way the table is divided.

In: hashes of rows. Out: the rows with the smallest hashes, and how often each occurs. A row that
falls out of a part's sample has `size` smaller ones before it and would not be in the whole
table's; so samples of parts merge, in any order and grouping, into that of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.scale.batches import Hashes


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows with the smallest hashes.

    Attributes
    ----------
    size : int
        Most distinct rows.
    hashes : (n,) array of uint64
        Ascending.
    counts : (n,) array of int64
        How many rows have each hash.
    rows : list of Arrow tables, or arrays of positions
        Something that holds the rows, in the order of the hashes; empty while there are none.
    """

    size: int
    hashes: Hashes
    counts: NDArray[np.int64]
    rows: Any

    @classmethod
    def start(cls, size: int, rows: Any) -> Sample:
        """Return the sample of no rows; `rows` holds none."""
        return cls(size, np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64), rows)

    def joined(
        self, hashes: Hashes, counts: NDArray[np.int64], rows: Any, take: Any, join: Any
    ) -> Sample:
        """Add rows; `take(rows, positions)` and `join(one, other)` know what holds them."""
        if len(self.hashes) == self.size:  # the rows that could come in
            some = np.flatnonzero(hashes <= self.hashes[-1])
            if len(some) == 0:
                return self
            hashes, counts, rows = hashes[some], counts[some], take(rows, some)
        both = np.concatenate([self.hashes, hashes])
        distinct, first, inverse = np.unique(both, return_index=True, return_inverse=True)
        sums = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(sums, inverse, np.concatenate([self.counts, counts]))
        kept = slice(0, self.size)
        return Sample(
            self.size, distinct[kept], sums[kept], take(join(self.rows, rows), first[kept])
        )

    def positions(self) -> NDArray[np.intp]:
        """Return the positions of a sample of rows among the distinct ones: repeated as they occur.

        If that would be more than `size` rows, every m-th of them is taken.
        """
        total = int(self.counts.sum())
        if total <= self.size:
            return np.repeat(np.arange(len(self.counts)), self.counts)
        ends = np.cumsum(self.counts)
        wanted = np.arange(self.size, dtype=np.int64) * total // self.size
        return np.searchsorted(ends, wanted, side="right")
