"""Quantiles: the share of new rows that lie below a predicted quantile, on public tables.

    python -m benchmarks.quantiles          # needs CALMGAM_DATA

A model of the quantile at 0.9 is right if nine of ten new rows lie below it. Beside the default the
constant: the quantile of the training rows. Pinball losses say how much the model knows beyond it.
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

TABLES = "ccpp,california_housing,seoul_bike"
LEVEL = 0.9


def pinball(y: np.ndarray, predicted: Any) -> float:
    error = y - predicted
    return float(np.mean(np.maximum(LEVEL * error, (LEVEL - 1) * error)))


def measure(X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> dict[str, float]:
    """Fit, and count the test rows below the predicted quantile."""
    from calmgam import CALMRegressor, Quantile

    start = time.process_time()
    model = CALMRegressor(objective=Quantile(LEVEL), random_state=0, n_jobs=1).fit(X, y)
    seconds = time.process_time() - start
    predicted, constant = model.predict(X_test), np.quantile(y, LEVEL)
    return {
        "coverage": float(np.mean(y_test <= predicted)),
        "coverage_constant": float(np.mean(y_test <= constant)),
        "pinball": pinball(y_test, predicted),
        "pinball_constant": pinball(y_test, constant),
        "n_interactions": model.n_interactions_,
        "cpu_seconds": seconds,
    }


def cells(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for table in options.tables:
        X, y, _ = load(table)
        for fold in options.folds:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = measure(*split(X, y.astype(float), fold))
            print(table, fold, found, flush=True)
            yield {"table": table, "fold": fold, "n_rows": len(X), **found}


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return per table the mean over its folds, and the coverage farthest from the level."""
    by_table = measured.groupby("table", sort=False)
    means = by_table[["coverage", "coverage_constant", "n_interactions", "cpu_seconds"]].mean()
    means["lowest"], means["highest"] = by_table["coverage"].min(), by_table["coverage"].max()
    means["pinball / constant's"] = by_table["pinball"].mean() / by_table["pinball_constant"].mean()
    return means.round(3).reset_index()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quantiles", description="Measure the coverage of quantiles."
    )
    parser.add_argument("--tables", type=names, default=names(TABLES))
    parser.add_argument("--folds", type=names, default=names("0,1,2,3,4"))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/quantiles.csv")
    options = parser.parse_args(arguments)
    measured = pd.DataFrame(cells(options))
    measured.to_csv(options.out, index=False, float_format="%.6f")
    text = tables.section(f"Rows below the quantile at {LEVEL}", summary(measured))
    options.out.with_suffix(".md").write_text(f"Made by `{parser.prog}`.\n\n{text}\n")
    print("\n" + text)


if __name__ == "__main__":
    main()
