"""May a promised feature be a condition, where the proof allows it? What that would be worth.

    python -m benchmarks.switches            (CALMGAM_DATA; fold 0)

`never`: conditions are not about promised features, as in every fit. `any`: they may be, and
nothing is proved: the most that harmless switches could be worth. `proved`: switches are dropped,
the worst hidden jump first, and curves learned again until the model is proved. `kept`: what is
left of them. Simulations: the product of `benchmarks.monotone`; a wave in x1 that x0 > 1/2 switches
on, `touching` zero (so that noise breaks the promise) or `clear` of it. Cells that the CSV has are
kept.
"""

import argparse
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.datasets import load, split
from benchmarks.environments import ROOT
from benchmarks.monotone import PROMISES, UP, Cell, error, product, record
from benchmarks.run import names

SIMULATIONS = ("product", "touching", "clear")
N_SEEDS = 3
WAYS = ("never", "any", "proved")


def simulate(name: str, seed: int) -> tuple[pd.DataFrame, Any, str]:
    """Return a simulated table."""
    if name == "product":
        return product(seed=seed)
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0, 1, (4000, 4))).add_prefix("x")
    wave = (1 if name == "touching" else 2) + np.sin(9 * X.x1)
    return X, wave * (X.x0 > 0.5) + X.x2 + 0.3 * rng.normal(size=4000), "regression"


def fit(task: str, way: str, promised: Mapping[str, str], X: Any, y: Any) -> Any:
    """Return the model."""
    from calmgam import CALMClassifier, CALMRegressor
    from calmgam.fit import pipeline
    from calmgam.fit.constraints import Constraints

    read_limits = pipeline.read_limits

    def open_limits(plan: Any, _: Constraints, schema: Any) -> Any:
        return read_limits(plan, Constraints(), schema)

    kind = CALMRegressor if task == "regression" else CALMClassifier
    settings = {"monotone": promised, "random_state": 0, "n_jobs": 1}
    if way == "never":
        return kind(**settings).fit(X, y).model_
    with patch.object(pipeline, "read_limits", open_limits):
        with patch.object(Constraints, "prove"):
            model = kind(**settings).fit(X, y).model_
        if way == "any":
            return model
        trees = {term.feature.name: term.tree for term in model.terms}
        while True:
            try:
                return kind(**settings, growth=trees).fit(X, y).model_
            except RuntimeError:  # not proved
                with patch.object(Constraints, "prove"):
                    model = kind(**settings, growth=trees).fit(X, y).model_
            feature, term = worst_switch(model, promised)
            trees[term] = _without(trees[term], model.schema.index(feature))


def worst_switch(model: Any, promised: Mapping[str, str]) -> tuple[str, str]:
    """Return the promised feature, and the term that it switches, of the worst hidden jump."""
    from calmgam.read import jumps

    worst = [
        (jump.low if way == UP else -jump.high, feature, jump.terms[0])
        for feature, way in promised.items()
        for jump in jumps(model, feature).jumps
        if len(jump.terms) == 1
    ]
    return min(worst)[1:]


def _without(tree: Any, feature: int) -> Any:
    """Return the tree without splits on a feature, and those below them."""
    from calmgam.model import PartitionTree

    def nested(at: int) -> Any:
        node = tree.nodes[at]
        if node.condition is None or node.condition.feature.index == feature:
            return None
        left = nested(node.left)
        return node.condition, left, nested(node.right)

    return PartitionTree.from_nested(nested(0))


def measure(table: str, seed: int, way: str) -> dict[str, Any]:
    """Fit, and measure on the rows left out."""
    X, y, task = simulate(table, seed) if table in SIMULATIONS else load(table)
    promised = PROMISES.get(table, {"x0": UP})
    X_train, y_train, X_test, y_test = split(X, np.asarray(y), "0")
    start = time.process_time()
    model = fit(task, way, promised, X_train, y_train)
    named = {model.schema.index(name) for name in promised}
    return {
        "table": table,
        "seed": seed,
        "way": way,
        "error": error(task, y_test, model.score(X_test)),
        "splits": model.n_splits,
        "kept": sum(bool(named & set(term.conditioned_on)) for term in model.terms),
        "seconds": time.process_time() - start,
    }


def cells(tables: Iterable[str]) -> list[Cell]:
    """Return every seed and way of the tables."""
    return [
        (table, seed, way)
        for table in tables
        for seed in range(N_SEEDS if table in SIMULATIONS else 1)
        for way in WAYS
    ]


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors beside those of fits without switches."""
    means = measured.groupby(["table", "way"], sort=False)[["error", "kept"]].mean()
    never = means["error"].xs("never", level="way")
    means["error / never"] = means["error"] / never.reindex(means.index, level="table")
    return means.round(4).reset_index()


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the CSV and its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.switches")
    parser.add_argument("--tables", type=names, default=[*SIMULATIONS, *list(PROMISES)[1:]])
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/switches.csv")
    options = parser.parse_args(arguments)
    record(cells(options.tables), measure, summary, options.out, parser.prog)


if __name__ == "__main__":
    main()
