"""What stands in the paper's tables: their numbers, their rows in published.csv, their models.

A table is a `Layout`: the label of every column in print, and the model of the runner that it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import pandas as pd

from benchmarks.environments import ROOT
from benchmarks.rivals.calm import gam_name, paper_name

PUBLISHED = ROOT / "benchmarks/published.csv"
ADDITIVE = {"NAM": "nam", "EBM": "ebm"}
PAIRWISE = {"EB2M": "eb2m", "NODE-GA2M": "node_ga2m", "GAMI-Net": "gami_net"}
CALM = {"CALM": "calm_paper"}
MAIN = {"XGB": "xgboost", **ADDITIVE, **CALM, **PAIRWISE}
BLACK_BOXES = {"dnn": "neural_network", "xgb": "xgboost", "rf": "random_forest"}
EFFECTS = {"dnn": ("pdp", "rhale"), "xgb": ("pdp",), "rf": ("pdp",)}
LEARNERS = {"NAM": "nam", "EBM": "boosting", "SPLINE": "spline"}  # in print -> curves
PLAIN = {"NAM": "nam", "EBM": "ebm", "SPLINE": "spline"}  # in print -> rival
OWN = {printed: gam_name(curves) for printed, curves in LEARNERS.items()}
WITH_OWN_GAM = {**PLAIN, "EBM": OWN["EBM"]}


@dataclass(frozen=True)
class Layout:
    """One table of the paper."""

    number: int
    title: str
    name: str  # in published.csv
    measure: str  # column of the measured cells
    models: dict[str, str]  # label in print -> model
    reference: str = ""

    @property
    def lower_is_better(self) -> bool:
        """Whether a smaller figure is the better one."""
        return self.measure not in ("accuracy", "r2")


def calm_models(reference: str, name: Callable[..., str] = paper_name) -> dict[str, str]:
    """Return CALM's columns of a reference table."""
    return {
        f"CALM-{printed}/{effect.upper()}": name(reference, effect, curves)
        for printed, curves in LEARNERS.items()
        for effect in EFFECTS[reference]
    }


def reference_models(reference: str) -> dict[str, str]:
    """Return the columns of a reference table: the black box, the plain learners, CALM."""
    return {reference.upper(): BLACK_BOXES[reference], **PLAIN, **calm_models(reference)}


SYNTHETIC = Layout(
    1, "R² on the synthetic cases", "synthetic_r2", "r2",
    {"GAM(EBM)": "ebm", "GA2M(EB2M)": "eb2m", **CALM},
)  # fmt: skip
# what the paper ticks itself, where its figures as printed lead to another count
TICKS_IN_PRINT = {(3, tuple(PAIRWISE)): 10}
# features of the paper's copies, where ours have others and the number in print is known
FEATURES_IN_PRINT = {"electrical": 13}
ACCURACY = Layout(2, "accuracy", "clf_accuracy_main", "accuracy", MAIN)
RMSE = Layout(3, "RMSE", "regr_rmse_main", "rmse", MAIN)
COUNTED = {**CALM, **PAIRWISE}
INTERACTIONS = (
    Layout(6, "interactions, classification", "clf_interactions", "n_interactions", COUNTED),
    Layout(7, "interactions, regression", "regr_interactions", "n_interactions", COUNTED),
)
SECONDS = (
    Layout(8, "seconds of a fit, classification", "clf_runtime", "fit_seconds", MAIN),
    Layout(9, "seconds of a fit, regression", "regr_runtime", "fit_seconds", MAIN),
)


def reference_layouts():
    """Yield tables 10 to 15."""
    kinds = (("RMSE", "regr_rmse", "rmse"), ("accuracy", "clf_accuracy", "accuracy"))
    for number, ((title, name, measure), reference) in enumerate(product(kinds, BLACK_BOXES), 10):
        yield Layout(
            number,
            f"{title}, reference {reference.upper()}",
            f"{name}_reference_{reference}",
            measure,
            reference_models(reference),
            reference,
        )


REFERENCES = tuple(reference_layouts())


@cache
def printed_rows() -> dict[str, pd.DataFrame]:
    """Return the rows of every table, read once."""
    return dict(iter(pd.read_csv(PUBLISHED, dtype=str).groupby("table")))


def published(layout: Layout) -> pd.DataFrame:
    """Return dataset × label as printed: text, whose digits are the precision."""
    rows = printed_rows()[layout.name]
    table = rows.pivot(index="dataset", columns="model", values="mean")
    return table.reindex(index=rows["dataset"].unique(), columns=list(layout.models))


def decimals(printed: str) -> int:
    return len(printed.partition(".")[2])
