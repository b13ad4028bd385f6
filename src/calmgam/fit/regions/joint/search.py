"""Joint growth as a whole: reference, path, and how many of its splits are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calmgam.fit.data.folds import enough_rows
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.joint.how_many import cross_validate
from calmgam.fit.regions.joint.pairs import likely_partners, too_many_pairs
from calmgam.fit.regions.joint.path import JointTable, grow_path, trees_after
from calmgam.fit.regions.joint.settings import JointSettings
from calmgam.fit.regions.joint.target import growth_target
from calmgam.fit.regions.one_standard_error import Selection
from calmgam.model.ledger import Ledger


@dataclass(repr=False)
class Joint(JointSettings):
    """Regions by joint growth: all trees together, best split first.

    Parameters
    ----------
    thresholds : {"quantile", "uniform", "all"}
        Which cuts of a numeric feature are tried as conditions.
    n_thresholds : int
        How many of them.
    n_background : int or None
        Rows on which regions are searched, drawn from larger tables; None takes all.
    min_samples_leaf : int
        Fewest training rows in a region.
    max_auto_splits : int
        Most splits with ``max_splits="auto"``.
    max_bins : int
        Most bins of a feature while trees grow; with many features for the rows there are fewer.
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
    """

    def search(self, prepared: Prepared) -> Regions:
        """Find the trees of all features."""
        with_trees = too_many_pairs(prepared.schema.n_features)
        reference = prepared.fit_reference(with_trees=with_trees)
        candidates = self.candidates(prepared)
        settings, prepared = self.sampled(prepared)
        limits, target, n_features = prepared.limits, prepared.target, prepared.schema.n_features
        table = JointTable.of(prepared.binned, candidates, settings.max_bins)
        scores = reference.score(prepared.X)
        goal = growth_target(scores, target, np.arange(prepared.n_rows), settings)
        partners = likely_partners(reference, prepared.X, scores, prepared.schema)
        grown = grow_path(table, *goal, settings, limits, n_jobs=prepared.n_jobs, partners=partners)
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
        return Regions(trees, ledger, path, reference, selection.errors, flat)
