"""Random forest as in the paper: 500 trees, depth 25, at least 3 rows in a leaf."""

from benchmarks.rivals import SKLEARN, Rival


def fit_forest(X, y, task, n_jobs, seed):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    estimator = RandomForestRegressor if task == "regression" else RandomForestClassifier
    return estimator(
        n_estimators=500, max_depth=25, min_samples_leaf=3, n_jobs=n_jobs, random_state=seed
    ).fit(X, y)


RIVAL = Rival(requirements=(SKLEARN,), fit=fit_forest, imports=("sklearn.ensemble",))
