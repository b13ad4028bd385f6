"""From curves to a model.

In: the curves of every bag on the fit's scale. Out: a `Model` in the user's units and in canonical
form. Every bag is brought into canonical form before bags are compared, so that the spread holds no
gauge noise; slots that no row of a region has seen take the mean of the region's curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calmgam.fit.curves.contract import CurveData, Curves
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.model.canonical import CanonicalPlan, centred_over_classes
from calmgam.model.glassbox import Model, Term
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.shapes import ShapeFunction
from calmgam.model.tree import PartitionTree


def assemble(
    schema: Schema,
    data: CurveData,
    curves: Curves,
    errors: Mapping[str, Any],
    kept: frozenset[int] = frozenset(),
) -> Model:
    """Average the bags into one model in canonical form; terms that are `kept` stay as they are."""
    counts = [
        np.bincount(cells, data.target.weights, n_curves * n_slots)
        .astype(float)
        .reshape(n_curves, n_slots)
        for cells, (n_curves, n_slots) in zip(data.cells, data.shapes, strict=True)
    ]
    return assemble_counted(
        schema, data.trees, data.binned, counts, curves, data.target, errors, kept
    )


def assemble_counted(
    schema: Schema,
    trees: Sequence[PartitionTree],
    binned: Binned,
    counts: list[FloatArray],
    curves: Curves,
    target: Target,
    errors: Mapping[str, Any],
    kept: frozenset[int] = frozenset(),
) -> Model:
    """Average the bags into one model, given the rows' weights in every slot of every curve."""
    edges, (mean, scale) = binned.edges, target.units
    plan = CanonicalPlan(schema.features, trees, edges, counts, kept)
    filled = [_fill(values, rows) for values, rows in zip(curves.values, counts, strict=True)]
    shifts, values = plan.apply(filled)
    intercepts = curves.intercepts + shifts
    if target.loss.link == "softmax":
        intercepts, values = centred_over_classes(intercepts, values)
    means = [
        hold(values[i].mean(axis=0), run.direction, 1 if feature.is_numeric else 2)
        for i, (feature, run) in enumerate(zip(schema.features, binned.runs, strict=True))
    ]
    terms = tuple(
        Term(
            feature,
            tree,
            tuple(
                ShapeFunction(
                    feature,
                    edges[i],
                    scale * means[i][..., leaf, :].T,
                    counts[i][leaf],
                    scale * curves.band * values[i][..., leaf, :].std(axis=0).T,
                )
                for leaf in range(tree.n_leaves)
            ),
        )
        for i, (feature, tree) in enumerate(zip(schema.features, trees, strict=True))
    )
    intercept = mean + scale * np.mean(intercepts, axis=0)
    objective = target.loss.objective(target.scale)
    return Model(
        schema, intercept, terms, target.loss.link, target.classes, errors, objective=objective
    )


def hold(heights: FloatArray, direction: int, n_apart: int) -> FloatArray:
    """Take the rounding errors off curves that never fall, or never rise, but for them.

    Parameters
    ----------
    heights : (n_leaves, n_slots) array
    direction : {1, -1, 0}
        Whether they never fall or never rise; 0 leaves them.
    n_apart : int
        Last slots that have no place in the order: missing, rare levels.
    """
    if not direction:
        return heights
    ordered = direction * np.maximum.accumulate(direction * heights[:, :-n_apart], axis=1)
    return np.concatenate([ordered, heights[:, -n_apart:]], axis=1)


def _fill(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Give the missing and rare slots that have no rows the mean of their curve."""
    totals = counts.sum(axis=1, keepdims=True)
    means = np.sum(values * counts, axis=-1, keepdims=True) / np.maximum(totals, 1e-300)
    never_boosted = (counts == 0) & np.all(values == 0, axis=0)
    return np.where(never_boosted, means, values)
