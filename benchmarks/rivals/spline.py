"""pyGAM: one spline per feature, the strength of smoothing found by its grid search."""

from benchmarks.rivals import Rival


def fit_spline(X, y, task, n_jobs, seed):
    from pygam import LinearGAM, LogisticGAM

    estimator = LinearGAM if task == "regression" else LogisticGAM
    return estimator().gridsearch(X.to_numpy(), y, progress=False)


def predict_spline(model, X):
    from pygam import LogisticGAM

    logistic = isinstance(model, LogisticGAM)
    return (model.predict_proba if logistic else model.predict)(X.to_numpy())


RIVAL = Rival(
    requirements=("pygam==0.12.0",),
    fit=fit_spline,
    predict=predict_spline,
    n_interactions=lambda model: 0,
    imports=("pygam",),
    scaling="z-score",
)
