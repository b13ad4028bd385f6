"""Counts, rates, amounts and classes: eleven public tables, calmgam beside its rivals.

    python -m benchmarks.targets --n-jobs 1

The tables are those of the folder CALMGAM_TARGETS, amounts above 0 once more by themselves; the
cells are measured by `benchmarks.run`: five folds of fast models, fold 0 of EBM. Errors are
deviances or log losses, weighted where the table has weights; a rate is weighted by its exposure.
Models are compared by CPU seconds, which a busy machine hardly changes.
"""

import argparse
import os
from pathlib import Path

import pandas as pd

from benchmarks import tables, verdicts
from benchmarks.datasets import N_FOLDS, POSITIVE
from benchmarks.environments import ROOT
from benchmarks.run import Cell, names, run, settings_from, settings_parser

DATASETS = (  # the fastest first
    *("insurance", "vehicle", "contraceptive", "flchain", "segment", "doctor_contacts"),
    *("lending", "accidents", "medical_cost", f"medical_cost{POSITIVE}", "satimage", "letter"),
)
FAST, SLOW = ("own_gam", "calm", "lightgbm", "hist_gradient_boosting"), ("ebm", "ebm_default")
GLM_TABLES = ("insurance", "doctor_contacts")
COMPARED = (("own_gam", "ebm"), ("calm", "ebm_default"), ("calm", "own_gam"), ("calm", "lightgbm"))
MEASURES = {"error": "Deviance or log loss", "cpu_seconds": "CPU seconds"}
MEASURES |= {"n_interactions": "Interactions"}


def plan(datasets: list[str], models: list[str]) -> list[Cell]:
    """Return the cells, fold 0 first: slow models have that alone, GLMs two tables."""
    return [
        Cell(dataset, model, str(fold))
        for fold in range(N_FOLDS)
        for dataset in datasets
        for model in models
        if not (fold and model in SLOW) and (model != "glm" or dataset in GLM_TABLES)
    ]


def read(path: Path) -> pd.DataFrame:
    """Return the finished cells; errors are losses everywhere, seconds those of the CPU."""
    measured = tables.read(path)
    error = measured["deviance"].fillna(measured["log_loss"])
    order = {name: position for position, name in enumerate(DATASETS)}
    ordered = measured.assign(error=error).sort_values(
        "dataset", key=lambda column: column.map(order), kind="stable"
    )
    return ordered.assign(fit_seconds=ordered["cpu_seconds"])


def report(path: Path) -> str:
    """Return every measure on fold 0, means of five folds, and who is better."""
    measured = read(path)
    first = measured[measured["fold"] == "0"]
    n_folds = measured.groupby(["dataset", "model"])["fold"].transform("count")
    whole = measured[n_folds == N_FOLDS]
    parts = [
        tables.section(f"{title}, fold 0", tables.wide(first, measure))
        for measure, title in MEASURES.items()
    ]
    if len(whole):
        title = f"{MEASURES['error']}, mean of five folds"
        parts.append(tables.section(title, tables.wide(whole, "error")))
    have = set(measured["model"])
    for ours, rival in COMPARED:
        if {ours, rival} <= have:
            parts.append(tables.comparison_text(measured, ours, rival))
    for ours in dict(COMPARED):
        table = verdicts.against_everyone(measured, ours)
        parts.append(tables.section(f"{ours} against everyone", table))
    return "\n\n".join(parts)


def folder() -> str:
    if not os.environ.get("CALMGAM_TARGETS"):
        raise RuntimeError(
            "the environment variable CALMGAM_TARGETS must name the folder that holds datasets.csv "
            "and the <name>.csv.gz files; it is not set"
        )
    return os.environ["CALMGAM_TARGETS"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.targets",
        description="Measure tables of counts, rates, amounts and classes.",
        parents=[settings_parser()],
    )
    parser.add_argument("--datasets", type=names, default=list(DATASETS))
    parser.add_argument("--models", type=names, default=[*FAST, "glm", *SLOW])
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/targets.csv")
    options = parser.parse_args(arguments)
    os.environ["CALMGAM_DATA"] = folder()
    run(plan(options.datasets, options.models), options.out, settings_from(options))
    text = report(options.out)
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
