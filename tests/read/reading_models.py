"""A small model that one can check by hand, as a regressor or classifier."""

from dataclasses import replace

import numpy as np

from calmgam.model import Condition, Feature, Model, PartitionTree, Schema, ShapeFunction, Term

HOUR = Feature("hour", 0, "numeric", has_missing=True, low=0.0, high=23.0)
JOB = Feature("job", 1, "categorical", ("nurse", "cook", "pilot"), has_missing=True, has_rare=True)
FLAG = Feature("flag", 2, "boolean", ("False", "True"))
ROW = {"hour": 7.0, "job": "cook", "flag": True}


def term(feature, tree, edges, values, counts):
    spreads = np.full(len(values[0]), 0.25)
    shapes = [
        ShapeFunction(feature, edges, v, c, spreads) for v, c in zip(values, counts, strict=True)
    ]
    return Term(feature, tree, tuple(shapes))


def flat_model(n_flat):
    """A steep feature and others without effect."""
    names = ["steep", *(f"flat {i}" for i in range(n_flat))]
    features = [Feature(name, i, "numeric", low=0.0, high=1.0) for i, name in enumerate(names)]
    terms = [
        term(f, PartitionTree.trivial(), [0.5], [[-h, h, 0.0]], [[5, 5, 0]])
        for f, h in zip(features, [1.0, *[0.0] * n_flat], strict=True)
    ]
    return Model(Schema(tuple(features)), 0.0, tuple(terms))


def hand_model(link="identity"):
    """Hour has a curve per flag; the job has a curve for each side of hour 6.5."""
    by_flag = PartitionTree.trivial().split(0, Condition(FLAG, "=", (1,)))
    by_hour = PartitionTree.trivial().split(0, Condition(HOUR, "<=", 6.5, missing=True))
    terms = (
        # bins: up to 3, 6.5, 12, 18, 23; missing
        term(
            HOUR,
            by_flag,
            [3.0, 6.5, 12.0, 18.0],
            [[9.0, 1.0, 2.0, 3.0, 9.0, -1.0], [-1.0, -2.0, -3.0, -2.0, -1.0, 9.0]],
            [[0, 10, 0, 20, 0, 10], [10, 10, 10, 10, 20, 0]],
        ),
        # nurse, cook, pilot, other, missing
        term(
            JOB,
            by_hour,
            [],
            [[1.0, -1.0, 0.0, 0.5, 0.0], [3.0, 1.5, 9.0, 0.5, -0.5]],
            [[20, 10, 0, 0, 10], [20, 30, 0, 5, 5]],
        ),
        term(FLAG, PartitionTree.trivial(), [], [[-0.3, 0.3, 0.0, 0.0]], [[60, 40, 0, 0]]),
    )
    classes = ("no", "yes") if link == "logit" else ()
    errors = {"metric": "rmse", "gam": 10.0, "calm": 7.0, "reference": 6.0}
    return Model(Schema((HOUR, JOB, FLAG)), 0.1, terms, link, classes, errors)


def scaled_model(factor, shift=0.0):
    """Return the hand model with larger or smaller scores."""
    model = hand_model()
    terms = tuple(
        Term(t.feature, t.tree, tuple(replace(c, values=c.values * factor) for c in t.shapes))
        for t in model.terms
    )
    return replace(model, terms=terms, intercept=factor * model.intercept + shift)


def wide_model(n_features=40, n_levels=300):
    """Return a model of many features with long names, one of them with many levels."""
    names = [f"measurement number {k} of the long list of measurements" for k in range(n_features)]
    levels = tuple(f"level {k}" for k in range(n_levels))
    features = [Feature(name, k, "numeric", low=0, high=1e6) for k, name in enumerate(names[:-1])]
    features.append(Feature(names[-1], n_features - 1, "categorical", levels))
    terms = []
    for k, feature in enumerate(features):
        other = features[(k + 1) % n_features]
        is_numeric = other.is_numeric
        condition = (
            Condition(other, "<=", 1234.56789)
            if is_numeric
            else Condition(other, "=", tuple(range(0, n_levels, 3)))
        )
        tree = PartitionTree.trivial().split(0, condition)
        edges = [10.0, 100.0] if feature.is_numeric else []
        n_slots = (2 if feature.is_numeric else n_levels) + 2
        values = np.linspace(-1, 1 + k, n_slots)
        terms.append(term(feature, tree, edges, [values, -values], np.ones((2, n_slots))))
    return Model(Schema(tuple(features)), 0.0, tuple(terms))


def plain_model(n_features):
    """Return a model without regions."""
    features = [Feature(f"feature {k}", k, "numeric", low=0, high=3) for k in range(n_features)]
    always = PartitionTree.trivial()
    terms = [
        term(f, always, [1.0, 2.0], [[0.0, 1.0, f.index % 3, 0.0]], [[1, 1, 1, 0]])
        for f in features
    ]
    return Model(Schema(tuple(features)), 0.0, tuple(terms))
