"""What settings outside joint growth matter: each halved and doubled, on truths where it can.

    python -m benchmarks.settings

Numbers are judged by the R² of the prediction against the truth on new rows, classes by the
Kullback-Leibler divergence of the predicted from the true probabilities, in thousandths of a nat.
All seeds draw the same rows for every value, so differences are paired. `--settings` measures some
of them again and leaves the other rows of the CSV as they are.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, softmax
from scipy.stats import norm

from benchmarks import tables
from benchmarks.constants import FACTORS, Written, changed
from benchmarks.environments import ROOT
from benchmarks.run import names
from benchmarks.shapes import N_TEST, judged, r2, split_pairs

LEVEL = 0.9  # of quantiles
CURVES = {"lines": lambda x: 2 * x, "waves": lambda x: 2 * np.sin(2 * x)}
MEASURES = {"r2": "R²", "mnats": "divergence", "coverage": "coverage"}


@dataclass(frozen=True)
class Table:
    """A simulated table: a curve of x0, x1 with a slope where x2 > 0, x3 where x4 > 0, and so on.

    `y` is a number, a number whose spread grows with x0 (and the truth its quantile at 0.9), the
    events that a share of the rows has, or one of some classes, each with its own share of all
    terms.
    """

    n_rows: int
    n_features: int
    slope: float = 0.0
    curve: str = "waves"
    y: str = "number"
    share: float = 0.5
    n_classes: int = 2
    n_pairs: int = 1

    @property
    def name(self) -> str:
        """Shape, y, curve, number and slope of the interactions."""
        y = {"events": f"{self.share:.0%} events", "classes": f"{self.n_classes} classes"}
        times = f"{self.n_pairs} times " if self.n_pairs > 1 else ""
        interaction = f"{times}slope {self.slope:g}" if self.slope else "no interaction"
        shape = f"{self.n_rows}x{self.n_features}"
        return f"{shape} {y.get(self.y, self.y)}, {self.curve}, {interaction}"

    @property
    def interactions(self) -> list[tuple[int, int]]:
        """The pairs that interact."""
        return [(i, i + 1) for i in range(1, 2 * self.n_pairs, 2)] if self.slope else []

    def draw(self, rng: np.random.Generator, n_rows: int):
        """Return rows, their true number or probabilities, and y."""
        X = rng.normal(size=(n_rows, self.n_features))
        terms = self.terms(X)
        if self.y == "classes":
            probabilities = softmax(terms @ self.loadings, axis=1)
            drawn = np.argmax(np.log(probabilities) + rng.gumbel(size=probabilities.shape), axis=1)
            return X, probabilities, drawn
        score = terms.sum(axis=1)
        if self.y == "events":
            share = expit(score + self.intercept)
            return X, np.stack([1 - share, share], axis=1), (rng.random(n_rows) < share).astype(int)
        spread = np.exp(0.5 * X[:, 0]) if self.y == "spread" else 1.0
        truth = score + spread * norm.ppf(LEVEL) if self.y == "spread" else score
        return X, truth, score + spread * rng.normal(size=n_rows)

    def terms(self, X: np.ndarray) -> np.ndarray:
        """Return what every term adds to every row's score."""
        pairs = [self.slope * X[:, own] * (X[:, other] > 0) for own, other in self.interactions]
        return np.stack([CURVES[self.curve](X[:, 0]), *pairs], axis=1)

    @cached_property
    def loadings(self) -> np.ndarray:
        """What every class has of every term."""
        shape = 1 + len(self.interactions), self.n_classes
        return np.random.default_rng(self.n_classes).normal(size=shape)

    @cached_property
    def intercept(self) -> float:
        """The log-odds that give events their share."""
        rng = np.random.default_rng(0)
        scores = self.terms(rng.normal(size=(20_000, self.n_features))).sum(axis=1)
        return brentq(lambda b: expit(scores + b).mean() - self.share, -20, 20)


@dataclass(frozen=True)
class Case:
    """A table, the words that fit it, and how many draws of it there are."""

    table: Table
    n_seeds: int = 3
    curves: str = "boosting"
    growth: str = "joint"
    max_splits: int | str | None = "auto"

    @property
    def name(self) -> str:
        """The table, and what is not the default."""
        words = ("curves", "growth", "max_splits")
        default = Case(self.table)
        said = [f"{w}={getattr(self, w)}" for w in words if getattr(self, w) != getattr(default, w)]
        return ", ".join([self.table.name, *said])

    def parts(self) -> dict[str, Any]:
        """Return the parts that the words mean."""
        import calmgam

        words = {"curves": self.curves, "growth": self.growth}
        return {option: getattr(calmgam, word.capitalize())() for option, word in words.items()}


def lines(n_rows: int, n_features: int, slope: float = 0, y: str = "number", **rest: Any) -> Table:
    return Table(n_rows, n_features, slope, "lines", y, **rest)


BY_NETWORKS = (Case(Table(200, 3), curves="networks"), Case(Table(400, 3, 2), curves="networks"))
TWELVE = Case(lines(2000, 4, 0, "classes", n_classes=12))
CLASSES = (
    TWELVE,
    Case(lines(2000, 4, 0.6, "classes", n_classes=12)),
    Case(lines(1500, 4, 2, "classes", n_classes=30), 2),
)
TRIALS = {
    "Backfitting.resolution": tuple(
        Case(Table(n_rows, 3, slope), curves="backfitting")
        for n_rows, slope in ((500, 0), (2000, 2), (10_000, 2))
    ),
    "Networks.min_steps": BY_NETWORKS,
    "Networks.ridge": BY_NETWORKS,
    "Networks.patience": BY_NETWORKS,
    "Splines.tolerance": (
        Case(Table(500, 5, 2), 5, "splines"),
        Case(Table(1000, 5, 2, y="events", share=0.3), 5, "splines"),
    ),
    "BagSettings.min_rows": tuple(  # below 30 rows of 15 to 60 all train and validate
        Case(lines(n_rows, 3, y=y, share=0.3), 10)
        for n_rows in (20, 45)
        for y in ("number", "events")
    ),
    "FoldSettings.min_rows": tuple(  # search needs 40 rows or events of 20 to 80
        Case(lines(n_rows, n_features, slope, y, share=0.1), 10)
        for n_rows, n_features, y in ((300, 5, "events"), (600, 5, "events"), (30, 3, "number"))
        for slope in (0, 4)
    ),
    "Bandwidth.full_rows": tuple(
        Case(Table(n_rows, 3, y="spread"), max_splits=0) for n_rows in (30_000, 80_000)
    ),
    "ClassTreeSettings.max_trees": CLASSES,
    "ClassTreeSettings.min_rounds": CLASSES,
    "ClassTreeSettings.whole_way": CLASSES,
    "Growth.n_background": tuple(Case(lines(60_000, 6, slope)) for slope in (0.2, 2)),
    "HeterogeneitySettings.min_heterogeneity": tuple(
        Case(lines(n_rows, 5, slope), 5, growth="heterogeneity", max_splits=max_splits)
        for n_rows, slope in ((1000, 0), (5000, 0.2))
        for max_splits in ("auto", None)
    ),
    "JointSettings.max_directions": (
        TWELVE,
        Case(lines(2000, 9, 3, "classes", n_classes=12, n_pairs=4)),
    ),
}
HOLDERS = {  # settings that belong to no part, and where they are looked up
    "BagSettings": (
        "calmgam.fit.data.bags.BAGS",
        "calmgam.fit.data.checks.BAGS",
        "calmgam.estimators.BAGS",
    ),
    "FoldSettings": ("calmgam.fit.data.folds.FOLDS",),
    "Bandwidth": ("calmgam.fit.data.robust_losses.BANDWIDTH",),
    "ClassTreeSettings": ("calmgam.fit.references.class_trees.CLASS_TREES",),
}


def holders(setting: str, parts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what has a setting: parts by option, and objects by the place they are patched in."""
    kind, _ = setting.split(".")
    own = {
        option: part
        for option, part in parts.items()
        if kind in [one.__name__ for one in type(part).__mro__]
    }
    return own, {place: resolve_name(place) for place in HOLDERS.get(kind, ())}


def as_it_is(setting: str) -> float:
    """Return the value that a setting has."""
    own, elsewhere = holders(setting, TRIALS[setting][0].parts())
    return getattr(next(iter({**own, **elsewhere}.values())), setting.split(".")[1])


@contextmanager
def parts_with(case: Case, setting: str, value: float) -> Iterator[dict[str, Any]]:
    """Give the parts of a fit with one setting changed, while the block lasts."""
    change = {setting.split(".")[1]: value}
    parts = case.parts()
    own, elsewhere = holders(setting, parts)
    with ExitStack() as stack:
        for place, held in elsewhere.items():
            stack.enter_context(patch(place, replace(held, **change)))
        yield {**parts, **{option: replace(part, **change) for option, part in own.items()}}


def fit_one(case: Case, seed: int, parts: dict[str, Any]) -> dict[str, float]:
    """Fit one draw of a table, and compare with its truth."""
    from calmgam import CALMClassifier, CALMRegressor, Quantile

    table = case.table
    rng = np.random.default_rng(seed)
    X, _, y = table.draw(rng, table.n_rows)
    X_test, truth, y_test = table.draw(rng, N_TEST)
    options = {**parts, "max_splits": case.max_splits, "random_state": seed, "n_jobs": 1}
    if table.y == "spread":
        options["objective"] = Quantile(LEVEL)
    make = CALMClassifier if truth.ndim == 2 else CALMRegressor
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows and rare classes are meant
        model = make(**options).fit(X, y)
    row = {"cpu_seconds": time.process_time() - start}
    if truth.ndim == 2:
        row["mnats"] = 1000 * divergence(truth, model, X_test)
    else:
        row["r2"] = r2(truth, model.predict(X_test))
    if table.y == "spread":
        row["coverage"] = float(np.mean(y_test <= model.predict(X_test)))
    return {**row, **judged(split_pairs(model), table.interactions)}


def divergence(truth: np.ndarray, model: Any, X: np.ndarray) -> float:
    """Return the mean divergence of predicted from true probabilities, each 1e-6 at least."""
    predicted = np.zeros_like(truth)
    predicted[:, list(model.classes_)] = model.predict_proba(X)
    return float(np.mean(np.sum(truth * np.log(truth / np.maximum(predicted, 1e-6)), axis=1)))


def measured(chosen: list[str]) -> Iterator[dict]:
    """Fit every case of the chosen settings as it is, and with the setting changed."""
    fitted = cache(lambda case, seed: fit_one(case, seed, case.parts()))  # settings share cases
    for setting in chosen:
        default = as_it_is(setting)
        for case, seed in ((c, seed) for c in TRIALS[setting] for seed in range(c.n_seeds)):
            one = {"setting": setting, "table": case.name, "seed": seed}
            yield {**one, "value": default, "factor": 1.0, **fitted(case, seed)}
            for factor in FACTORS:
                value = changed(default, factor)
                with parts_with(case, setting, value) as parts:
                    yield {**one, "value": value, "factor": factor, **fit_one(case, seed, parts)}


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting, table and measure: means as it is, halved and doubled.

    The standard errors are those of the mean paired differences.
    """
    return pd.DataFrame(
        compared(setting, table, group.dropna(axis=1, how="all"), measure)
        for (setting, table), group in rows.groupby(["setting", "table"], sort=False)
        for measure in MEASURES
        if measure in group and group[measure].notna().any()
    )


def compared(setting: str, table: str, group: pd.DataFrame, measure: str) -> dict[str, Any]:
    by_factor = {factor: part.set_index("seed") for factor, part in group.groupby("factor")}
    halved, same, doubled = (by_factor[factor] for factor in (0.5, 1.0, 2.0))
    row = {"setting": f"{setting} = {same['value'].iloc[0]:g}", "table": table, "seeds": len(same)}
    row |= {"measure": MEASURES[measure], "as it is": same[measure].mean()}
    for name, one in (("halved", halved), ("doubled", doubled)):
        row |= {
            name: one[measure].mean(),
            f"s.e. {name}": round((one[measure] - same[measure]).sem(), 4),
        }
    for name, of in (("found", "sum"), ("false", "sum"), ("cpu_seconds", "mean")):
        values = [one[name].agg(of) for one in (halved, same, doubled)]
        row[name.replace("cpu_seconds", "CPU s")] = " / ".join(f"{v:.3g}" for v in values)
    return row


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.settings", description="Halve and double settings."
    )
    parser.add_argument("--settings", type=names, default=list(TRIALS))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/settings.csv")
    options = parser.parse_args(arguments)
    written = Written(options.out, "setting", list(TRIALS))
    for row in measured(options.settings):
        written.add(row)
    tables.publish(options.out, parser.prog, tables.markdown(summary(written.rows)))


if __name__ == "__main__":
    main()
