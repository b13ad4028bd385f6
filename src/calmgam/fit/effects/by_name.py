"""Which local effects growth compares: the parameter `effect`.

In: the reference and the background rows. Out: a function from a feature to its `LocalEffects`.

    "pdp"     centred ICE curves over a grid                pdp.py
    "ale"     slopes over the row's bin of x_i              ale.py
    "rhale"   derivatives at the row, automatic bins        ale.py
    "shap"    the row's SHAP value of x_i                   shapley.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calmgam.fit.effects.ale import ale_effects, rhale_effects, value_bins
from calmgam.fit.effects.local_effects import LocalEffects, PointEffects
from calmgam.fit.effects.pdp import grid_for, ice_curves
from calmgam.fit.effects.shapley import shap_values
from calmgam.fit.references.reference import Reference
from calmgam.model.schema import Feature

EFFECTS = ("pdp", "ale", "rhale", "shap")


def effect_finder(
    effect: str,
    reference: Reference,
    X: np.ndarray,
    *,
    grid: str,
    grid_size: int,
    effect_scale: str = "link",
    rng: np.random.Generator,
    n_jobs: int = 1,
) -> Callable[[Feature, np.ndarray], LocalEffects]:
    """Return the function that finds a feature's local effects, given its training column.

    Parameters
    ----------
    effect : {"pdp", "ale", "rhale", "shap"}
    reference : Reference
    X : (n, d) encoded background rows
    grid, grid_size
        Where a feature's curve is evaluated, or its axis cut: see `grid_for`. RHALE chooses among
        equally spaced cuts.
    effect_scale : {"link", "response"}
        SHAP values are of the link scale.
    rng : numpy Generator
        For SHAP values that are sampled.
    n_jobs : int
        Threads; the result does not depend on it.
    """
    if reference.loss.n_outputs and effect != "pdp":
        raise ValueError(
            f'effect must be "pdp" with three classes or more, which are summed up; got {effect!r}'
        )

    def pdp(feature: Feature, column: np.ndarray) -> LocalEffects:
        points, weights = grid_for(feature, column, grid, grid_size)
        return ice_curves(reference, X, feature.index, points, weights, effect_scale, n_jobs)

    def ale(feature: Feature, column: np.ndarray) -> LocalEffects:
        return ale_effects(reference, X, feature, column, grid=grid, **options)

    def rhale(feature: Feature, column: np.ndarray) -> LocalEffects:
        return rhale_effects(reference, X, feature, column, **options)

    def shap(feature: Feature, column: np.ndarray) -> LocalEffects:
        points, _ = grid_for(feature, column, grid, grid_size)
        bins = value_bins(feature, points, X[:, feature.index])
        return PointEffects(attributions[:, feature.index], bins, len(points))

    options: Any = {"grid_size": grid_size, "effect_scale": effect_scale, "n_jobs": n_jobs}
    if effect == "shap":
        attributions = np.asfortranarray(shap_values(reference, X, rng))
    return {"pdp": pdp, "ale": ale, "rhale": rhale, "shap": shap}[effect]
