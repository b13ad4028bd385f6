"""Pictures of measured models: error against the number of interactions and against fit time.

A point is a model: the geometric mean over datasets of its error relative to the own GAM, on the
folds that both finished. Models measured on fewer than half of the datasets are left out.
"""

import pandas as pd

from benchmarks import tables

BASE = "own_gam"
LINE = 0.012  # of text, in relative errors: names of neighbours stand one above the other
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


def trade_offs(measured: pd.DataFrame):
    """Return a figure with both pictures."""
    from matplotlib.figure import Figure

    points = positions(measured)
    points = points[2 * points["n_datasets"] >= points["n_datasets"].max()]
    figure = Figure(figsize=(13, 5.5), layout="constrained")
    for axes, (measure, label) in zip(
        figure.subplots(1, 2, sharey=True), AXES.items(), strict=True
    ):
        shown = points.dropna(subset=[measure, "error"])
        named = [measure, "error", "model", "n_datasets"]
        axes.scatter(shown[measure], shown["error"], s=18)
        axes.margins(x=0.25)  # room for names
        lowest = -1.0
        for x, y, name, n in shown.sort_values("error")[named].to_numpy():
            lowest = max(y, lowest + LINE)
            axes.annotate(f"{name} ({n})", (x, y), xytext=(x, lowest), size=7)
        axes.axhline(1, color="0.7", linewidth=0.8, zorder=0)
        axes.set(xlabel=label)
    axes.set_xscale("log")
    figure.axes[0].set_ylabel("error relative to the own GAM (in brackets: datasets)")
    return figure
