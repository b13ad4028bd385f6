"""Joint growth on the 24 public tables, beside the own GAM, the paper's way and the rivals.

    python -m benchmarks.joint

Fast models run on all five folds, slow rivals on fold 0. Errors of rivals that were measured
before (results/earlier.csv: fold 0, no times) stand in for cells not measured here; `--fresh`
measures those too. `paper()` is measured by `benchmarks.steps`. On fold 0 the default is also
fitted with four more seeds (results/seeds.csv).
"""

import argparse
from pathlib import Path

import pandas as pd

from benchmarks import tables, verdicts
from benchmarks.datasets import N_FOLDS, catalogue
from benchmarks.environments import ROOT
from benchmarks.rivals.calm import SEEDS
from benchmarks.run import Cell, finished, names, run, settings_from, settings_parser

RESULTS = ROOT / "benchmarks/results"
OURS = ("calm", "calm_depth2", "calm_paper")
FAST = ("own_gam", "calm", "calm_depth2", "xgboost")
SLOW = ("ebm", "eb2m", "ebm_default", "calm_additive")
GIVEN_SPLITS = {  # fewer than cross-validation keeps, or more than it may
    "airfoil": "calm_8_splits",
    "seoul_bike": "calm_10_splits",
    **dict.fromkeys(("electrical", "california_housing", "elevators"), "calm_40_splits"),
}
TOO_SMALL = "appendicitis"  # its fold 0 has 22 rows


def planned(datasets: list[str]) -> list[Cell]:
    """Return the cells of the table: everything fast first, then the slow rivals."""
    folds = [str(fold) for fold in range(N_FOLDS)]
    fast = [Cell(dataset, model, fold) for dataset in datasets for fold in folds for model in FAST]
    given = [
        Cell(*pair, fold) for pair in GIVEN_SPLITS.items() if pair[0] in datasets for fold in folds
    ]
    return fast + given + [Cell(dataset, model, "0") for dataset in datasets for model in SLOW]


def by_size() -> list[str]:
    listed = catalogue()
    return list(listed.index[(listed["n_rows"] * listed["n_features"]).argsort()])


def measured_or_earlier(out: Path, steps: Path, earlier: Path) -> pd.DataFrame:
    """Return the finished cells of a CSV, those of `paper()`, and earlier ones that it lacks."""
    both = tables.read_first(out, steps, earlier)
    shown = both["model"].isin((*FAST, *OURS, *GIVEN_SPLITS.values(), *SLOW))
    return both[shown & both["dataset"].isin(tables.read(out)["dataset"])]


def mean_and_se(measured: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return dataset × model as text: mean ± standard error over folds, or one fold's value."""
    folds = measured.groupby(["dataset", "model"], sort=False)[measure]
    parts = pd.DataFrame({"mean": folds.mean(), "se": folds.sem()})
    return by_model(parts.apply(plus_minus, axis=1))


def plus_minus(part: pd.Series) -> str:
    text = tables.cell_text(part["mean"])
    return text if pd.isna(part["se"]) else f"{text} ± {part['se']:.2g}"


def means(measured: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return dataset × model, the mean over folds, and the mean over datasets in the last row."""
    table = by_model(measured.groupby(["dataset", "model"], sort=False)[measure].mean())
    table.loc[len(table)] = {"dataset": "mean", **table.mean(numeric_only=True)}
    return table


def by_model(cells: pd.Series) -> pd.DataFrame:
    """Return a series of (dataset, model) as dataset × model, models in their usual order."""
    table = cells.unstack("model").reindex(cells.index.unique("dataset"))
    models = dict.fromkeys(("own_gam", *OURS, *FAST, *GIVEN_SPLITS.values(), *SLOW))
    known = [model for model in models if model in table]
    return table[known].reset_index().rename_axis(columns=None)


def errors_by_seed(measured: pd.DataFrame, seeds: pd.DataFrame) -> pd.DataFrame:
    """Return dataset × seed, the default's errors on fold 0, where all are there."""
    both = pd.concat([measured[measured["model"] == "calm"], seeds])
    errors = both[both["fold"] == "0"].pivot(index="dataset", columns="model", values="error")
    return errors.reindex(columns=["calm", *SEEDS]).dropna()


def with_errors(measured: pd.DataFrame, errors: pd.Series) -> pd.DataFrame:
    """Return fold 0 of some datasets with other errors of the default."""
    fold = measured[(measured["fold"] == "0") & measured["dataset"].isin(errors.index)]
    others = fold["dataset"].map(errors).where(fold["model"] == "calm", fold["error"])
    return fold.assign(error=others)


def against_eb2m_by_seed(measured: pd.DataFrame, seeds: pd.DataFrame) -> list[str]:
    """Return a table of the mean over seeds, and the counts of every seed."""
    errors = errors_by_seed(measured, seeds)
    mean = verdicts.on_fold(with_errors(measured, errors.mean(axis=1)), "calm", "eb2m")
    counted = {
        seed: verdicts.counts(verdicts.on_fold(with_errors(measured, one), "calm", "eb2m"))
        for seed, one in errors.items()
    }
    title = f"calm, mean of {len(counted)} seeds, against eb2m: {verdicts.counts(mean)}"
    by_seed = pd.DataFrame(counted.items(), columns=["seed", "against eb2m"])
    return [tables.section(title, mean), tables.section("calm against eb2m by seed", by_seed)]


def report(measured: pd.DataFrame, seeds: pd.DataFrame | None = None) -> str:
    """Return the whole table as Markdown."""
    quality = measured.assign(quality=measured["auc"].fillna(measured["r2"]))
    large = measured[measured["dataset"] != TOO_SMALL]
    present = [ours for ours in OURS if ours in set(measured["model"])]
    parts = [
        tables.section(
            "error: RMSE or 1 − AUC, mean ± standard error over folds (one number: fold 0)",
            mean_and_se(measured, "error"),
        ),
        tables.section("R² or AUC", mean_and_se(quality, "quality")),
        tables.section("seconds of a fit", means(measured, "fit_seconds")),
        tables.section("interactions", means(measured, "n_interactions")),
    ]
    for ours in present:
        table = verdicts.over_folds(measured, ours, "own_gam")
        parts.append(tables.section(f"{ours} against own_gam: {verdicts.counts(table)}", table))
    for ours in present:
        table = verdicts.on_fold(large, ours, "eb2m")
        title = f"{ours} against eb2m on fold 0, without {TOO_SMALL}: {verdicts.counts(table)}"
        parts.append(tables.section(title, table))
    if seeds is not None:
        parts += against_eb2m_by_seed(large, seeds)
    return "\n\n".join(parts)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.joint",
        description="Measure joint growth on the public tables.",
        parents=[settings_parser()],
    )
    parser.add_argument("--datasets", type=names, help="names, comma-separated; all by default")
    parser.add_argument("--out", type=Path, default=RESULTS / "joint.csv")
    parser.add_argument("--earlier", type=Path, default=RESULTS / "earlier.csv")
    parser.add_argument("--fresh", action="store_true", help="measure the earlier cells too")
    parser.add_argument("--no-run", action="store_true", help="make the tables alone")
    options = parser.parse_args(arguments)
    if not options.no_run:
        known = set() if options.fresh else finished(options.earlier)
        cells = [cell for cell in planned(options.datasets or by_size()) if cell not in known]
        run(cells, options.out, settings_from(options))
        datasets = [name for name in options.datasets or by_size() if name != TOO_SMALL]
        cells = [Cell(dataset, model, "0") for dataset in datasets for model in SEEDS]
        run(cells, options.out.with_name("seeds.csv"), settings_from(options))
    seeds = options.out.with_name("seeds.csv")
    text = report(
        measured_or_earlier(options.out, RESULTS / "steps.csv", options.earlier),
        tables.read(seeds) if seeds.exists() else None,
    )
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
