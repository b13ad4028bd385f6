"""Step 2 beyond the paper: all trees grown together, best split first.

In: a denoised target (the reference's scores on the training rows) and the table in coarse bins.
Out: the path, an ordered list of splits. An additive histogram model is fitted to the target; then
again and again the split that explains most of what it leaves, over all leaves of all trees, is
made, and the model is fitted on. So nothing is explained twice, and weak splits come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam.fit.binning import Binned
from calmgam.fit.candidates import Candidates, code_matrix
from calmgam.fit.ledger import SplitRecord
from calmgam.model.regions import Condition
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.tree import PartitionTree

FIRST_SWEEPS = 30
SWEEPS = 5
N_COARSE_BINS = 32


@dataclass(frozen=True)
class JointTable:
    """The rows as joint growth sees them.

    Attributes
    ----------
    bins : (n_features, n_rows) array of uint16
        Coarse bin of every value; levels and missing have bins of their own.
    n_bins : tuple of int
    candidates : tuple of Candidates
        Conditions to try, by conditioning feature.
    codes : (n_candidates, n_rows) array of uint16
        The rows' codes among them.
    """

    bins: NDArray[np.uint16]
    n_bins: tuple[int, ...]
    candidates: tuple[Candidates, ...]
    codes: NDArray[np.uint16]

    @classmethod
    def of(cls, X: FloatArray, binned: Binned, candidates: Sequence[Candidates]) -> JointTable:
        """Coarsen a binned table."""
        coarse = coarsen(binned, N_COARSE_BINS)
        return cls(coarse.codes, coarse.n_slots, tuple(candidates), code_matrix(candidates, X))

    def take(self, rows: NDArray[np.intp]) -> JointTable:
        """Return some of the rows."""
        return replace(
            self, bins=np.take(self.bins, rows, axis=1), codes=np.take(self.codes, rows, axis=1)
        )


def coarsen(binned: Binned, max_bins: int) -> Binned:
    """Keep at most `max_bins` bins of every numeric feature, of about equally many rows."""
    edges, codes = [], binned.codes.copy()
    for i, feature_edges in enumerate(binned.edges):
        n_edges = len(feature_edges)
        kept = np.arange(n_edges)
        if n_edges >= max_bins:
            counts = np.bincount(binned.codes[i], minlength=n_edges + 2)[: n_edges + 1]
            below = np.cumsum(counts)[:-1] / max(counts.sum(), 1)
            kept = np.unique(np.searchsorted(below, np.arange(1, max_bins) / max_bins))
            kept = kept[kept < n_edges]
            # slot -> coarse slot; missing stays last
            new_slot = np.append(np.searchsorted(kept, np.arange(n_edges + 1)), len(kept) + 1)
            codes[i] = new_slot[binned.codes[i]]
        edges.append(feature_edges[kept])
    return Binned(binned.features, tuple(edges), codes)
