"""How many splits of growth by heterogeneity are worth keeping: cross-validation on the real y.

In: what a fold needs to repeat reference and growth on its own training part, and the number of
splits found on all rows. Out: a `Selection`. Folds find different numbers of splits, so what is
compared is the share that is kept, best splits first: none, a quarter, half or all of them. Boosted
curves decide, as in joint growth: the fewest within `sparsity` standard errors of the best win.
"""

from __future__ import annotations

import math

import numpy as np

from calmgam.fit.data.folds import Folds
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.held_out import boosted_losses, coarse_bins
from calmgam.fit.regions.heterogeneity.growing import grow_all
from calmgam.fit.regions.heterogeneity.settings import HeterogeneitySettings
from calmgam.fit.regions.one_standard_error import PathScores, Selection
from calmgam.model.schema import FloatArray

SHARES = (0.0, 0.25, 0.5, 1.0)  # of the splits found that are tried; set by hand


def cross_validate_shares(
    prepared: Prepared, settings: HeterogeneitySettings, n_splits: int
) -> Selection:
    """Choose the number of splits.

    Parameters
    ----------
    prepared : Prepared
    settings : HeterogeneitySettings
    n_splits : int
        How many splits growth on all rows has found.
    """
    target = prepared.target
    share_of_number = shares_of(n_splits)
    folds = Folds.draw(target, prepared.schema.n_features, prepared.rng)
    coarse = coarse_bins(prepared.binned)

    def losses_of(fold: int) -> FloatArray:
        """Held-out losses with every share of the splits, and of the reference."""
        validation, seed = folds.parts[fold], folds.seeds[fold]
        training = np.delete(np.arange(prepared.n_rows), validation)
        reference = prepared.fit_reference(training, n_jobs=1, with_trees=True)
        rng = np.random.default_rng(seed)
        rows = prepared.take(training, rng=rng, n_jobs=1, progress=None)
        grown = grow_all(reference, rows, settings)
        numbers = [math.ceil(share * grown.n_splits) for share in share_of_number.values()]
        boosted = {
            number: boosted_losses(validation, grown.keeping(number).trees, coarse, target, seed)
            for number in set(numbers)
        }
        scores = reference.score(prepared.X[validation])
        losses = target.losses(scores, validation)
        return np.stack([*(boosted[number] for number in numbers), losses])

    every = folds.each(losses_of, prepared.n_jobs, prepared.progress)
    *losses, reference_losses = folds.row_by_row(every)
    scores = PathScores(np.stack(losses), target.weights)
    numbers, chosen = list(share_of_number), scores.choose(settings.sparsity)
    return Selection(
        numbers[chosen],
        scores.points(target, numbers, numbers[chosen]),
        scores.errors(target, chosen, reference_losses),
    )


def shares_of(n_splits: int) -> dict[int, float]:
    """Return the numbers of splits to try, each with its share: the largest that comes to it."""
    return {math.ceil(share * n_splits): share for share in SHARES}
