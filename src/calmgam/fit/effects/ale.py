"""ALE effects: how steep the reference is at every row's own value, per standard deviation of x_i.

    ALE     h_k = sd · (f(z_hi, x_-i^k) - f(z_lo, x_-i^k)) / (z_hi - z_lo)     over the row's bin
    RHALE   h_k = sd · df/dx_i (x^k)         exact, or a difference over the row's surroundings

ALE's bins lie between the grid values; RHALE chooses its own. A level, and a missing value, is not
on a line: there h_k is the centred ICE curve at the row's own value, and each is a bin. Times the
standard deviation, effects have the target's units and x·z is as heterogeneous as with PDP.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calmgam.fit.data.dense import standardisation
from calmgam.fit.effects.local_effects import PointEffects
from calmgam.fit.effects.pdp import BATCH_ROWS, grid_for, ice_curves
from calmgam.fit.references.reference import Reference
from calmgam.model.schema import Feature

MIN_BIN_ROWS = 10  # of RHALE: a variance of fewer says little
DISCOUNT = 0.3  # of RHALE: what a bin with all rows may cost less

Slopes = tuple[np.ndarray, np.ndarray]  # of every row: difference quotient or derivative, and bin


def ale_effects(
    reference: Reference,
    X: np.ndarray,
    feature: Feature,
    column: np.ndarray,
    *,
    grid: str,
    grid_size: int,
    effect_scale: str = "link",
    n_jobs: int = 1,
) -> PointEffects:
    """Accumulated local effects before they are accumulated; two predictions per row, or trees.

    Parameters
    ----------
    reference : Reference
    X : (n, d) encoded background rows
    feature : Feature
    column : (n_training,) array
        The feature's training column.
    grid, grid_size
        As in `grid_for`: bins lie between neighbouring grid values.
    effect_scale : {"link", "response"}
        "response": effects on a classifier's probability instead of its log-odds.
    n_jobs : int
        Threads; the result does not depend on it.
    """

    def over_the_bin(rows: np.ndarray, values: np.ndarray) -> Slopes:
        bins = interval_of(values, rows[:, feature.index])
        low, high = values[bins], values[bins + 1]
        if not reference.ensemble:
            slopes = difference_quotients(reference, rows, feature.index, low, high, effect_scale)
            return slopes, bins
        # one walk through the trees gives the scores at all grid values
        curves = ice_curves(
            reference, rows, feature.index, values, np.ones(len(values)), effect_scale, n_jobs
        ).curves
        every = np.arange(len(rows))
        return (curves[every, bins + 1] - curves[every, bins]) / (high - low), bins

    points = grid_for(feature, column, grid, grid_size)
    return _point_effects(over_the_bin, reference, X, feature, column, points, effect_scale, n_jobs)


def rhale_effects(
    reference: Reference,
    X: np.ndarray,
    feature: Feature,
    column: np.ndarray,
    *,
    grid_size: int,
    effect_scale: str = "link",
    n_jobs: int = 1,
) -> PointEffects:
    """Robust and heterogeneity-aware ALE: derivatives, in bins in which they vary little.

    Parameters are those of `ale_effects`; bins are made of those between `grid_size` equally spaced
    values. Without exact derivatives the surroundings of a row reach half such a bin to both sides,
    and at least to the neighbouring training values.
    """

    def at_the_row(rows: np.ndarray, values: np.ndarray) -> Slopes:
        x = rows[:, feature.index]
        slopes = reference.gradient(rows, feature.index, effect_scale)
        if slopes is None:
            reach = (values[1] - values[0]) / 2
            low, high = surroundings(x, np.unique(column[~np.isnan(column)]), reach)
            slopes = difference_quotients(reference, rows, feature.index, low, high, effect_scale)
        return slopes, interval_of(variance_bins(x, slopes, values), x)

    points = grid_for(feature, column, "uniform", grid_size)
    return _point_effects(at_the_row, reference, X, feature, column, points, effect_scale, n_jobs)


def _point_effects(
    slopes_of: Callable[[np.ndarray, np.ndarray], Slopes],
    reference: Reference,
    X: np.ndarray,
    feature: Feature,
    column: np.ndarray,
    points: tuple[np.ndarray, np.ndarray],
    effect_scale: str,
    n_jobs: int,
) -> PointEffects:
    """Take slopes where the feature is a number, ICE curves at the row's own value elsewhere."""
    grid, weights = points
    x, values = X[:, feature.index], grid[~np.isnan(grid)]
    bins, effects = value_bins(feature, grid, x), np.zeros(len(X))
    on_line = ~np.isnan(x) & feature.is_numeric
    if on_line.any() and len(values) > 1:
        slopes, bins[on_line] = slopes_of(X[on_line], values)
        effects[on_line] = slopes * standardisation(column)[1]
    if not on_line.all():
        off_line = ice_curves(
            reference, X[~on_line], feature.index, grid, weights, effect_scale, n_jobs
        )
        effects[~on_line] = off_line.curves[np.arange(len(off_line)), bins[~on_line]]
    return PointEffects(effects, bins, len(grid))


def value_bins(feature: Feature, grid: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Bin of every value (uint16), of as many as the grid has values.

    Numbers: the interval between grid values; levels: each its own; missing: the last.
    """
    values = grid[~np.isnan(grid)]
    bins = interval_of(values, column) if feature.is_numeric else np.searchsorted(values, column)
    return np.where(np.isnan(column), len(values), bins).astype(np.uint16)


def interval_of(edges: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Interval (edges[b], edges[b + 1]] of every value; the first edge belongs to the first."""
    return np.maximum(np.searchsorted(edges, column), 1) - 1


def difference_quotients(
    reference: Reference,
    X: np.ndarray,
    feature: int,
    low: np.ndarray,
    high: np.ndarray,
    effect_scale: str = "link",
) -> np.ndarray:
    """Change of every row's score from a low to a high value of one feature, per unit of it."""
    quotients = np.empty(len(X))
    for start in range(0, len(X), BATCH_ROWS // 2):
        batch = slice(start, start + BATCH_ROWS // 2)
        rows = np.concatenate([X[batch], X[batch]])
        rows[:, feature] = np.concatenate([low[batch], high[batch]])
        before, after = np.split(reference.on_scale(reference.score(rows), effect_scale), 2)
        quotients[batch] = (after - before) / (high[batch] - low[batch])
    return quotients


def variance_bins(x: np.ndarray, slopes: np.ndarray, fine: np.ndarray) -> np.ndarray:
    """Edges, among the fine ones, of the bins in which slopes vary least.

    Dynamic programming minimises sum_b Var_b · width_b · (1 - 0.3 n_b / n) over the partitions into
    bins of at least `MIN_BIN_ROWS` rows.
    """
    intervals, n_intervals = interval_of(fine, x), len(fine) - 1
    centred = slopes - slopes.mean()

    def running(values: np.ndarray) -> np.ndarray:
        return np.append(0.0, np.cumsum(np.bincount(intervals, values, n_intervals)))

    # [start, end]: from one fine edge to another
    counts, sums, squares = (
        total[None, :] - total[:, None]
        for total in (running(np.ones(len(x))), running(centred), running(centred**2))
    )
    rows = np.maximum(counts, 1.0)
    variances = np.maximum(squares / rows - (sums / rows) ** 2, 0.0)
    costs = variances * (fine[None, :] - fine[:, None]) * (1.0 - DISCOUNT * counts / len(x))
    costs[counts < min(MIN_BIN_ROWS, len(x))] = np.inf

    least, previous = np.zeros(n_intervals + 1), np.zeros(n_intervals + 1, dtype=int)
    for end in range(1, n_intervals + 1):
        totals = least[:end] + costs[:end, end]
        previous[end] = np.argmin(totals)  # of equals the widest bin
        least[end] = totals[previous[end]]
    ends = [n_intervals]
    while ends[-1] > 0:
        ends.append(int(previous[ends[-1]]))
    return fine[ends[::-1]]


def surroundings(x: np.ndarray, values: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Where finite differences start and end: within the range of the training values."""
    place = np.searchsorted(values, x)
    before, after = values[np.maximum(place - 1, 0)], values[np.minimum(place + 1, len(values) - 1)]
    low, high = np.minimum(before, x - reach), np.maximum(after, x + reach)
    return np.maximum(low, values[0]), np.minimum(high, values[-1])
