"""What curves do inside the wide bins of the Gram matrix: straight from one bin to the next.

In: heights in wide bins, and the sample. Out: heights in fine bins. Between the centres of
neighbouring bins a curve goes straight; the difference to its steps is multiplied by a factor in
0..1 for each feature, the one that fits the sample best: where the truth jumps, steps stay steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.shrinking import best_factors
from calmgam.fit.prepared import Prepared
from calmgam.fit.scale.moments import Cells
from calmgam.model.schema import FloatArray

MAX_ROWS = 100_000  # a factor for every feature needs no more
BEYOND = 0.5  # of the way to the next centre, so far the first and the last slope are followed


def in_fine_bins(
    values: Sequence[FloatArray], intercept: float, cells: Cells, prepared: Prepared
) -> list[FloatArray]:
    """Return the heights of fine slots, (n_bags, n_leaves, n_fine_slots) for every feature.

    Parameters
    ----------
    values : sequence of (n_bags, n_leaves, n_slots) arrays
    intercept : float
    cells : Cells
    prepared : Prepared
        The sample, in fine bins.
    """
    steps = [part[:, :, slots] for part, slots in zip(values, cells.joined, strict=True)]
    straight = [_straight(part, i, cells) for i, part in enumerate(values)]
    rows = np.arange(min(prepared.n_rows, MAX_ROWS))
    of_rows = prepared.binned.take(rows).cells(cells.trees)
    scores, parts = np.full(len(rows), intercept), np.zeros((len(steps), len(rows)))
    for i, line in enumerate(of_rows):
        heights = straight[i].mean(axis=0).ravel()
        scores += heights[line]
        parts[i] = (heights - steps[i].mean(axis=0).ravel())[line]
    factors = best_factors(scores, parts, prepared.target, rows)
    return [
        step + factor * (line - step)
        for step, line, factor in zip(steps, straight, factors.tolist(), strict=True)
    ]


def _straight(heights: FloatArray, feature: int, cells: Cells) -> FloatArray:
    """Return the heights of fine slots on straight lines between the centres of wide bins."""
    centres, fine = cells.binned.centres[feature], cells.fine.centres[feature]
    slots = cells.joined[feature]
    if len(centres) < 2 or len(centres) == len(fine):  # levels, or nothing is inside
        return heights[:, :, slots]
    left, share = positions(centres, fine)
    lines = (1.0 - share) * heights[:, :, left] + share * heights[:, :, left + 1]
    return np.concatenate([lines, heights[:, :, -1:]], axis=2)  # missing


def positions(centres: FloatArray, fine: FloatArray) -> tuple[NDArray[np.intp], FloatArray]:
    """Return for every fine centre the wide one before it, and its share of the way to the next."""
    left = np.clip(np.searchsorted(centres, fine) - 1, 0, len(centres) - 2)
    width = centres[left + 1] - centres[left]
    share = (fine - centres[left]) / np.where(width > 0, width, 1.0)
    return left, np.clip(share, -BEYOND, 1.0 + BEYOND)
