"""The paper's algorithms in plain numpy, written from their description in docs/method.md.

Algorithm 2 grows one partition tree per feature, Algorithm 4 boosts all curves in their regions.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

N_GRID, N_THRESHOLDS, MIN_DROP, MAX_DEPTH = 20, 20, 0.2, 2
EQUAL = 1e-10  # drops that differ by less are equal: the first wins


# ---- Algorithm 2 ---------------------------------------------------------------------------------


@dataclass
class Split:
    """A node that is split: where, by what, and how much of its heterogeneity goes."""

    feature: str
    depth: int
    condition: tuple
    n_left: int
    n_right: int
    heterogeneity: float
    drop: float


def values_of(column, number):
    """Equally spaced numbers from the smallest to the largest, or all levels."""
    if column.dtype.kind in "fi":
        return np.linspace(column.min(), column.max(), number)
    return np.array(sorted(set(column)))


def centred_effects(f, frame, feature):
    """h(g_m, x^k): one line per row k, one column per grid value g_m."""
    grid = values_of(frame[feature].to_numpy(), N_GRID)
    effects = np.column_stack([f(frame.assign(**{feature: value})) for value in grid])
    return effects - effects.mean(axis=1, keepdims=True)


def heterogeneity(effects):
    """H(I): the variance over the rows, averaged over the grid."""
    return np.mean((effects - effects.mean(axis=0)) ** 2)


def candidates_on(frame, feature):
    """(condition, rows for which it holds) for every condition on any other feature."""
    for other in frame.columns:
        column = frame[other].to_numpy()
        for value in values_of(column, N_THRESHOLDS) if other != feature else ():
            is_number = column.dtype.kind in "fi"
            holds = column <= value if is_number else column == value
            yield (other, "<=" if is_number else "=", value), holds


def grow_tree(f, frame, feature):
    """The splits of one feature's tree, a node before what is below it, left before right."""
    effects = centred_effects(f, frame, feature)
    candidates = list(candidates_on(frame, feature))
    rounding = (1e-12 * np.std(f(frame))) ** 2

    def grow(rows, depth):
        before = heterogeneity(effects[rows])
        tried = []
        for condition, holds in candidates:
            left, right = rows[holds[rows]], rows[~holds[rows]]
            if len(left) and len(right):
                after = sum(len(part) * heterogeneity(effects[part]) for part in (left, right))
                tried.append((condition, left, right, after / len(rows)))
        if before <= rounding or not tried or depth == MAX_DEPTH:
            return []
        drops = np.array([(before - after) / before for *_, after in tried])
        best = int(np.argmax(drops >= drops.max() - EQUAL * abs(drops.max())))
        condition, left, right, _ = tried[best]
        if drops[best] <= MIN_DROP:
            return []
        split = Split(feature, depth, condition, len(left), len(right), before, drops[best])
        return [split, *grow(left, depth + 1), *grow(right, depth + 1)]

    return grow(np.arange(len(frame)), 0)


# ---- Algorithm 4 ---------------------------------------------------------------------------------


def boost(bins, regions, n_bins, y, learning_rate, n_rounds, n_leaves):
    """Heights of every curve, {(feature, region): heights of bins}, and the smallest lead of a cut.

    In turn every region of every feature fits a tree of `n_leaves` to the residuals of its own
    rows, along the feature alone, and its curve moves by the learning rate. The lead is how much
    better, in squared error, a cut was than the next best: without one the tree is not determined.
    """
    curves = {(i, r): np.zeros(n_bins) for i, of in enumerate(regions) for r in range(of.max() + 1)}
    residual, lead = y - y.mean(), np.inf
    for _ in range(n_rounds):
        for i, r in curves:
            rows = np.flatnonzero(regions[i] == r)
            step, its_lead = small_tree(bins[i][rows], residual[rows], n_bins, n_leaves)
            lead = min(lead, its_lead)
            curves[i, r] += learning_rate * step
            residual[rows] -= learning_rate * step[bins[i][rows]]
    return curves, lead


def small_tree(bins, residual, n_bins, n_leaves):
    """A tree over bins, grown best cut first: its value in every bin."""
    ends, lead = [0, n_bins], np.inf
    for _ in range(n_leaves - 1):
        gains = {}
        for low, high in pairwise(ends):
            for cut in range(low + 1, high):
                left, right = ((bins >= a) & (bins < b) for a, b in ((low, cut), (cut, high)))
                gains[cut] = squares(residual[left]) + squares(residual[right])
                gains[cut] -= squares(residual[left | right])
        *_, second, first = sorted([0.0, 0.0, *gains.values()])
        lead = min(lead, first - second)
        if first > 0:
            ends = sorted([*ends, max(gains, key=gains.get)])
    values = np.zeros(n_bins)
    for low, high in pairwise(ends):
        values[low:high] = residual[(bins >= low) & (bins < high)].mean()
    return values, lead


def squares(residual):
    """What a leaf's mean takes from the squared error."""
    return residual.sum() ** 2 / len(residual)
