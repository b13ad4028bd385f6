"""Numpy twin of the kernel in cpp/ice.hpp, and the table its tests share."""

import numpy as np

from calmgam.fit.ensembles import TreeEnsemble
from calmgam.model.schema import Feature, Schema


def ice_sums(
    trees: TreeEnsemble, X: np.ndarray, feature: int, grid: np.ndarray, all_trees: bool
) -> np.ndarray:
    """Sum the leaves of every row at every grid value, one row and one tree at a time."""

    def goes_left(node: int, x: float) -> bool:
        if np.isnan(x):
            return trees.missing_left[node] == 1
        if trees.left_codes[node] >= 0:
            return trees.code_goes_left[trees.left_codes[node] + int(x)] == 1
        return (np.float64(np.float32(x)) if trees.float32 else x) <= trees.thresholds[node]

    def leaf_value(node: int, row: np.ndarray) -> float:
        while trees.features[node] >= 0:
            left = goes_left(node, row[trees.features[node]])
            node = trees.left[node] if left else trees.right[node]
        return trees.values[node]

    ends = [*trees.roots[1:], len(trees.features)]
    roots = [
        root
        for root, end in zip(trees.roots, ends, strict=True)
        if all_trees or feature in trees.features[root:end]
    ]
    sums = np.zeros((len(X), len(grid)))
    for k, row in enumerate(X):
        for m, value in enumerate(grid):
            changed = np.where(np.arange(len(row)) == feature, value, row)
            sums[k, m] = sum(leaf_value(root, changed) for root in roots)
    return sums


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
