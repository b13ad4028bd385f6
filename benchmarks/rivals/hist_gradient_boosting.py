"""scikit-learn's HistGradientBoosting, stopped on 15 % of the rows.

It has no Tweedie loss: amounts with zeros get its Poisson loss, which aims at the same mean.
"""

from benchmarks.rivals import LOSSES, SKLEARN, Rival, as_categories, mean_response

OBJECTIVES = {"tweedie": "poisson"}  # the others have the same name


def fit_hist_gradient_boosting(X, y, task, n_jobs, seed, sample_weight=None):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    settings = {"max_iter": 1000, "early_stopping": True, "validation_fraction": 0.15}
    if task in LOSSES:
        loss = OBJECTIVES.get(LOSSES[task], LOSSES[task])
        model = HistGradientBoostingRegressor(loss=loss, random_state=seed, **settings)
    else:
        model = HistGradientBoostingClassifier(random_state=seed, **settings)
    return model.fit(as_categories(X), y, sample_weight=sample_weight)


RIVAL = Rival(
    requirements=(SKLEARN,),
    fit=fit_hist_gradient_boosting,
    predict=lambda model, X: mean_response(model, as_categories(X)),
    imports=("sklearn.ensemble",),
    accepts_text=True,
)
