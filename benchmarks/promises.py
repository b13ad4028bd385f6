"""200 random fits with monotone promises: each proved, each tried by brute force and by a verifier.

    python -m benchmarks.promises            (writes results/promises.csv)

Numbers, two classes and counts; boosting and splines; 3 to 10 features. The truth
has the first feature in both roles: its curve depends on others, and it switches the curves of
others. `own_regions`: promised features with several curves. `asked_when_free`: conditions on
promised features in the same fit without promises; with them there are none.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.environments import ROOT

N_FITS = 200
N_CONTEXTS = 4000  # that brute force goes through at most
TARGETS = ("number", "classes", "count")


def random_table(seed: int) -> tuple[pd.DataFrame, Any, dict[str, str]]:
    """Return features, the score of the truth and the promises."""
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(150, 400)), int(rng.integers(3, 11))
    X = pd.DataFrame(rng.normal(size=(n_rows, n_features)).round(1)).add_prefix("x")
    X["x1"] = X["x1"].mask(rng.random(n_rows) < 0.1)
    if seed % 3 == 0:
        X["x2"] = X["x2"] > 0
    signs = rng.choice([-1.0, 1.0], 3)
    score = signs[0] * X.x0 * (X.x1 > 0) + 2 * signs[1] * X.x1.fillna(0) * (X.x0 > 0.3)
    score = score + signs[2] * X.x2 * (X.x0 < -0.2) + 0.3 * rng.normal(size=n_rows)
    return X, score, {"x0": ("increasing", "decreasing")[seed // 3 % 2], "x2": "increasing"}


def target_of(score: Any, seed: int) -> tuple[str, Any]:
    """Return what is predicted, and y."""
    target = TARGETS[seed % len(TARGETS)]
    if target == "classes":
        return target, score > score.median()
    if target == "count":
        return target, np.random.default_rng(seed).poisson(np.exp(np.clip(score, -3, 3)))
    return target, score


def fit(seed: int, with_promises: bool) -> Any:
    """Fit one of the 200, with or without its promises."""
    from calmgam import Boosting, CALMClassifier, CALMRegressor, Splines

    X, score, monotone = random_table(seed)
    target, y = target_of(score, seed)
    quick = Boosting(n_bags=2, max_rounds=60, learning_rate=0.1)
    settings: dict[str, Any] = {
        "curves": Splines(n_draws=2) if seed % 10 == 0 else quick,
        "monotone": monotone if with_promises else None,
        "objective": "poisson" if target == "count" else None,
    }
    kind = CALMClassifier if target == "classes" else CALMRegressor
    settings = {name: value for name, value in settings.items() if value is not None}
    return kind(max_splits=4, n_jobs=1, random_state=seed, **settings).fit(X, y)


def points_of(model: Any, index: int) -> np.ndarray:
    """Return a value for everything that the model can tell apart in a feature."""
    term = model.terms[index]
    if not term.feature.is_numeric:
        points = np.arange(float(term.feature.n_levels))
    else:
        conditions = (n.condition for t in model.terms for n in t.tree.nodes if n.condition)
        cuts = {e for c in conditions if c.feature.index == index for e in c.edges}
        inner = np.array(sorted({*term.edges.tolist(), *cuts}))
        points = np.append(inner, inner[-1] + 1.0 if len(inner) else 0.0)
    return np.append(points, [np.nan] * term.feature.has_missing)


def largest_fall(model: Any, feature: str, sign: int, rng: np.random.Generator) -> float:
    """Return the largest step against a direction, over the points of all features around it.

    Features that stand with it in a term are gone through in full, up to N_CONTEXTS combinations;
    others have random values. Scores come from the model, not from the algebra.
    """
    index = model.schema.index(feature)
    together = ({t.feature.index, *t.conditioned_on} for t in model.terms)
    around = sorted(set().union(*(each for each in together if index in each)) - {index})
    axes = [points_of(model, k) for k in around]
    n_contexts = math.prod(map(len, axes))
    if n_contexts <= N_CONTEXTS:
        chosen = np.array(list(product(*axes)), dtype=float).reshape(n_contexts, len(axes))
    else:
        chosen = np.column_stack([rng.choice(axis, N_CONTEXTS) for axis in axes])
    n_features = model.schema.n_features
    contexts = np.column_stack(
        [rng.choice(points_of(model, k), len(chosen)) for k in range(n_features)]
    )
    contexts[:, around] = chosen
    own = points_of(model, index)
    own = own[~np.isnan(own)]
    rows = np.repeat(contexts, len(own), axis=0)
    rows[:, index] = np.tile(own, len(contexts))
    scores = model.score_encoded(rows).reshape(len(contexts), len(own))
    return max(0.0, -float((sign * np.diff(scores)).min(initial=0.0)))


def n_asked(model: Any, names: Any) -> int:
    """Count the splits that ask about some features."""
    indexes = {model.schema.index(name) for name in names}
    conditions = (node.condition for term in model.terms for node in term.tree.nodes)
    return sum(c is not None and c.feature.index in indexes for c in conditions)


def measure(seed: int, with_free: bool = True) -> dict[str, Any]:
    """Fit, prove, certify and verify, and look for a counterexample."""
    from calmgam.model.serialize import to_json
    from calmgam.read import Monotone
    from calmgam.read.audit.certify import certificate
    from calmgam.verify import verify

    X, score, monotone = random_table(seed)
    start = time.process_time()
    model = fit(seed, with_promises=True).model_
    seconds = time.process_time() - start
    rng = np.random.default_rng(seed)
    document = certificate(model, [Monotone(name, way) for name, way in monotone.items()])
    verified = verify(to_json(model), json.dumps(document))
    falls = [
        largest_fall(model, name, 1 if way == "increasing" else -1, rng)
        for name, way in monotone.items()
    ]
    own = [model.terms[model.schema.index(name)] for name in monotone]
    return {
        "seed": seed,
        "target": target_of(score, seed)[0],
        "features": X.shape[1],
        "rows": len(X),
        "promises": len(monotone),
        "own_regions": sum(term.tree.n_leaves > 1 for term in own),
        "asked": n_asked(model, monotone),
        "asked_when_free": n_asked(fit(seed, False).model_, monotone) if with_free else None,
        "verified": len(verified),
        "largest_fall": max(falls),
        "seconds": seconds,
    }


def cells(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield one row per fit."""
    for seed in range(options.fits):
        yield measure(seed)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the CSV."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises")
    parser.add_argument("--fits", type=int, default=N_FITS)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/promises.csv")
    options = parser.parse_args(arguments)
    measured = pd.DataFrame(cells(options))
    measured.round(6).to_csv(options.out, index=False)
    print(measured.groupby("target").sum(numeric_only=True))
    print("largest fall", measured["largest_fall"].max())


if __name__ == "__main__":
    main()
