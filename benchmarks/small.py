"""Boosted curves and splines on small tables: rows drawn from the tables in CALMGAM_DATA.

    python -m benchmarks.small --rows 320,1000 --draws 2

A draw of so many rows of every table that has enough is fitted, up to 5,000 others are predicted.
Both ways to learn curves have the same regions. The mean of both stands beside them: half the sum
of two models with the same regions is such a model, too. Errors are RMSE and log loss. Writes
results/small.csv, whose cells are kept, and a table of ratios to boosted curves.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import datasets
from benchmarks.environments import ROOT
from benchmarks.run import names
from benchmarks.tables import markdown, publish, section
from calmgam import CALMClassifier, CALMRegressor

OUT = ROOT / "benchmarks/results/small.csv"
TEST_ROWS = 5000
SPARE = 1.4  # a table has so many times the rows that are drawn
SPLITS = {"own GAM": 0, "calm": "auto"}


def scores_of(curves: str, max_splits: int | str, train: tuple, test: pd.DataFrame, task: str):
    """Fit one model; return it with its scores of other rows."""
    estimator = CALMRegressor if task == "regression" else CALMClassifier
    model = estimator(curves=curves, max_splits=max_splits, random_state=0, n_jobs=2).fit(*train)
    return model, model.predict(test) if task == "regression" else model.decision_function(test)


def error(scores: np.ndarray, y: np.ndarray, task: str) -> float:
    """Return the RMSE, or the log loss of scores for labels 0 and 1."""
    if task == "regression":
        return float(np.sqrt(np.mean((scores - y) ** 2)))
    return float(np.mean(np.logaddexp(0, np.where(y == 1, -scores, scores))))


def measure(name: str, n_rows: int, draw: int) -> list[dict]:
    """Fit own GAM and CALM both ways on one draw of rows."""
    X, y, task = datasets.load(name)
    rows = np.random.default_rng(draw).permutation(len(y))
    train, test = rows[:n_rows], rows[n_rows : n_rows + TEST_ROWS]
    lines = []
    for kind, max_splits in SPLITS.items():
        found = {}
        for curves in ("boosting", "splines"):
            given = X.iloc[train], y[train]
            model, found[curves] = scores_of(curves, max_splits, given, X.iloc[test], task)
        found["mean"] = (found["boosting"] + found["splines"]) / 2
        facts = {"dataset": name, "n_rows": n_rows, "draw": draw, "model": kind}
        facts["n_interactions"] = model.n_interactions_
        lines += [
            {**facts, "curves": curves, "error": error(scores, y[test], task)}
            for curves, scores in found.items()
        ]
    return lines


def summary(measured: pd.DataFrame) -> str:
    """Return geometric means of the ratios to boosted curves, and tables won, lost and level."""
    keys = ["n_rows", "model", "dataset", "draw"]
    errors = measured.set_index([*keys, "curves"])["error"].unstack()
    logs = np.log(errors[["splines", "mean"]].div(errors["boosting"], axis=0))
    by_table = np.exp(logs.groupby(keys[:-1]).mean())
    lines = []
    for (n_rows, model), ratios in by_table.groupby(keys[:2]):
        for curves in ratios:
            line = {"n_rows": n_rows, "model": model, "curves": curves}
            line["ratio"] = round(float(np.exp(np.log(ratios[curves]).mean())), 4)
            line |= {"better by 1 %": int((ratios[curves] < 0.99).sum())}
            line |= {"level": int(ratios[curves].between(0.99, 1.01).sum())}
            line |= {"worse by 1 %": int((ratios[curves] > 1.01).sum())}
            worst = ratios[curves].idxmax()
            line["worst"] = f"{worst[-1]} {ratios[curves].max():.3f}"
            lines.append(line)
    wide = by_table.unstack(["n_rows", "model"]).round(3)
    wide.columns = [f"{curves}, {model}, {n_rows}" for curves, n_rows, model in wide.columns]
    each = section("Ratio to boosted curves, every table", wide.reset_index())
    return f"{markdown(pd.DataFrame(lines))}\n\n{each}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small", description=__doc__)
    parser.add_argument("--rows", type=names, default=["320", "1000"])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    lines = pd.read_csv(options.out).to_dict("records") if options.out.exists() else []
    known = {(line["dataset"], line["n_rows"], line["draw"]) for line in lines}
    listed = datasets.catalogue()["n_rows"]
    cells = [
        (name, int(n_rows), draw)
        for n_rows in options.rows
        for name in listed.index[listed >= SPARE * int(n_rows)]
        for draw in range(options.draws)
    ]
    for cell in (cell for cell in cells if cell not in known):
        lines += measure(*cell)
        print(*cell, flush=True)
        pd.DataFrame(lines).to_csv(options.out, index=False)
    text = summary(pd.DataFrame(lines))
    publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
