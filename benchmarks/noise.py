"""Splits that should not be there: pure noise, and an additive truth of correlated features.

python -m benchmarks.noise
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.environments import ROOT
from benchmarks.run import names

SHAPES = {  # rows and features
    "noise": (1000, 5),
    "small-noise": (300, 5),
    "wide-noise": (500, 50),
    "wider-noise": (2000, 200),
    "additive": (1000, 5),
    "small-additive": (300, 5),
    "large-additive": (16_000, 5),
}
COLUMNS = ["case", "seed", "n_splits"]
RHO = 0.9
REQUIRED = 18  # of 20 seeds without a split


def noise(rng: np.random.Generator, n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return independent features and a score that knows none of them."""
    return rng.normal(size=(n_rows, n_features)), np.zeros(n_rows)


def additive(
    rng: np.random.Generator, n_rows: int, n_features: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return features with pairwise correlation RHO and a sum of curves, not of products."""
    shared = rng.normal(size=(n_rows, 1))
    X = np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * rng.normal(size=(n_rows, n_features))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + np.tanh(X[:, 2]) - 0.5 * X[:, 3]


def n_splits(truth: str, task: str, seed: int) -> int:
    """Fit the default estimator; return how many splits it makes."""
    from calmgam import CALMClassifier, CALMRegressor

    rng = np.random.default_rng(seed)
    X, score = (noise if truth.endswith("noise") else additive)(rng, *SHAPES[truth])
    if task == "regression":
        y = score + rng.normal(size=len(X))
        return CALMRegressor(random_state=seed).fit(X, y).n_splits_
    y = rng.random(len(X)) < 1 / (1 + np.exp(-score))
    return CALMClassifier(random_state=seed).fit(X, y).n_splits_


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return per case how many seeds made no split, and the most splits that any made."""
    cases = measured.groupby("case", sort=False)["n_splits"]
    table = cases.agg(seeds="size", without=lambda n: (n == 0).sum(), most_splits="max")
    return table.reset_index().assign(required=REQUIRED)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.noise", description="Count splits where there is nothing."
    )
    parser.add_argument("--truths", type=names, default=list(SHAPES))
    parser.add_argument("--tasks", type=names, default=names("regression,classification"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--again", action="store_true", help="measure what the CSV has once more")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/noise.csv")
    options = parser.parse_args(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    cells = {
        (f"{truth} {task}", seed): (truth, task, seed)
        for task in options.tasks
        for truth in options.truths
        for seed in range(options.seeds)
    }
    known = pd.read_csv(options.out).to_numpy().tolist() if options.out.exists() else []
    rows = [row for row in known if not (options.again and (row[0], row[1]) in cells)]
    done = {(case, seed) for case, seed, _ in rows}
    for (case, seed), cell in cells.items():
        if (case, seed) not in done:
            rows.append([case, seed, n_splits(*cell)])
            print(*rows[-1], flush=True)
            pd.DataFrame(rows, columns=COLUMNS).to_csv(options.out, index=False)
    measured = pd.DataFrame(rows, columns=COLUMNS)
    text = tables.markdown(summary(measured))
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
