"""How many splits of joint growth's path are worth keeping: cross-validation on the real y.

In: what a fold needs to repeat reference and growth on its own training part. Out: a `Selection`,
the number chosen and the errors that led to it. Growth's own model is scored after every split on
rows that nothing in the fold has seen, and proposes the number at which it is best. Boosted curves,
like the final ones but coarser, then decide between that number (at most half the path), no split
and the whole path: the fewest within `sparsity` standard errors (of the paired differences) of the
best win, none at all within twice that. Half the number that wins is tried, too, and if it is few,
those between: growth's own model has coarse bins, and takes what they leave over for interactions.
In a crowded table it is a poor judge, and boosted curves decide between more numbers. Where growth
left features flat, curves are also fitted without those, and the better of both ways is chosen and
kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.folds import Folds
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.held_out import boosted_losses, coarse_bins
from calmgam.fit.regions.joint.pairs import likely_partners, too_many_pairs
from calmgam.fit.regions.joint.path import Grown, JointTable, grow_path, trees_after
from calmgam.fit.regions.joint.settings import JointSettings
from calmgam.fit.regions.joint.target import growth_target
from calmgam.fit.regions.one_standard_error import PathScores, Selection
from calmgam.model.schema import FloatArray


@dataclass(frozen=True)
class Fold:
    """What came of a fold: reference and path, made without some rows.

    Attributes
    ----------
    grown : Grown
        The path, and which features have curves.
    losses : (max_splits + 1, n_validation) array
        Of growth's own model after 0, 1, 2, … splits.
    reference_losses : (n_validation,) array
    """

    grown: Grown
    losses: FloatArray
    reference_losses: FloatArray


def cross_validate(prepared: Prepared, table: JointTable, settings: JointSettings) -> Selection:
    """Choose the number of splits.

    Parameters
    ----------
    prepared : Prepared
    table : JointTable
        The same rows, as growth sees them.
    settings : JointSettings
    """
    target, max_splits = prepared.target, settings.max_auto_splits
    folds = Folds.draw(target, prepared.schema.n_features, prepared.rng)
    followed = folds.each(
        lambda k: follow_path(prepared, table, settings, folds.parts[k]),
        prepared.n_jobs,
        prepared.progress,
    )
    scores = PathScores(folds.row_by_row([fold.losses for fold in followed]), target.weights)
    coarse = coarse_bins(prepared.binned)

    @cache
    def boosted(n_splits: int, leave_out: bool) -> FloatArray:
        def losses_of(k: int) -> FloatArray:
            grown = followed[k].grown
            trees = trees_after(grown.path[:n_splits], len(coarse.features))
            features = grown.features(n_splits) if leave_out else None
            return boosted_losses(folds.parts[k], trees, coarse, target, folds.seeds[k], features)

        return folds.row_by_row(folds.each(losses_of, prepared.n_jobs))

    proposed = int(np.argmin(scores.means))
    tried = (
        numbers_of_crowded(max_splits) if table.is_crowded else numbers_to_try(proposed, max_splits)
    )
    leave_out = False
    if any(len(fold.grown.curved) < len(coarse.features) for fold in followed):
        ways = PathScores(np.stack([boosted(0, False), boosted(0, True)]), target.weights)
        leave_out = bool(np.argmin(ways.means))

    def compared(numbers: list[int]) -> PathScores:
        return PathScores(np.stack([boosted(n, leave_out) for n in numbers]), target.weights)

    tried, decisive = with_fewer(tried, compared, settings.sparsity, max_splits)
    chosen = decisive.choose(settings.sparsity)
    reference_losses = folds.row_by_row([fold.reference_losses for fold in followed])
    return Selection(
        tried[chosen],
        scores.points(target, range(max_splits + 1), tried[chosen]),
        decisive.errors(target, chosen, reference_losses),
        leave_out,
    )


def numbers_to_try(proposed: int, max_splits: int) -> list[int]:
    """Return no split, numbers around the one proposed, and the whole path."""
    return sorted({0, *between(proposed, max_splits), max_splits})


def numbers_of_crowded(max_splits: int) -> list[int]:
    """Return numbers from no split to the whole path, in steps that grow.

    With few rows for its heights growth's own model pays for every split in noise, and proposes
    none long before boosted curves, which shrink, have had enough.
    """
    steps = [0, 1]
    while steps[-1] < max_splits:
        steps.append(steps[-1] + max(1, steps[-2]))
    return sorted({min(step, max_splits) for step in steps})


def with_fewer(
    tried: list[int],
    compared: Callable[[list[int]], PathScores],
    sparsity: float,
    max_splits: int,
) -> tuple[list[int], PathScores]:
    """Try fewer splits than those that win, as long as they win, too.

    Returns
    -------
    list of int, PathScores
        The numbers tried, and their losses.
    """
    while True:
        decisive = compared(tried)
        fewer = fewer_to_try(tried, tried[decisive.choose(sparsity)], max_splits)
        if fewer is None:
            return tried, decisive
        tried = sorted({*tried, fewer})


def fewer_to_try(tried: Collection[int], number: int, max_splits: int) -> int | None:
    """Return a smaller number to try when one of those tried has won; None: there is none.

    That is half of it; if it is few, also those between it and the next smaller one.
    """
    if number // 2 not in tried:
        return number // 2
    middle = (max((n for n in tried if n < number), default=number) + number) // 2
    return middle if 4 * number <= max_splits and middle not in tried else None


def between(proposed: int, max_splits: int) -> set[int]:
    """Return the numbers to try between no split and the whole path.

    If few are proposed, each of them counts, and half as many are tried too. Beyond half the path
    it is half or all: a fold has fewer rows, and doubts splits that all rows support.
    """
    if 4 * proposed <= max_splits:
        return {(proposed + 1) // 2, proposed}
    return {min(proposed, max_splits // 2)}


def follow_path(
    prepared: Prepared, table: JointTable, settings: JointSettings, validation: NDArray[np.intp]
) -> Fold:
    """Repeat reference and growth without some rows, which score growth's model on its way."""
    target, n_rows = prepared.target, prepared.n_rows
    training = np.delete(np.arange(n_rows), validation)
    with_trees = too_many_pairs(prepared.schema.n_features)
    reference = prepared.fit_reference(training, n_jobs=1, with_trees=with_trees)
    scores = reference.score(prepared.X)
    goal, weights = scores.copy(), np.zeros(n_rows)
    goal[training], weights[training] = growth_target(scores[training], target, training, settings)
    losses: list[FloatArray] = []

    def watch(residual: FloatArray) -> None:
        losses.append(target.losses(goal[validation] - residual[validation], validation))

    partners = likely_partners(reference, prepared.X[training], scores[training], prepared.schema)
    grown = grow_path(
        table, goal, weights, settings, prepared.limits, partners=partners, watch=watch
    )
    n_models = settings.max_auto_splits + 1
    losses += losses[-1:] * (n_models - len(losses))  # the path has ended
    reference_losses = target.losses(scores[validation], validation)
    return Fold(grown, np.stack(losses), reference_losses)
