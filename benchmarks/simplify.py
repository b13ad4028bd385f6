"""Simplify: how many steps go at a tolerance of 0.5 %, and what that costs on rows not seen.

python -m benchmarks.simplify           # needs CALMGAM_DATA

`kept`: a fifth of the training rows is kept from the fit and judges the bands. `training`: the rows
of the fit judge them. Both are measured on the test fold, which neither has seen.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.datasets import load, split
from benchmarks.environments import ROOT
from benchmarks.run import names

TABLES = (
    "wine,ccpp,skill_craft,seoul_bike,electrical,california_housing,bike_sharing,magic,heloc,compas"
)
TOLERANCE = 0.005


def measure(judge: str, data: tuple[Any, ...], task: str) -> dict[str, float]:
    """Fit, simplify, and compare the two models on the test rows."""
    from calmgam import CALMClassifier, CALMRegressor
    from calmgam.model.edits import count_steps
    from calmgam.model.measures import losses_of

    X, y, X_test, y_test = data
    estimator = CALMRegressor if task == "regression" else CALMClassifier
    rows = np.random.default_rng(0).permutation(len(y))
    kept, rest = rows[: len(y) // 5], rows[len(y) // 5 :]
    train, judging = (rest, kept) if judge == "kept" else (rows, rows)
    model = estimator(random_state=0, n_jobs=1).fit(X.iloc[train], y[train]).model_
    start = time.perf_counter()
    simple = model.simplify(X.iloc[judging], y[judging], TOLERANCE)
    seconds = time.perf_counter() - start
    losses, after = (losses_of(m, m.score(X_test), y_test) for m in (model, simple))
    changes = (after - losses) / losses.mean()
    effect = simple.trail[-1].effect
    return {
        "steps": count_steps(model),
        "steps_after": count_steps(simple),
        "loss_change": changes.mean(),
        "standard_error": changes.std() / np.sqrt(len(changes)),
        "largest_change": effect.largest_change,
        "exact": effect.exact,
        "score_range": np.ptp(model.score(X_test)),
        "seconds": seconds,
    }


def cells(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for table in options.tables:
        X, y, task = load(table)
        for fold in options.folds:
            for judge in options.judges:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = measure(judge, split(X, y, fold), task)
                print(table, fold, judge, found, flush=True)
                yield {"table": table, "fold": fold, "judge": judge, **found}


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return per table and judge how many times fewer steps there are, and the loss."""
    measured = measured.assign(
        times_fewer=measured["steps"] / measured["steps_after"],
        kept=measured["loss_change"] <= TOLERANCE,
        perhaps=measured["loss_change"] - measured["standard_error"] <= TOLERANCE,
    )
    groups = measured.groupby(["judge", "table"], sort=False)
    table = groups[["steps", "steps_after", "times_fewer", "loss_change", "standard_error"]].mean()
    table["loss kept in folds"] = groups["kept"].sum()
    table["within a standard error"] = groups["perhaps"].sum()
    table["folds"] = groups.size()
    table["largest change / range"] = groups.apply(
        lambda group: (group["largest_change"] / group["score_range"]).mean()
    )
    return table.round(4).reset_index()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simplify", description="Measure what simplifying costs."
    )
    parser.add_argument("--tables", type=names, default=names(TABLES))
    parser.add_argument("--folds", type=names, default=names("0,1"))
    parser.add_argument("--judges", type=names, default=names("kept,training"))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/simplify.csv")
    options = parser.parse_args(arguments)
    measured = pd.DataFrame(cells(options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    measured.round(6).to_csv(options.out, index=False)
    found = summary(measured)
    text = tables.markdown(found)
    medians = found.groupby("judge")["times_fewer"].median()
    note = "; ".join(f"{judge}: median {value:.1f} times fewer" for judge, value in medians.items())
    made = f"Made by `{parser.prog}`. Tolerance {TOLERANCE}; {note}.\n\n{text}\n"
    options.out.with_suffix(".md").write_text(made)
    print(made)


if __name__ == "__main__":
    main()
