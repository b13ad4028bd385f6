"""Curves of the sample alone, boosted in a moment: where larger steps begin.

In: the sample, and the cells of the Gram matrix. Out: curves in these cells. Thresholds are placed
by them (`thresholds.py`), and losses that are not squared error are expanded around them first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calmgam.fit.curves.contract import CurveData, Curves
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import Binned
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.held_out import QUICK
from calmgam.fit.scale.moments import Cells

MAX_ROWS = 50_000  # as many as growth looks at


def quick_curves(prepared: Prepared, cells: Cells, flat: frozenset[int]) -> Curves:
    """Boost curves in the regions of all features that are not flat."""
    rows = np.arange(min(prepared.n_rows, MAX_ROWS))
    binned, target = in_wide_bins(prepared.binned.take(rows), cells), prepared.target.take(rows)
    bags = draw_bags(target, QUICK.n_bags, np.random.default_rng(prepared.seed))
    data = CurveData(
        binned.cells(cells.trees),
        binned,
        cells.trees,
        target,
        bags,
        prepared.seed,
        prepared.n_jobs,
    )
    features = [i for i in range(len(cells.trees)) if i not in flat]
    return QUICK.boosting.learn(data.only(features)).among(features, data.shapes)


def in_wide_bins(fine: Binned, cells: Cells) -> Binned:
    """Return rows, given in fine bins, in those of the Gram matrix."""
    codes = [slots[line] for slots, line in zip(cells.joined, fine.codes, strict=True)]
    return replace(cells.binned, codes=np.stack(codes), fine=fine)
