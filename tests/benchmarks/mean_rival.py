"""A rival that predicts the mean, in the environment that runs the tests."""

import numpy as np

from benchmarks.rivals import Rival


def fit_mean(X, y, task, n_jobs, seed):
    if n_jobs == 13:
        raise ValueError("n_jobs must not be unlucky; got 13")
    return float(np.mean(y))


RIVAL = Rival(
    requirements=(),
    fit=fit_mean,
    predict=lambda mean, X: np.full(len(X), mean),
    n_interactions=lambda mean: 0,
)
