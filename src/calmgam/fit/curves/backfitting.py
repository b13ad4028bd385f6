"""Exact backfitting for squared error (the paper's Proposition 3.1).

In: cells and y. Out: the least-squares heights of all cells. In turn every curve is set to the
weighted means of its partial residuals, cell by cell: the best it can be while the others stay. No
update raises the risk, and the scores converge to the direct least-squares fit over cell
indicators. Nothing is centred inside the loop. Nothing shrinks the heights either: what keeps the
curves from learning single rows by heart is that neighbouring bins are joined into few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import TRAINS
from calmgam.fit.curves.contract import Curves, Progress, Roles
from calmgam.fit.data.binning import Binned, quantile_positions
from calmgam.fit.data.target import Target
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True)
class BackfittingSettings:
    """How bins are joined, and when updates end.

    Attributes
    ----------
    resolution : float
        A curve with n rows has at most ``resolution * n ** (1/3)`` bins, the rate at which a
        histogram's errors of mean and of width fall alike.
    tolerance : float
        A sweep that lowers the risk by a smaller share is the last.
    max_sweeps : int
    """

    resolution: float = 2.0
    tolerance: float = 1e-6
    max_sweeps: int = 1000


def backfit(
    cells: NDArray[np.uint16],
    binned: Binned,
    trees: Sequence[PartitionTree],
    target: Target,
    roles: Roles,
    settings: BackfittingSettings,
    *,
    order: Sequence[int] | None = None,
    progress: Progress | None = None,
    **_: Any,
) -> Curves:
    """Fit one set of curves to all rows, as every learner does (`fit/curves/contract.py`).

    The loss is that of a second fit, to the training rows of the first bag. Nothing is random and
    nothing runs in threads.
    """
    turns = list(range(len(cells)) if order is None else order)

    def fit(weights: FloatArray) -> Curves:
        shapes = [(t.n_leaves, n) for t, n in zip(trees, binned.n_slots, strict=True)]
        joined = [
            join_bins(
                np.bincount(cells[i], weights, n_curves * n_slots).reshape(n_curves, n_slots),
                binned.features[i].is_numeric,
                settings,
            )
            for i, (n_curves, n_slots) in enumerate(shapes)
        ]
        mean = np.average(target.values, weights=weights)
        heights, _ = update_in_turn(
            [join[row_cells] for join, row_cells in zip(joined, cells, strict=True)],
            [len(join) for join in joined],
            target.values - mean,
            weights,
            turns,
            settings,
            progress,
        )
        values = [
            height[join].reshape(1, *shape)
            for height, join, shape in zip(heights, joined, shapes, strict=True)
        ]
        return Curves(np.array([mean]), values, np.empty(0))

    apart = fit(np.where(roles[:, 0] & TRAINS, target.weights, 0.0))
    loss = apart.validation_loss(cells, target, roles)
    return replace(fit(target.weights), losses=np.array([loss]))


def join_bins(
    counts: NDArray[Any], is_numeric: bool, settings: BackfittingSettings
) -> NDArray[np.intp]:
    """Return, for every cell of a term, the cell whose height it shares.

    Bins of a curve that have rows are joined into runs of about equally many rows; a bin without
    rows goes with its nearest neighbour that has some. Levels and missing stay alone.

    Parameters
    ----------
    counts : (n_leaves, n_slots) array
    is_numeric : bool
    settings : BackfittingSettings
    """
    cells = np.arange(counts.size).reshape(counts.shape)
    for own, rows in zip(cells, counts[:, :-1], strict=True):
        seen = np.flatnonzero(rows)
        if not is_numeric or not len(seen):
            continue
        n_bins = max(int(settings.resolution * np.cbrt(rows.sum())), 1)
        last = np.arange(len(seen) - 1)
        if len(seen) > n_bins:
            last = quantile_positions(rows[seen], n_bins)
        run_of_seen = np.searchsorted(last, np.arange(len(seen)))
        first = seen[np.append(0, last + 1)]
        nearest = np.searchsorted((seen[1:] + seen[:-1]) / 2, np.arange(len(rows)))
        own[:-1] = own[first][run_of_seen[nearest]]
    return cells.ravel()


def update_in_turn(
    cells: Sequence[NDArray[Any]],
    n_cells: Sequence[int],
    y: FloatArray,
    weights: FloatArray,
    turns: Sequence[int],
    settings: BackfittingSettings,
    progress: Progress | None = None,
) -> tuple[list[FloatArray], list[float]]:
    """Set every term to the means of its partial residuals, in turn, until the risk settles.

    Returns
    -------
    heights : list of arrays
        Of every term's cells.
    risks : list of float
        Mean squared error before the first and after every update.
    """
    totals = [np.bincount(rows, weights, n) for rows, n in zip(cells, n_cells, strict=True)]
    heights = [np.zeros(n) for n in n_cells]
    residual = y.copy()
    risks = [float(np.average(residual**2, weights=weights))]
    for sweep in range(settings.max_sweeps):
        for i in turns:
            sums = np.bincount(cells[i], weights * residual, n_cells[i])
            step = np.divide(sums, totals[i], out=np.zeros_like(sums), where=totals[i] > 0)
            heights[i] += step
            residual -= step[cells[i]]
            risks.append(float(np.average(residual**2, weights=weights)))
        if progress:
            progress(sweep + 1, settings.max_sweeps)
        before, after = risks[-1 - len(turns)], risks[-1]
        if before - after <= settings.tolerance * before:
            break
    return heights, risks
