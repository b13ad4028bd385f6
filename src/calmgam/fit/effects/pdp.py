"""PDP effects: a reference and background rows come in, one centred ICE curve per row goes out.

    h(g_m, x^k) = f(g_m, x_-i^k) - sum_m w_m f(g_m, x_-i^k)

on a grid g_1..g_M of feature i with weights w. Trees are walked once per row for the whole grid
(exact, cpp/ice.hpp); any other reference predicts every row at every grid value in bounded batches.
"""

from __future__ import annotations

import numpy as np

from calmgam import _kernels
from calmgam.fit.effects.local_effects import CurveEffects
from calmgam.fit.references.ensembles import TreeEnsemble
from calmgam.fit.references.reference import Reference
from calmgam.model.schema import Feature

BATCH_ROWS = 200_000  # rows given to the reference at once


def grid_for(
    feature: Feature, column: np.ndarray, kind: str = "quantile", size: int = 20
) -> tuple[np.ndarray, np.ndarray]:
    """Grid values of a feature and their weights.

    Parameters
    ----------
    feature : Feature
    column : (n,) array
        The feature's training column.
    kind : {"quantile", "uniform"}
        Numeric: distinct quantiles or equally spaced values from the minimum to the maximum,
        equally weighted. Categorical: all levels seen, weighted by frequency or equally.
    size : int
        Number of numeric grid values.

    Returns
    -------
    grid, weights : arrays
        Missing values are one more grid value, weighted by their frequency.
    """
    present = column[~np.isnan(column)]
    if not feature.is_numeric:
        grid, counts = np.unique(present, return_counts=True)
        weights = counts if kind == "quantile" else np.ones(len(grid))
    else:
        if not len(present):
            grid = present
        elif kind == "quantile":
            steps = np.linspace(0.0, 1.0, size)
            grid = np.unique(np.quantile(present, steps, method="inverted_cdf"))
        else:
            grid = np.unique(np.linspace(present.min(), present.max(), size))
        weights = np.ones(len(grid))
    weights = weights / weights.sum() if len(grid) else weights
    if len(present) < len(column):
        share = len(present) / len(column)
        grid, weights = np.append(grid, np.nan), np.append(share * weights, 1.0 - share)
    return grid, weights


def ice_curves(
    reference: Reference,
    X: np.ndarray,
    feature: int,
    grid: np.ndarray,
    weights: np.ndarray,
    effect_scale: str = "link",
    n_jobs: int = 1,
) -> CurveEffects:
    """Centred ICE curves of one feature for every background row.

    Parameters
    ----------
    reference : Reference
    X : (n, d) encoded background rows
    feature : int
    grid, weights : (M,) arrays
    effect_scale : {"link", "response"}
        "response": curves of a classifier's probability instead of its log-odds.
    n_jobs : int
        Threads; curves have the same bits for any number.
    """
    if reference.loss.n_outputs:
        return _class_curves(reference, X, feature, grid, weights, effect_scale)
    curves = np.zeros((len(X), len(grid)))
    if len(grid) == 1:
        return CurveEffects(grid, weights, curves)
    trees = reference.ensemble
    step = BATCH_ROWS if trees else max(1, BATCH_ROWS // len(grid))
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        if trees:
            # On an additive scale trees without the feature vanish in the centring.
            all_trees = reference.is_response(effect_scale) or trees.probability
            sums = tree_sums(trees, rows, feature, grid, all_trees, n_jobs)
            scores = reference.score_of_sums(trees.base + sums)
        else:
            scores = reference.score_on_grid(rows, feature, grid)
        scores = reference.on_scale(scores, effect_scale)
        curves[start : start + step] = scores - np.einsum("nm,m->n", scores, weights)[:, None]
    return CurveEffects(grid, weights, curves)


def _class_curves(
    reference: Reference,
    X: np.ndarray,
    feature: int,
    grid: np.ndarray,
    weights: np.ndarray,
    effect_scale: str,
) -> CurveEffects:
    """Centred ICE curves of many classes, beside each other: their heterogeneities add up."""
    n_classes = reference.loss.n_outputs
    curves = np.zeros((len(X), n_classes, len(grid)))
    step = max(1, BATCH_ROWS // len(grid))
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        repeated = np.repeat(rows, len(grid), axis=0)
        repeated[:, feature] = np.tile(grid, len(rows))
        scores = reference.on_scale(reference.score(repeated), effect_scale)
        by_class = scores.reshape(len(rows), len(grid), n_classes).transpose(0, 2, 1)
        means = np.einsum("nkm,m->nk", by_class, weights)
        curves[start : start + step] = by_class - means[..., None]
    flat = curves.reshape(len(X), -1)
    return CurveEffects(np.tile(grid, n_classes), np.tile(weights, n_classes), flat)


def tree_sums(
    trees: TreeEnsemble,
    rows: np.ndarray,
    feature: int,
    grid: np.ndarray,
    all_trees: bool,
    n_jobs: int = 1,
) -> np.ndarray:
    """Sum of leaf values of every row with its feature set to every grid value.

    Without `all_trees`, trees that never split on the feature are left out.
    """
    sums = np.empty((len(rows), len(grid)))
    _kernels.ice_sums(
        rows=rows,
        feature=feature,
        grid=grid,
        **trees.arrays,
        all_trees=all_trees,
        n_threads=n_jobs,
        out=sums,
    )
    return sums
