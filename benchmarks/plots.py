"""Pictures of measured models: error against the number of interactions and against fit time.

A point is a model: the geometric mean over datasets of its error relative to the own GAM, on the
folds that both finished. Models measured on fewer than half of the datasets are left out.
"""

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from benchmarks import tables

BASE = "own_gam"
LEADER = {"arrowstyle": "-", "color": "0.75", "linewidth": 0.6, "relpos": (0, 0.5), "shrinkA": 0}
TICKS = {0.7: "0.7", 0.8: "0.8", 0.9: "0.9", 1.0: "1", 1.2: "1.2", 1.4: "1.4"}
LINE = 0.033  # height of a name, as a share of the picture
AXES = {"n_interactions": "interactions (mean)", "fit_seconds": "seconds of a fit (geometric mean)"}


def positions(measured: pd.DataFrame) -> pd.DataFrame:
    """Return one row per model: relative error, interactions, seconds, number of datasets."""
    errors = measured.set_index(["dataset", "fold", "model"])["error"].unstack("model")
    rows = []
    for model, cells in measured.groupby("model", sort=False):
        both = errors.dropna(subset=[model, BASE]).groupby("dataset").mean()
        rows.append(
            {
                "model": model,
                "error": tables.geometric_mean(both[model] / both[BASE]),
                "n_interactions": cells["n_interactions"].mean(),
                "fit_seconds": tables.geometric_mean(cells["fit_seconds"].dropna()),
                "n_datasets": len(both),
            }
        )
    return pd.DataFrame(rows)


def spread(heights: list[float], gap: float) -> np.ndarray:
    """Return heights that are at least a gap apart, as near as can be to the given, sorted ones."""
    steps = gap * np.arange(len(heights))
    return isotonic_regression(np.array(heights) - steps).x + steps


def trade_offs(measured: pd.DataFrame):
    """Return a figure with both pictures; names stand on the right, lines lead to their points."""
    from matplotlib.figure import Figure

    points = positions(measured)
    points = points[2 * points["n_datasets"] >= points["n_datasets"].max()]
    figure = Figure(figsize=(14, 7.5), layout="constrained")
    for axes, (measure, label) in zip(
        figure.subplots(1, 2, sharey=True), AXES.items(), strict=True
    ):
        shown = points.dropna(subset=[measure, "error"]).sort_values("error")
        axes.set_yscale("log")
        if measure == "fit_seconds":
            axes.set_xscale("log")
        else:
            axes.set_xscale("symlog", linthresh=10)
        axes.scatter(shown[measure], shown["error"], s=22, zorder=3)
        axes.axhline(1, color="0.7", linewidth=0.8, zorder=0)
        axes.set(xlabel=label, ylim=(0.95 * points["error"].min(), 1.05 * points["error"].max()))
        to_axes = axes.transScale + axes.transLimits
        heights = [to_axes.transform((1.0, y))[1] for y in shown["error"]]
        for height, (x, y, name, n) in zip(
            spread(heights, LINE),
            shown[[measure, "error", "model", "n_datasets"]].to_numpy(),
            strict=True,
        ):
            axes.annotate(
                f"{name} ({n})",
                (x, y),
                xytext=(1.03, height),
                textcoords="axes fraction",
                va="center",
                size=8,
                arrowprops=LEADER,
            )
        axes.set_yticks(list(TICKS), labels=list(TICKS.values()))
        axes.yaxis.minorticks_off()
    figure.axes[0].set_ylabel("error relative to the own GAM (in brackets: datasets)")
    return figure
