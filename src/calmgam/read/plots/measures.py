"""Pictures of measures on given rows: calibration, residuals, ROC curve, slices.

Each draws the view of the same name and computes nothing but positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calmgam.model.glassbox import Model
from calmgam.read.measures.calibration import calibration
from calmgam.read.measures.residuals import residuals
from calmgam.read.measures.roc import roc
from calmgam.read.measures.slices import slices
from calmgam.read.plots.canvas import (
    AS_IT_IS,
    COLOURS,
    GREY,
    HALF_PAGE,
    SMALL,
    new_axes,
    number_ticks,
    tidy,
)
from calmgam.read.words.wording import cut_apart, cut_middle, pretty, shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_LABEL = 30


def plot_calibration(
    model: Model, X: Any, y: Any, *, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw what was observed against what is predicted, in tenths of the rows.

    Parameters
    ----------
    model, X, y
        As in `calibration`.
    ax : matplotlib axes, optional
    **options
        Of `calibration`: ``sample_weight``, ``offset``, ``of_class``, ``min_rows``.

    Returns
    -------
    matplotlib axes
    """
    view = calibration(model, X, y, **options)
    ax = ax or new_axes(HALF_PAGE, 0.8 * HALF_PAGE)
    predicted, observed = ([getattr(g, n) for g in view.groups] for n in ("predicted", "observed"))
    ends = [min(predicted + observed), max(predicted + observed)]
    ax.plot(ends, ends, color=GREY, linewidth=0.6, linestyle=":")
    ax.plot(predicted, observed, "o-", color=COLOURS[0], markersize=3.5, linewidth=0.9)
    _finish(ax, f"{view.n_rows:,} rows in tenths", "predicted", "observed")
    return ax


def plot_residuals(model: Model, X: Any, y: Any, *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw residuals along the predictions: means, medians and quartiles of tenths of the rows.

    Parameters
    ----------
    model, X, y
        As in `residuals`.
    ax : matplotlib axes, optional
    **options
        Of `residuals`: ``sample_weight``, ``offset``, ``min_rows``.

    Returns
    -------
    matplotlib axes
    """
    view = residuals(model, X, y, **options)
    ax = ax or new_axes(HALF_PAGE, 0.7 * HALF_PAGE)
    at = [group.predicted for group in view.groups]
    low, high = ([getattr(group, name) for group in view.groups] for name in ("low", "high"))
    ax.axhline(0, color=GREY, linewidth=0.6, linestyle=":")
    ax.vlines(at, low, high, color=COLOURS[0], linewidth=3, alpha=0.35, label="middle half")
    medians, means = ([getattr(g, name) for g in view.groups] for name in ("median", "mean"))
    ax.plot(at, medians, "_", color=COLOURS[0], markersize=7, label="median")
    ax.plot(at, means, "o", color=COLOURS[1], markersize=3, label="mean")
    ax.legend(fontsize=SMALL - 1, frameon=False)
    _finish(ax, f"{view.n_rows:,} rows in tenths", "predicted", "observed minus predicted")
    return ax


def plot_roc(model: Model, X: Any, y: Any, *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the ROC curve, with the threshold 0.5 marked.

    Parameters
    ----------
    model, X, y
        As in `roc`.
    ax : matplotlib axes, optional
    **options
        Of `roc`: ``sample_weight``, ``offset``, ``of_class``, ``min_rows``.

    Returns
    -------
    matplotlib axes
    """
    view = roc(model, X, y, **options)
    ax = ax or new_axes(HALF_PAGE, 0.9 * HALF_PAGE)
    across = np.array(view.false_positive) / max(view.negative, 1e-300)
    up = np.array(view.true_positive) / max(view.positive, 1e-300)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.6, linestyle=":")
    ax.plot(across, up, color=COLOURS[0], linewidth=1.2)
    if 0.5 in view.thresholds:
        k = view.thresholds.index(0.5)
        ax.plot(across[k], up[k], "o", color=COLOURS[1], markersize=4)
        at: dict[str, Any] = {"xytext": (6, -3), "textcoords": "offset points"}
        ax.annotate("above 0.5", (across[k], up[k]), fontsize=SMALL, va="top", **at)
    area = "" if view.area is None else f"AUC {view.area:.3f}, "
    name = cut_middle(shown_name(str(view.label)), N_LABEL)
    _finish(ax, f"{area}{view.n_rows:,} rows", "share of others above", f"share of {name} above")
    return ax


def plot_slices(
    model: Model, X: Any, y: Any, by: Any, *, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw observed and predicted means of every slice, with its number of rows.

    Parameters
    ----------
    model, X, y, by
        As in `slices`.
    ax : matplotlib axes, optional
    **options
        Of `slices`: ``sample_weight``, ``offset``, ``of_class``, ``min_rows``.

    Returns
    -------
    matplotlib axes
    """
    view = slices(model, X, y, by, **options)
    ax = ax or new_axes(1.1 * HALF_PAGE, 0.7 + 0.2 * len(view.slices))
    for place, one in enumerate(view.slices):
        ax.plot([one.predicted, one.observed], [place, place], color=GREY, linewidth=0.8)
    places = range(len(view.slices))
    predicted, observed = ([getattr(s, n) for s in view.slices] for n in ("predicted", "observed"))
    ax.plot(predicted, places, "|", color=COLOURS[1], markersize=9, markeredgewidth=2)
    ax.plot(observed, places, "o", color=COLOURS[0], markersize=4)
    names = cut_apart([pretty(shown_name(one.values)) for one in view.slices], N_LABEL)
    rows = [f"{name}  ({s.n_rows:,})" for name, s in zip(names, view.slices, strict=True)]
    ax.set_yticks(places, rows, **AS_IT_IS)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    title = f"{cut_middle(shown_name(view.by), N_LABEL)}, {view.n_rows:,} rows"
    ax.legend(ax.lines[-2:], ["predicted", "observed"], fontsize=SMALL - 1, frameon=False)
    _finish(ax, title, "mean", "", y_numbers=False)
    return ax


def _finish(ax: Axes, title: str, across: str, up: str, y_numbers: bool = True) -> None:
    ax.set_title(title, fontsize=SMALL + 1, loc="right", **AS_IT_IS)
    ax.set_xlabel(across, fontsize=SMALL, **AS_IT_IS)
    ax.set_ylabel(up, fontsize=SMALL, **AS_IT_IS)
    number_ticks(ax.xaxis, 5)
    if y_numbers:
        number_ticks(ax.yaxis, 5)
    tidy(ax, "left", "bottom")
