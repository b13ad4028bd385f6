"""calm-additive with its paper preset; its reference and its curves use n_jobs, the rest cannot."""

from benchmarks.rivals import Rival


def fit_paper(X, y, task, n_jobs, seed):
    from calm_additive import CALMClassifier, CALMRegressor

    estimator = CALMRegressor if task == "regression" else CALMClassifier
    threads = {"n_jobs": n_jobs}
    return estimator.paper(
        teacher_params=threads, curve_fitter_params=threads, random_state=seed
    ).fit(X, y)


RIVAL = Rival(
    requirements=("calm-additive==0.1.0",),
    fit=fit_paper,
    n_interactions=lambda model: model.n_conditional_interactions_,
    imports=("calm_additive",),
)
