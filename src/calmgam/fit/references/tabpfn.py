"""The reference "tabpfn": a pre-trained transformer that reads the table and answers at once.

In: encoded rows. Out: predictions of the `tabpfn` package, which downloads its weights at the first
fit. It keeps the training rows, of which it takes ten thousand, and answers in small batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calmgam.model.schema import Schema

MAX_ROWS = 10_000  # what the model was trained for
BATCH_ROWS = 2_000  # predicted at once: a matter of memory


class TabPFN:
    """TabPFNRegressor or TabPFNClassifier on encoded rows.

    Parameters
    ----------
    package : module
        `tabpfn`, or anything with its two estimators.
    schema : Schema
    task : {"regression", "classification"}
    random_state : int
    """

    def __init__(self, package: Any, schema: Schema, task: str, random_state: int = 0) -> None:
        kind = "Regressor" if task == "regression" else "Classifier"
        levels = [feature.index for feature in schema.features if not feature.is_numeric]
        self.random_state = random_state
        self.estimator = getattr(package, f"TabPFN{kind}")(
            categorical_features_indices=levels,
            ignore_pretraining_limits=True,
            random_state=random_state,
        )

    def fit(self, X: np.ndarray, y: np.ndarray) -> TabPFN:
        """Hand over the training rows; of many, some."""
        rows = np.arange(len(X))
        if len(X) > MAX_ROWS:
            rng = np.random.default_rng(self.random_state)
            rows = np.sort(rng.choice(len(X), MAX_ROWS, replace=False))
        self.estimator.fit(X[rows], y[rows])
        return self

    @property
    def classes_(self) -> np.ndarray:
        """The labels of a classifier."""
        return self.estimator.classes_

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict numbers or labels."""
        return _in_batches(self.estimator.predict, X)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of both classes."""
        return _in_batches(self.estimator.predict_proba, X)


def _in_batches(predict: Callable[[np.ndarray], Any], X: np.ndarray) -> np.ndarray:
    batches = range(0, len(X), BATCH_ROWS)
    return np.concatenate([predict(X[start : start + BATCH_ROWS]) for start in batches])
