"""The paper's synthetic cases: R² over 5 seeds × 5 folds, beside the paper's figures.

python -m benchmarks.synthetic
"""

import argparse
from pathlib import Path

import pandas as pd

from benchmarks import tables
from benchmarks.datasets import N_FOLDS
from benchmarks.environments import ROOT
from benchmarks.paper_layout import SYNTHETIC, published
from benchmarks.run import Cell, names, run, settings_from, settings_parser

N_SEEDS = 5
REQUIRED = {"case1": 0.990, "case2": 0.945, "case3": 0.970}


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return case × model: the mean R² over seeds and folds."""
    cases = measured.assign(dataset=measured["dataset"].str.partition("-")[0])
    table = tables.wide(cases, "r2")
    printed = published(SYNTHETIC)["CALM"].astype(float).rename(lambda case: case.replace("_", ""))
    cases = table["dataset"]
    return table.assign(required=cases.map(REQUIRED), published=cases.map(printed))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.synthetic",
        description="Measure R² on the synthetic cases.",
        parents=[settings_parser()],
    )
    parser.add_argument("--models", type=names, default=names("calm_paper,calm"))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/synthetic.csv")
    options = parser.parse_args(arguments)
    cells = [
        Cell(f"{case}-seed{seed}", model, str(fold))
        for case in REQUIRED
        for seed in range(N_SEEDS)
        for fold in range(N_FOLDS)
        for model in options.models
    ]
    run(cells, options.out, settings_from(options))
    text = tables.markdown(summary(tables.read(options.out)))
    options.out.with_suffix(".md").write_text(f"Made by `{parser.prog}`.\n\n{text}\n")
    print("\n" + text)


if __name__ == "__main__":
    main()
