"""Rows held out: folds, and what boosted curves lose on rows that they have not seen.

In: the target. Out: `Folds`, the parts of the rows, each left out once while a search is repeated
on the others; and the held-out losses of curves like the final ones, but coarser and faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.boosting import BoostingSettings, boost
from calmgam.fit.curves.contract import draw_bags
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

N_FOLDS = 4
MIN_ROWS_PER_FOLD = 10  # of each class
MIN_BINS, ROWS_PER_BIN = 128, 32
N_BAGS = 8
QUICK = BoostingSettings(
    learning_rate=0.16,
    momentum_rounds=10,
    max_rounds=400,
    patience=12,
    smoothing_rounds=25,
)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Folds:
    """Parts of the rows, each left out once.

    Attributes
    ----------
    parts : tuple of arrays
        The rows of every part.
    seeds : tuple of int
        One per part, for what is drawn while it is left out.
    """

    parts: tuple[NDArray[np.intp], ...]
    seeds: tuple[int, ...]

    @classmethod
    def draw(cls, target: Target, rng: np.random.Generator) -> Folds:
        """Draw parts of about the same size."""
        fold_of_row = draw_folds(target, N_FOLDS, rng)
        seeds = rng.integers(2**31, size=N_FOLDS).tolist()
        return cls(tuple(np.flatnonzero(fold_of_row == k) for k in range(N_FOLDS)), tuple(seeds))

    def each(
        self,
        work: Callable[[int], Result],
        n_jobs: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Result]:
        """Return the results of `work` on the number of every fold, side by side in threads."""
        results: list[Result] = []
        for result in parallel_map(work, range(len(self.parts)), n_jobs):
            results.append(result)
            if progress:
                progress(len(results), len(self.parts))
        return results

    def row_by_row(self, values: Sequence[FloatArray]) -> FloatArray:
        """Join what every fold says of its rows (last axis), in the order of the rows."""
        order = np.argsort(np.concatenate(self.parts))
        return np.concatenate(values, axis=-1)[..., order]


def draw_folds(target: Target, n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw the fold of every row; classes keep their shares."""
    fold_of_row = np.empty(len(target.values), dtype=np.intp)
    for rows in target.strata:
        fold_of_row[rng.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold_of_row


def enough_rows(target: Target) -> bool:
    """Whether every fold would hold enough rows (of either class)."""
    return min(map(len, target.strata)) >= N_FOLDS * MIN_ROWS_PER_FOLD


def coarse_bins(binned: Binned) -> Binned:
    """Return wider bins, enough for curves that are compared and not kept.

    The more rows, the finer: what a curve cannot follow within a bin, a split on another feature
    that moves with it would seem to explain.
    """
    return binned.coarsened(max(MIN_BINS, binned.codes.shape[1] // ROWS_PER_BIN))


def boosted_losses(
    held_out: NDArray[np.intp],
    trees: tuple[PartitionTree, ...],
    X: FloatArray,
    binned: Binned,
    target: Target,
    turns: list[int],
    seed: int,
) -> FloatArray:
    """Held-out losses of boosted curves in the regions of some trees."""
    training = np.delete(np.arange(len(X)), held_out)
    taken = target.take(training)
    cells = binned.cells(trees, X)
    curves = boost(
        np.take(cells, training, axis=1),
        binned=binned,
        trees=trees,
        target=taken,
        roles=draw_bags(taken, N_BAGS, np.random.default_rng(seed)),
        settings=QUICK,
        seed=0,
        order=turns,
    )
    return target.losses(curves.scores(cells[:, held_out]), held_out)
