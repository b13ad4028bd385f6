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

N_ROWS = {"noise": 1000, "wide-noise": 500, "additive": 1000, "large-additive": 16_000}
N_FEATURES, N_FEATURES_OF_WIDE, RHO = 5, 50, 0.9
REQUIRED = 18  # of 20 seeds without a split


def noise(
    rng: np.random.Generator, n_rows: int, n_features: int = N_FEATURES
) -> tuple[np.ndarray, np.ndarray]:
    """Return independent features and a score that knows none of them."""
    return rng.normal(size=(n_rows, n_features)), np.zeros(n_rows)


def wide_noise(rng: np.random.Generator, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return many such features for the rows."""
    return noise(rng, n_rows, N_FEATURES_OF_WIDE)


def additive(rng: np.random.Generator, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features with pairwise correlation RHO and a sum of curves, not of products."""
    shared = rng.normal(size=(n_rows, 1))
    X = np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * rng.normal(size=(n_rows, N_FEATURES))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + np.tanh(X[:, 2]) - 0.5 * X[:, 3]


def n_splits(truth: str, task: str, seed: int) -> int:
    """Fit the default estimator; return how many splits it makes."""
    from calmgam import CALMClassifier, CALMRegressor

    rng = np.random.default_rng(seed)
    draw = {"noise": noise, "wide-noise": wide_noise}.get(truth, additive)
    X, score = draw(rng, N_ROWS[truth])
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
    parser.add_argument("--truths", type=names, default=list(N_ROWS))
    parser.add_argument("--tasks", type=names, default=names("regression,classification"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/noise.csv")
    options = parser.parse_args(arguments)
    rows = [
        (f"{truth} {task}", seed, n_splits(truth, task, seed))
        for task in options.tasks
        for truth in options.truths
        for seed in range(options.seeds)
    ]
    measured = pd.DataFrame(rows, columns=["case", "seed", "n_splits"])
    options.out.parent.mkdir(parents=True, exist_ok=True)
    measured.to_csv(options.out, index=False)
    text = tables.markdown(summary(measured))
    options.out.with_suffix(".md").write_text(f"Made by `{parser.prog}`.\n\n{text}\n")
    print(text)


if __name__ == "__main__":
    main()
