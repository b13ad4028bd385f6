"""Known truths in tables of many shapes: which interactions are found, missed, made up.

    python -m benchmarks.shapes --grid quick

Rows from 300 to 100,000, features from 5 to 300; one to five interactions of two or three features,
weak and strong; normal, correlated, binary and skewed columns; numbers and classes. Every table is
fitted by the default and by the paper's growth, beside the reference and the fit with the true
regions given. R² is that of the score against the true score on new rows.
"""

import argparse
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.environments import ROOT
from benchmarks.run import names

SHAPES = ((200, 3), (500, 20), (1000, 40), (2000, 80), (5000, 200))
WIDE = ((500, 1000), (500, 3000))
OTHER_SHAPES = ((300, 5), (300, 30), (1000, 100), (3000, 300), (10_000, 50), (100_000, 20))
N_TEST = 3000
STRENGTH = {"strong": 3.0, "weak": 1.0}


@dataclass(frozen=True)
class Truth:
    """A simulated table: 2·x0 and interactions of the features after it, plus noise.

    `sizes` are the numbers of features in every interaction. The first feature's slope is there
    only where the others are above their middle.
    """

    n_rows: int
    n_features: int
    sizes: tuple[int, ...] = (2,)
    strength: str = "strong"
    columns: str = "normal"
    task: str = "regression"

    @property
    def interactions(self) -> list[tuple[int, ...]]:
        """Features of every interaction."""
        first = np.cumsum((1, *self.sizes))
        return [tuple(range(a, b)) for a, b in pairwise(first)]

    @property
    def name(self) -> str:
        """Shape, sizes of the interactions, strength, columns, task."""
        sizes = "+".join(map(str, self.sizes))
        parts = (sizes, self.strength, self.columns, self.task)
        return f"{self.n_rows}x{self.n_features} " + " ".join(parts)

    def draw(self, rng: np.random.Generator, n_rows: int):
        """Return rows, their true scores and y."""
        X = rng.normal(size=(n_rows, self.n_features))
        if self.columns == "correlated":
            X = np.sqrt(0.5) * X + np.sqrt(0.5) * rng.normal(size=(n_rows, 1))
        standard = X.copy()
        if self.columns == "mixed":  # every second column is 0/1, every fifth skewed
            X[:, 0::2] = standard[:, 0::2] = standard[:, 0::2] > 0
            X[:, 1::5] = np.exp(1.5 * X[:, 1::5])
        score = 2 * standard[:, 0]
        for own, *others in self.interactions:
            active = np.all(standard[:, others] > 0, axis=1)
            score = score + STRENGTH[self.strength] * standard[:, own] * active
        if self.task == "regression":
            return X, score, score + rng.normal(size=n_rows)
        score = score - score.mean()
        return X, score, (rng.random(n_rows) < 1 / (1 + np.exp(-score))).astype(int)


def grid(name: str) -> list[Truth]:
    """Return the truths of a grid, the cheap ones first: quick, shapes, wide or full."""
    if name in {"shapes", "wide"}:
        return [Truth(*shape) for shape in (SHAPES if name == "shapes" else WIDE)]
    kinds = [
        Truth(n, p, sizes, strength, columns, task)
        for n, p in ((500, 20), (2000, 40))
        for sizes in ((2,), (2, 2), (2,) * 5, (3,), (3, 2))
        for strength in STRENGTH
        for columns in ("normal", "correlated", "mixed")
        for task in ("regression", "classification")
    ]
    if name == "quick":
        return [Truth(300, 5), *(one for one in kinds if one.n_rows == 500)]
    return list(dict.fromkeys([*(Truth(*s) for s in (*SHAPES, *OTHER_SHAPES)), *kinds]))


def r2(truth, score) -> float:
    return float(1 - ((truth - score) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


def judged(pairs: list[frozenset[int]], interactions: list[tuple[int, ...]]) -> dict[str, int]:
    """Count interactions that the splits' pairs found, those missed, and splits that join nothing.

    An interaction of three features is found if two of its pairs are.
    """
    inside = [{pair for pair in pairs if pair <= set(one)} for one in interactions]
    found = sum(len(own) >= len(one) - 1 for own, one in zip(inside, interactions, strict=True))
    false = sum(not any(pair <= set(one) for one in interactions) for pair in pairs)
    return {"found": found, "missed": len(interactions) - found, "false": false}


def fit_one(truth: Truth, seed: int, growth: str) -> dict:
    """Fit one table; growth "given" means the true regions."""
    from calmgam import CALMClassifier, CALMRegressor

    rng = np.random.default_rng(seed)
    X, _, y = truth.draw(rng, truth.n_rows)
    X_test, score, _ = truth.draw(rng, N_TEST)
    make = CALMRegressor if truth.task == "regression" else CALMClassifier
    options = {"growth": true_regions(truth, X) if growth == "given" else growth}
    start = time.process_time()
    model = make(random_state=seed, n_jobs=1, **options).fit(X, y)
    row = {
        "truth": truth.name,
        "seed": seed,
        "growth": growth,
        "r2": r2(score, model.model_.score(X_test)),
        "cpu_seconds": time.process_time() - start,
    }
    if growth == "given":
        return row
    raw = reference_scores(model.model_.schema, X, y, X_test)
    pairs = split_pairs(model)
    return {
        **row,
        "n_splits": len(pairs),
        **judged(pairs, truth.interactions),
        "reference": r2(score, raw),
    }


def reference_scores(schema, X, y, X_test):
    """Return the scores of boosted trees like the reference."""
    from calmgam.fit.data.losses import LogLoss, SquaredError
    from calmgam.fit.references.boosted_trees import BoostedTrees

    is_number = y.dtype.kind == "f"
    loss, mean, scale = (SquaredError(), y.mean(), y.std()) if is_number else (LogLoss(), 0, 1)
    trees = BoostedTrees(schema, loss).fit(schema.encode(X), (y - mean) / scale)
    return mean + scale * trees.decision_function(schema.encode(X_test))


def split_pairs(model) -> list[frozenset[int]]:
    """Return the feature and the conditioning feature of every kept split."""
    kept = [record for record in model.ledger_.splits if record.accepted]
    number = {feature.name: feature.index for feature in model.model_.schema.features}
    return [frozenset({number[one.feature], one.condition.feature.index}) for one in kept]


def true_regions(truth: Truth, X: np.ndarray) -> dict[str, list[str]]:
    """Return the regions of the truth, at the middle of the conditioning columns."""
    regions = {}
    for own, *others in truth.interactions:
        binary = [set(np.unique(X[:, j])) == {0.0, 1.0} for j in others]
        skewed = [not b and X[:, j].min() > 0 for b, j in zip(binary, others, strict=True)]
        middles = [0.5 if b else 1 if s else 0 for b, s in zip(binary, skewed, strict=True)]
        above = [f"x{j} > {m}" for j, m in zip(others, middles, strict=True)]
        parts, so_far = [], []
        for j, m, condition in zip(others, middles, above, strict=True):
            parts.append(" and ".join([*so_far, f"x{j} <= {m}"]))
            so_far.append(condition)
        regions[f"x{own}"] = [*parts, " and ".join(so_far)]
    return regions


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return one row per truth: what either growth found, R² of everything, means over seeds."""
    mean = measured.pivot_table(
        ["found", "missed", "false", "r2", "reference", "cpu_seconds"],
        "truth",
        "growth",
        sort=False,
    )
    seeds = measured[measured["growth"] == "joint"].groupby("truth", sort=False).size()
    table = pd.DataFrame({"truth": mean.index})
    table["seeds"] = seeds.reindex(mean.index).fillna(0).astype(int).to_numpy()
    for growth in ("joint", "heterogeneity"):
        for measure in ("found", "missed", "false", "r2"):
            if (measure, growth) in mean:
                table[f"{measure} {growth}"] = mean[measure, growth].to_numpy()
    for label, column in (
        ("r2 given", ("r2", "given")),
        ("r2 reference", ("reference", "joint")),
        ("CPU s joint", ("cpu_seconds", "joint")),
    ):
        if column in mean:
            table[label] = mean[column].to_numpy()
    return table


def verdict(measured: pd.DataFrame) -> str:
    """Say how the default compares with the paper's growth, over all truths and seeds."""
    cells = measured.pivot_table(["found", "false", "r2"], ["truth", "seed"], "growth").dropna()
    level = cells["found", "joint"] >= cells["found", "heterogeneity"]
    by_seed = "; ".join(f"seed {n}: {one:.1%}" for n, one in level.groupby("seed").mean().items())
    finds = {
        growth: f"finds {cells['found', growth].sum():.0f} interactions, makes "
        f"{cells['false', growth].sum():.0f} false splits, and has a mean R² of "
        f"{cells['r2', growth].mean():.3f}"
        for growth in ("joint", "heterogeneity")
    }
    return (
        f"The default finds at least as much as the paper's growth in {level.mean():.1%} of "
        f"{len(cells)} tables ({by_seed}).\n\nOver them the default {finds['joint']}; the paper's "
        f"growth {finds['heterogeneity']}."
    )


def key(row: dict) -> tuple[str, int, str]:
    return row["truth"], row["seed"], row["growth"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.shapes", description="Look for known interactions."
    )
    parser.add_argument("--grid", choices=("quick", "shapes", "wide", "full"), default="full")
    parser.add_argument("--every", type=int, default=1, help="a sample: every so many truths")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument(
        "--truths", type=names, default=None, help="names that contain one of these"
    )
    parser.add_argument("--growths", type=names, default=names("joint,heterogeneity,given"))
    parser.add_argument("--again", action="store_true", help="measure what the CSV has once more")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/shapes.csv")
    options = parser.parse_args(arguments)
    chosen = [
        truth
        for truth in grid(options.grid)[:: options.every]
        if not options.truths or any(part in truth.name for part in options.truths)
    ]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    cells = {
        (truth.name, seed, growth): truth
        for truth in chosen
        for seed in range(options.first_seed, options.first_seed + options.seeds)
        for growth in options.growths
    }
    known = pd.read_csv(options.out).to_dict("records") if options.out.exists() else []
    rows = [row for row in known if not (options.again and key(row) in cells)]
    done = set(map(key, rows))
    for cell, truth in cells.items():
        if cell not in done:
            rows.append(fit_one(truth, *cell[1:]))
            print(rows[-1], flush=True)
            pd.DataFrame(rows).to_csv(options.out, index=False)
    measured = pd.DataFrame(rows)
    text = tables.markdown(summary(measured))
    if {"joint", "heterogeneity"} <= set(measured["growth"]):
        text += f"\n\n{verdict(measured)}"
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
