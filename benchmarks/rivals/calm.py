"""calmgam with its default settings."""

from benchmarks.rivals import XGBOOST, Rival


def estimator(task):
    from calmgam import CALMClassifier, CALMRegressor

    return CALMRegressor if task == "regression" else CALMClassifier


def fit_calm(X, y, task, n_jobs, seed, **settings):
    return estimator(task)(n_jobs=n_jobs, random_state=seed, **settings).fit(X, y)


RIVAL = Rival(
    requirements=(".", *XGBOOST),
    fit=fit_calm,
    n_interactions=lambda model: model.n_interactions_,
    imports=("calmgam.estimators", "sklearn.ensemble", "xgboost"),
    accepts_text=True,
)
