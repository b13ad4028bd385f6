"""A GLM of statsmodels with a log link: numbers straight, a coefficient for every other level."""

from benchmarks.rivals import LOSSES, Rival


def fit_glm(X, y, task, n_jobs, seed, sample_weight=None):
    import pandas as pd
    import statsmodels.api as sm

    log = sm.families.links.Log()
    families = {"poisson": sm.families.Poisson(log), "gamma": sm.families.Gamma(log)}
    design = pd.get_dummies(X, drop_first=True, dtype=float).astype(float)
    medians = design.median()
    matrix = sm.add_constant(design.fillna(medians), has_constant="add")
    family = families[LOSSES[task]]
    fitted = sm.GLM(y, matrix, family=family, freq_weights=sample_weight).fit()
    return fitted, medians


def predict_glm(model, X):
    import pandas as pd
    import statsmodels.api as sm

    fitted, medians = model
    design = pd.get_dummies(X, dtype=float).reindex(columns=medians.index, fill_value=0.0)
    return fitted.predict(sm.add_constant(design.astype(float).fillna(medians), has_constant="add"))


RIVAL = Rival(
    requirements=("statsmodels==0.15.0",),
    fit=fit_glm,
    predict=predict_glm,
    n_interactions=lambda model: 0,
    imports=("statsmodels.api",),
    accepts_text=True,
)
