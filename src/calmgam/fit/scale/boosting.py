"""Curves of squared error from `Moments`: boosting that never looks at a row.

In: moments, cells, the settings of boosting. Out: `BoostedCurves` in the bins of the Gram matrix.
Bag k trains on all folds but the k-th and stops on that one; rules are those of
`fit/curves/boosting.py`. The time depends on the number of cells, not on that of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from calmgam import _kernels
from calmgam.fit.curves.boosting import BoostedCurves, Boosting, Rounds
from calmgam.fit.curves.contract import NORMAL_90
from calmgam.fit.curves.shrinking import bounded_minimum
from calmgam.fit.scale.lines import FoldSums, Lines, fold_sums, gram_of, lines_of
from calmgam.fit.scale.moments import Cells, FixedPoint, Moments
from calmgam.fit.support.progress import Progress
from calmgam.fit.support.threads import one_blas_thread, parallel_map
from calmgam.model.schema import FloatArray

LINES_PER_CALL = 1e8  # cells * features between two looks at the progress bar and Ctrl-C


@dataclass(frozen=True, eq=False)
class MomentData:
    """All that curves are learned from.

    Attributes
    ----------
    moments : Moments
    cells : Cells
    fixed : FixedPoint
    turns : sequence of int
        The features that learn, in the order in which they take turns.
    seed, n_jobs : int
    progress : callable, optional
    """

    moments: Moments
    cells: Cells
    fixed: FixedPoint
    turns: Sequence[int]
    seed: int = 0
    n_jobs: int = 1
    progress: Progress | None = None

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.moments.squares)

    def part(self, curves: Sequence[FloatArray], bag: int) -> FloatArray:
        """Return the heights of all cells in a bag, one feature after the other."""
        return np.concatenate([values[bag].ravel() for values in curves])


def boost_moments(data: MomentData, settings: Boosting) -> BoostedCurves:
    """Boost the curves of all bags, then shrink what regions add if settings say so."""
    folds = [fold_sums(data.moments, data.fixed, k) for k in range(data.n_folds)]
    curves = _gathered(_boosted(data, settings, folds), data)
    if not (settings.shrinking and curves.shared):
        return curves
    with one_blas_thread:  # fixed bits
        return replace(curves, values=_shrunk(data, curves, folds))


def _gram(data: MomentData, fold: int) -> Lines:
    """Return the Gram matrix of a fold: made when it is needed, so that one is held at a time."""
    return gram_of(data.moments, data.cells, data.fixed, fold)


def _boosted(
    data: MomentData, settings: Boosting, folds: Sequence[FoldSums]
) -> list[_kernels.GramBag]:
    lines = [lines_of(_gram(data, fold), data.cells) for fold in range(data.n_folds)]
    everything, every = lines[0].copy(), folds[0]
    for line, fold in zip(lines[1:], folds[1:], strict=True):
        everything += line
        every = every + fold
    trees, binned = data.cells.trees, data.cells.binned
    seeds = np.random.default_rng(data.seed).integers(2**63, size=len(folds)).tolist()
    bags = [
        _kernels.GramBag(
            everything,
            line,
            np.stack([every.sums, fold.sums]),
            np.stack([every.weights, fold.weights]),
            np.array([every.square, fold.square]),
            [tree.parents for tree in trees],
            list(binned.n_slots),
            [feature.is_numeric for feature in binned.features],
            list(data.turns),
            seed,
            **_options(settings),
        )
        for line, fold, seed in zip(lines, folds, seeds, strict=True)
    ]
    per_call = max(1, int(LINES_PER_CALL / (len(trees) * data.cells.firsts[-1])))
    waiting = bags
    while waiting:
        done = list(parallel_map(lambda bag: bag.advance(per_call), waiting, data.n_jobs))
        waiting = [bag for bag, is_done in zip(waiting, done, strict=True) if not is_done]
        if data.progress and data.progress(max(bag.round for bag in bags), settings.max_rounds):
            break
    return bags


def _options(settings: Boosting) -> dict[str, Any]:
    """Return the settings as the kernel takes them."""
    options = {one.name: getattr(settings, one.name) for one in fields(settings)}
    del options["n_bags"], options["sharing"], options["shrinking"]
    if options["smoothing_rounds"] is None:
        options["smoothing_rounds"] = Rounds().smoothing
    return options


def _gathered(bags: Sequence[_kernels.GramBag], data: MomentData) -> BoostedCurves:
    """Take the curves of all bags out of the kernel, feature by feature."""
    heights = np.stack([bag.curves() for bag in bags])
    trees, n_slots = data.cells.trees, data.cells.binned.n_slots
    sizes = [(2 * tree.n_splits + 1) * n for tree, n in zip(trees, n_slots, strict=True)]
    values, shared = [], {}
    for i, part in enumerate(np.split(heights, np.cumsum(sizes)[:-1], axis=1)):
        nodes = part.reshape(len(bags), -1, n_slots[i])
        values.append(nodes[:, trees[i].n_splits :])
        if trees[i].n_splits:
            shared[i] = nodes[:, :1]
    return BoostedCurves(
        intercepts=np.array([bag.intercept for bag in bags]),
        values=values,
        losses=np.array([bag.best_loss for bag in bags]),
        rounds=np.array([bag.best_round for bag in bags]),
        shared=shared,
        band=NORMAL_90 * math.sqrt(data.n_folds - 1),  # jackknife: bags share most rows
    )


def _shrunk(data: MomentData, curves: BoostedCurves, folds: Sequence[FoldSums]) -> list[FloatArray]:
    """Shrink what regions add to its worth on the folds left out, as `shrink` does.

    Features are not shrunk: so many rows leave little noise in their curves.
    """
    split, firsts = list(curves.shared), data.cells.firsts
    own = {i: curves.values[i] - curves.shared[i] for i in split}
    slopes, curvatures = np.zeros(len(split)), np.zeros((len(split), len(split)))
    for bag, fold in enumerate(folds):
        parts = np.zeros((len(split), int(firsts[-1])))
        for k, i in enumerate(split):
            parts[k, firsts[i] : firsts[i + 1]] = own[i][bag].ravel()
        heights = data.part(curves.values, bag)
        pushed = _gram(data, bag) @ np.column_stack([*parts, heights])
        left = fold.sums - curves.intercepts[bag] * fold.weights - pushed[:, -1]
        slopes += parts @ left
        curvatures += parts @ pushed[:, :-1]
    values = list(curves.values)
    for i, factor in zip(split, bounded_minimum(slopes, curvatures), strict=True):
        values[i] = curves.shared[i] + factor * own[i]
    return values
