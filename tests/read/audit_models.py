"""Random small models and the table of all their inputs, for brute force."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd

from calmgam.model import Condition, Feature, Model, PartitionTree, Schema, ShapeFunction, Term


def random_feature(rng, index):
    kind = str(rng.choice(["numeric", "numeric", "categorical", "boolean"]))
    levels = {"boolean": ("False", "True"), "categorical": tuple("abc")}.get(kind, ())
    has_missing, ordered = bool(rng.random() < 0.4), kind == "categorical" and index % 2 == 1
    return Feature(f"x{index}", index, kind, levels, has_missing=has_missing, ordered=ordered)


def random_condition(rng, feature):
    missing = bool(rng.random() < 0.5)
    if not feature.is_numeric:
        n_levels = feature.n_levels
        codes = np.flatnonzero(rng.permutation(n_levels) < rng.integers(1, n_levels))
        return Condition(feature, str(rng.choice(["=", "!="])), tuple(codes), missing)
    threshold = float(rng.integers(-2, 3))
    if rng.random() < 0.25:
        bounds = (threshold - 1, threshold)
        return Condition(feature, str(rng.choice(["=", "!="])), threshold, missing, bounds)
    return Condition(feature, str(rng.choice(["<=", ">"])), threshold, missing)


def random_tree(rng, own, conditions, n_splits, max_depth=3, tree=None):
    tree = tree or PartitionTree.trivial()
    others = [condition for condition in conditions if condition.feature != own]
    for _ in range(n_splits):
        leaf = int(rng.integers(tree.n_leaves))
        condition, region = others[rng.integers(len(others))], tree.regions[leaf]
        is_open = not region.implies(condition) and not region.contradicts(condition)
        if is_open and len(region.conditions) < max_depth:
            tree = tree.split(leaf, condition)
    return tree


def random_model(seed, features=None):
    """Return a model; some have whole-number curves, so that steps tie, and some rise mostly."""
    rng = np.random.default_rng(seed)
    n_features = 3 + seed % 6 if features is None else len(features)
    n_edges, max_conditions = (3, 2) if n_features < 7 else (2, 1)  # keeps brute force small
    features = features or tuple(random_feature(rng, index) for index in range(n_features))
    n_conditions = rng.integers(1, max_conditions + 1, n_features)
    pool = [random_condition(rng, f) for f in features for _ in range(n_conditions[f.index])]
    is_whole, slope = rng.random() < 0.3, rng.choice([0.0, 0.0, 3.0])
    terms = []
    for feature in features:
        tree = random_tree(rng, feature, pool, int(rng.integers(0, 5)))
        edges = np.unique(rng.integers(-3, 4, n_edges * feature.is_numeric)) + 0.0
        n_slots = (len(edges) if feature.is_numeric else feature.n_levels) + 2
        values = rng.normal(size=(tree.n_leaves, n_slots)) + slope * np.arange(n_slots)
        values = np.round(values / 2) if is_whole else values
        counts = rng.integers(0, 3, values.shape) * (rng.random((tree.n_leaves, 1)) < 0.7)
        shapes = (
            ShapeFunction(feature, edges, curve, rows, np.zeros(n_slots))
            for curve, rows in zip(values, counts, strict=True)
        )
        terms.append(Term(feature, tree, tuple(shapes)))
    return Model(Schema(features), float(rng.normal()), tuple(terms))


def random_pair(seed):
    """Return two models over much the same features: one may lack some of them, or some levels."""
    rng = np.random.default_rng(1000 + seed)
    features = tuple(random_feature(rng, index) for index in range(3))
    if seed % 5 == 0:
        return random_model(seed, features), random_model(seed + 1, features)
    changed = [f for f in features if rng.random() < 0.8 or f.index == 0]
    changed.append(replace(random_feature(rng, 3), name="new"))
    changed = [changed[k] for k in rng.permutation(len(changed))]
    for place, feature in enumerate(changed):
        changes = {"index": place, "has_missing": bool(rng.random() < 0.4)}
        if feature.kind == "categorical" and rng.random() < 0.7:
            changes |= {"levels": [("b", "c"), ("a", "d", "c"), ("e", "f")][seed % 3]}
        changed[place] = replace(feature, **changes)
    return random_model(seed, features), random_model(seed + 1, tuple(changed))


def all_values(model, feature, extra_cuts=()):
    """Return every value of a feature that the model can tell apart: the upper end of each gap."""
    if feature.is_numeric:
        conditions = [n.condition for t in model.terms for n in t.tree.nodes if n.condition]
        cuts = {edge for c in conditions if c.feature == feature for edge in c.edges}
        cuts = sorted({*cuts, *model.terms[feature.index].edges.tolist(), *extra_cuts})
        present = [*cuts, cuts[-1] + 5.0] if cuts else [0.0]
    else:
        present = list(map(float, range(feature.n_levels)))
    return [*present, math.nan] if feature.has_missing else present


class BruteForce:
    """Scores and contributions of all inputs: one axis per feature."""

    def __init__(self, model, given=None, extra_cuts=()):
        features = model.schema.features
        self.values = [all_values(model, feature, extra_cuts) for feature in features]
        for index, value in (given or {}).items():
            self.values[index] = [value]
        self.rows = np.array(list(itertools.product(*self.values)))
        shape = [len(values) for values in self.values]
        self.scores = model.score_encoded(self.rows).reshape(shape)
        self.contributions = model.contributions_encoded(self.rows).reshape(*shape, -1)


def user_value(feature, code):
    if math.isnan(code):
        return None
    return code if feature.is_numeric else feature.levels[int(code)]


def as_frame(model, rows):
    columns = zip(model.schema.features, rows.T, strict=True)
    return pd.DataFrame({f.name: [user_value(f, code) for code in column] for f, column in columns})


def curve(feature, edges, values):
    values = [*values, 0.0]  # the last one: missing
    return ShapeFunction(feature, edges, values, np.ones(len(values)), np.zeros(len(values)))


def hidden_jump_model(link="identity", step=-0.2, jump=4.0):
    """x1's own curve falls by 0.2 at 0, where x2's curve switches from -2 to +2."""
    x1, x2 = (Feature(f"x{i}", i - 1, "numeric", low=-1.0, high=1.0) for i in (1, 2))
    on_x1 = PartitionTree.trivial().split(0, Condition(x1, "<=", 0.0))
    terms = (
        Term(x1, PartitionTree.trivial(), (curve(x1, [0.0], [-step / 2, step / 2]),)),
        Term(x2, on_x1, (curve(x2, [], [-jump / 2]), curve(x2, [], [jump / 2]))),
    )
    return Model(Schema((x1, x2)), 0.0, terms, link, ("no", "yes") if link == "logit" else ())


def big_model(seed=0, n_features=20, n_bins=1000, n_splits=20, max_depth=3):
    rng = np.random.default_rng(seed)
    features = tuple(
        Feature(f"x{i}", i, "numeric", has_missing=True, low=0.0, high=float(n_bins))
        for i in range(n_features)
    )
    edges, none = np.arange(1.0, n_bins), np.zeros(n_bins + 1)
    trees = [PartitionTree.trivial() for _ in features]
    while sum(tree.n_splits for tree in trees) < n_splits:
        own, other = rng.choice(n_features, 2, replace=False)
        condition = Condition(features[other], "<=", float(rng.choice(edges)), bool(own % 2))
        trees[own] = random_tree(rng, features[own], [condition], 1, max_depth, trees[own])
    terms = []
    for feature, tree in zip(features, trees, strict=True):
        curves = rng.normal(size=(tree.n_leaves, n_bins + 1)).cumsum(axis=1)
        shapes = (ShapeFunction(feature, edges, curve, none + 1, none) for curve in curves)
        terms.append(Term(feature, tree, tuple(shapes)))
    return Model(Schema(features), 0.0, tuple(terms))
