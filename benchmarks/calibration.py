"""Calibration: what scaling probabilities is worth on rows that nobody has seen.

    python -m benchmarks.calibration        (CALMGAM_DATA; fold 0)

A fifth of the training rows is kept from the fit and asks for a scale; log loss and expected
calibration error are those of the test fold. `scaled`: `calibrated` found that a scale helps.
`overconfident`: the same model with its log-odds doubled, which has to be found and taken back.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.datasets import load, split
from benchmarks.environments import ROOT
from benchmarks.run import names

TABLES = "appendicitis,spectf,churn,phoneme,compas,heloc,magic"


def measure(table: str) -> Iterator[dict[str, Any]]:
    """Fit, calibrate, and compare on the test rows."""
    from calmgam import CALMClassifier
    from calmgam.read.measures.performance import performance

    X, y, X_test, y_test = split(*load(table)[:2], "0")
    rows = np.random.default_rng(0).permutation(len(y))
    kept, rest = rows[: len(y) // 5], rows[len(y) // 5 :]
    fitted = CALMClassifier(random_state=0, n_jobs=1).fit(X.iloc[rest], y[rest]).model_
    doubled = fitted.edit().rescale(2.0).done()
    for name, model in (("fitted", fitted), ("overconfident", doubled)):
        better = model.calibrated(X.iloc[kept], y[kept])
        before, after = (performance(m, X_test, y_test) for m in (model, better))
        yield {
            "table": table,
            "model": name,
            "scaled": better is not model,
            "slope": better.trail[-1].edit["slope"] if better is not model else 1.0,
            "log_loss": before["log loss"],
            "log_loss_after": after["log loss"],
            "calibration_error": before["calibration error"],
            "calibration_error_after": after["calibration error"],
        }


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the CSV and its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration")
    parser.add_argument("--tables", type=names, default=names(TABLES))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/calibration.csv")
    options = parser.parse_args(arguments)
    measured = pd.DataFrame([row for table in options.tables for row in measure(table)]).round(4)
    measured.to_csv(options.out, index=False)
    text = tables.markdown(measured)
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
