"""Tables that several tests share."""

import numpy as np

from calmgam.model.schema import Feature, Schema


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
