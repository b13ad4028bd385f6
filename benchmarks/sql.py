"""Scoring a million rows in DuckDB beside `predict`: a mixed table and one of plain numbers.

Both score the same rows in this process, in turns; the least of a few rounds counts. CPU time is
that of all threads.

    python -m benchmarks.sql
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from calmgam import Boosting, CALMRegressor
from calmgam.demo import simulate_bikes

RESULTS = Path(__file__).parent / "results" / "sql.csv"
COLUMNS = (
    "table",
    "rows",
    "features",
    "curves",
    "predict_seconds",
    "duckdb_seconds",
    "ratio",
    "predict_cpu_seconds",
    "duckdb_cpu_seconds",
    "cpu_ratio",
)
N_TRAINING, N_ROUNDS = 5000, 3


def numeric_table(n_rows: int) -> tuple[pd.DataFrame, Any]:
    """Return ten plain numbers, some of them skewed or whole, and a target with an interaction."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 10)), columns=[f"x{k}" for k in range(10)])
    for k in (2, 5):
        X[f"x{k}"] = np.exp(X[f"x{k}"])
    X["x8"] = np.round(10 * X["x8"])
    signal = np.sin(2 * X["x0"]) + X["x1"] * (X["x3"] > 0) + np.log(X["x2"]) + 0.1 * X["x8"]
    return X, signal + 0.3 * rng.normal(size=n_rows)


def seconds(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the time on the clock, that of all threads, and what came out."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def measure(name: str, make: Callable[[int], tuple[Any, Any]], n_rows: int) -> dict[str, Any]:
    """Fit a few rows, score many in both ways, and compare."""
    import duckdb

    X, _ = make(n_rows)
    small, y = make(N_TRAINING)
    calm = CALMRegressor(curves=Boosting(n_bags=2), n_jobs=1, random_state=0).fit(small, y)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT * FROM X")
    query = calm.to_sql("duckdb")
    ways: dict[str, Callable[[], Any]] = {
        "predict": lambda: calm.predict(X),
        "duckdb": lambda: connection.execute(query).fetchnumpy()["score"],
    }
    times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    scores = {}
    for _ in range(N_ROUNDS):
        for way, work in ways.items():
            wall, cpu, scores[way] = seconds(work)
            times[way].append((wall, cpu))
    np.testing.assert_allclose(scores["duckdb"], scores["predict"], rtol=0, atol=1e-9)
    least = {way: [min(part) for part in zip(*found, strict=True)] for way, found in times.items()}
    (predict, predict_cpu), (database, database_cpu) = least["predict"], least["duckdb"]
    numbers = (predict, database, database / predict)
    cpu_numbers = (predict_cpu, database_cpu, database_cpu / predict_cpu)
    shape = (name, n_rows, X.shape[1], calm.n_curves_)
    rounded = [round(number, 3) for number in (*numbers, *cpu_numbers)]
    return dict(zip(COLUMNS, (*shape, *rounded), strict=True))


def main() -> None:
    """Measure both tables, and write the CSV."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    tables = {"mixed (bike rentals)": simulate_bikes, "plain numbers": numeric_table}
    found = [measure(name, make, options.rows) for name, make in tables.items()]
    with options.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    for line in found:
        print(line)


if __name__ == "__main__":
    main()
