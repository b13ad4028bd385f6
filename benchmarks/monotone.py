"""What a monotone promise costs: error with and without it, XGBoost with the same beside it.

    python -m benchmarks.monotone            (CALMGAM_DATA; fold 0)

RMSE on the rows left out, or 1 - AUC. The product 2 x0 x1 + x0 (x1 >= 0) is simulated.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.datasets import load, split
from calmgam import CALMClassifier, CALMRegressor

RESULTS = Path(__file__).parent / "results"
UP, DOWN = "increasing", "decreasing"
PROMISES = {
    "product": {"x0": UP},
    "california_housing": {"MedInc": UP},
    "heloc": {"ExternalRiskEstimate": DOWN},  # of log-odds of a bad risk
    "adult": {"education-num": UP, "hours-per-week": UP},
}


def product(n_rows: int = 4000, seed: int = 0):
    """Simulate a product, of which EBM with the constraint fits no pair."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0, 1, (n_rows, 4))).add_prefix("x")
    return X, 2 * X.x0 * X.x1 + X.x0 + 0.1 * rng.normal(size=n_rows), "regression"


def calm(task, promised, X, y):
    """Fit ours; return the scores' function."""
    kind = CALMRegressor if task == "regression" else CALMClassifier
    model = kind(monotone=promised, random_state=0)
    model.fit(X, y)
    return model.model_.score


def xgboost(task, promised, X, y):
    """Fit XGBoost; return the scores' function."""
    from xgboost import XGBClassifier, XGBRegressor

    def frame(rows):
        return rows.astype({c: "category" for c in rows.columns if rows[c].dtype.kind not in "bif"})

    kind = XGBRegressor if task == "regression" else XGBClassifier
    options = {"n_estimators": 300, "learning_rate": 0.1, "enable_categorical": True, "n_jobs": 2}
    constraints = {name: 1 if word == UP else -1 for name, word in (promised or {}).items()}
    model = kind(**options, monotone_constraints=constraints).fit(frame(X), y)
    return lambda rows: model.predict(frame(rows), output_margin=True)


def error(task, y, score):
    """Return RMSE, or 1 - AUC."""
    if task == "regression":
        return float(np.sqrt(np.mean((y - score) ** 2)))
    return 1 - float(roc_auc_score(y, score))


def cells():
    """Yield one row per table and model."""
    for name, promised in PROMISES.items():
        X, y, task = product() if name == "product" else load(name)
        rows = split(X, np.asarray(y), "0")
        X_train, y_train, X_test, y_test = rows
        for model, fit in (("calm", calm), ("xgboost", xgboost)):
            errors, seconds = [], []
            for asked in (None, promised):
                start = time.perf_counter()
                score = fit(task, asked, X_train, y_train)
                seconds.append(time.perf_counter() - start)
                errors.append(error(task, y_test, score(X_test)))
            yield {
                "table": name,
                "promised": " ".join(promised),
                "model": model,
                "free": errors[0],
                "monotone": errors[1],
                "ratio": errors[1] / errors[0],
                "seconds_free": seconds[0],
                "seconds_monotone": seconds[1],
            }


def main() -> None:
    """Measure, and write the CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS / "monotone.csv")
    out = parser.parse_args().out
    rows = []
    for row in cells():
        rows.append(row)
        print(row, flush=True)
        pd.DataFrame(rows).round(5).to_csv(out, index=False)


if __name__ == "__main__":
    main()
