"""calm-additive's paper preset, told that every column is continuous, as the paper's inputs were.

The preset conditions on continuous columns only, and takes whole numbers with fewer than ten
values for ordinal ones; as floats they may be conditions.
"""

from dataclasses import replace

from benchmarks.rivals import calm_additive, mean_response


def fit_continuous(X, y, task, n_jobs, seed):
    return calm_additive.fit_paper(X.astype(float), y, task, n_jobs, seed)


RIVAL = replace(
    calm_additive.RIVAL,
    fit=fit_continuous,
    predict=lambda model, X: mean_response(model, X.astype(float)),
)
