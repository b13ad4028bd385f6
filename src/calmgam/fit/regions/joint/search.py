"""Joint growth as a whole: reference, path, and how many of its splits are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from calmgam.fit.data.folds import enough_rows
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.growth import SHARED
from calmgam.fit.regions.joint.how_many import cross_validate
from calmgam.fit.regions.joint.pairs import likely_partners, too_many_pairs
from calmgam.fit.regions.joint.path import JointTable, grow_path, trees_after
from calmgam.fit.regions.joint.settings import JointSettings
from calmgam.fit.regions.joint.target import growth_target
from calmgam.fit.regions.one_standard_error import Selection
from calmgam.fit.support.progress import quiet
from calmgam.model.ledger import Ledger
from calmgam.model.schema import FloatArray


@dataclass(repr=False)
class Joint(JointSettings):  # noqa: D101
    __doc__ = f"""Regions by joint growth: all trees together, best split first.
{SHARED}
    max_auto_splits : int
        Most splits with ``max_splits="auto"``.
    max_bins : int
        Most bins of a feature while trees grow; with few rows, or many features for them, there
        are fewer.
    ridge : float
        Pseudo-rows of height 0 in every cell of the histogram model.
    first_sweeps, sweeps, sweeps_of_small : int
        Sweeps of backfitting: before the first split, after each split, and after each split of a
        table that is small, or has many features for its rows.
    promising, refresh : float, int
        Conditions that gained less than this share of the last split's gain are left for later, and
        looked at again after so many splits.
    few_rows, share_per_row, max_share : int, float, float
        Up to so many rows growth explains the reference alone; with every further one it moves
        towards y by so much, up to the last share.
    min_hessian : float
        Least weight of a row, as a share of its sample weight.
    max_directions : int
        With more classes, growth looks at so many leading directions of their residuals.
    """

    @staticmethod
    def limited(settings: Joint, prepared: Prepared) -> tuple[Joint, Prepared]:
        """Let a path be no longer than `max_curves` allows."""
        if settings.max_curves is None:
            return settings, prepared
        limits = prepared.limits
        most = int(settings.most_splits(limits, prepared.schema.n_features))
        if limits.max_splits == "auto" and most > 0:
            most = min(most, settings.max_auto_splits)
            return replace(settings, max_auto_splits=most), prepared
        return settings, replace(prepared, limits=replace(limits, max_splits=most))

    def search(self, prepared: Prepared) -> Regions:
        """Find the trees of all features."""
        with_trees = too_many_pairs(prepared.schema.n_features)
        reference = prepared.fit_reference(with_trees=with_trees)
        candidates = self.candidates(prepared)
        settings, prepared = self.limited(*self.sampled(prepared))
        limits, target, n_features = prepared.limits, prepared.target, prepared.schema.n_features
        table = JointTable.of(prepared.binned, candidates, settings.max_bins)
        scores = reference.score(prepared.X)
        goal = growth_target(scores, target, np.arange(prepared.n_rows), settings)
        partners = likely_partners(reference, prepared.X, scores, prepared.schema)
        grown = grow_path(
            table,
            *goal,
            settings,
            limits,
            n_jobs=prepared.n_jobs,
            partners=partners,
            watch=stopping(prepared, settings.path_length(limits)),
        )
        path = grown.path
        n_splits, selection = len(path), Selection()
        if limits.max_splits == "auto":
            if enough_rows(target):
                selection = cross_validate(prepared, table, settings)
            n_splits = selection.n_splits
        records = (
            step.record
            if k < n_splits
            else replace(step.record, accepted=False, reason=selection.reason)
            for k, step in enumerate(path)
        )
        ledger = Ledger(n_features, tuple(records), selection.points, is_joint=True)
        trees = trees_after(path[:n_splits], n_features)
        curved = grown.features(n_splits) if selection.leave_out else range(n_features)
        flat = frozenset(range(n_features)).difference(curved)
        return Regions(trees, ledger, path, selection.errors, flat)


def stopping(prepared: Prepared, max_splits: int) -> Callable[[FloatArray], bool]:
    """Return what tells of every split, and whether growth is to stop.

    Nobody knows how many there will be without a number, and cross-validation tells of its folds.
    """
    is_number = prepared.limits.max_splits not in ("auto", None)
    progress = prepared.progress if is_number else quiet(prepared.progress)
    n_splits = count()

    def is_enough(left_over: FloatArray) -> bool:
        return progress is not None and progress(next(n_splits), max_splits)

    return is_enough
