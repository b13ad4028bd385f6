"""Random conditions, regions, trees and models over one small schema, for hypothesis."""

import itertools
import math

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

SCHEMA = Schema(
    (
        Feature("x", 0, "numeric", has_missing=True, low=-2.0, high=2.0),
        Feature("other numbers", 1, "numeric", low=0.0, high=1.0),
        Feature("job", 2, "categorical", ("nurse", "fire, rescue", "and so on"), has_missing=True),
        Feature("flag", 3, "boolean", ("False", "True")),
    )
)
CUTS = (-1.0, -0.0, 0.1 + 0.2, 1e16)


def below(value):
    return math.nextafter(value, -math.inf)


def representatives(feature):
    """Return a value in every cell that conditions over CUTS can tell apart."""
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
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    values = draw(st.lists(numbers, min_size=n_slots, max_size=n_slots))
    counts = np.abs(draw(st.lists(numbers, min_size=n_slots, max_size=n_slots)))
    return ShapeFunction(feature, edges, values, counts, counts[::-1])


@st.composite
def models(draw):
    terms = []
    for feature in SCHEMA.features:
        others = tuple(other for other in SCHEMA.features if other != feature)
        tree = draw(trees(max_splits=2, features=others))
        edges = np.array(CUTS if feature.is_numeric else ())
        curves = [draw(shapes(feature, edges)) for _ in range(tree.n_leaves)]
        terms.append(Term(feature, tree, tuple(curves)))
    intercept = draw(st.floats(allow_nan=False, allow_infinity=False))
    link, classes = draw(
        st.sampled_from([("identity", ()), ("logit", ("no", "yes")), ("logit", (0, 1))])
    )
    errors = {"metric": "rmse", "gam": draw(st.floats(0, 1e9)), "reference": None}
    return Model(SCHEMA, intercept, tuple(terms), link, classes, errors)
