"""Explainable Boosting Machine without interactions."""

from functools import partial

from benchmarks.rivals import Rival


def fit_ebm(X, y, task, n_jobs, seed, **settings):
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    regression = task == "regression"
    estimator = ExplainableBoostingRegressor if regression else ExplainableBoostingClassifier
    return estimator(n_jobs=n_jobs, random_state=seed, **settings).fit(X, y)


RIVAL = Rival(
    requirements=("interpret-core==0.7.8",),
    fit=partial(fit_ebm, interactions=0),
    n_interactions=lambda model: sum(len(features) > 1 for features in model.term_features_),
    imports=("interpret.glassbox",),
    accepts_text=True,
)
