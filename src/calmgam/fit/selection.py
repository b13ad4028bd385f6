"""How many splits of the path are worth keeping: cross-validation on the real y.

In: what a fold needs to repeat reference and growth on its own training part. Out: a `Selection`,
the number chosen and the errors that led to it. Growth's own model is scored after every split on
rows that nothing in the fold has seen; it proposes the fewest splits whose loss is within one
standard error (of the paired differences) of the best. Boosted curves, like the final ones but
coarser, then decide between that number, no split and the whole path: the fewest within `sparsity`
standard errors win, none at all within twice that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from calmgam.fit.binning import Binned
from calmgam.fit.boosting import BoostingSettings, boost
from calmgam.fit.curves import draw_bags
from calmgam.fit.joint import JointTable, PathSplit, trees_after
from calmgam.fit.ledger import PathPoint
from calmgam.fit.losses import Target
from calmgam.fit.reference import ReferenceLearner
from calmgam.fit.threads import parallel_map
from calmgam.model.schema import FloatArray

MAX_AUTO_SPLITS = 20
N_FOLDS = 4
MIN_ROWS_PER_FOLD = 10  # of each class
MAX_BINS = 128
MIN_CURVATURE = 0.1
N_BAGS = 8
QUICK = BoostingSettings(
    learning_rate=0.16,
    momentum_rounds=10,
    max_rounds=400,
    patience=12,
    smoothing_rounds=25,
)

Grow = Callable[..., tuple[PathSplit, ...]]


@dataclass(frozen=True)
class Selection:
    """What cross-validation says.

    Attributes
    ----------
    n_splits : int
        The number chosen.
    points : tuple of PathPoint
        Errors of growth's own model along the path.
    errors : dict
        Held-out errors of own GAM and CALM, both with boosted curves, and of the reference.
    """

    n_splits: int
    points: tuple[PathPoint, ...]
    errors: dict[str, float]


@dataclass(frozen=True)
class PathScores:
    """Held-out losses of models with more and more splits.

    Attributes
    ----------
    losses : (n, n_rows) array
        Of every row, when its fold was left out; the first model has no split.
    weights : (n_rows,) array
    """

    losses: FloatArray
    weights: FloatArray

    @property
    def means(self) -> FloatArray:
        """Mean loss after every number of splits."""
        return np.average(self.losses, axis=1, weights=self.weights)

    @property
    def standard_errors(self) -> FloatArray:
        """Standard errors of the paired differences to the best."""
        differences = self.losses - self.losses[int(np.argmin(self.means))]
        centred = differences - np.average(differences, axis=1, weights=self.weights)[:, None]
        return np.sqrt(((self.weights * centred) ** 2).sum(axis=1)) / self.weights.sum()

    def choose(self, sparsity: float) -> int:
        """Return the first model that is not clearly worse than the best.

        No split at all has the benefit of doubt twice: a GAM is given up for clear gains only.
        """
        allowed = sparsity * self.standard_errors
        allowed[0] *= 2
        return int(np.argmax(self.means <= self.means.min() + allowed))

    def points(self, target: Target, chosen: int) -> tuple[PathPoint, ...]:
        """Return the path of errors for the ledger, in the units of y: model k has k splits."""
        errors = [target.error_of_loss(loss) for loss in self.means]
        # d error / d loss: error = scale * sqrt(loss) for squares, the loss itself otherwise
        slopes = np.ones(len(errors))
        if not target.is_classification:
            slopes = target.scale / (2 * np.sqrt(np.maximum(self.means, 1e-300)))
        return tuple(
            PathPoint(k, error, float(slope * standard_error), k == chosen)
            for k, (error, slope, standard_error) in enumerate(
                zip(errors, slopes, self.standard_errors, strict=True)
            )
        )


def draw_folds(target: Target, n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw the fold of every row; classes keep their shares."""
    fold_of_row = np.empty(len(target.values), dtype=np.intp)
    for rows in target.strata:
        fold_of_row[rng.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold_of_row


def enough_rows(target: Target) -> bool:
    """Whether every fold would hold enough rows (of either class)."""
    return min(map(len, target.strata)) >= N_FOLDS * MIN_ROWS_PER_FOLD


@dataclass(frozen=True)
class Fold:
    """A part of the rows, left out while reference and path were made of the others.

    Attributes
    ----------
    held_out : array
        Its rows.
    path : tuple of PathSplit
    losses : (max_splits + 1, n_held_out) array
        Of growth's own model after 0, 1, 2, … splits.
    reference_losses : (n_held_out,) array
    """

    held_out: NDArray[np.intp]
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
    fold_of_row = draw_folds(target, N_FOLDS, rng)
    seeds = rng.integers(2**31, size=N_FOLDS).tolist()
    parts = [np.flatnonzero(fold_of_row == fold) for fold in range(N_FOLDS)]
    followed = parallel_map(
        lambda held_out: follow_path(learner, X, table, grow, held_out, max_splits), parts, n_jobs
    )
    folds = []
    for fold in followed:
        folds.append(fold)
        if progress:
            progress(len(folds), N_FOLDS)
    order = np.argsort(np.concatenate(parts))  # from fold by fold to row by row
    scores = PathScores(
        np.concatenate([fold.losses for fold in folds], axis=1)[:, order], target.weights
    )

    coarse = binned.coarsened(MAX_BINS)

    def boosted(n_splits: int) -> FloatArray:
        losses = parallel_map(
            lambda k: boosted_losses(folds[k], n_splits, X, coarse, target, table.turns, seeds[k]),
            range(N_FOLDS),
            n_jobs,
        )
        return np.concatenate(list(losses))[order]

    proposed = scores.choose(1.0)
    tried = sorted({0, *between(proposed, max_splits), max_splits})
    decisive = PathScores(np.stack([boosted(n_splits) for n_splits in tried]), target.weights)
    chosen = decisive.choose(sparsity)
    reference = np.concatenate([fold.reference_losses for fold in folds])[order]
    losses = {
        "gam": decisive.means[0],
        "calm": decisive.means[chosen],
        "reference": np.average(reference, weights=target.weights),
    }
    errors = {name: target.error_of_loss(float(loss)) for name, loss in losses.items()}
    return Selection(tried[chosen], scores.points(target, tried[chosen]), errors)


def between(proposed: int, max_splits: int) -> set[int]:
    """Return the numbers to try between no split and the whole path.

    If few are proposed, each of them counts, and half as many are tried too; if nearly all are,
    there is no more to say of them, and half the path is tried instead.
    """
    if 4 * proposed <= max_splits:
        return {(proposed + 1) // 2, proposed}
    return {proposed if 4 * proposed <= 3 * max_splits else max_splits // 2}


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
    reference_scores = learner.fit(X, training, n_jobs=1).score(X)
    weights = np.zeros(len(X))
    weights[training] = growth_weights(reference_scores[training], target, training)
    losses: list[FloatArray] = []

    def watch(residual: FloatArray) -> None:
        scores = reference_scores[held_out] - residual[held_out]
        losses.append(target.losses(scores, held_out))

    path = grow(table, reference_scores, weights, watch=watch)
    losses += losses[-1:] * (max_splits + 1 - len(losses))  # the path has ended
    reference_losses = target.losses(reference_scores[held_out], held_out)
    return Fold(held_out, path, np.stack(losses), reference_losses)


def boosted_losses(
    fold: Fold,
    n_splits: int,
    X: FloatArray,
    binned: Binned,
    target: Target,
    turns: list[int],
    seed: int,
) -> FloatArray:
    """Held-out losses of boosted curves after some splits of a fold's path."""
    training = np.delete(np.arange(len(X)), fold.held_out)
    taken = target.take(training)
    trees = trees_after(fold.path[:n_splits], len(binned.features))
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
    return target.losses(curves.scores(cells[:, fold.held_out]), fold.held_out)


def growth_weights(scores: FloatArray, target: Target, rows: NDArray[np.intp]) -> FloatArray:
    """Return the weights of rows when their scores are growth's target; mean 1.

    Log-odds count by the curvature of the log loss, bounded below: far from 0 they matter less.
    """
    weights = target.weights[rows]
    if target.is_classification:
        probability = expit(scores)
        weights = weights * np.maximum(probability * (1 - probability), MIN_CURVATURE)
    return weights / weights.mean()
