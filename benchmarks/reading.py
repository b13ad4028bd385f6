"""Reading a model, measured: report pages in a headless Chromium, and audits of fitted models.

    python -m benchmarks.reading

A page is opened several times, then scores random rows: edges, the next number above them, missing
values, unseen levels. An audit is every feature's hidden jumps and monotonicity, for the default
estimator on all rows of a public table. Writes results/reading.csv, audits.csv and reading.md.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.datasets import load
from benchmarks.environments import ROOT
from benchmarks.run import names
from calmgam import CALMClassifier, CALMRegressor, Model
from calmgam.demo import simulate_bikes
from calmgam.read.audit import jumps, monotonicity
from calmgam.read.report import report

sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "read")]  # pages open as in the tests
from audit_models import big_model

from chromium import browser, random_rows, what_if

N_LOADS = 5
N_ROWS = 1000
LOAD_SECONDS = """
const [{ startTime, loadEventEnd }] = performance.getEntriesByType("navigation");
return (loadEventEnd - startTime) / 1000;
"""


def page_models() -> dict[str, Model]:
    """Return the demonstration, and a model as large as pages are meant to be."""
    return {
        "demonstration": CALMRegressor(random_state=0).fit(*simulate_bikes()).model_,
        "20 features × 1024 bins": big_model(n_bins=1024, n_splits=40, max_depth=2),
    }


def measure_page(driver, name: str, model: Model, folder: Path) -> dict:
    """Return the page's size, its median time to load, and how far its scores are from Python's."""
    path = report(model, folder / "page.html")
    seconds = []
    for _ in range(N_LOADS):
        driver.get(path.as_uri())
        seconds.append(driver.execute_script(LOAD_SECONDS))
    rows = random_rows(model, N_ROWS)
    shown = [line["score"] for line in what_if(driver, rows)]
    return {
        "page": name,
        "curves": model.n_curves,
        "bytes": path.stat().st_size,
        "load_seconds": statistics.median(seconds),
        "rows_scored": len(rows),
        "largest_difference": np.abs(shown - model.score_encoded(rows)).max(),
    }


def measure_audit(name: str, model: Model) -> dict:
    """Return how long all jumps and directions of a model take, and whether all are exact."""
    start = time.perf_counter()
    found = [jump for feature in model.schema.names for jump in jumps(model, feature).jumps]
    verdicts = [monotonicity(model, feature) for feature in model.schema.names]
    seconds = time.perf_counter() - start
    return {
        "dataset": name,
        "features": len(verdicts),
        "curves": model.n_curves,
        "jumps": len(found),
        "monotone": sum(v.direction not in ("neither", "unordered") for v in verdicts),
        "seconds": seconds,
        "exact": all(jump.exact for jump in found) and all(v.proved for v in verdicts),
    }


def fitted(name: str) -> Model:
    """Return the default estimator's model of all rows of a public table."""
    X, y, task = load(name)
    estimator = CALMRegressor if task == "regression" else CALMClassifier
    return estimator(random_state=0).fit(X, y).model_


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reading", description="Measure report pages and audits."
    )
    datasets = "bike_sharing,california_housing,adult,bank"
    parser.add_argument("--datasets", type=names, default=names(datasets))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results")
    options = parser.parse_args(arguments)
    with browser() as driver, tempfile.TemporaryDirectory() as folder:
        pages = [measure_page(driver, *item, Path(folder)) for item in page_models().items()]
    audits = [measure_audit(name, fitted(name)) for name in options.datasets]
    text = f"Made by `{parser.prog}`.\n"
    for title, file, rows in (("pages", "reading", pages), ("audits", "audits", audits)):
        table = pd.DataFrame(rows)
        table.to_csv(options.out / f"{file}.csv", index=False)
        text += f"\n## {title}\n\n{tables.markdown(table)}\n"
    (options.out / "reading.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
