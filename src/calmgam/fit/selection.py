"""How many splits of the path are worth keeping: cross-validation on the real y.

In: what a fold needs to repeat reference and growth on its own training part. Out: the error after
every number of splits, and the number chosen. A fold scores the beginnings of its path with boosted
curves like the final ones, only coarser and quicker, on rows that nothing in the fold has seen. The
fewest splits win whose loss is within `sparsity` standard errors (of the paired differences) of the
best; none at all wins within twice that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from calmgam.fit.binning import Binned
from calmgam.fit.boosting import BoostingSettings, boost
from calmgam.fit.curves import Roles, draw_bags
from calmgam.fit.joint import JointTable, PathSplit, trees_after
from calmgam.fit.ledger import PathPoint
from calmgam.fit.losses import Target
from calmgam.fit.reference import ReferenceLearner
from calmgam.fit.threads import parallel_map
from calmgam.model.schema import FloatArray

MAX_AUTO_SPLITS = 20
TRIED = (0, 1, 2, 3, 4, 6, 8, 11, 15, 20)  # numbers of splits that are scored
N_FOLDS = 4
MIN_ROWS_PER_FOLD = 10  # of each class
MAX_BINS = 64
MIN_CURVATURE = 0.1
N_BAGS = 8
QUICK = BoostingSettings(
    learning_rate=0.08,
    momentum=0.85,
    momentum_rounds=10,
    max_rounds=400,
    patience=14,
    tolerance=1e-4,
    smoothing_rounds=40,
)

Grow = Callable[[JointTable, FloatArray, FloatArray], tuple[PathSplit, ...]]


@dataclass(frozen=True)
class PathScores:
    """Held-out losses along the path.

    Attributes
    ----------
    n_splits : tuple of int
    losses : (len(n_splits), n_rows) array
        Of every row, when its fold was left out.
    reference_losses : (n_rows,) array
    weights : (n_rows,) array
    """

    n_splits: tuple[int, ...]
    losses: FloatArray
    reference_losses: FloatArray
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
        """Return the position of the fewest splits that are not clearly worse than the best.

        No split at all has the benefit of doubt twice: a GAM is given up for clear gains only.
        """
        allowed = sparsity * self.standard_errors
        allowed[0] *= 2
        return int(np.argmax(self.means <= self.means.min() + allowed))

    def points(self, target: Target, sparsity: float) -> tuple[PathPoint, ...]:
        """Return the path of errors for the ledger, in the units of y."""
        chosen = self.choose(sparsity)
        errors = [target.error_of_loss(loss) for loss in self.means]
        # d error / d loss: error = scale * sqrt(loss) for squares, the loss itself otherwise
        slopes = np.ones(len(errors))
        if not target.is_classification:
            slopes = target.scale / (2 * np.sqrt(np.maximum(self.means, 1e-300)))
        return tuple(
            PathPoint(n_splits, error, float(slope * standard_error), k == chosen)
            for k, (n_splits, error, slope, standard_error) in enumerate(
                zip(self.n_splits, errors, slopes, self.standard_errors, strict=True)
            )
        )

    def errors(self, target: Target, sparsity: float) -> dict[str, float]:
        """Return held-out errors of own GAM, CALM and reference."""
        reference = float(np.average(self.reference_losses, weights=self.weights))
        return {
            "gam": target.error_of_loss(self.means[0]),
            "calm": target.error_of_loss(self.means[self.choose(sparsity)]),
            "reference": target.error_of_loss(reference),
        }


def draw_folds(target: Target, n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw the fold of every row; classes keep their shares."""
    fold_of_row = np.empty(len(target.values), dtype=np.intp)
    for rows in target.strata:
        fold_of_row[rng.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold_of_row


def enough_rows(target: Target) -> bool:
    """Whether every fold would hold enough rows (of either class)."""
    return min(map(len, target.strata)) >= N_FOLDS * MIN_ROWS_PER_FOLD


def score_path(
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    table: JointTable,
    grow: Grow,
    *,
    max_splits: int,
    rng: np.random.Generator,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> PathScores:
    """Cross-validate the beginnings of the path.

    Parameters
    ----------
    learner : ReferenceLearner
        Makes references of the same rows.
    X, binned, table
        The rows: encoded, in fine bins, as growth sees them.
    grow : callable
        Grows a path from (table, scores, weights).
    max_splits : int
    rng : numpy Generator
    n_jobs : int
        Folds side by side; the result does not depend on it.
    progress : callable, optional
        Called with (folds done, folds).
    """
    target = learner.target
    fold_of_row = draw_folds(target, N_FOLDS, rng)
    seeds = rng.integers(2**31, size=N_FOLDS).tolist()
    coarse = binned.coarsened(MAX_BINS)
    tried = tuple(k for k in TRIED if k <= max_splits)
    losses = np.empty((len(tried), len(X)))
    reference_losses = np.empty(len(X))

    def run(fold: int) -> None:
        training, held_out = (
            np.flatnonzero(fold_of_row != fold),
            np.flatnonzero(fold_of_row == fold),
        )
        reference = learner.fit(X, training, n_jobs=1)
        reference_losses[held_out] = target.losses(reference.score(X[held_out]), held_out)
        path = grow(table.take(training), *denoised(reference.score(X[training]), target, training))
        roles = np.zeros((len(X), N_BAGS), dtype=np.uint8)
        bag_rng = np.random.default_rng(seeds[fold])
        roles[training] = draw_bags(target.take(training), N_BAGS, bag_rng)
        for position, n_splits in enumerate(tried):
            if position and tried[position - 1] >= len(path):  # the path has ended
                losses[position, held_out] = losses[position - 1, held_out]
                continue
            scores = _held_out_scores(
                path[:n_splits], X, coarse, target, roles, table.turns, held_out
            )
            losses[position, held_out] = target.losses(scores, held_out)

    for done, _ in enumerate(parallel_map(run, range(N_FOLDS), n_jobs), start=1):
        if progress:
            progress(done, N_FOLDS)
    return PathScores(tried, losses, reference_losses, target.weights)


def denoised(
    scores: FloatArray, target: Target, rows: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """Scores as growth's target, and the rows' weights in it.

    Log-odds count by the curvature of the log loss, bounded below: far from 0 they matter less.
    """
    weights = target.weights[rows]
    if target.is_classification:
        probability = expit(scores)
        weights = weights * np.maximum(probability * (1 - probability), MIN_CURVATURE)
    return scores, weights / weights.mean()


def _held_out_scores(
    path: tuple[PathSplit, ...],
    X: FloatArray,
    binned: Binned,
    target: Target,
    roles: Roles,
    turns: list[int],
    held_out: NDArray[np.intp],
) -> FloatArray:
    trees = trees_after(path, len(binned.features))
    cells = binned.cells(trees, X)
    n_leaves = [tree.n_leaves for tree in trees]
    curves = boost(cells, binned, n_leaves, target, roles, QUICK, seed=0, order=turns)
    return curves.scores(cells[:, held_out])
