"""Explainable Boosting Machine without interactions."""

from functools import partial

from benchmarks.rivals import LOSSES, TWEEDIE_POWER, Rival

OBJECTIVES = {
    "squared_error": "rmse",
    "poisson": "poisson_deviance",
    "gamma": "gamma_deviance",
    "tweedie": f"tweedie_deviance:variance_power={TWEEDIE_POWER}",
}


def fit_ebm(X, y, task, n_jobs, seed, sample_weight=None, **settings):
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    if task in LOSSES:
        objective = OBJECTIVES[LOSSES[task]]
        model = ExplainableBoostingRegressor(objective=objective, n_jobs=n_jobs, **settings)
    else:
        model = ExplainableBoostingClassifier(n_jobs=n_jobs, **settings)
    return model.set_params(random_state=seed).fit(X, y, sample_weight=sample_weight)


RIVAL = Rival(
    requirements=("interpret-core==0.7.8",),
    fit=partial(fit_ebm, interactions=0),
    n_interactions=lambda model: sum(len(features) > 1 for features in model.term_features_),
    imports=("interpret.glassbox",),
    accepts_text=True,
)
