"""A tree per feature, in whose leaves its effect depends on no other: the paper's Algorithm 2.

In: local effects of a feature (one curve per background row), candidate conditions on the others.
Out: `GrownTrees`. Greedy: a node takes the condition with the largest relative drop of
heterogeneity, if that exceeds `min_drop`. A number of `max_splits` cuts the trees back to the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calmgam.fit.data.binning import Binned
from calmgam.fit.effects.by_name import effect_finder
from calmgam.fit.effects.local_effects import LocalEffects
from calmgam.fit.policies import Policy
from calmgam.fit.prepared import Prepared
from calmgam.fit.references.reference import Reference
from calmgam.fit.regions.candidates import Candidates, code_matrix
from calmgam.fit.regions.heterogeneity.best_split import Split, best_split
from calmgam.fit.regions.heterogeneity.settings import HeterogeneitySettings
from calmgam.fit.regions.heterogeneity.top_splits import GrownNode, GrownTrees
from calmgam.fit.support.progress import stop_if
from calmgam.model.ledger import SplitRecord
from calmgam.model.regions import Region
from calmgam.model.schema import Feature

ROUNDING = 1e-24  # of the variance: less heterogeneity is none, but for sums that were rounded


@dataclass(frozen=True, eq=False)
class Background:
    """The rows on which trees are grown.

    Attributes
    ----------
    candidates : list of Candidates
        Conditions to try, by conditioning feature.
    codes : (n_candidates, n_rows) array of uint16
        The rows' codes among them.
    weights : (n_rows,) array
    scale : float
        Variance of the target, which `min_heterogeneity` refers to.
    """

    candidates: Sequence[Candidates]
    codes: np.ndarray
    weights: np.ndarray
    scale: float = 1.0

    @classmethod
    def of(
        cls,
        candidates: Sequence[Candidates],
        binned: Binned,
        weights: np.ndarray | None = None,
        scale: float = 1.0,
    ) -> Background:
        """Look up the codes of binned rows."""
        weights = np.ones(binned.n_rows) if weights is None else weights
        return cls(candidates, code_matrix(candidates, binned), weights, scale)

    def allowed(self, feature: Feature, region: Region, policy: Policy | None) -> Background:
        """Keep the conditions that may divide a region of a feature, never those on itself."""
        together = {feature.index, *(c.feature.index for c in region.conditions)}
        others = [
            k
            for k, one in enumerate(self.candidates)
            if one.feature.index != feature.index
            if policy is None or policy.allows({one.feature.index, *together})
        ]
        candidates = [self.candidates[k] for k in others]
        return Background(candidates, self.codes[others], self.weights, self.scale)


def grow_all(
    reference: Reference, prepared: Prepared, settings: HeterogeneitySettings
) -> GrownTrees:
    """Grow the trees of all features, on background rows of a large table."""
    limits, all_rows = prepared.limits, prepared
    candidates = settings.candidates(prepared)
    settings, prepared = settings.sampled(prepared)
    background = Background.of(
        candidates,
        prepared.binned,
        prepared.target.uneven_weights,
        _variance(reference, prepared.X, settings.effect_scale),
    )
    find_effects = effect_finder(
        settings.effect,
        reference,
        prepared.X,
        grid=settings.grid,
        grid_size=settings.grid_size,
        effect_scale=settings.effect_scale,
        rng=prepared.rng,
        n_jobs=prepared.n_jobs,
    )
    growths = {}
    policy = None if limits.policy.is_open else limits.policy
    for done, i in enumerate(limits.split_features, start=1):
        feature = prepared.schema.features[i]
        effects = find_effects(feature, all_rows.X[:, i])
        depth = min(limits.max_depth, prepared.binned.max_leaves[i].bit_length() - 1)
        growths[i] = grow_tree(
            effects, feature, background, settings, depth, prepared.n_jobs, policy
        )
        if prepared.progress is not None:
            stop_if(prepared.progress(done, len(limits.split_features)))
    n_features = prepared.schema.n_features
    grown = GrownTrees(growths, n_features, settings.effect, settings.rank)
    most = settings.most_splits(limits, n_features)
    if most == math.inf:
        return grown
    is_given = most == limits.max_splits
    rule = f"max_splits {most}" if is_given else f"max_curves {settings.max_curves}"
    return grown.keeping(int(most), f"beyond {rule}")


def grow_tree(
    effects: LocalEffects,
    feature: Feature,
    background: Background,
    settings: HeterogeneitySettings,
    max_depth: int,
    n_jobs: int = 1,
    policy: Policy | None = None,
) -> GrownNode:
    """Grow one feature's tree.

    Parameters
    ----------
    effects : LocalEffects
        Of the feature, on the background rows.
    feature : Feature
        Conditions on itself are not tried.
    background : Background
    settings : HeterogeneitySettings
        `min_samples_leaf` counts background rows.
    max_depth : int
        Most conditions in a region.
    n_jobs : int
        Threads; the result does not depend on it.
    policy : Policy, optional
        Which features may stand together; any, if there is none.
    """
    background = background.allowed(feature, Region(), policy)
    weights = background.weights

    def grow(rows: np.ndarray, region: Region, depth: int) -> GrownNode:
        tried = background.allowed(feature, region, policy) if policy else background
        heterogeneity, split = best_split(
            effects.take(rows),
            weights[rows],
            np.take(tried.codes, rows, axis=1),
            tried.candidates,
            settings.min_samples_leaf,
            n_jobs,
        )
        reason = _refusal(heterogeneity, split, settings, background.scale)
        if not reason and depth >= max_depth:
            reason = f"max_depth {max_depth} reached"
        share = float(weights[rows].sum() / weights.sum())
        record = _record(feature, region, rows.size, share, heterogeneity, split, reason)
        if split is None or reason:
            return GrownNode(record)
        left = grow(rows[split.left], region.with_condition(split.condition), depth + 1)
        right = grow(rows[~split.left], region.with_condition(split.condition.negate()), depth + 1)
        return GrownNode(record, (left, right))

    return grow(np.arange(len(effects)), Region(), 0)


def _record(
    feature: Feature,
    region: Region,
    n_rows: int,
    share: float,
    heterogeneity: float,
    split: Split | None,
    reason: str,
) -> SplitRecord:
    """Write down the best split of a region, made or refused."""
    n_left = 0 if split is None else int(split.left.sum())
    return SplitRecord(
        feature=feature.name,
        region=region,
        condition=None if split is None else split.condition,
        depth=len(region.conditions),
        n_rows=n_rows,
        n_left=n_left,
        n_right=0 if split is None else n_rows - n_left,
        share=share,
        heterogeneity_before=heterogeneity,
        drop=0.0 if split is None else split.drop,
        accepted=not reason,
        reason=reason,
    )


def _refusal(
    heterogeneity: float, split: Split | None, settings: HeterogeneitySettings, scale: float
) -> str:
    """Why a split is not made; empty if it is."""
    if heterogeneity <= ROUNDING * scale:
        return "no heterogeneity"
    if heterogeneity < settings.min_heterogeneity * scale:
        return (
            f"heterogeneity {heterogeneity / scale:.2g} < "
            f"{settings.min_heterogeneity:g} of the variance"
        )
    if split is None:
        return f"no condition leaves {settings.min_samples_leaf} rows on both sides"
    if split.drop <= settings.min_drop:
        return f"drop {split.drop:.2g} <= min_drop {settings.min_drop:g}"
    return ""


def _variance(reference: Reference, X: np.ndarray, effect_scale: str) -> float:
    """Variance of the target on the scale of the effects: what `min_heterogeneity` refers to.

    A number is standardised; other targets are known by their reference only.
    """
    if reference.loss.is_quadratic:
        return 1.0
    return float(np.var(reference.on_scale(reference.score(X), effect_scale)))
