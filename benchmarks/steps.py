"""What each change is worth: from the paper to the default in single steps, on the public tables.

    python -m benchmarks.steps                              # all tables, five folds
    python -m benchmarks.steps --max-rows 5000              # the smaller ones, on five folds
    python -m benchmarks.steps --folds 0                    # fold 0 of all
    python -m benchmarks.steps --no-run                     # the table alone

Every step keeps the changes before it (`STEPS` in rivals/calm.py); the last two are the models
`calm_depth2` and `calm` of `make bench-joint`, and are not measured again. Numbers are their own
link scale, so that the first two steps are one model of them. A step's worth is the
geometric mean, over tables, of its error over that of the step before, on the folds that all steps
finished, with the standard error of its logarithm; "better" and "worse" are tables on which that
ratio is off by more than 1 %. The mean is also given without two tables whose folds say little: a
fold of appendicitis has 22 rows, and many rows of spectf repeat another: a random fold shares them,
and who learns rows by heart looks good there.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import paper_tables, tables
from benchmarks.datasets import N_FOLDS, catalogue
from benchmarks.environments import ROOT
from benchmarks.joint import by_size
from benchmarks.paper_layout import INTERACTIONS, published
from benchmarks.rivals.calm import STEPS
from benchmarks.run import Cell, finished, names, run, settings_from, settings_parser

OUT = ROOT / "benchmarks/results/steps.csv"
JOINT = OUT.with_name("joint.csv")
OF_JOINT = ("calm_depth2", "calm")
PAPER, RESPONSE = "calm_paper", "calm_paper_response"
UNSURE = ["appendicitis", "spectf"]
LEVEL = 0.01  # errors that differ by less are level


def planned(datasets: list[str], folds: list[str]) -> list[Cell]:
    """Return the cells to measure: every step but those that are another's model."""
    tasks, known = catalogue()["task"], {c for c in finished(JOINT) if c.model in OF_JOINT}
    cells = [Cell(d, step, fold) for d in datasets for fold in folds for step in STEPS]
    return [
        cell
        for cell in cells
        if cell not in known
        and not (cell.model == RESPONSE and tasks[cell.dataset] == "regression")
    ]


def read(path: Path) -> pd.DataFrame:
    """Return the cells of all steps, those that are another's model included."""
    own, joint = tables.read(path), tables.read(JOINT)
    numbers = own[(own["task"] == "regression") & (own["model"] == PAPER)]
    joint = joint[joint["model"].isin(OF_JOINT)]
    return pd.concat([own, numbers.assign(model=RESPONSE), joint])


def complete(measured: pd.DataFrame) -> pd.DataFrame:
    """Return (dataset, fold) × step: the errors of the cells that all steps finished."""
    errors = measured.set_index(["dataset", "fold", "model"])["error"].unstack("model")
    return errors.reindex(columns=list(STEPS)).dropna()


def worth(errors: pd.DataFrame, interactions: pd.Series) -> pd.DataFrame:
    """Return one row per step: what it does to the error, against the step before and the first."""
    by_table = errors.groupby("dataset").mean()
    rows, before, first = [], None, by_table.iloc[:, 0]
    for step, (text, _) in STEPS.items():
        now = by_table[step]
        ratio = now / (now if before is None else before)
        rows.append(
            {
                "step": text,
                "error / step before": tables.geometric_mean(ratio),
                "standard error": float(np.log(ratio).sem()),
                f"without {' and '.join(UNSURE)}": tables.geometric_mean(
                    ratio.drop(UNSURE, errors="ignore")
                ),
                "better": int((ratio < 1 - LEVEL).sum()),
                "worse": int((ratio > 1 + LEVEL).sum()),
                "error / paper": tables.geometric_mean(now / first),
                "interactions": interactions[step],
            }
        )
        before = now
    return pd.DataFrame(rows)


def verdict(table: pd.DataFrame) -> str:
    """Return which steps improve the mean by more than their standard error."""
    gains = -np.log(table["error / step before"])
    surely = table["step"][gains > table["standard error"]].str.removeprefix("+ ")
    return (
        f"The mean error falls by more than its standard error in {len(surely)} of "
        f"{len(table) - 1} steps: {'; '.join(surely) or 'none'}."
    )


def by_dataset(errors: pd.DataFrame) -> pd.DataFrame:
    """Return dataset × step: the mean error, and over how many folds."""
    folds = errors.groupby("dataset")
    table = folds.mean().rename(columns=lambda step: step.removeprefix("step_"))
    table.insert(0, "folds", folds.size())
    return table.sort_index().reset_index().rename_axis(columns=None)


def published_interactions(measured: pd.DataFrame) -> str:
    """Return how many interactions `paper()` has, beside the published numbers."""
    by_model = measured.groupby(["model", "dataset"])["n_interactions"].mean()
    texts = []
    for layout, task in zip(INTERACTIONS, ("classes", "numbers"), strict=True):
        printed = published(layout)["CALM"].astype(float)
        both = by_model["calm_paper"].index.intersection(printed.index)
        link, response = (by_model[m].reindex(both) for m in (PAPER, RESPONSE))
        texts.append(
            f"{task} ({len(both)} tables): {link.mean():.1f}, on the response scale "
            f"{response.mean():.1f}, published {printed[both].mean():.1f}"
        )
    return f"Interactions of `paper()`, mean: {'; '.join(texts)}."


def report(measured: pd.DataFrame) -> str:
    """Return all tables as Markdown."""
    errors = complete(measured)
    counted = measured.set_index(["dataset", "fold"]).loc[errors.index]
    interactions = counted.groupby(["model", "dataset"])["n_interactions"].mean()
    near, count = paper_tables.near_published(measured.assign(is_before=False))
    folds = errors.groupby("dataset").size()
    groups = [
        f"{', '.join(part.index)} on {n_folds} fold{'s' * (n_folds > 1)}"
        for n_folds, part in folds.groupby(folds)
    ]
    scope = f"{len(folds)} tables: {'; '.join(groups)}"
    steps = worth(errors, interactions.groupby("model").mean())
    parts = [
        f"{scope[0].upper()}{scope[1:]}.",
        tables.markdown(steps),
        verdict(steps),
        tables.section("Error by table: RMSE or 1 − AUC", by_dataset(errors)),
        published_interactions(measured),
        tables.section(f"`paper()` {count}", near),
    ]
    return "\n\n".join(parts)


def page(out: Path) -> str:
    """Return what is written beside a CSV."""
    return f"Made by `python -m benchmarks.steps`.\n\n{report(read(out))}\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.steps",
        description="Measure the steps from the paper to the default.",
        parents=[settings_parser()],
    )
    parser.add_argument("--datasets", type=names, help="comma-separated; all by default")
    parser.add_argument("--folds", type=names, default=[str(fold) for fold in range(N_FOLDS)])
    parser.add_argument("--max-rows", type=float, default=np.inf, help="of a table")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--no-run", action="store_true", help="make the table alone")
    options = parser.parse_args(arguments)
    if not options.no_run:
        n_rows = catalogue()["n_rows"]
        datasets = [d for d in options.datasets or by_size() if n_rows[d] <= options.max_rows]
        run(planned(datasets, options.folds), options.out, settings_from(options))
    text = page(options.out)
    options.out.with_suffix(".md").write_text(text)
    print("\n" + text)


if __name__ == "__main__":
    main()
