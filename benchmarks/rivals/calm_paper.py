"""calmgam with the settings of the paper."""

from dataclasses import replace

from benchmarks.rivals import calm


def fit_paper(X, y, task, n_jobs, seed):
    return calm.estimator(task).paper(n_jobs=n_jobs, random_state=seed).fit(X, y)


RIVAL = replace(calm.RIVAL, fit=fit_paper)
