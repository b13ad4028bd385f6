"""Simplify: how many steps go at a tolerance of 0.5 %, and what that costs on rows not seen.

    python -m benchmarks.simplify --rule        # which chose the number of standard errors
    python -m benchmarks.simplify               # on tables that had no part in it (CALMGAM_DATA)

`kept`: a fifth of the training rows is kept from the fit and judges the bands. `training`: the rows
of the fit judge them. Both are measured on the test fold, which neither has seen. The rule is the
smallest number of standard errors of 0 to 3 with which nine in ten of `CHOOSING` keep the loss.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.datasets import load, split
from benchmarks.environments import ROOT
from benchmarks.run import names

CHOOSING = (
    "wine,ccpp,skill_craft,seoul_bike,electrical,california_housing,bike_sharing,magic,heloc,compas"
)
TABLES = (
    "airfoil,churn,phoneme,parkinsons_motor,parkinsons_total,elevators,ailerons,energy,bank,adult"
)
TOLERANCE = 0.005
RULES = (0, 1, 2, 3)


def measure(
    judge: str, data: tuple[Any, ...], task: str, rules: tuple[int, ...]
) -> Iterator[dict[str, float]]:
    """Fit, simplify by every rule, and compare the two models on the test rows."""
    from calmgam import CALMClassifier, CALMRegressor
    from calmgam.model.edits import count_steps
    from calmgam.model.edits import simplify as module
    from calmgam.model.measures import losses_of

    X, y, X_test, y_test = data
    estimator = CALMRegressor if task == "regression" else CALMClassifier
    rows = np.random.default_rng(0).permutation(len(y))
    kept, rest = rows[: len(y) // 5], rows[len(y) // 5 :]
    train, judging = (rest, kept) if judge == "kept" else (rows, rows)
    model = estimator(random_state=0, n_jobs=1).fit(X.iloc[train], y[train]).model_
    losses = losses_of(model, model.score(X_test), y_test)
    for rule in rules:
        start = time.process_time()
        with patch.object(module, "N_ERRORS", rule):
            simple = model.simplify(X.iloc[judging], y[judging], TOLERANCE)
        changes = (losses_of(simple, simple.score(X_test), y_test) - losses) / losses.mean()
        effect = simple.trail[-1].effect
        yield {
            "errors": rule,
            "steps": count_steps(model),
            "steps_after": count_steps(simple),
            "loss_change": changes.mean(),
            "standard_error": changes.std() / np.sqrt(len(changes)),
            "largest_change": effect.largest_change,
            "exact": effect.exact,
            "score_range": np.ptp(model.score(X_test)),
            "seconds": time.process_time() - start,
        }


def cells(options: argparse.Namespace, rules: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Yield one row per table, fold, judge and rule."""
    for table in options.tables:
        X, y, task = load(table)
        for fold in options.folds:
            for judge in options.judges:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for found in measure(judge, split(X, y, fold), task, rules):
                        print(table, fold, judge, found, flush=True)
                        yield {"table": table, "fold": fold, "judge": judge, **found}


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return per judge, rule and table how many times fewer steps there are, and the loss."""
    measured = measured.assign(
        times_fewer=measured["steps"] / measured["steps_after"],
        kept=measured["loss_change"] <= TOLERANCE,
        perhaps=measured["loss_change"] - measured["standard_error"] <= TOLERANCE,
    )
    groups = measured.groupby(["judge", "errors", "table"], sort=False)
    table = groups[["steps", "steps_after", "times_fewer", "loss_change", "standard_error"]].mean()
    table["loss kept in folds"] = groups["kept"].sum()
    table["within a standard error"] = groups["perhaps"].sum()
    table["folds"] = groups.size()
    table["largest change / range"] = groups.apply(
        lambda group: (group["largest_change"] / group["score_range"]).mean()
    )
    return table.round(4).reset_index()


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the CSV and its table."""
    from calmgam.model.edits.simplify import N_ERRORS

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simplify", description="Measure what simplifying costs."
    )
    parser.add_argument("--rule", action="store_true", help="compare rules, on CHOOSING")
    parser.add_argument("--tables", type=names)
    parser.add_argument("--folds", type=names, default=names("0"))
    parser.add_argument("--judges", type=names, default=names("kept"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    options.tables = options.tables or names(CHOOSING if options.rule else TABLES)
    name = "simplify_rule.csv" if options.rule else "simplify.csv"
    out = options.out or ROOT / "benchmarks/results" / name
    rows: list[dict[str, Any]] = []
    for row in cells(options, RULES if options.rule else (N_ERRORS,)):
        rows.append(row)
        pd.DataFrame(rows).round(6).to_csv(out, index=False)
    found = summary(pd.DataFrame(rows))
    groups = found.groupby(["judge", "errors"])
    notes = [
        f"{judge}, {errors} standard errors: median {group['times_fewer'].median():.1f} times "
        f"fewer, loss kept in {group['loss kept in folds'].sum()} of {group['folds'].sum()}"
        for (judge, errors), group in groups
    ]
    made = f"Made by `{parser.prog}`. Tolerance {TOLERANCE}; {'; '.join(notes)}.\n\n"
    out.with_suffix(".md").write_text(f"{made}{tables.markdown(found)}\n")
    print(made)


if __name__ == "__main__":
    main()
