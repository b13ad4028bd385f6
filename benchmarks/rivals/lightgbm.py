"""LightGBM, stopped on 15 % of the rows."""

from benchmarks.rivals import LOSSES, SKLEARN, TWEEDIE_POWER, Rival, as_categories, mean_response

OBJECTIVES = {"squared_error": "regression"}  # the others have the same name


def fit_lightgbm(X, y, task, n_jobs, seed, sample_weight=None):
    import numpy as np
    from lightgbm import LGBMClassifier, LGBMRegressor, early_stopping
    from sklearn.model_selection import train_test_split

    settings = {"n_estimators": 2000, "learning_rate": 0.05, "n_jobs": n_jobs}
    settings |= {"random_state": seed, "verbose": -1}
    if task in LOSSES:
        objective = OBJECTIVES.get(LOSSES[task], LOSSES[task])
        power = {"tweedie_variance_power": TWEEDIE_POWER} if objective == "tweedie" else {}
        model = LGBMRegressor(objective=objective, **power, **settings)
    else:
        model = LGBMClassifier(**settings)
    weights = np.ones(len(y)) if sample_weight is None else sample_weight
    strata = None if task in LOSSES else y
    train, stop = train_test_split(
        np.arange(len(y)), test_size=0.15, random_state=seed, stratify=strata
    )
    X = as_categories(X)
    return model.fit(
        X.iloc[train],
        y[train],
        sample_weight=weights[train],
        eval_X=X.iloc[stop],
        eval_y=y[stop],
        eval_sample_weight=[weights[stop]],
        callbacks=[early_stopping(50, verbose=False)],
    )


RIVAL = Rival(
    requirements=("lightgbm==4.7.0", SKLEARN),
    fit=fit_lightgbm,
    predict=lambda model, X: mean_response(model, as_categories(X)),
    imports=("lightgbm",),
    accepts_text=True,
)
