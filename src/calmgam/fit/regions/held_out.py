"""Held-out losses: what curves like the final ones, but coarser and faster, lose on unseen rows.

In: trees, and rows that nothing in their fold has seen. Out: the losses of these rows. Both ways of
growing compare numbers of splits by them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

# Chosen on folds 1 to 4 of eighteen tables; rows a bin on simulated additive truths.
MIN_BINS, ROWS_PER_BIN = 128, 32
QUICK = Boosting(
    n_bags=8,
    learning_rate=0.16,
    momentum_rounds=10,
    max_rounds=400,
    patience=12,
    smoothing_rounds=25,
)


def coarse_bins(binned: Binned) -> Binned:
    """Return wider bins, enough for curves that are compared and not kept.

    The more rows, the finer: what a curve cannot follow within a bin, a split on another feature
    that moves with it would seem to explain.
    """
    return binned.coarsened(max(MIN_BINS, binned.n_rows // ROWS_PER_BIN))


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
    return target.losses(QUICK.learn(data).scores(unseen), validation)
