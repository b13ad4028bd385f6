"""Tables of few rows, or of many features for them: what growth's own model may learn there.

In: how many rows, features and cells there are. Out: how many bins a feature may have, and how far
curves are doubted. A split divides bins, and says nothing in one of a handful of rows. A model of
as many heights as rows explains anything, and leaves no interaction to be seen. So bins get wider,
and with many features a curve must take away more than chance would, or stay flat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calmgam.fit.support.parts import tuned


@dataclass(frozen=True)
class Crowding:
    """When a table is crowded, and what follows.

    Attributes
    ----------
    rows_per_bin : int
        Fewest rows of a bin, on average: several times the ridge's pseudo-rows on either side of a
        split, or what it gains is shrunk below what chance would gain.
    bins_per_row : float
        Most bins for every row, those of all features counted.
    min_bins : int
        Fewest bins of a feature.
    memory : float
        Share of the rows that curves of pure noise may learn by heart, all together.
    """

    rows_per_bin: int = tuned(
        32, "known splits in 100 to 700 rows, 3 to 8 features: see `constants`"
    )
    bins_per_row: float = tuned(
        0.6, "one known split, 15 to 40 features: found up to 0.66 bins a row, lost from 0.8 on"
    )
    min_bins: int = tuned(4, "one known split in 500 rows, 100 to 1,000 features")
    memory: float = tuned(
        0.1,
        "halved or doubled, three known truths come out .006 and .007 of R² worse: see `constants`",
    )

    def is_crowded(self, n_cells: int, n_rows: int, n_features: int) -> bool:
        """Whether there are too many cells, of which every feature has one for missing values."""
        return n_cells - n_features > self.bins_per_row * n_rows

    def n_bins(self, n_rows: int, n_features: int, is_crowded: bool) -> int:
        """Return how many bins a feature may have."""
        most = n_rows // self.rows_per_bin
        if is_crowded:
            most = min(most, int(self.bins_per_row * n_rows / n_features))
        return max(self.min_bins, most)

    def doubt(self, n_cells: int, n_rows: int) -> float:
        """Return the logarithm of how rare chance must be for a curve of a crowded table to move.

        Of noise, cells that pass take away their number times exp(-doubt).
        """
        return max(0.0, float(np.log(n_cells / (self.memory * max(n_rows, 1)))))


CROWDING = Crowding()
