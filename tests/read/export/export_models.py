"""Random models and tables for exports: awkward names, labels and numbers, missing and unseen."""

import json
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
import pytest

from calmgam.model import Condition, Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.model.serialize import from_json
from calmgam.read import reasons
from calmgam.read.export.golden import golden_vectors

N_MODELS, N_ROWS = 50, 10_000
GOLDEN = golden_vectors()
SIZES = [  # the golden vectors, a few random models for a quick look, then all
    *((number, "golden") for number in range(len(GOLDEN))),
    *((seed, 500) for seed in range(4)),
    *(pytest.param(seed, N_ROWS, marks=pytest.mark.exhaustive) for seed in range(N_MODELS)),
]
each_case = pytest.mark.parametrize(("seed", "n_rows"), SIZES)
LINKS = ("identity", "logit", "log", "softmax")
CLASSES = {
    "logit": [("no", "yes"), (0, 1), (False, True)],
    "softmax": [("bus", "it's", "train"), (3, 1, 2, 0)],
}
NAMES = (
    "age",
    'size "of" it',
    "x0",
    "it's; DROP TABLE rows; --",
    "select",
    "año 'n' más",
    "tab\tand\nline",
    "back\\slash",
    "??/ */ <!-- </script>",
    "{}[]$1 %s",
)
LABELS = (
    "nurse",
    "fire, rescue",
    "it's",
    'the "other"',
    "",
    " ",
    "missing",
    "nan",
    "NULL",
    "ß\N{SNOWMAN}",
    "back\\slash\\n",
    "\u2028",
    "??/",
    "'); DROP TABLE rows; --",
    "5",
    "5.50",
    "-3",
    "1e5",
    "0x10",
    "Inf",
    "=1+1",
    "zz",
)
UNSEEN = (
    "never seen",
    "NURSE",
    "nurse ",
    "5.0",
    "5.5",
    "100000.0",
    "-3.00",
    "7",
    "1_0",
    "+5",
    "inf",
)
EDGES = (-1e300, -7.5, -1.0, -0.1, 0.0, 5e-324, 0.1, 0.1 + 0.2, 0.3, 1 / 3, 2.5, 7.0, 1e16, 2.0**60)


@dataclass(frozen=True)
class Case:
    """A model, a table of rows, and what the model says of them."""

    model: Model
    X: pd.DataFrame
    offset: np.ndarray

    @cached_property
    def score(self):
        return self.model.score(self.X, None if self.n_outputs > 1 else self.offset)

    @property
    def n_outputs(self):
        return np.size(self.model.intercept)

    @cached_property
    def prediction(self):
        """Mean, or probabilities."""
        return self.model.predict(self.X, None if self.n_outputs > 1 else self.offset)

    @cached_property
    def contributions(self):
        return self.model.contributions(self.X)

    def expected_reasons(self, n):
        """Names, contributions and rules of the n largest contributions of every row."""
        encoded, parts = self.model.schema.encode(self.X), self.contributions
        if self.n_outputs > 1:
            pairs = np.argsort(-self.score, axis=1, kind="stable")[:, :2]
            first, second = (np.take_along_axis(parts, pairs[:, None, [k]], 2) for k in (0, 1))
            parts = (first - second)[:, :, 0]
        order = np.argsort(-np.abs(parts), axis=1, kind="stable")[:, :n]
        leaves = [term.tree.leaf_of(encoded) for term in self.model.terms]
        rules = [list(map(str, term.tree.regions)) for term in self.model.terms]
        names = self.model.schema.names
        return [
            [
                (names[i], parts[row, i], rules[i][leaves[i][row]])
                for i in order[row]
                if parts[row, i] != 0
            ]
            for row in range(len(self.X))
        ]


@cache
def random_case(seed, n_rows=500, n_fine=300, max_edge=np.inf):
    """Return a model and a table; the links take turns."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    link = LINKS[seed % len(LINKS)]
    choices = CLASSES.get(link, [()])
    classes = choices[seed // len(LINKS) % len(choices)]
    n_outputs = len(classes) if link == "softmax" else None
    terms = tuple(
        random_term(rng, feature, schema, n_outputs, n_fine, max_edge)
        for feature in schema.features
    )
    intercept = tuple(rng.normal(size=n_outputs)) if n_outputs else rng.normal()
    model = Model(schema, intercept, terms, link, classes)
    X = random_table(rng, model, n_rows)
    offset = rng.normal(size=n_rows).round(3) if link == "log" else np.zeros(n_rows)
    return Case(model, X, offset)


@dataclass(frozen=True)
class GoldenCase(Case):
    """A case whose answers come from the file."""

    document: dict

    @cached_property
    def score(self):
        return np.array(self.document["scores"])

    @cached_property
    def contributions(self):
        return np.array(self.document["contributions"])

    @cached_property
    def prediction(self):
        return np.array(self.document["predictions"])

    def expected_reasons(self, n):
        return [list(map(tuple, row[:n])) for row in self.document["reasons"]]

    def model_reasons(self, row, n):
        return reasons(self.model, row, n).reasons


@cache
def golden_case(number):
    document = GOLDEN[number]
    model = from_json(json.dumps(document["model"]))
    X = pd.DataFrame(document["rows"], columns=list(model.schema.names), dtype=object)
    for feature in model.schema.features:
        if feature.is_numeric:
            X[feature.name] = X[feature.name].astype(float)
    return GoldenCase(model, X, np.array(document["offsets"]), document)


def case_of(seed, n_rows):
    return golden_case(seed) if n_rows == "golden" else random_case(seed, n_rows)


@cache
def far_case(link):
    """Return a classifier far from 0 on both sides, where probabilities are small but not 0."""
    scores = np.array([-700.0, -300.0, -40.0, -35.0, -1.0, 0.0, 1.0, 35.0, 40.0, 700.0])
    feature = Feature("x", 0, "numeric", low=0.0, high=9.0)
    values = np.append(scores, 0.0)
    if link == "softmax":
        values = np.column_stack([values, 0 * values, values / 2])
    shape = ShapeFunction(
        feature, np.arange(9.0), values, np.ones(len(values)), np.zeros(values.shape)
    )
    term = Term(feature, PartitionTree.trivial(), (shape,))
    intercept = (0.0,) * 3 if link == "softmax" else 0.0
    classes = CLASSES[link][0]
    model = Model(Schema((feature,)), intercept, (term,), link, classes)
    X = pd.DataFrame({"x": np.arange(len(scores)) - 0.0})
    return Case(model, X, np.zeros(len(X)))


each_far_link = pytest.mark.parametrize("link", ["logit", "softmax"])


def random_schema(rng):
    names = list(rng.permutation(NAMES)[: rng.integers(2, 7)])
    features = []
    for index, name in enumerate(map(str, names)):
        kind = str(rng.choice(["numeric", "numeric", "categorical", "boolean"]))
        has_missing = bool(rng.integers(2))
        if kind == "numeric":
            features.append(Feature(name, index, kind, (), has_missing, low=-5.0, high=9.0))
        elif kind == "boolean":
            features.append(Feature(name, index, kind, ("False", "True"), has_missing))
        else:
            labels = tuple(map(str, rng.permutation(LABELS)[: rng.integers(1, len(LABELS) + 1)]))
            features.append(Feature(name, index, kind, labels, has_missing))
    return Schema(tuple(features))


def random_term(rng, feature, schema, n_outputs, n_fine, max_edge):
    tree = PartitionTree.trivial()
    others = [other for other in schema.features if other != feature]
    for _ in range(rng.integers(0, 4)):
        condition = random_condition(rng, others[rng.integers(len(others))])
        leaf = int(rng.integers(tree.n_leaves))
        region = tree.regions[leaf]
        if not region.implies(condition) and not region.contradicts(condition):
            tree = tree.split(leaf, condition)
    edges = np.array([])
    if feature.is_numeric:
        n_more = int(rng.choice([0, 3, n_fine]))
        awkward = rng.permutation(EDGES)[: rng.integers(0, len(EDGES) + 1)]
        awkward = awkward[np.abs(awkward) < max_edge]
        edges = np.unique(np.concatenate([awkward, rng.normal(size=n_more) * 3]))
    n_slots = (len(edges) if feature.is_numeric else feature.n_levels) + 2
    shapes = []
    for _ in range(tree.n_leaves):
        shape = (n_slots, n_outputs) if n_outputs else n_slots
        values = rng.normal(size=shape)
        values[rng.random(n_slots) < 0.1] = 0.0  # some add nothing
        counts = rng.integers(0, 100, n_slots).astype(float)
        shapes.append(ShapeFunction(feature, edges, values, counts, np.zeros(shape)))
    return Term(feature, tree, tuple(shapes))


def random_condition(rng, feature):
    missing = bool(rng.integers(2))
    if not feature.is_numeric:
        codes = np.flatnonzero(rng.random(feature.n_levels) < 0.5)
        return Condition(feature, str(rng.choice(["=", "!="])), tuple(codes.tolist()), missing)
    operator = str(rng.choice(["<=", ">", "=", "!="]))
    value = float(rng.choice(EDGES))
    if operator in ("<=", ">"):
        return Condition(feature, operator, float(rng.choice([value, np.inf])), missing)
    low = float(rng.choice([np.nextafter(value, -np.inf), value - 1.5, -np.inf]))
    high = float(rng.choice([value, value + 1.5, np.inf]))
    low = low if low < value else -np.inf
    return Condition(feature, operator, value, missing, (low, high))


def random_table(rng, model, n_rows):
    columns = {}
    for term in model.terms:
        feature = term.feature
        if feature.is_numeric:
            cuts = np.concatenate([term.edges, EDGES])
            chosen = rng.choice(cuts, n_rows)
            side = rng.integers(-1, 2, n_rows)
            towards = np.array([-np.inf, 0.0, np.inf])[side + 1]
            near = np.where(side == 0, chosen, np.nextafter(chosen, towards))
            values = np.where(rng.random(n_rows) < 0.5, near, rng.normal(size=n_rows) * 5)
            values[rng.random(n_rows) < 0.1] = np.nan
            columns[feature.name] = values
            continue
        pool = [False, True] if feature.kind == "boolean" else [*feature.levels, *UNSEEN]
        values = [pool[k] for k in rng.integers(len(pool), size=n_rows)]
        missing = rng.random(n_rows) < 0.1
        values = [None if gone else value for value, gone in zip(values, missing, strict=True)]
        columns[feature.name] = pd.Series(values, dtype=object)
    return pd.DataFrame(columns)


def as_json_rows(X):
    """Return rows as JSON has them: missing values are None."""
    return X.astype(object).where(X.notna(), None).to_dict("records")
