"""How many splits of joint growth's path are worth keeping: cross-validation on the real y.

In: what a fold needs to repeat reference and growth on its own training part. Out: a `Selection`,
the number chosen and the errors that led to it. Growth's own model is scored after every split on
rows that nothing in the fold has seen, and proposes the number at which it is best. Boosted curves,
like the final ones but coarser, then decide between that number (at most half the path), no split
and the whole path: the fewest within `sparsity` standard errors (of the paired differences) of the
best win, none at all within twice that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.binning import Binned
from calmgam.fit.references.reference import ReferenceLearner
from calmgam.fit.regions.held_out import Folds, boosted_losses, coarse_bins
from calmgam.fit.regions.joint.path import JointTable, trees_after
from calmgam.fit.regions.joint.target import growth_target
from calmgam.fit.regions.one_standard_error import PathScores, Selection
from calmgam.model.ledger import PathSplit
from calmgam.model.schema import FloatArray

MAX_AUTO_SPLITS = 20

Grow = Callable[..., tuple[PathSplit, ...]]


@dataclass(frozen=True)
class Fold:
    """What came of a fold: reference and path, made without some rows.

    Attributes
    ----------
    path : tuple of PathSplit
    losses : (max_splits + 1, n_held_out) array
        Of growth's own model after 0, 1, 2, … splits.
    reference_losses : (n_held_out,) array
    """

    path: tuple[PathSplit, ...]
    losses: FloatArray
    reference_losses: FloatArray


def cross_validate(
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    table: JointTable,
    grow: Grow,
    *,
    max_splits: int,
    sparsity: float,
    rng: np.random.Generator,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Selection:
    """Choose the number of splits.

    Parameters
    ----------
    learner : ReferenceLearner
        Makes references of the same rows.
    X, binned, table
        The rows: encoded, in fine bins, as growth sees them.
    grow : callable
        Grows a path from (table, scores, weights) and lets `watch` see it.
    max_splits : int
    sparsity : float
        Standard errors of held-out loss that fewer splits may cost.
    rng : numpy Generator
    n_jobs : int
        Folds side by side; the result does not depend on it.
    progress : callable, optional
        Called with (folds done, folds).
    """
    target = learner.target
    folds = Folds.draw(target, rng)
    followed = folds.each(
        lambda k: follow_path(learner, X, table, grow, folds.parts[k], max_splits),
        n_jobs,
        progress,
    )
    scores = PathScores(folds.row_by_row([fold.losses for fold in followed]), target.weights)
    coarse = coarse_bins(binned)

    def boosted(n_splits: int) -> FloatArray:
        def losses_of(k: int) -> FloatArray:
            trees = trees_after(followed[k].path[:n_splits], len(coarse.features))
            return boosted_losses(
                folds.parts[k], trees, X, coarse, target, table.turns, folds.seeds[k]
            )

        return folds.row_by_row(folds.each(losses_of, n_jobs))

    proposed = int(np.argmin(scores.means))
    tried = sorted({0, *between(proposed, max_splits), max_splits})
    decisive = PathScores(np.stack([boosted(n_splits) for n_splits in tried]), target.weights)
    chosen = decisive.choose(sparsity)
    return Selection(
        tried[chosen],
        scores.points(target, range(max_splits + 1), tried[chosen]),
        decisive.errors(
            target, chosen, folds.row_by_row([fold.reference_losses for fold in followed])
        ),
    )


def between(proposed: int, max_splits: int) -> set[int]:
    """Return the numbers to try between no split and the whole path.

    If few are proposed, each of them counts, and half as many are tried too. Beyond half the path
    it is half or all: a fold has fewer rows, and doubts splits that all rows support.
    """
    if 4 * proposed <= max_splits:
        return {(proposed + 1) // 2, proposed}
    return {min(proposed, max_splits // 2)}


def follow_path(
    learner: ReferenceLearner,
    X: FloatArray,
    table: JointTable,
    grow: Grow,
    held_out: NDArray[np.intp],
    max_splits: int,
) -> Fold:
    """Repeat reference and growth without some rows, which score growth's model on its way."""
    target = learner.target
    training = np.delete(np.arange(len(X)), held_out)
    scores = learner.fit(X, training, n_jobs=1).score(X)
    denoised, weights = scores.copy(), np.zeros(len(X))
    denoised[training], weights[training] = growth_target(scores[training], target, training)
    losses: list[FloatArray] = []

    def watch(residual: FloatArray) -> None:
        losses.append(target.losses(denoised[held_out] - residual[held_out], held_out))

    path = grow(table, denoised, weights, watch=watch)
    losses += losses[-1:] * (max_splits + 1 - len(losses))  # the path has ended
    return Fold(path, np.stack(losses), target.losses(scores[held_out], held_out))
