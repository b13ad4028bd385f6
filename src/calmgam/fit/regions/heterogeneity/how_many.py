"""How many splits of growth by heterogeneity are worth keeping: cross-validation on the real y.

In: what a fold needs to repeat reference and growth on its own training part, and the number of
splits found on all rows. Out: a `Selection`. Folds find different numbers of splits, so what is
compared is the share that is kept, best splits first: none, a quarter, half or all of them. Boosted
curves decide, as in joint growth: the fewest within `sparsity` standard errors of the best win.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from calmgam.fit.data.binning import Binned, content_order
from calmgam.fit.references.reference import ReferenceLearner
from calmgam.fit.regions.held_out import Folds, boosted_losses, coarse_bins
from calmgam.fit.regions.heterogeneity.top_splits import GrownTrees
from calmgam.fit.regions.one_standard_error import PathScores, Selection
from calmgam.model.schema import FloatArray

SHARES = (0.0, 0.25, 0.5, 1.0)


def cross_validate_shares(
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    grow: Callable[..., GrownTrees],
    n_splits: int,
    *,
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
    X, binned
        The rows: encoded, and in fine bins.
    grow : callable
        Grows trees from (reference, X, binned) with weights and an rng.
    n_splits : int
        How many splits growth on all rows has found.
    sparsity : float
        Standard errors of held-out loss that fewer splits may cost.
    rng : numpy Generator
    n_jobs : int
        Folds side by side; the result does not depend on it.
    progress : callable, optional
        Called with (folds done, folds).
    """
    target = learner.target
    share_of_number = shares_of(n_splits)
    folds = Folds.draw(target, rng)
    coarse, turns = coarse_bins(binned), content_order(binned)

    def losses_of(fold: int) -> FloatArray:
        """Held-out losses with every share of the splits, and of the reference."""
        held_out, seed = folds.parts[fold], folds.seeds[fold]
        training = np.delete(np.arange(len(X)), held_out)
        reference = learner.fit(X, training, n_jobs=1, with_trees=True)
        grown = grow(
            reference,
            np.asfortranarray(X[training]),
            binned.take(training),
            weights=target.take(training).uneven_weights,
            rng=np.random.default_rng(seed),
        )
        numbers = [math.ceil(share * grown.n_splits) for share in share_of_number.values()]
        boosted = {
            number: boosted_losses(
                held_out, grown.keeping(number).trees, X, coarse, target, turns, seed
            )
            for number in set(numbers)
        }
        reference_losses = target.losses(reference.score(X[held_out]), held_out)
        return np.stack([*(boosted[number] for number in numbers), reference_losses])

    *losses, reference_losses = folds.row_by_row(folds.each(losses_of, n_jobs, progress))
    scores = PathScores(np.stack(losses), target.weights)
    numbers, chosen = list(share_of_number), scores.choose(sparsity)
    return Selection(
        numbers[chosen],
        scores.points(target, numbers, numbers[chosen]),
        scores.errors(target, chosen, reference_losses),
    )


def shares_of(n_splits: int) -> dict[int, float]:
    """Return the numbers of splits to try, each with its share: the largest that comes to it."""
    return {math.ceil(share * n_splits): share for share in SHARES}
