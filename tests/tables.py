"""Tables that several tests share."""

import numpy as np

from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.target import Target
from calmgam.fit.regions.given import given_trees
from calmgam.model.regions import Condition
from calmgam.model.schema import Feature, Schema
from calmgam.model.tree import PartitionTree
from prepared import prepared_of

REGIONS = {
    "a": ["b <= 0 and c = p or missing", "b <= 0 and c != p", "b > 0"],
    "c": ["a <= 0.5 or missing", "a > 0.5"],
    "e": ["d = True or missing", "d != True"],
}


def mixed_table(n_rows: int = 600) -> tuple[np.ndarray, np.ndarray, Schema]:
    """Encoded numbers (with ties), a boolean and categories (one code is the unseen level's), with
    missing values in each kind; and a target with interactions."""
    rng = np.random.default_rng(3)
    X = np.empty((n_rows, 5), order="F")
    X[:, 0] = rng.normal(size=n_rows)
    X[:, 1] = np.round(rng.normal(size=n_rows), 1)
    X[:, 2] = rng.integers(0, 8, n_rows)
    X[:, 3] = rng.integers(0, 2, n_rows)
    X[:, 4] = rng.lognormal(size=n_rows)
    y = X[:, 0] * X[:, 1] + np.isin(X[:, 2], [1, 4, 6]) * X[:, 0] + X[:, 3] * np.log(X[:, 4])
    y = y + 0.1 * rng.normal(size=n_rows)
    X[rng.random((n_rows, 5)) < [0.1, 0.0, 0.1, 0.05, 0.0]] = np.nan
    schema = Schema(
        (
            Feature("a", 0, "numeric", has_missing=True),
            Feature("b", 1, "numeric"),
            Feature("c", 2, "categorical", tuple("pqrstuv"), has_missing=True, has_rare=True),
            Feature("d", 3, "boolean", ("False", "True"), has_missing=True),
            Feature("e", 4, "numeric"),
        )
    )
    return X, (y - y.mean()) / y.std(), schema


def any_tree(n_leaves: int) -> PartitionTree:
    """A tree whose conditions do not matter, as deep as can be."""
    gate, tree = Feature("gate", 99, "numeric"), PartitionTree.trivial()
    for leaf in range(n_leaves - 1):
        tree = tree.split(leaf, Condition(gate, "<=", float(leaf)))
    return tree


def in_given_order(binned, turns=None):
    """The same bins, whose features take turns in the given order, or as they come."""
    vars(binned)["turns"] = tuple(range(len(binned.features)) if turns is None else turns)
    return binned


class MixedTable:
    """The mixed table with regions, as the stages before boosting leave it."""

    def __init__(self, regions=REGIONS, max_bins=16):
        self.X, self.y, self.schema = mixed_table()
        prepared = prepared_of(self.X, self.y, self.schema, max_bins=max_bins)
        self.binned = in_given_order(prepared.binned)
        self.trees = given_trees(regions, prepared)
        self.n_leaves = [tree.n_leaves for tree in self.trees]
        self.cells = self.binned.cells(self.trees)

    def data(self, target, bags, seed=5, **options):
        """What learners of curves are given."""
        return CurveData(self.cells, self.binned, self.trees, target, bags, seed, **options)

    def target(self, task="regression", weights=None):
        weights = np.ones(len(self.y)) if weights is None else weights
        if task == "classification":
            return Target.classification((self.y > 0).astype(float), weights)
        return Target.regression(self.y, weights)
