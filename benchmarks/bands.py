"""Bands of curves: how often a 90 % pointwise band holds the true curve, on simulations.

python -m benchmarks.bands

Truths are sums of curves of independent or correlated features, one with regions; regions are given
to the fit, so that fitted and true curves are comparable. The true height of a slot is the mean of
the true curve over the training rows in it, and both are in canonical form. Coverage is the share
of training rows whose slot has its true height inside the band.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.environments import ROOT
from benchmarks.run import names

N_FEATURES = 5
FIRST_SEED = 100  # 0 to 2 have chosen the width
REGIONS = ["x4 <= 0", "x4 > 0"]
Curve = Callable[[np.ndarray, np.ndarray], np.ndarray]


def curves(truth: str) -> list[Curve]:
    """Return the true curve of every feature, of its column and of x4."""
    smooth: list[Curve] = [
        lambda x, z: np.sin(2 * x),
        lambda x, z: 0.5 * np.minimum(x**2, 4),
        lambda x, z: np.where(x > 0.5, 1.0, 0.0),
        lambda x, z: 0 * x,
        lambda x, z: 0.5 * x,
    ]
    if truth == "regions":
        smooth[0] = lambda x, z: np.where(z <= 0, np.sin(2 * x), -x)
    return smooth


def simulate(truth: str, task: str, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and target."""
    rng = np.random.default_rng(seed)
    rho = 0.7 if truth == "correlated" else 0.0
    shared = rng.normal(size=(n_rows, 1))
    X = np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.normal(size=(n_rows, N_FEATURES))
    score = sum(curve(X[:, i], X[:, 4]) for i, curve in enumerate(curves(truth)))
    if task == "regression":
        return X, score + rng.normal(size=n_rows)
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(1 - score))).astype(int)


def ratios(truth: str, task: str, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return |error| / half-width of every slot with rows, and its rows."""
    from calmgam import CALMClassifier, CALMRegressor
    from calmgam.model.canonical import CanonicalPlan
    from calmgam.model.shapes import slot_codes

    X, y = simulate(truth, task, n_rows, seed)
    estimator = CALMRegressor if task == "regression" else CALMClassifier
    given: dict[str, Any] = {"growth": {"x0": REGIONS}} if truth == "regions" else {"max_depth": 0}
    model = estimator(random_state=seed, n_jobs=1, **given).fit(X, y).model_
    heights = []
    for i, (term, curve) in enumerate(zip(model.terms, curves(truth), strict=True)):
        cells = slot_codes(term.feature, term.edges, X[:, i]).astype(np.intp)
        cells += term.tree.leaf_of(X) * term.n_slots
        size = term.n_slots * term.tree.n_leaves
        sums = np.bincount(cells, curve(X[:, i], X[:, 4]), minlength=size)
        rows = np.bincount(cells, minlength=size)
        heights.append((sums / np.maximum(rows, 1)).reshape(term.tree.n_leaves, term.n_slots))
    plan = CanonicalPlan(
        model.schema.features,
        [term.tree for term in model.terms],
        [term.edges for term in model.terms],
        [np.array([shape.counts for shape in term.shapes]) for term in model.terms],
    )
    _, truths = plan.apply(heights)
    errors, widths, rows = [], [], []
    for term, true in zip(model.terms, truths, strict=True):
        for shape, height in zip(term.shapes, true, strict=True):
            seen = shape.counts > 0
            errors.append(np.abs(shape.values - height)[seen])
            widths.append(shape.spreads[seen])
            rows.append(shape.counts[seen])
    error, width = np.concatenate(errors), np.concatenate(widths)
    return error / np.maximum(width, 1e-12), np.concatenate(rows)


def cells(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for truth in options.truths:
        for task in options.tasks:
            for n_rows in map(int, options.rows):
                for seed in range(FIRST_SEED, FIRST_SEED + options.seeds):
                    ratio, rows = ratios(truth, task, n_rows, seed)
                    order = np.argsort(ratio)
                    below = np.cumsum(rows[order]) / rows.sum()
                    found = {
                        "coverage": float(rows[ratio <= 1].sum() / rows.sum()),
                        "needed": float(ratio[order][np.searchsorted(below, 0.9)]),
                    }
                    yield {"truth": truth, "task": task, "n_rows": n_rows, "seed": seed, **found}


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the mean coverage of every case, and the factor that 90 % would need."""
    groups = measured.groupby(["truth", "task", "n_rows"], sort=False)
    return groups[["coverage", "needed"]].mean().round(3).reset_index()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bands", description="Measure the bands of curves."
    )
    parser.add_argument("--truths", type=names, default=names("independent,correlated,regions"))
    parser.add_argument("--tasks", type=names, default=names("regression,classification"))
    parser.add_argument("--rows", type=names, default=names("1000,5000"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/bands.csv")
    options = parser.parse_args(arguments)
    measured = pd.DataFrame(cells(options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    measured.round(6).to_csv(options.out, index=False)
    text = tables.markdown(summary(measured))
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
