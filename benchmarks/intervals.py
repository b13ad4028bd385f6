"""Prediction intervals: coverage and width on ten tables, beside MAPIE's on the same model.

python -m benchmarks.intervals          # needs CALMGAM_DATA, and mapie for its rows

`bags`: what every fit leaves behind, out-of-bag errors. `split`: a fifth of the training rows is
kept from the fit and measured on. `mapie`: CV+ of five folds around the same estimator.
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
    "airfoil,wine,ccpp,skill_craft,seoul_bike,electrical,parkinsons_motor,california_housing,"
    "elevators,bike_sharing"
)
COVERAGE = 0.9
MIN_ROWS = 50  # of a region whose coverage counts


def estimator() -> Any:
    from calmgam import CALMRegressor

    return CALMRegressor(random_state=0, n_jobs=1)


def measure(method: str, X: Any, y: Any, X_test: Any, y_test: Any) -> dict[str, float]:
    """Fit, and measure the intervals of the test rows."""
    start = time.perf_counter()
    if method == "mapie":
        from mapie.regression import CrossConformalRegressor

        mapie = CrossConformalRegressor(estimator(), confidence_level=COVERAGE, cv=5)
        X, X_test = as_numbers(X, X_test)
        _, ends = mapie.fit_conformalize(X, y).predict_interval(X_test)
        low, high = ends[:, 0, 0], ends[:, 1, 0]
        seconds = time.perf_counter() - start
        return {
            "coverage": np.mean((low <= y_test) & (y_test <= high)),
            "width": np.mean(high - low),
            "seconds": seconds,
        }
    from calmgam.read.measures.coverage import coverage_views

    if method == "split":
        rows = np.random.default_rng(0).permutation(len(y))
        kept, rest = rows[: len(y) // 5], rows[len(y) // 5 :]
        model = estimator().fit(X.iloc[rest], y[rest]).model_
        model = model.with_intervals(X.iloc[kept], y[kept])
    else:
        model = estimator().fit(X, y).model_
    seconds = time.perf_counter() - start
    whole, *regions = coverage_views(model, X_test, y_test, COVERAGE)
    shares = [view.coverage for view in regions if view.n_rows >= MIN_ROWS] or [whole.coverage]
    return {
        "coverage": whole.coverage,
        "width": whole.width,
        "lowest_region": min(shares),
        "highest_region": max(shares),
        "seconds": seconds,
    }


def as_numbers(X: pd.DataFrame, X_test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return codes for texts, which MAPIE does not take."""
    both = pd.concat([X, X_test])
    for name in both.select_dtypes(exclude="number"):
        both[name] = both[name].astype("category").cat.codes
    return both.iloc[: len(X)], both.iloc[len(X) :]


def cells(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for table in options.tables:
        X, y, _ = load(table)
        y = y.astype(float)
        for fold in options.folds:
            X_train, y_train, X_test, y_test = split(X, y, fold)
            for method in options.methods:
                if method == "mapie" and fold not in options.mapie_folds:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = measure(method, X_train, y_train, X_test, y_test)
                print(table, fold, method, found, flush=True)
                yield {"table": table, "fold": fold, "method": method, **found}


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return per table the mean coverage of every method, and widths beside MAPIE's."""
    means = measured.groupby(["table", "method"], sort=False)["coverage"].mean().unstack()
    table = means.add_suffix(" coverage").round(3)
    regions = measured[measured["method"] == "bags"].groupby("table", sort=False)
    table["lowest region"] = regions["lowest_region"].mean().round(2)
    table["highest region"] = regions["highest_region"].mean().round(2)
    shared = measured[measured["method"] == "mapie"][["table", "fold"]]
    for method in ("bags", "split"):
        own = measured[measured["method"] == method]
        both = own.merge(shared).groupby("table")["width"].mean()
        mapie = measured[measured["method"] == "mapie"].groupby("table")["width"].mean()
        table[f"{method} width / mapie"] = (both / mapie).round(3)
    return table.reset_index()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.intervals", description="Measure prediction intervals."
    )
    parser.add_argument("--tables", type=names, default=names(TABLES))
    parser.add_argument("--folds", type=names, default=names("0,1,2,3,4"))
    parser.add_argument("--mapie-folds", type=names, default=names("0,1"))
    parser.add_argument("--methods", type=names, default=names("bags,split,mapie"))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/intervals.csv")
    options = parser.parse_args(arguments)
    measured = pd.DataFrame(cells(options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    measured.round(6).to_csv(options.out, index=False)
    text = tables.markdown(summary(measured))
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
