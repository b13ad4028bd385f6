"""Held-out losses: what curves like the final ones, but coarser and faster, lose on unseen rows.

In: trees, and rows that nothing in their fold has seen. Out: the losses of these rows. Both ways of
growing compare numbers of splits by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.fit.support.parts import tuned
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

EIGHTEEN = "folds 1 to 4 of eighteen tables"


@dataclass(frozen=True)
class QuickSettings:
    """Curves that are compared and not kept: how fine their bins are, and how they are boosted."""

    min_bins: int = tuned(128, EIGHTEEN)
    rows_per_bin: int = tuned(32, "simulated additive truths")
    n_bags: int = tuned(8, EIGHTEEN)
    learning_rate: float = tuned(0.16, EIGHTEEN)
    momentum_rounds: int = tuned(10, EIGHTEEN)
    max_rounds: int = tuned(400, EIGHTEEN)
    patience: int = tuned(12, EIGHTEEN)
    smoothing_rounds: int = tuned(25, EIGHTEEN)

    def n_bins(self, n_rows: int) -> int:
        """Return the most bins of a feature."""
        return max(self.min_bins, n_rows // self.rows_per_bin)

    @property
    def boosting(self) -> Boosting:
        """The learner of such curves."""
        return Boosting(
            n_bags=self.n_bags,
            learning_rate=self.learning_rate,
            momentum_rounds=self.momentum_rounds,
            max_rounds=self.max_rounds,
            patience=self.patience,
            smoothing_rounds=self.smoothing_rounds,
        )


QUICK = QuickSettings()


def coarse_bins(binned: Binned) -> Binned:
    """Return wider bins, enough for curves that are compared and not kept.

    The more rows, the finer: what a curve cannot follow within a bin, a split on another feature
    that moves with it would seem to explain.
    """
    return binned.coarsened(QUICK.n_bins(binned.n_rows))


def boosted_losses(
    validation: NDArray[np.intp],
    trees: tuple[PartitionTree, ...],
    binned: Binned,
    target: Target,
    seed: int,
    features: Sequence[int] | None = None,
) -> FloatArray:
    """Losses of rows that boosted curves in the regions of some trees have not seen.

    Features that are not given have no curves; all have, if none is.
    """
    features = range(len(trees)) if features is None else features
    training = np.delete(np.arange(target.n_rows), validation)
    taken = target.take(training)
    cells = binned.cells(trees)
    data = CurveData(
        cells=np.take(cells, training, axis=1),
        binned=binned,
        trees=trees,
        target=taken,
        bags=draw_bags(taken, QUICK.n_bags, np.random.default_rng(seed)),
        seed=0,
    ).only(features)
    unseen = cells[list(features)][:, validation]
    return target.losses(QUICK.boosting.learn(data).scores(unseen), validation)
