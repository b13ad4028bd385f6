"""The picture of a comparison: how the scores of given rows move, between the exact bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calmgam.model.exact.inputs import Given
from calmgam.model.glassbox import Model
from calmgam.read.audit.comparison import Comparison, compare
from calmgam.read.plots.canvas import (
    COLOURS,
    GREY,
    HALF_PAGE,
    SMALL,
    new_axes,
    number_ticks,
    tidy,
)
from calmgam.read.words.numbers import brief_number, signed_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_BINS = 40


def plot_comparison(
    model: Model,
    other: Any,
    data: Any,
    threshold: float = 0.0,
    given: Given = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how the scores of given rows move from one model to another.

    Parameters
    ----------
    model, other, data, threshold, given
        As in `compare`.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    return draw_comparison(compare(model, other, data, threshold, given), ax)


def draw_comparison(report: Comparison, ax: Axes | None = None) -> Axes:
    """Draw how the scores of given rows move from one model to another.

    The histogram has the rows; the two lines are the exact smallest and largest change over all
    inputs, beyond which no row can move.

    Parameters
    ----------
    report : Comparison
        Made by `compare` with rows.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    rows = report.rows
    if rows is None:
        raise ValueError("the comparison must have rows: compare(model_a, model_b, data)")
    ax = ax or new_axes(1.1 * HALF_PAGE, 0.62 * HALF_PAGE)
    ends = [report.low, report.high, 0.0]
    width = max(ends) - min(ends) or 1.0
    limits = min(ends) - 0.03 * width, max(ends) + 0.03 * width
    ax.hist(rows.changes, bins=np.linspace(*limits, N_BINS + 1).tolist(), color=COLOURS[0])
    if rows.threshold:
        for end in (-rows.threshold, rows.threshold):
            ax.axvline(end, color=GREY, linewidth=0.6, linestyle=":")
    for end, side in ((report.low, "left"), (report.high, "right")):
        ax.axvline(end, color=COLOURS[1], linewidth=1.2)
        ax.annotate(
            signed_number(end),
            (end, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha=side,
            fontsize=SMALL,
            color=COLOURS[1],
        )
    ax.set_xlim(*limits)
    number_ticks(ax.xaxis, 5)
    number_ticks(ax.yaxis, 3, whole=True)
    moved = f"by more than {brief_number(rows.threshold)}" if rows.threshold else "at all"
    bounds = "exact bounds" if report.exact else "bounds"
    ax.set_xlabel(
        f"change of the score; {100 * rows.share:.3g} % of {rows.n_rows:,} rows move {moved}\n"
        f"lines: {bounds} over all inputs",
        fontsize=SMALL,
    )
    ax.set_ylabel("rows", fontsize=SMALL)
    tidy(ax, "left", "bottom")
    return ax
