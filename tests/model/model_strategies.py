"""Random conditions, regions, trees and models over one small schema, for hypothesis."""

import itertools
import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from calmgam.model import (
    Condition,
    Feature,
    Model,
    PartitionTree,
    Region,
    Schema,
    ShapeFunction,
    Term,
)
from calmgam.model.ledger import Ledger, PathPoint, PathSplit, SplitRecord
from calmgam.model.provenance import Provenance

SCHEMA = Schema(
    (
        Feature("x", 0, "numeric", has_missing=True, low=-2.0, high=2.0),
        Feature("other numbers", 1, "numeric", low=0.0, high=1.0),
        Feature("job", 2, "categorical", ("nurse", "fire, rescue", "and so on"), has_missing=True),
        Feature("flag", 3, "boolean", ("False", "True")),
    )
)
CUTS = (-1.0, -0.0, 0.1 + 0.2, 1e16)
LARGE = 1e307  # a few of them add up to a finite number


def below(value):
    return math.nextafter(value, -math.inf)


def representatives(feature):
    """Return a value in every piece that conditions over CUTS can tell apart."""
    if not feature.is_numeric:
        return [*map(float, range(feature.n_levels + 1)), math.nan]
    between = [-2.0, -0.5, 0.2, 0.5, 2e16, 4e16]
    return [*sorted({*CUTS, *map(below, CUTS), *between}), math.nan]


# every combination of representative values: small enough for brute force
TABLE = np.array(list(itertools.product(*map(representatives, SCHEMA.features))), order="F")


@st.composite
def conditions(draw, features=SCHEMA.features, tight=False):
    """Draw a condition; `tight` keeps to what text can say."""
    feature = draw(st.sampled_from(features))
    missing = draw(st.booleans()) and (feature.has_missing or not tight)
    if not feature.is_numeric:
        codes = draw(st.sets(st.integers(0, feature.n_levels - 1)))
        operator = draw(st.sampled_from(["=", "!="]))
        return Condition(feature, operator, tuple(sorted(codes)), missing)
    operator = draw(st.sampled_from(["<=", ">", "=", "!="]))
    if operator in ("<=", ">"):
        return Condition(feature, operator, draw(st.sampled_from((*CUTS, math.inf))), missing)
    value = draw(st.sampled_from(CUTS))
    low = draw(st.sampled_from([below(value), *([] if tight else [-math.inf, -1.5])]))
    high = draw(st.sampled_from([value, *([] if tight else [math.inf, 3e16])]))
    return Condition(feature, operator, value, missing, (low, high))


def regions(**options):
    return st.lists(conditions(**options), max_size=4).map(lambda drawn: Region(tuple(drawn)))


@st.composite
def trees(draw, max_splits=4, **options):
    tree = PartitionTree.trivial()
    for condition in draw(st.lists(conditions(**options), max_size=max_splits)):
        leaf = draw(st.integers(0, tree.n_leaves - 1))
        region = tree.regions[leaf]
        if not region.implies(condition) and not region.contradicts(condition):
            tree = tree.split(leaf, condition)
    return tree


@st.composite
def shapes(draw, feature, edges):
    n_slots = (len(edges) if feature.is_numeric else feature.n_levels) + 2
    numbers = st.floats(-LARGE, LARGE)
    values = draw(st.lists(numbers, min_size=n_slots, max_size=n_slots))
    counts = np.abs(draw(st.lists(numbers, min_size=n_slots, max_size=n_slots)))
    return ShapeFunction(feature, edges, values, counts, counts[::-1])


@st.composite
def records(draw, splitting=False):
    """Draw a record; one that is `splitting` has a condition."""
    condition = draw(conditions() if splitting else st.none() | conditions())
    return SplitRecord(
        draw(st.sampled_from(SCHEMA.names)),
        draw(regions()),
        condition,
        *(draw(st.integers(0, 2**40)) for _ in range(4)),
        *(draw(st.floats()) for _ in range(3)),
        draw(st.booleans()),
        draw(st.text(max_size=5)),
    )


@st.composite
def paths(draw):
    n_leaves = dict.fromkeys(SCHEMA.names, 1)
    steps = []
    for record in draw(st.lists(records(splitting=True), max_size=3)):
        leaf = draw(st.integers(0, n_leaves[record.feature] - 1))
        n_leaves[record.feature] += 1
        steps.append(PathSplit(SCHEMA.index(record.feature), leaf, record))
    return tuple(steps)


@st.composite
def ledgers(draw, splits):
    point = st.builds(PathPoint, st.integers(0, 99), st.floats(), st.floats(), st.booleans())
    effect = draw(st.sampled_from(["pdp", "ale"]))
    more = draw(st.lists(records(), max_size=2))
    points = draw(st.lists(point, max_size=3))
    return Ledger(SCHEMA.n_features, (*splits, *more), tuple(points), draw(st.booleans()), effect)


SETTINGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.text(max_size=3), parts),
    max_leaves=5,
)


@st.composite
def provenances(draw):
    return Provenance(
        "0.1.0",
        {"estimator": "CALMRegressor", "parameters": draw(SETTINGS)},
        draw(st.none() | st.integers(0, 2**31)),
        draw(st.integers(1, 10**9)),
        draw(st.booleans()),
        "2026-01-31T23:59:59Z",
        draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
    )


@st.composite
def models(draw):
    terms = []
    for feature in SCHEMA.features:
        others = tuple(other for other in SCHEMA.features if other != feature)
        tree = draw(trees(max_splits=2, features=others))
        edges = np.array(CUTS if feature.is_numeric else ())
        curves = [draw(shapes(feature, edges)) for _ in range(tree.n_leaves)]
        terms.append(Term(feature, tree, tuple(curves)))
    intercept = draw(st.floats(-LARGE, LARGE))
    link, classes = draw(
        st.sampled_from([("identity", ()), ("logit", ("no", "yes")), ("logit", (0, 1))])
    )
    errors = {"metric": "rmse", "gam": draw(st.floats(0, 1e9)), "reference": None}
    return Model(SCHEMA, intercept, tuple(terms), link, classes, errors)


@st.composite
def softmax_models(draw):
    """Draw a model of three or four classes; its curves are random numbers of moderate size."""
    model, rng = draw(models()), np.random.default_rng(draw(st.integers(0, 2**32)))
    classes = draw(st.sampled_from([("a", "b", "c"), (0, 1, 2, 5), (True, "x", 0.5)]))
    terms = tuple(
        Term(
            term.feature,
            term.tree,
            tuple(
                replace(
                    shape,
                    values=rng.normal(size=(shape.n_slots, len(classes))),
                    spreads=rng.random((shape.n_slots, len(classes))),
                )
                for shape in term.shapes
            ),
        )
        for term in model.terms
    )
    intercept = tuple(rng.normal(size=len(classes)))
    return replace(model, intercept=intercept, terms=terms, link="softmax", classes=classes)


@st.composite
def models_with_history(draw):
    path = draw(paths())
    ledger = draw(ledgers(tuple(step.record for step in path)))
    provenance = draw(st.none() | provenances())
    return replace(
        draw(models() | softmax_models()), ledger=ledger, path=path, provenance=provenance
    )
