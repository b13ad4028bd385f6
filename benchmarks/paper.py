"""The paper's whole experiment: run it, or any part of it, and write its tables and pictures.

    python -m benchmarks.paper                                   # what is planned, where it stopped
    python -m benchmarks.paper --datasets wine --models nam,spline --folds 0,1
    python -m benchmarks.paper --no-run                          # tables and pictures alone

Cells that other benchmarks measured (steps.csv, joint.csv, earlier.csv) are taken from there;
`--fresh` measures those too. Cells of paper_before.csv, of a `paper()` that was not yet the paper
as printed, stand in for configurations that were not measured again, and are marked. Unless models
are named, fast ones run on five folds, networks as curves on fold 0, slow rivals on fold 0 of the
datasets with fewer than 10,000 rows, and on all folds of those with fewer than 5,000.
"""

import argparse
from pathlib import Path

import pandas as pd

from benchmarks import paper_tables, plots, tables
from benchmarks.datasets import N_FOLDS, catalogue
from benchmarks.environments import ROOT
from benchmarks.joint import TOO_SMALL, by_size
from benchmarks.paper_layout import ADDITIVE, PAIRWISE
from benchmarks.rivals.calm import CONFIGURATIONS, CURVES, EFFECTS, auto_name, paper_name
from benchmarks.run import Cell, finished, names, run, settings_from, settings_parser

RESULTS = ROOT / "benchmarks/results"
FOLDS = [str(fold) for fold in range(N_FOLDS)]
CALM = [paper_name(*effect, curves) for effect in EFFECTS for curves in CURVES]
AUTO = [auto_name(*effect, curves) for effect in EFFECTS for curves in CURVES]
FAST = (
    *("calm", "own_gam", "gam-spline"),
    *(name for name in CALM if not name.endswith("-nam") and "shap" not in name),
    *(name for name in AUTO if name in CONFIGURATIONS),
    *("xgboost", "random_forest", "neural_network", "spline"),
)
NETWORKS = ("nam", "gam-nam", *(n for n in CALM if n.endswith("-nam") and "shap" not in n))
SLOW = ("calm-xgb-shap-boosting", "ebm", "eb2m", "node_ga2m", "gami_net")
RIVALS = (*ADDITIVE.values(), *PAIRWISE.values())  # of the main tables
MAX_ROWS_OF_SLOW, MAX_ROWS_ON_FIVE_FOLDS = 10_000, 5_000


def planned(datasets: list[str]) -> list[Cell]:
    """Return the default cells: everything fast first, then networks, then the slow models."""
    listed = catalogue().loc[datasets]
    cells = [Cell(dataset, model, fold) for dataset in datasets for fold in FOLDS for model in FAST]
    cells += [Cell(dataset, model, "0") for dataset in datasets for model in NETWORKS]
    small = listed["n_rows"][listed["n_rows"] < MAX_ROWS_OF_SLOW]
    cells += [Cell(dataset, model, "0") for dataset in small.index for model in SLOW]
    smaller = small.index[small < MAX_ROWS_ON_FIVE_FOLDS]
    return cells + [
        Cell(dataset, model, fold) for dataset in smaller for fold in FOLDS[1:] for model in RIVALS
    ]


def read(out: Path, before: Path, *others: Path) -> pd.DataFrame:
    """Return all finished cells; those of an earlier `paper()` where a model has no others."""
    now, old = tables.read_first(out, *others), tables.read(before)
    now = now[~now["model"].str.startswith("step_")]  # of steps.csv, `paper()` alone
    known = pd.MultiIndex.from_frame(now[["dataset", "model"]])
    old = old[~pd.MultiIndex.from_frame(old[["dataset", "model"]]).isin(known)]
    return pd.concat([now.assign(is_before=False), old.assign(is_before=True)])


def chosen(datasets: list[str], models: list[str], folds: list[str]) -> list[Cell]:
    return [
        Cell(dataset, model, fold) for dataset in datasets for fold in folds for model in models
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description="Measure the paper's experiment, or a part of it.",
        parents=[settings_parser()],
    )
    parser.add_argument("--datasets", type=names, help="comma-separated; all by default")
    parser.add_argument("--models", type=names, help="comma-separated; the plan by default")
    parser.add_argument("--folds", type=names, help="0 to 4, with --models; all by default")
    parser.add_argument("--fresh", action="store_true", help="measure what others measured, too")
    parser.add_argument("--no-run", action="store_true", help="make tables and pictures alone")
    parser.add_argument("--out", type=Path, default=RESULTS / "paper.csv")
    options = parser.parse_args(arguments)
    if options.folds and not options.models:
        parser.error("--folds must come with --models: the plan has its own folds")
    others = [RESULTS / f"{name}.csv" for name in ("steps", "joint", "earlier")]
    if not options.no_run:
        datasets = options.datasets or by_size()
        cells = planned(datasets)
        if options.models:
            cells = chosen(datasets, options.models, options.folds or FOLDS)
        known = set() if options.fresh else finished(*others)
        run([cell for cell in cells if cell not in known], options.out, settings_from(options))
    measured = read(options.out, RESULTS / "paper_before.csv", *others)
    synthetic = tables.read(RESULTS / "synthetic.csv")
    text = paper_tables.report(measured, synthetic)
    options.out.with_suffix(".md").write_text(f"Made by `{parser.prog}`.\n\n{text}\n")
    counts = options.out.with_name(f"{options.out.stem}_counts.md")
    counts.write_text(f"Made by `{parser.prog}`.\n\n{paper_tables.counts(measured)}\n")
    summary = options.out.with_name(f"{options.out.stem}_summary.md")
    summary.write_text(f"{paper_tables.summary(measured)}\n")
    # the cross-validated twins are near their models: names would hide each other
    shown = measured[(measured["dataset"] != TOO_SMALL) & ~measured["model"].isin(AUTO)]
    if plots.BASE in set(shown["model"]):
        plots.trade_offs(shown).savefig(options.out.with_suffix(".png"), dpi=110)
    print(f"wrote {options.out.with_suffix('.md')}")


if __name__ == "__main__":
    main()
