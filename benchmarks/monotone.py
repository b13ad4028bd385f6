"""What a monotone promise costs: error with and without it, beside XGBoost and EBM with the same.

    python -m benchmarks.monotone            (CALMGAM_DATA; fold 0)

RMSE on the rows left out, or 1 - AUC. The product 2 x0 x1 + x0 (x1 >= 0) is simulated; its R² is
that of the true mean. Seconds are CPU seconds. `pairs`: curves or terms in which a promised feature
stands with another one, in the model that keeps the promise. EBM has 4 outer bags, not its 14, and
sees at most 8,400 rows, all but those of california_housing and adult: compare its ratio there, not
its errors. Cells that the CSV has are kept, so an interrupted run goes on where it stopped.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score, roc_auc_score

from benchmarks import tables
from benchmarks.datasets import load, split
from benchmarks.environments import ROOT
from benchmarks.run import names

UP, DOWN = "increasing", "decreasing"
PROMISES = {
    "product": {"x0": UP},
    "california_housing": {"MedInc": UP},
    "heloc": {"ExternalRiskEstimate": DOWN},  # of log-odds of a bad risk
    "adult": {"education-num": UP, "hours-per-week": UP},
}
N_SEEDS = {"calm": 10, "xgboost": 10, "ebm": 3}  # of the product
EBM_BAGS, EBM_ROWS = 4, 8400  # to be done in minutes
Promises = Mapping[str, str]
Cell = tuple[str, int, str]  # table, seed, and model or way


class Fitted(NamedTuple):
    """The scores of rows, and how many pairs hold a promised feature."""

    score: Callable[[pd.DataFrame], np.ndarray]
    pairs: int | None


def product(n_rows: int = 4000, seed: int = 0) -> tuple[pd.DataFrame, pd.Series, str]:
    """Simulate a product, of which EBM with the constraint fits no pair."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0, 1, (n_rows, 4))).add_prefix("x")
    return X, mean_of_product(X) + 0.1 * rng.normal(size=n_rows), "regression"


def mean_of_product(X: pd.DataFrame) -> pd.Series:
    """Return the true mean."""
    return 2 * X.x0 * X.x1 + X.x0


def calm(task: str, promised: Promises, X: pd.DataFrame, y: np.ndarray) -> Fitted:
    """Fit ours."""
    from calmgam import CALMClassifier, CALMRegressor

    kind = CALMRegressor if task == "regression" else CALMClassifier
    model = kind(monotone=promised or None, random_state=0, n_jobs=1).fit(X, y).model_
    named = {model.schema.index(name) for name in promised}
    together = ({term.feature.index, *term.conditioned_on} for term in model.terms)
    return Fitted(model.score, sum(len(each) > 1 and bool(each & named) for each in together))


def xgboost(task: str, promised: Promises, X: pd.DataFrame, y: np.ndarray) -> Fitted:
    """Fit XGBoost."""
    from xgboost import XGBClassifier, XGBRegressor

    def frame(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.astype({c: "category" for c in rows.columns if rows[c].dtype.kind not in "bif"})

    kind = XGBRegressor if task == "regression" else XGBClassifier
    options = {"n_estimators": 300, "learning_rate": 0.1, "enable_categorical": True, "n_jobs": 1}
    constraints = {name: 1 if word == UP else -1 for name, word in promised.items()}
    model = kind(**options, monotone_constraints=constraints).fit(frame(X), y)
    return Fitted(lambda rows: model.predict(frame(rows), output_margin=True), None)


def ebm(task: str, promised: Promises, X: pd.DataFrame, y: np.ndarray) -> Fitted:
    """Fit EBM, with its own choice of pairs."""
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    some = np.sort(np.random.default_rng(0).permutation(len(y))[:EBM_ROWS])
    X, y = X.iloc[some], y[some]
    signs = [{UP: 1, DOWN: -1}.get(promised.get(name, ""), 0) for name in X.columns]
    options: dict[str, Any] = {"random_state": 0, "n_jobs": 1, "outer_bags": EBM_BAGS}
    options["monotone_constraints"] = signs if promised else None
    if task == "regression":
        model: Any = ExplainableBoostingRegressor(**options).fit(X, y)
        score = model.predict
    else:
        model = ExplainableBoostingClassifier(**options).fit(X, y)
        score = model.decision_function
    named = {X.columns.get_loc(name) for name in promised}
    return Fitted(score, sum(len(t) > 1 and bool(named & set(t)) for t in model.term_features_))


MODELS = {"calm": calm, "xgboost": xgboost, "ebm": ebm}


def error(task: str, y: np.ndarray, score: np.ndarray) -> float:
    """Return RMSE, or 1 - AUC."""
    if task == "regression":
        return float(np.sqrt(np.mean((y - score) ** 2)))
    return 1 - float(roc_auc_score(y, score))


def measure(table: str, seed: int, model: str) -> dict[str, Any]:
    """Fit with and without the promise, and measure both on the rows left out."""
    X, y, task = product(seed=seed) if table == "product" else load(table)
    X_train, y_train, X_test, y_test = split(X, np.asarray(y), "0")
    row: dict[str, Any] = {"table": table, "seed": seed, "model": model}
    row["promised"] = " ".join(PROMISES[table])
    for word, promised in (("free", {}), ("monotone", PROMISES[table])):
        start = time.process_time()
        fitted = MODELS[model](task, promised, X_train, y_train)
        row[f"seconds_{word}"] = time.process_time() - start
        score = fitted.score(X_test)
        row[word] = error(task, y_test, score)
        if table == "product":
            row[f"r2_{word}"] = r2_score(mean_of_product(X_test), score)
    return row | {"ratio": row["monotone"] / row["free"], "pairs": fitted.pairs}


def cells(tables: Iterable[str], models: Iterable[str]) -> list[Cell]:
    """Return every table, seed and model that is asked for."""
    return [
        (table, seed, model)
        for table in tables
        for model in models
        for seed in range(N_SEEDS[model] if table == "product" else 1)
    ]


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return means over seeds per table and model, and the largest loss of R²."""
    measured = measured.assign(r2_lost=measured["r2_free"] - measured["r2_monotone"])
    groups = measured.groupby(["table", "model"], sort=False)
    found = groups[["free", "monotone"]].mean()
    found["ratio"] = found["monotone"] / found["free"]
    found["most R² lost"] = groups["r2_lost"].max()
    found["fits"] = groups.size()
    found["pairs with a promised feature"] = groups["pairs"].mean()
    return found.round(4).reset_index()


def record(
    wanted: list[Cell],
    measure: Callable[..., dict[str, Any]],
    summary: Callable[[pd.DataFrame], pd.DataFrame],
    out: Path,
    prog: str,
) -> None:
    """Measure the cells that a CSV lacks, write it after each, then the table of its summary.

    The first three columns of a row are its cell.
    """
    rows = list(pd.read_csv(out).to_dict("records")) if out.exists() else []
    known = {cell_of(row) for row in rows}
    for cell in wanted:
        if cell not in known:
            rows.append(measure(*cell))
            print(rows[-1], flush=True)
            pd.DataFrame(rows).round(5).to_csv(out, index=False)
    text = tables.markdown(summary(pd.DataFrame(rows)))
    out.with_suffix(".md").write_text(f"Made by `{prog}`.\n\n{text}\n")
    print(text)


def cell_of(row: Mapping[str, Any]) -> Cell:
    """Return what a row is about."""
    table, seed, way = list(row.values())[:3]
    return table, seed, way


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the CSV and its table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.monotone", description="Measure what a monotone promise costs."
    )
    parser.add_argument("--tables", type=names, default=list(PROMISES))
    parser.add_argument("--models", type=names, default=list(MODELS))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/monotone.csv")
    options = parser.parse_args(arguments)
    wanted = cells(options.tables, options.models)
    record(wanted, measure, summary, options.out, parser.prog)


if __name__ == "__main__":
    main()
