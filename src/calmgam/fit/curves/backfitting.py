"""Exact backfitting for squared error (the paper's Proposition 3.1).

In: cells and y. Out: the least-squares heights of all cells. In turn every curve is set to the
weighted means of its partial residuals, cell by cell: the best it can be while the others stay. No
update raises the risk, and the scores converge to the direct least-squares fit over cell
indicators. What is still to gain is judged from how fast gains fall, sweep by sweep. Nothing is
centred inside the loop. Nothing shrinks the heights either: what keeps the curves from learning
single rows by heart is that neighbouring bins are joined into few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import TRAINS
from calmgam.fit.curves.contract import NO_RUN, CurveData, Curves
from calmgam.fit.data.binning import quantile_positions
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.runs import Run
from calmgam.fit.support.parts import Part, tuned
from calmgam.fit.support.progress import Progress
from calmgam.fit.support.settings import check_integer, check_number
from calmgam.model.schema import FloatArray

WINDOW = 8  # sweeps whose gains are compared: fast ones must not hide slow ones
ROUNDING = 1e-15  # of the first risk: a smaller risk, or gain, is none


@dataclass(repr=False)
class Backfitting(Part):
    """Curves by exact least squares over bins; for regression.

    Parameters
    ----------
    resolution : float
        A curve with n rows has at most ``resolution * n ** (1/3)`` bins, the rate at which a
        histogram's errors of mean and of width fall alike.
    tolerance : float
        Sweeps end when all further ones together would lower the risk by a smaller share.
    max_sweeps : int
    """

    runs: ClassVar[tuple[Run, ...]] = NO_RUN
    n_bags: ClassVar[int] = 1

    resolution: float = tuned(
        2.0,
        "halved, .01 to .15 of R² is lost; doubled, .008 and .003 in 500 and 2,000 rows, and "
        ".002 gained in 10,000: see `settings`",
    )
    tolerance: float = 1e-9
    max_sweeps: int = 10_000

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_number("resolution", self.resolution, above=0)
        check_number("tolerance", self.tolerance, low=0)
        check_integer("max_sweeps", self.max_sweeps, low=1)

    def cannot(self, loss: Loss) -> str:
        """Say why it cannot minimise a loss; nothing if it can."""
        return "" if loss.is_quadratic else "it minimises squared error"

    def learn(self, data: CurveData) -> Curves:
        """Fit one set of curves to all rows.

        The loss is that of a second fit, to the training rows of the first bag. Nothing is random
        and nothing runs in threads.
        """
        trains = data.bags[:, 0] & TRAINS != 0
        apart = backfit(data, np.where(trains, data.target.weights, 0.0), self)
        loss = apart.validation_loss(data)
        return replace(backfit(data, data.target.weights, self), losses=np.array([loss]))


def backfit(data: CurveData, weights: FloatArray, settings: Backfitting) -> Curves:
    """Fit one set of curves to weighted rows."""
    target, features = data.target, data.binned.features
    joined = [
        join_bins(
            np.bincount(cells, weights, n_curves * n_slots).reshape(n_curves, n_slots),
            feature.is_numeric,
            settings,
        )
        for cells, feature, (n_curves, n_slots) in zip(
            data.cells, features, data.shapes, strict=True
        )
    ]
    mean = np.average(target.values, weights=weights)
    heights, _ = update_in_turn(
        [join[cells] for join, cells in zip(joined, data.cells, strict=True)],
        [len(join) for join in joined],
        target.values - mean,
        weights,
        data.binned.turns,
        settings,
        data.progress,
    )
    values = [
        height[join].reshape(1, *shape)
        for height, join, shape in zip(heights, joined, data.shapes, strict=True)
    ]
    return Curves(np.array([mean]), values, np.empty(0))


def join_bins(counts: NDArray[Any], is_numeric: bool, settings: Backfitting) -> NDArray[np.intp]:
    """Return, for every cell of a term, the cell whose height it shares.

    Bins of a curve that have rows are joined into runs of about equally many rows; a bin without
    rows goes with its nearest neighbour that has some. Levels and missing stay alone.

    Parameters
    ----------
    counts : (n_leaves, n_slots) array
    is_numeric : bool
    settings : Backfitting
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
    settings: Backfitting,
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
        is_late = progress is not None and progress(sweep + 1, settings.max_sweeps)
        if is_settled(risks[:: len(turns)], settings.tolerance) or is_late:
            break
    return heights, risks


def is_settled(risks: Sequence[float], tolerance: float) -> bool:
    """Whether further sweeps would lower the risk by less than a share of it.

    Gains fall geometrically in the end, the slower the more terms lean on one another: what is left
    is the last gain times rate / (1 - rate), with the slowest rate of the last sweeps.
    """
    gains = -np.diff(risks[-WINDOW - 1 :])
    if min(gains[-1], risks[-1]) <= ROUNDING * risks[0]:
        return True
    if len(gains) < WINDOW:
        return False
    rate = float(np.max(gains[1:] / gains[:-1]))
    return rate < 1 and float(gains[-1]) * rate / (1 - rate) <= tolerance * risks[-1]
