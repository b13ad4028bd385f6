"""The difference of two models is a model: what the second one's score adds to the first one's.

    difference(a, b).score(x) = b.score(x) - a.score(x)      for every x, but for rounding

Its features are those of either model, by name; one that a model does not have contributes nothing
there. A level or missing value that only one model saw in training is an input of the difference;
the other model takes it as it takes every unseen level, or as missing. A term's tree divides the
first model's regions by the second one's, and its curves are differences over the edges of both.
So every question about a model can be asked about what changed from one to another.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calmgam.model.exact.inputs import Indexes
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Feature, FloatArray, Schema
from calmgam.model.shapes import ShapeFunction
from calmgam.model.tree import PartitionTree

Nested = tuple[Condition, "Nested", "Nested"] | None


def difference(model_a: Model, model_b: Model) -> Model:
    """Return the model whose score is the second model's score less the first one's.

    Its curves have no spreads, and the rows of a region are shared evenly among the parts that the
    other model divides it into.

    Parameters
    ----------
    model_a, model_b : Model
        Of the same link and classes. A feature of both must be of one kind.
    """
    if (model_a.link, model_a.classes) != (model_b.link, model_b.classes):
        names = [" ".join(map(str, (m.link, *m.classes))) for m in (model_a, model_b)]
        raise ValueError(
            f"both models must have the same link and classes; got {' and '.join(names)}"
        )
    schema = joint_schema(model_a.schema, model_b.schema)
    terms = tuple(
        _difference(_moved(model_a, feature, schema), _moved(model_b, feature, schema))
        for feature in schema.features
    )
    return Model(schema, model_b.intercept - model_a.intercept, terms)


def joint_schema(schema_a: Schema, schema_b: Schema) -> Schema:
    """Return the features of either schema: the first one's, then the others of the second."""
    names = dict.fromkeys((*schema_a.names, *schema_b.names))
    return Schema(
        tuple(
            _joint_feature(schema_a.by_name.get(name), schema_b.by_name.get(name), index)
            for index, name in enumerate(names)
        )
    )


def _joint_feature(first: Feature | None, second: Feature | None, index: int) -> Feature:
    a, b = first or second, second or first
    assert a is not None and b is not None
    if a.kind != b.kind:
        raise ValueError(
            f"feature {a.name!r} must be of one kind in both models; got {a.kind} and {b.kind}"
        )
    return Feature(
        a.name,
        index,
        a.kind,
        tuple(dict.fromkeys((*a.levels, *b.levels))),
        has_missing=a.has_missing or b.has_missing,
        has_rare=a.has_rare or b.has_rare,
        low=float(np.fmin(a.low, b.low)),
        high=float(np.fmax(a.high, b.high)),
        whole=a.whole and b.whole,
        two_valued=a.two_valued and b.two_valued and (a.low, a.high) == (b.low, b.high),
        ordered=a.ordered and b.ordered and a.levels == b.levels,
    )


def _moved(model: Model, feature: Feature, schema: Schema) -> Term:
    """Return a model's term of a feature over the joint schema; zero if it has none."""
    if feature.name not in model.schema.by_name:
        nothing = np.zeros(2 + feature.n_levels)
        shape = ShapeFunction(feature, np.array([]), nothing, nothing, nothing)
        return Term(feature, PartitionTree.trivial(), (shape,))
    term = model.terms[model.schema.index(feature.name)]
    slots = np.arange(term.n_slots)
    if not feature.is_numeric:  # unseen and missing stay last
        slots = np.append(_codes(term.feature, feature), slots[-2:])
    shapes = (
        ShapeFunction(feature, s.edges, s.values[slots], s.counts[slots], s.spreads[slots])
        for s in term.shapes
    )
    return Term(feature, PartitionTree.from_nested(_nested(term.tree, schema)), tuple(shapes))


def _codes(own: Feature, joint: Feature) -> Indexes:
    """Return the model's own code of every level of the joint feature."""
    return np.array([own.code(level) for level in joint.levels], dtype=np.intp)


def _nested(tree: PartitionTree, schema: Schema, index: int = 0) -> Nested:
    """Return the tree below a node, its conditions being about the joint schema's features."""
    node = tree.nodes[index]
    if node.condition is None:
        return None
    own = node.condition.feature
    joint = schema[own.name]
    condition = (
        replace(node.condition, feature=joint)
        if own.is_numeric
        else Condition(
            joint,
            node.condition.operator,
            tuple(np.flatnonzero(np.isin(_codes(own, joint), node.condition.codes)).tolist()),
            node.condition.missing,
        )
    )
    return condition, _nested(tree, schema, node.left), _nested(tree, schema, node.right)


def _difference(a: Term, b: Term) -> Term:
    """Return the second term less the first, region by region."""
    pairs: list[tuple[int, int]] = []
    tree = PartitionTree.from_nested(_product(a.tree, b.tree, pairs))
    edges = np.union1d(a.edges, b.edges)
    curves_a, curves_b = ([_refined(shape, edges) for shape in term.shapes] for term in (a, b))
    n_parts_a, n_parts_b = (np.bincount(leaves) for leaves in zip(*pairs, strict=True))
    shapes = (
        ShapeFunction(
            a.feature,
            edges,
            curves_b[j].values - curves_a[i].values,
            curves_a[i].counts / n_parts_a[i] + curves_b[j].counts / n_parts_b[j],
            np.zeros_like(curves_a[i].values),
        )
        for i, j in pairs
    )
    return Term(a.feature, tree, tuple(shapes))


def _refined(shape: ShapeFunction, edges: FloatArray) -> ShapeFunction:
    return shape.refined(edges) if shape.feature.is_numeric else shape


def _product(a: PartitionTree, b: PartitionTree, pairs: list[tuple[int, int]]) -> Nested:
    """Return the first tree with the second below each of its leaves, without empty regions.

    The leaves' numbers in both trees are appended to `pairs`, from left to right.
    """

    def below(i: int, j: int, region: Region) -> Nested:
        node = a.nodes[i] if a.nodes[i].condition is not None else b.nodes[j]
        if node.condition is None:
            pairs.append((a.nodes[i].leaf, node.leaf))
            return None
        is_first = node is a.nodes[i]
        left, right = ((k, j) if is_first else (i, k) for k in (node.left, node.right))
        if region.implies(node.condition):
            return below(*left, region)
        if region.contradicts(node.condition):
            return below(*right, region)
        inside = below(*left, region.with_condition(node.condition))
        outside = below(*right, region.with_condition(node.condition.negate()))
        return node.condition, inside, outside

    return below(0, 0, Region())
