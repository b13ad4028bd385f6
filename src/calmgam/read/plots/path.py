"""The picture of cross-validation: what further splits are worth.

A ledger comes in (its plain values; nothing of `calmgam.fit` is imported), the axes that were drawn
on go out. The splits of joint growth lie one below the other, in the order in which they were made,
so that each can be read beside the error that it leads to.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from calmgam.model.glassbox import Model
from calmgam.model.regions import Region
from calmgam.read.plots.canvas import (
    AS_IT_IS,
    COLOURS,
    GREY,
    HALF_PAGE,
    LINE,
    PALE,
    POINTS,
    SMALL,
    new_axes,
    number_ticks,
    tidy,
)
from calmgam.read.words.wording import cut_middle, pretty, rule_text, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CHARACTERS = 48
NOTE_CHARACTERS = 44
SPARSE_ROWS = 8  # where only some numbers of splits were tried


def plot_path(model: Model, ax: Axes | None = None) -> Axes:
    """Draw the cross-validated error against the number of splits.

    Parameters
    ----------
    model : Model
        Of a fit with ``max_splits="auto"``.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    return draw_path(model.ledger, ax)


def draw_path(ledger: Any, ax: Axes | None = None) -> Axes:
    """Draw the cross-validated error against the number of splits.

    Parameters
    ----------
    ledger : Ledger
        Of a fit with ``max_splits="auto"``. A bar is one standard error of the difference to the
        best; the number of splits of the model is marked, and if another one has a lower error,
        the picture says why it was not taken.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    points = ledger.path
    if not points:
        raise ValueError(
            "the ledger must have a path, which a search with max_splits='auto' makes; got none"
        )
    labels = {point.n_splits: f"{point.n_splits}" for point in points} | {0: "0  no split"}
    if ledger.is_joint:
        labels |= {k: f"{k}  {_text(split)}" for k, split in enumerate(ledger.splits, 1)}
    last = max(labels)
    n_rows = last + 1 if ledger.is_joint else SPARSE_ROWS
    note = _note(ledger)
    n_lines = note.count("\n") + 1
    ax = ax or new_axes(1.6 * HALF_PAGE, 0.6 + 0.16 * n_rows + n_lines * LINE / POINTS)
    chosen = len(ledger.accepted)
    half = 0.5 * (last + 1) / n_rows  # a row's height
    ax.axhspan(chosen - half, chosen + half, color=PALE, zorder=0)
    n_splits, errors = zip(*((point.n_splits, point.error) for point in points), strict=True)
    bars = [point.standard_error for point in points]
    style: dict[str, Any] = {"color": COLOURS[0], "linewidth": 1, "markersize": 3}
    ax.errorbar(errors, n_splits, xerr=bars, fmt="o-", elinewidth=0.8, **style)
    for point in points:
        if point.n_splits == chosen:
            ax.plot(point.error, point.n_splits, "o", color=COLOURS[1], markersize=6, zorder=3)
    ax.set_yticks(list(labels), list(labels.values()), **AS_IT_IS)
    ax.set_ylim(last + half, -half)
    tidy(ax, "left", "bottom")
    for k, text in zip(labels, ax.get_yticklabels(), strict=True):
        text.set_color("black" if k <= chosen else GREY)
        text.set_fontweight("bold" if k == chosen else "normal")
    number_ticks(ax.xaxis, 4, 0.7 * HALF_PAGE * POINTS)
    ax.set_xlabel(f"cross-validated error ± standard error{note}", fontsize=SMALL)
    return ax


def _note(ledger: Any) -> str:
    """Say why the number of splits with the lowest error was not taken; nothing if it was."""
    best = min(ledger.path, key=lambda point: point.error).n_splits
    n_splits = len(ledger.accepted)
    if n_splits == best:
        return ""
    rule = "the fewest splits within one standard error (or `sparsity` of them) of the best"
    text = f"Marked: {n_splits}, not {best} with the lowest error: {rule}."
    if ledger.is_joint:
        text = (
            f"Marked: {n_splits}, not {best} with the lowest error of growth's quick model, which "
            f"is drawn. Boosted curves decide between a few numbers: {rule}."
        )
    if any(record.reason.endswith("asked for") for record in ledger.splits):
        text = f"Marked: the number asked for, {n_splits}; the lowest error is at {best}."
    return "\n" + "\n".join(textwrap.wrap(text, NOTE_CHARACTERS))


def _text(split: Any) -> str:
    """Feature and condition of a split, and where it applies."""
    text = f"{split.feature}: {rule_text(Region((split.condition,)))}"
    where = f" where {rule_text(split.region)}" if split.region.conditions else ""
    return cut_middle(pretty(shown(text + where)), MAX_CHARACTERS)
