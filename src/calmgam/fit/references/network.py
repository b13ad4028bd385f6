"""The reference "mlp": a network with two hidden layers of 50, trained by scikit-learn.

In: encoded rows, which it scales, one-hot encodes and imputes itself. Out: scores, and what local
effects are made of. In an ICE curve only the changed feature's share of the first layer moves,

    a(g, x) = a(x) + (e(g) - e(x_i)) W_i        e: the feature's encoding, W_i: its weights

so the first layer is computed once per row and the rest in single precision.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from calmgam.fit.data.dense import DenseTable
from calmgam.fit.support.threads import Shared, one_blas_thread, parallel_map
from calmgam.model.schema import Schema

BATCH_VALUES = 8192  # hidden layers of a batch stay in the cache


@contextmanager
def _warnings_off() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


no_convergence_warning = Shared(_warnings_off)  # 200 epochs are what was asked for


class Network:
    """A scikit-learn network on encoded rows.

    Parameters
    ----------
    schema : Schema
    task : {"regression", "classification"}
    early_stopping : bool
        Stop when the loss on a tenth of the rows no longer falls.
    random_state, n_jobs : int
    """

    def __init__(
        self,
        schema: Schema,
        task: str,
        *,
        early_stopping: bool = False,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        from sklearn.neural_network import MLPClassifier, MLPRegressor

        self.schema, self.n_jobs = schema, n_jobs
        self.estimator = (MLPRegressor if task == "regression" else MLPClassifier)(
            hidden_layer_sizes=(50, 50),
            activation="relu",
            solver="adam",
            learning_rate_init=0.001,
            max_iter=200,
            early_stopping=early_stopping,
            n_iter_no_change=20 if early_stopping else 10,
            random_state=random_state,
        )

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Network:
        """Train on encoded rows, up to 200 epochs in batches of 200."""
        self.table = DenseTable.learn(X, self.schema)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        with one_blas_thread, no_convergence_warning:
            self.estimator.fit(self.table.encode(X).astype(np.float32), y, **weights)
        self.layers = [
            (weight.astype(np.float32), bias.astype(np.float32))
            for weight, bias in zip(self.estimator.coefs_, self.estimator.intercepts_, strict=True)
        ]
        return self

    @property
    def classes_(self) -> np.ndarray:
        """The labels of a classifier."""
        return self.estimator.classes_

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Prediction of a number, or log-odds of the second class."""
        return self._in_batches(X, 1, lambda rows: self._output(self._first_layer(rows)))

    predict = decision_function

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of both classes."""
        probability = 1.0 / (1.0 + np.exp(-self.decision_function(X)))
        return np.column_stack([1.0 - probability, probability])

    def score_on_grid(self, X: np.ndarray, feature: int, grid: np.ndarray) -> np.ndarray:
        """Score of every row with one feature set to every grid value, (n_rows, n_values)."""
        place, column = self.table.place(feature), self.table.columns[feature]
        weights = self.layers[0][0][place]
        at_grid = column.encode(grid).astype(np.float32) @ weights

        def curves(rows: np.ndarray) -> np.ndarray:
            own = column.encode(rows[:, feature]).astype(np.float32) @ weights
            first = (self._first_layer(rows) - own)[:, None, :] + at_grid
            return self._output(first.reshape(-1, first.shape[2])).reshape(len(rows), len(grid))

        return self._in_batches(X, len(grid), curves)

    def gradient(self, X: np.ndarray, feature: int) -> np.ndarray:
        """Return the derivative of every row's score with respect to a numeric feature."""
        start = self.table.place(feature).start

        def slopes(rows: np.ndarray) -> np.ndarray:
            before = self._first_layer(rows)
            slope = np.broadcast_to(self.layers[0][0][start], before.shape)
            for weight, bias in self.layers[1:]:
                slope = (slope * (before > 0)) @ weight
                before = np.maximum(before, 0) @ weight + bias
            return slope[:, 0]

        return self._in_batches(X, 1, slopes) / self.table.columns[feature].scale

    def _first_layer(self, rows: np.ndarray) -> np.ndarray:
        weight, bias = self.layers[0]
        return self.table.encode(rows).astype(np.float32) @ weight + bias

    def _output(self, before: np.ndarray) -> np.ndarray:
        """Return what comes out for sums that go into the first hidden layer."""
        for weight, bias in self.layers[1:]:
            before = np.maximum(before, 0, out=before) @ weight
            before += bias
        return before[:, 0]

    def _in_batches(
        self, X: np.ndarray, n_values: int, work: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        size = max(1, BATCH_VALUES // n_values)
        batches: Iterable[Any] = (X[start : start + size] for start in range(0, len(X), size))
        with one_blas_thread:
            parts = list(parallel_map(work, batches, self.n_jobs))
        return np.concatenate(parts).astype(np.float64)
