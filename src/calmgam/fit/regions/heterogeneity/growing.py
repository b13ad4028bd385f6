"""Step 2 as in the paper: a tree per feature, in whose leaves its effect depends on no other.

In: local effects of a feature (one curve per background row), candidate conditions on the others.
Out: `GrownTrees`. Greedy: a node takes the condition with the largest relative drop of
heterogeneity, if that exceeds `min_drop`. A number of `max_splits` cuts the trees back to the best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from calmgam.fit.effects.by_name import EFFECTS, effect_finder
from calmgam.fit.effects.local_effects import LocalEffects
from calmgam.fit.references.reference import Reference
from calmgam.fit.regions.candidates import Candidates, candidates_for, code_matrix
from calmgam.fit.regions.heterogeneity.best_split import Split, best_split
from calmgam.fit.regions.heterogeneity.top_splits import GrownTrees, Growth
from calmgam.fit.support.settings import check_in, check_integer, check_number
from calmgam.model.ledger import SplitRecord
from calmgam.model.regions import Region
from calmgam.model.schema import Feature, Schema

if TYPE_CHECKING:
    from calmgam.fit.data.binning import Binned

CHOICES = {
    "effect": EFFECTS,
    "effect_scale": ("link", "response"),
    "grid": ("quantile", "uniform"),
    "thresholds": ("quantile", "uniform", "all"),
    "drop_scale": ("variance", "spread"),
    "rank": ("absolute", "relative"),
}
LEAST = {
    "grid_size": 2,
    "n_thresholds": 1,
    "n_background": 2,
    "max_depth": 0,
    "min_samples_leaf": 1,
    "equal_up_to": 0,
}


@dataclass(frozen=True)
class GrowthSettings:
    """How trees are grown.

    Parameters
    ----------
    effect, effect_scale
        Which local effects are compared (see `fit/effects/by_name.py`), and whether on the
        ``"link"`` scale or on that of the ``"response"``, which SHAP values do not have.
    grid, grid_size
        The values at which curves are evaluated, or between which bins lie: at ``"quantile"`` or
        ``"uniform"`` places, and how many.
    thresholds, n_thresholds, equal_up_to
        Which conditions are tried, see `candidates_for`.
    n_background
        Rows whose curves are compared, drawn from the training rows; None takes all.
    min_drop
        A split must take away more than this share of its node's heterogeneity.
    drop_scale
        Whether the two sides' mean ``"variance"`` or mean ``"spread"`` is compared with the node's.
    max_depth
        Conditions in a row.
    max_splits
        Splits over all trees; None for no limit; ``"auto"``: as many as cross-validation supports.
    min_samples_leaf
        Training rows in a leaf.
    min_heterogeneity
        A node is not split if its heterogeneity is below this share of the target's variance.
    rank
        What `max_splits` keeps: the largest drops in ``"absolute"`` or ``"relative"`` terms.
    sparsity
        Standard errors of held-out loss that fewer splits may cost, with ``"auto"``.
    """

    effect: str = "pdp"
    effect_scale: str = "link"
    grid: str = "quantile"
    grid_size: int = 20
    thresholds: str = "quantile"
    n_thresholds: int = 31
    equal_up_to: int = 0
    n_background: int | None = 50_000
    min_drop: float = 0.2
    drop_scale: str = "variance"
    max_depth: int = 3
    max_splits: int | str | None = "auto"
    min_samples_leaf: int = 10
    min_heterogeneity: float = 1e-3
    rank: str = "absolute"
    sparsity: float = 1.0

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            check_in(name, getattr(self, name), choices)
        for name, least in LEAST.items():
            check_integer(name, getattr(self, name), low=least, or_none=name == "n_background")
        if self.effect == "shap" and self.effect_scale != "link":
            raise ValueError(
                f'effect_scale must be "link" with effect="shap"; got {self.effect_scale!r}'
            )
        if self.max_splits not in ("auto", None):
            check_integer("max_splits", self.max_splits, low=0)
        check_number("min_drop", self.min_drop, low=0, below=1)
        check_number("min_heterogeneity", self.min_heterogeneity, low=0)
        check_number("sparsity", self.sparsity, low=0)

    def on_background(self, share: float) -> GrowthSettings:
        """Translate to a background that holds this share of the training rows.

        A leaf's share of the rows stays the same; but below ten rows a variance says little.
        """
        rows = math.ceil(self.min_samples_leaf * share)
        return replace(self, min_samples_leaf=max(rows, min(self.min_samples_leaf, 10)))


def grow_tree(
    effects: LocalEffects,
    feature: Feature,
    candidates: Sequence[Candidates],
    codes: np.ndarray,
    settings: GrowthSettings,
    *,
    weights: np.ndarray | None = None,
    scale: float = 1.0,
    n_jobs: int = 1,
) -> Growth:
    """Grow one feature's tree.

    Parameters
    ----------
    effects
        The feature's local effects on the background rows.
    feature
        The feature whose effects these are; conditions on itself are not tried.
    candidates, codes
        Conditions to try, and the background rows' codes (`code_matrix`).
    settings
        Limits; `min_samples_leaf` counts background rows.
    weights
        Weights of the background rows.
    scale
        Variance of the target, which `min_heterogeneity` refers to.
    n_jobs
        Threads; the result does not depend on it.
    """
    others = [k for k, one in enumerate(candidates) if one.feature.index != feature.index]
    candidates, codes = [candidates[k] for k in others], codes[others]
    weights = np.ones(len(effects)) if weights is None else weights
    total_weight = weights.sum()

    def grow(rows: np.ndarray, region: Region, depth: int) -> Growth:
        heterogeneity, split = best_split(
            effects.take(rows),
            weights[rows],
            np.take(codes, rows, axis=1),
            candidates,
            settings.min_samples_leaf,
            n_jobs,
            settings.drop_scale,
        )
        reason = _refusal(heterogeneity, split, depth, settings, scale)
        n_left = 0 if split is None else int(split.left.sum())
        record = SplitRecord(
            feature=feature.name,
            region=region,
            condition=None if split is None else split.condition,
            depth=depth,
            n_rows=rows.size,
            n_left=n_left,
            n_right=0 if split is None else rows.size - n_left,
            share=float(weights[rows].sum() / total_weight),
            heterogeneity_before=heterogeneity,
            drop=0.0 if split is None else split.drop,
            accepted=not reason,
            reason=reason,
        )
        if split is None or reason:
            return Growth(record)
        left = grow(rows[split.left], region.with_condition(split.condition), depth + 1)
        right = grow(rows[~split.left], region.with_condition(split.condition.negate()), depth + 1)
        return Growth(record, (left, right))

    return grow(np.arange(len(effects)), Region(), 0)


def _refusal(
    heterogeneity: float, split: Split | None, depth: int, settings: GrowthSettings, scale: float
) -> str:
    """Why a split is not made; empty if it is."""
    if heterogeneity < settings.min_heterogeneity * scale:
        return (
            f"heterogeneity {heterogeneity / scale:.2g} < "
            f"{settings.min_heterogeneity:g} of the variance"
        )
    if split is None:
        return f"no condition leaves {settings.min_samples_leaf} rows on both sides"
    if split.drop <= settings.min_drop:
        return f"drop {split.drop:.2g} <= min_drop {settings.min_drop:g}"
    if depth >= settings.max_depth:
        return f"max_depth {settings.max_depth} reached"
    return ""


def grow_all(
    reference: Reference,
    X: np.ndarray,
    binned: Binned,
    schema: Schema,
    settings: GrowthSettings,
    *,
    rng: np.random.Generator,
    split_features: Iterable[str | int] | None = None,
    condition_features: Iterable[str | int] | None = None,
    weights: np.ndarray | None = None,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> GrownTrees:
    """Grow the trees of all features.

    Parameters
    ----------
    reference
        The fitted black box (`calmgam.fit.references.reference`).
    X
        Encoded training rows.
    binned
        Their cuts: every threshold is one of them.
    schema
        The features.
    settings
        Limits and choices.
    rng
        Draws the background rows.
    split_features, condition_features
        Features (names or positions) that may be split and that may be conditions; None means all.
    weights
        Weights of the training rows.
    n_jobs
        Threads; the result does not depend on it.
    progress
        Called with (features done, features to do).
    """
    searched = positions_of(split_features, schema, "split_features")
    conditions = positions_of(condition_features, schema, "condition_features")
    candidates = candidates_on(conditions, X, binned, settings)
    background, background_weights = X, weights
    if settings.n_background is not None and settings.n_background < len(X):
        rows = np.sort(rng.choice(len(X), settings.n_background, replace=False))
        background = np.asfortranarray(X[rows])
        background_weights = None if weights is None else weights[rows]
        settings = settings.on_background(settings.n_background / len(X))
    codes = code_matrix(candidates, background)
    scale = _variance(reference, background, settings.effect_scale)
    find_effects = effect_finder(
        settings.effect,
        reference,
        background,
        grid=settings.grid,
        grid_size=settings.grid_size,
        effect_scale=settings.effect_scale,
        rng=rng,
        n_jobs=n_jobs,
    )

    growths = {}
    for done, i in enumerate(searched, start=1):
        feature = schema.features[i]
        growths[i] = grow_tree(
            find_effects(feature, X[:, i]),
            feature,
            candidates,
            codes,
            settings,
            weights=background_weights,
            scale=scale,
            n_jobs=n_jobs,
        )
        if progress is not None:
            progress(done, len(searched))

    grown = GrownTrees(growths, schema.n_features, settings.effect, settings.rank)
    if isinstance(settings.max_splits, Integral):  # numpy's integers, too
        return grown.keeping(settings.max_splits, f"beyond max_splits {settings.max_splits}")
    return grown


def candidates_on(
    conditions: Iterable[int], X: np.ndarray, binned: Binned, settings: GrowthSettings
) -> list[Candidates]:
    """Return the conditions to try on each of some features, chosen on all training rows."""
    return [
        candidates_for(
            binned.features[j],
            binned.edges[j],
            X[:, j],
            thresholds=settings.thresholds,
            n_thresholds=settings.n_thresholds,
            equal_up_to=settings.equal_up_to,
        )
        for j in conditions
    ]


def _variance(reference: Reference, X: np.ndarray, effect_scale: str) -> float:
    """Variance of the target on the scale of the effects: what `min_heterogeneity` refers to.

    A regression's target is standardised; a classifier's is known by its reference only.
    """
    if reference.task == "regression":
        return 1.0
    return float(np.var(reference.on_scale(reference.score(X), effect_scale)))


def positions_of(chosen: Iterable[str | int] | None, schema: Schema, parameter: str) -> list[int]:
    """Sorted positions of features given by name or position."""
    if chosen is None:
        return list(range(schema.n_features))
    positions = set()
    for one in chosen:
        try:
            name = one if isinstance(one, str) else schema.names[one]
            positions.add(schema.index(name))
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError(f"{parameter} must name features; got {one!r}") from error
    return sorted(positions)
