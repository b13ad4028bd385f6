"""The paper's synthetic cases: R² over 5 seeds × 5 folds, beside the paper's figures.

    python -m benchmarks.synthetic

The seeds, 100 to 104, were never looked at before: nothing is tuned on these tables. EBMs, which
are slow, are measured on the five folds of seed 0.
"""

import argparse
from pathlib import Path

import pandas as pd

from benchmarks import tables
from benchmarks.datasets import N_FOLDS
from benchmarks.environments import ROOT
from benchmarks.paper_layout import SYNTHETIC, published
from benchmarks.run import Cell, names, run, settings_from, settings_parser

SEEDS = range(100, 105)
# what this project asks of its default, set before these seeds were measured
REQUIRED = {"case1": 0.990, "case2": 0.985, "case3": 0.975}
NOTE = """`required` is what this project asks of its default, `calm`; `published` is the paper's
CALM. `ebm` and `eb2m` are measured on seed 0, everything else on seeds 100 to 104."""


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return case × model: the mean R² over seeds and folds."""
    cases = measured.assign(dataset=measured["dataset"].str.partition("-")[0])
    table = tables.wide(cases, "r2")
    printed = published(SYNTHETIC)["CALM"].astype(float).rename(lambda case: case.replace("_", ""))
    cases = table["dataset"]
    table = table.assign(published=cases.map(printed), required=cases.map(REQUIRED))
    order = ["dataset", "published", "calm_paper", "calm", "required", "ebm", "eb2m"]
    return table[[name for name in order if name in table]]


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
        for seed in SEEDS
        for fold in range(N_FOLDS)
        for model in options.models
    ]
    run(cells, options.out, settings_from(options))
    text = tables.markdown(summary(tables.read(options.out)))
    options.out.with_suffix(".md").write_text(f"Made by `{parser.prog}`.\n\n{text}\n\n{NOTE}\n")
    print("\n" + text)


if __name__ == "__main__":
    main()
