"""Step 2 as a whole: which regions, found in which way.

In: the binned table and how to make references. Out: a `Search`: the reference, one tree per
feature, the path, the ledger and held-out errors. ``"joint"``: path, then number of splits by
cross-validation; ``"heterogeneity"``: every tree alone. Large tables are searched on a sample.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.binning import Binned
from calmgam.fit.boosted_trees import MAX_CUTS
from calmgam.fit.growing import GrowthSettings, candidates_on, grow_all, positions_of
from calmgam.fit.joint import JointTable, PathSplit, grow_path, trees_after
from calmgam.fit.ledger import Ledger, PathPoint
from calmgam.fit.reference import Reference, ReferenceLearner
from calmgam.fit.selection import MAX_AUTO_SPLITS, cross_validate, enough_rows, growth_weights
from calmgam.fit.threads import parallel_map
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
        Held-out errors: of own GAM, CALM and reference, or of the reference alone.
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
    if growth == "joint":
        found = _search_jointly(
            learner.fit(X), learner, X, binned, settings, searched, conditions, **options
        )
        if roles is not None and not found.errors:
            found = replace(found, errors={"reference": learner.validation_error(X, roles)})
        return found
    reference, errors = _fit_and_judge(learner, X, roles, n_jobs)
    trees, ledger = grow_all(
        reference,
        X,
        binned,
        learner.schema,
        settings,
        split_features=searched,
        condition_features=conditions,
        weights=learner.target.uneven_weights,
        **options,
    )
    return Search(trees, ledger, reference=reference, errors=errors)


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
    schema, target, asked = learner.schema, learner.target, settings.max_splits
    candidates = candidates_on(conditions, X, binned, settings)
    if settings.n_background is not None and settings.n_background < len(X):
        rows = np.sort(rng.choice(len(X), settings.n_background, replace=False))
        settings = settings.on_background(settings.n_background / len(X))
        X, binned, target = np.asfortranarray(X[rows]), binned.take(rows), target.take(rows)
        learner = replace(learner, target=target)
    table = JointTable.of(X, binned, candidates)
    limits: dict[Any, int] = {"auto": MAX_AUTO_SPLITS, None: sys.maxsize}
    grow = partial(
        grow_path,
        settings=settings,
        max_splits=asked if isinstance(asked, int) else limits[asked],
        split_features=searched,
    )
    scores = reference.score(X)
    weights = growth_weights(scores, target, np.arange(len(X)))
    path = grow(table, scores, weights, n_jobs=n_jobs)
    n_splits, reason = len(path), ""
    points: tuple[PathPoint, ...] = ()
    errors: dict[str, float] = {}
    if asked == "auto":
        n_splits, reason = 0, "too few rows to cross-validate a split"
        if enough_rows(target):
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
            n_splits = min(len(path), selection.n_splits)
            reason = f"beyond the {n_splits} splits that cross-validation keeps"
            points, errors = selection.points, selection.errors
    records = (
        step.record if k < n_splits else replace(step.record, accepted=False, reason=reason)
        for k, step in enumerate(path)
    )
    ledger = Ledger(schema.n_features, tuple(records), points, is_joint=True)
    trees = trees_after(path[:n_splits], schema.n_features)
    return Search(trees, ledger, path, reference, errors)
