"""A whole model in canonical form: what `CanonicalPlan` does to bags of curves in the fit."""

from dataclasses import replace

import numpy as np

from calmgam.model.canonical import CanonicalPlan, cell_counts, centred_over_classes, slot_points
from calmgam.model.glassbox import Term
from calmgam.model.shapes import ShapeFunction, slot_codes


def canonical(model, X, weights=None):
    """Return a model with the same scores, thresholds as edges and the counts of encoded rows."""
    features, trees = model.schema.features, [term.tree for term in model.terms]
    edges = with_thresholds([term.edges for term in model.terms], trees)
    slots = [slot_points(feature, cuts) for feature, cuts in zip(features, edges, strict=True)]
    counts = [
        cell_counts(
            slot_codes(feature, cuts, X[:, feature.index]),
            tree.leaf_of(X),
            (tree.n_leaves, len(points)),
            weights,
        )
        for feature, tree, cuts, points in zip(features, trees, edges, slots, strict=True)
    ]
    curves = [
        np.array([shape(points) for shape in term.shapes])
        for term, points in zip(model.terms, slots, strict=True)
    ]
    if model.link == "softmax":  # the axis of classes in front
        curves = [np.moveaxis(values, -1, 0) for values in curves]
    shift, values = CanonicalPlan(features, trees, edges, counts).apply(curves)
    intercept = model.intercept + shift
    if model.link == "softmax":
        intercept, values = centred_over_classes(intercept, values)
    terms = []
    for i, term in enumerate(model.terms):
        shapes = tuple(
            ShapeFunction(
                feature=term.feature,
                edges=edges[i],
                values=values[i][..., leaf, :].T,
                counts=counts[i][leaf],
                spreads=shape.spreads[shape.codes(slots[i])],
            )
            for leaf, shape in enumerate(term.shapes)
        )
        terms.append(Term(term.feature, term.tree, shapes))
    plain = float(intercept) if np.ndim(intercept) == 0 else tuple(intercept)
    return replace(model, intercept=plain, terms=tuple(terms))


def with_thresholds(edges, trees):
    """Return every feature's edges with the thresholds of all conditions on it inserted."""
    thresholds = [[] for _ in edges]
    for condition in (node.condition for tree in trees for node in tree.nodes):
        if condition is not None:
            thresholds[condition.feature.index].extend(condition.edges)
    return [np.union1d(*both) for both in zip(edges, thresholds, strict=True)]
