"""XGBoost as in the paper: 300 rounds, learning rate 0.1."""

from benchmarks.rivals import XGBOOST, Rival


def fit_xgboost(X, y, task, n_jobs, seed):
    from xgboost import XGBClassifier, XGBRegressor

    estimator = XGBRegressor if task == "regression" else XGBClassifier
    model = estimator(n_estimators=300, learning_rate=0.1, n_jobs=n_jobs, random_state=seed)
    return model.fit(X, y)


RIVAL = Rival(requirements=XGBOOST, fit=fit_xgboost, imports=("xgboost",))
