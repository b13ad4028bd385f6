"""Step 2 as a whole: which regions, found in which way.

In: the binned table and how to make references. Out: a `Search`: the reference, one tree per
feature, the path, the ledger and held-out errors. ``"joint"``: all trees together, a path of
splits; ``"heterogeneity"``: every tree alone. Then the number of splits by cross-validation, if it
is not given. Large tables are searched on a sample.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.binning import Binned
from calmgam.fit.references.boosted_trees import MAX_CUTS
from calmgam.fit.references.reference import Reference, ReferenceLearner
from calmgam.fit.regions.held_out import enough_rows
from calmgam.fit.regions.heterogeneity.growing import (
    GrowthSettings,
    candidates_on,
    grow_all,
    positions_of,
)
from calmgam.fit.regions.heterogeneity.how_many import cross_validate_shares
from calmgam.fit.regions.joint.how_many import MAX_AUTO_SPLITS, cross_validate
from calmgam.fit.regions.joint.path import JointTable, grow_path, trees_after
from calmgam.fit.regions.joint.target import growth_target
from calmgam.fit.regions.one_standard_error import Selection
from calmgam.fit.support.threads import parallel_map
from calmgam.model.ledger import Ledger, PathSplit
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True)
class Search:
    """What was found.

    Attributes
    ----------
    trees : tuple of PartitionTree
    ledger : Ledger
    path : tuple of PathSplit
        Joint growth: all splits in order, those beyond the chosen number included.
    reference : Reference or None
    errors : dict
        Held-out errors: of own GAM, CALM and reference if cross-validated, or of the reference.
    """

    trees: tuple[PartitionTree, ...]
    ledger: Ledger = field(default_factory=Ledger)
    path: tuple[PathSplit, ...] = ()
    reference: Reference | None = None
    errors: dict[str, float] = field(default_factory=dict)


def search_regions(
    growth: str,
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    settings: GrowthSettings,
    *,
    rng: np.random.Generator,
    roles: NDArray[np.uint8] | None = None,
    split_features: Iterable[str | int] | None = None,
    condition_features: Iterable[str | int] | None = None,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Search:
    """Find the trees of all features.

    Parameters
    ----------
    growth : {"joint", "heterogeneity"}
    learner : ReferenceLearner
    X : (n_rows, n_features) array
        Encoded training rows.
    binned : Binned
        Their cuts: every threshold is one of them.
    settings : GrowthSettings
    rng : numpy Generator
        Draws background rows and folds.
    roles : (n_rows,) array, optional
        Who trains and who validates, to measure the reference where nothing is cross-validated.
    split_features, condition_features : iterable of str or int, optional
        Features that may be split and that may be conditions; None means all.
    n_jobs : int
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with (steps done, steps).
    """
    searched = positions_of(split_features, learner.schema, "split_features")
    conditions = positions_of(condition_features, learner.schema, "condition_features")
    options: dict[str, Any] = {"rng": rng, "n_jobs": n_jobs, "progress": progress}
    learner = replace(learner, edges=binned.coarsened(MAX_CUTS).edges)
    table = (learner, X, binned, settings, searched, conditions)
    if growth == "joint":
        found = _search_jointly(learner.fit(X), *table, **options)
    else:
        found = _search_by_heterogeneity(*table, roles=roles, **options)
    if roles is not None and not found.errors:
        found = replace(found, errors={"reference": learner.validation_error(X, roles)})
    return found


def _search_by_heterogeneity(
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    settings: GrowthSettings,
    searched: list[int],
    conditions: list[int],
    *,
    roles: NDArray[np.uint8] | None,
    rng: np.random.Generator,
    n_jobs: int,
    progress: Callable[[int, int], None] | None,
) -> Search:
    is_auto = settings.max_splits == "auto"  # then folds judge the reference, and show progress
    reference, errors = _fit_and_judge(learner, X, None if is_auto else roles, n_jobs)
    grow = partial(
        grow_all, schema=learner.schema, split_features=searched, condition_features=conditions
    )
    grown = grow(
        reference,
        X,
        binned,
        settings=settings,
        weights=learner.target.uneven_weights,
        rng=rng,
        n_jobs=n_jobs,
        progress=None if is_auto else progress,
    )
    if not is_auto or not grown.n_splits:
        return Search(grown.trees, grown.ledger(), reference=reference, errors=errors)
    learner, X, binned, settings = _sampled(learner, X, binned, settings, rng)
    selection = Selection()
    if enough_rows(learner.target):
        selection = cross_validate_shares(
            learner,
            X,
            binned,
            partial(grow, settings=settings),
            grown.n_splits,
            sparsity=settings.sparsity,
            rng=rng,
            n_jobs=n_jobs,
            progress=progress,
        )
    grown = grown.keeping(selection.n_splits, selection.reason)
    ledger = grown.ledger(selection.points)
    return Search(grown.trees, ledger, reference=reference, errors=selection.errors)


def _sampled(
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    settings: GrowthSettings,
    rng: np.random.Generator,
) -> tuple[ReferenceLearner, FloatArray, Binned, GrowthSettings]:
    """Draw the background rows of a large table, on which its search is repeated."""
    if settings.n_background is None or settings.n_background >= len(X):
        return learner, X, binned, settings
    rows = np.sort(rng.choice(len(X), settings.n_background, replace=False))
    return (
        replace(learner, target=learner.target.take(rows)),
        np.asfortranarray(X[rows]),
        binned.take(rows),
        settings.on_background(settings.n_background / len(X)),
    )


def _fit_and_judge(
    learner: ReferenceLearner, X: FloatArray, roles: NDArray[np.uint8] | None, n_jobs: int
) -> tuple[Reference, dict[str, float]]:
    """Fit the reference on all rows and, beside it, one on training rows alone for its error."""
    if roles is None:
        return learner.fit(X, with_trees=True), {}
    half = replace(learner, n_jobs=max(1, n_jobs // 2))
    fits: list[Callable[[], Any]] = [
        partial(half.fit, X, with_trees=True),
        partial(half.validation_error, X, roles),
    ]
    reference, error = parallel_map(lambda fit: fit(), fits, n_jobs)
    return replace(reference, n_jobs=n_jobs), {"reference": error}


def _search_jointly(
    reference: Reference,
    learner: ReferenceLearner,
    X: FloatArray,
    binned: Binned,
    settings: GrowthSettings,
    searched: list[int],
    conditions: list[int],
    *,
    rng: np.random.Generator,
    n_jobs: int,
    progress: Callable[[int, int], None] | None,
) -> Search:
    schema, asked = learner.schema, settings.max_splits
    candidates = candidates_on(conditions, X, binned, settings)
    learner, X, binned, settings = _sampled(learner, X, binned, settings, rng)
    table = JointTable.of(X, binned, candidates)
    limits: dict[Any, Any] = {asked: asked, "auto": MAX_AUTO_SPLITS, None: sys.maxsize}
    grow = partial(
        grow_path,
        settings=settings,
        max_splits=limits[asked],
        split_features=searched,
    )
    denoised, weights = growth_target(reference.score(X), learner.target, np.arange(len(X)))
    path = grow(table, denoised, weights, n_jobs=n_jobs)
    n_splits, selection = len(path), Selection()
    if asked == "auto":
        if enough_rows(learner.target):
            selection = cross_validate(
                learner,
                X,
                binned,
                table,
                grow,
                max_splits=MAX_AUTO_SPLITS,
                sparsity=settings.sparsity,
                rng=rng,
                n_jobs=n_jobs,
                progress=progress,
            )
        n_splits = selection.n_splits
    records = (
        step.record
        if k < n_splits
        else replace(step.record, accepted=False, reason=selection.reason)
        for k, step in enumerate(path)
    )
    ledger = Ledger(schema.n_features, tuple(records), selection.points, is_joint=True)
    trees = trees_after(path[:n_splits], schema.n_features)
    return Search(trees, ledger, path, reference, selection.errors)
