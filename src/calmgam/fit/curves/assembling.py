"""From curves to a model.

In: the curves of every bag on the fit's scale. Out: a `Model` in the user's units and in canonical
form. Every bag is brought into canonical form before bags are compared, so that the spread holds no
gauge noise; slots that no row of a region has seen take the mean of the region's curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calmgam.fit.curves.contract import CurveData, Curves
from calmgam.model.canonical import CanonicalPlan
from calmgam.model.glassbox import Model, Term
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.shapes import ShapeFunction


def assemble(schema: Schema, data: CurveData, curves: Curves, errors: Mapping[str, Any]) -> Model:
    """Average the bags into one model."""
    edges, target = data.binned.edges, data.target
    counts = [
        np.bincount(cells, target.weights, n_curves * n_slots)
        .astype(float)
        .reshape(n_curves, n_slots)
        for cells, (n_curves, n_slots) in zip(data.cells, data.shapes, strict=True)
    ]
    plan = CanonicalPlan(schema.features, data.trees, edges, counts)
    filled = [_fill(values, rows) for values, rows in zip(curves.values, counts, strict=True)]
    shifts, values = plan.apply(filled)
    terms = tuple(
        Term(
            feature,
            tree,
            tuple(
                ShapeFunction(
                    feature,
                    edges[i],
                    target.scale * values[i][:, leaf].mean(axis=0),
                    counts[i][leaf],
                    target.scale * values[i][:, leaf].std(axis=0),
                )
                for leaf in range(tree.n_leaves)
            ),
        )
        for i, (feature, tree) in enumerate(zip(schema.features, data.trees, strict=True))
    )
    intercept = target.mean + target.scale * float(np.mean(curves.intercepts + shifts))
    return Model(schema, intercept, terms, target.loss.link, target.classes, errors)


def _fill(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Give the missing and rare slots that have no rows the mean of their curve."""
    totals = counts.sum(axis=1, keepdims=True)
    means = np.sum(values * counts, axis=2, keepdims=True) / np.maximum(totals, 1e-300)
    never_boosted = (counts == 0) & np.all(values == 0, axis=0)
    return np.where(never_boosted, means, values)
