"""Pictures of a model, with matplotlib.

A `Model` comes in, the axes (or figure) that were drawn on go out. Every function draws a view of
`calmgam.read.views` and computes nothing but positions. Nothing global is touched: without `ax` a
new figure is made, which `ax.figure.savefig(...)` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.exact.inputs import Given
from calmgam.model.glassbox import Model
from calmgam.model.links import SCALES
from calmgam.read.audit import Sensitivity, sensitivity
from calmgam.read.outputs import Between, output_of
from calmgam.read.plots.canvas import (
    AS_IT_IS,
    CHARACTER,
    COLOURS,
    GREY,
    HALF_PAGE,
    POINTS,
    SMALL,
    new_axes,
    new_figure,
    number_ticks,
    region_style,
    tidy,
)
from calmgam.read.plots.feature import (
    MAX_LEVELS,
    body_height,
    draw_feature,
    header_height,
    label_width,
)
from calmgam.read.view_types import BranchView, FeatureView, ImportanceView
from calmgam.read.views import feature_view, model_view, prediction_view
from calmgam.read.words.numbers import number_texts, range_text, scale_of
from calmgam.read.words.wording import (
    cut_apart,
    cut_middle,
    label_texts,
    pretty,
    shown_view,
    title_text,
    value_text,
    wrap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADER_WIDTH = 0.95 * HALF_PAGE * POINTS
INDENT = 0.06  # of a tree's line, as a part of the width
N_LABEL = 34  # characters at the left of bars
N_RULE = 46
N_TITLE = 44
NOTE = "note"  # of a bar, which needs room beside it


def plot_feature(
    model: Model,
    feature: str,
    ax: Axes | None = None,
    n_levels: int | None = MAX_LEVELS,
    of_class: Any = None,
    between: Between = None,
) -> Any:
    """Draw all curves of a feature; of many classes, in a small picture for each, or of one.

    One step curve per region, with a band of one standard deviation over bags; dotted lines and
    arrows where the feature switches the curves of others; below, where the rows are.

    Parameters
    ----------
    model : Model
    feature : str
    ax : matplotlib axes, optional
        Of a figure with ``layout="constrained"``, which makes room for rules above the axes.
    n_levels : int or None
        How many levels to draw, the most frequent ones; None: all.
    of_class, between
        With many classes: the label of the one to draw, or two whose log-odds are drawn.

    Returns
    -------
    matplotlib axes
        Or an array of them, one per class.
    """
    if n_levels is not None and n_levels < 1:
        raise ValueError(f"n_levels must be at least 1, or None for all; got {n_levels}")
    if model.link == "softmax" and of_class is None and between is None:
        if ax is not None:
            raise ValueError("ax has room for one class: give of_class or between; got neither")
        views = [shown_view(feature_view(model, feature, label)) for label in model.classes]
        return np.array(_draw_views(views, 3)[1])
    view = shown_view(feature_view(model, feature, of_class, between))
    if ax is not None:
        return draw_feature(view, ax, n_levels=n_levels)
    height = body_height(view, n_levels) + header_height(view, HEADER_WIDTH)
    ax = new_axes(HALF_PAGE, height / POINTS)
    return draw_feature(view, ax, HEADER_WIDTH, n_levels=n_levels)


def plot_model(
    model: Model,
    n_features: int | None = None,
    n_columns: int = 3,
    of_class: Any = None,
    between: Between = None,
) -> Figure:
    """Draw every feature, the most important one first.

    Parameters
    ----------
    model : Model
    n_features : int, optional
        Draw only this many; by default all, without those of no effect if they are more
        than five.
    n_columns : int
    of_class, between
        With many classes: the label of the one to draw, or two whose log-odds are drawn.

    Returns
    -------
    matplotlib figure
    """
    output = output_of(model, of_class, between)
    view = model_view(output)
    drawn = view.moving if n_features is None else view.features[:n_features]
    names = [feature.name for feature in drawn]
    views = [shown_view(feature_view(model, name, of_class, between)) for name in names]
    return _draw_views(views, n_columns)[0]


def _draw_views(views: list[FeatureView], n_columns: int) -> tuple[Figure, list[Axes]]:
    """Draw features beside and below each other; return the figure and the axes."""
    n_columns = min(n_columns, len(views))
    rows = [views[k : k + n_columns] for k in range(0, len(views), n_columns)]
    bodies = [max(map(body_height, row)) for row in rows]
    headers = [max(header_height(view, HEADER_WIDTH) for view in row) for row in rows]
    figure = new_figure(HALF_PAGE * n_columns, (sum(bodies) + sum(headers)) / POINTS)
    axes = figure.subplots(len(rows), n_columns, squeeze=False, height_ratios=bodies).ravel()
    indents = [max(map(label_width, views[k::n_columns])) for k in range(n_columns)]
    for view, ax, indent in zip(views, axes, cycle(indents), strict=False):
        draw_feature(view, ax, HEADER_WIDTH, indent)
    for ax in axes[len(views) :]:
        ax.remove()
    return figure, list(axes[: len(views)])


def plot_importance(model: Model, n_features: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the mean absolute contributions of the most important features, split by region.

    Parameters
    ----------
    model : Model
    n_features : int
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    features = shown_view(model_view(model)).moving[:n_features]
    ax = ax or new_axes(HALF_PAGE, 0.5 + 0.19 * len(features))
    scale = scale_of([feature.importance for feature in features], 4)
    for place, feature in enumerate(features):
        left = 0.0
        for number, part in enumerate(feature.parts):
            ax.barh(place, part.importance, 0.7, left, color=region_style(number)[0], alpha=0.75)
            left += part.importance
        _note(ax, scale.text(feature.importance), left, place)
    titles = [title_text(feature.name, feature.conditioned_on, N_LABEL) for feature in features]
    if len(set(titles)) < len(titles):
        titles = cut_apart([feature.title for feature in features], N_LABEL)
    ax.set_yticks(range(len(features)), titles, **AS_IT_IS)
    ax.set_ylim(len(features) - 0.4, -0.6)
    ax.margins(x=0.15)
    number_ticks(ax.xaxis, 4, _room(titles, HALF_PAGE))
    ax.set_xlabel("mean |contribution|, by region", fontsize=SMALL, loc="right")
    tidy(ax, "left", "bottom")
    return ax


def plot_prediction(
    model: Model,
    row: Any,
    n_features: int = 12,
    ax: Axes | None = None,
    between: Between = None,
) -> Axes:
    """Draw one prediction as steps from the intercept to the score.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    n_features : int
        The largest contributions; the others are drawn as one.
    ax : matplotlib axes, optional
    between : (label, label), optional
        The score is the log-odds of one class against another; if there are many, by default of the
        most probable one against the next.

    Returns
    -------
    matplotlib axes
    """
    view = shown_view(prediction_view(model, row, between))
    lines = view.largest(n_features)
    ax = ax or new_axes(1.25 * HALF_PAGE, 0.8 + 0.27 * len(lines))
    ends = np.cumsum([view.intercept, *(line.contribution for line in lines)])
    scale = scale_of([line.contribution for line in lines], 4)
    for place, line in enumerate(lines):
        start, end = ends[place : place + 2]
        colour = COLOURS[0] if end >= start else COLOURS[1]
        ax.barh(place, end - start, 0.6, start, color=colour, alpha=0.75)
        ax.plot([end, end], [place, place + 1], color=GREY, linewidth=0.6)
        _note(ax, scale.trimmed(line.contribution, signed=True), max(start, end), place)
        at: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
        style: dict[str, Any] = {"ha": "right", "fontsize": SMALL - 1, "color": GREY, **AS_IT_IS}
        ax.annotate(cut_middle(pretty(line.rule), N_RULE), (0, place), (-5, -10), **style, **at)
    labels = label_texts([(line.name, line.label) for line in lines], N_LABEL)
    ax.set_yticks(range(len(lines)), labels, **AS_IT_IS)
    ax.set_ylim(len(lines) - 0.3, -0.6)
    room = _room(labels, 1.25 * HALF_PAGE)
    _set_limits(ax, ends, room)
    number_ticks(ax.xaxis, 5, room)
    ax.axvline(view.intercept, color=GREY, linewidth=0.6, linestyle=":", zorder=0)
    title = "intercept {}  →  score {}".format(*number_texts([view.intercept, view.score]))
    if view.probability is not None:
        name = cut_middle(str(view.classes[1]), N_LABEL)
        title += f"\nprobability of {name}: {view.probability:.1%}"
    ax.set_title(title, fontsize=SMALL + 1, loc="right", **AS_IT_IS)
    against = f" against {cut_middle(str(view.classes[0]), N_LABEL)}" if view.probabilities else ""
    label = f"score (log-odds{against})" if view.classes else f"score{SCALES[model.link]}"
    ax.set_xlabel(label, fontsize=SMALL, **AS_IT_IS)
    tidy(ax, "left", "bottom")
    return ax


def plot_sensitivity(
    model: Model,
    feature: str,
    start: Any,
    stop: Any,
    given: Given = None,
    over: Any = "all",
    ax: Axes | None = None,
    between: Between = None,
) -> Axes:
    """Draw what a change of one feature does to the score: own curves, hidden jumps, in total.

    Parameters
    ----------
    model, feature, start, stop, given, over, between
        As in `sensitivity`.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    return draw_sensitivity(sensitivity(model, feature, start, stop, given, over, between), ax)


def draw_sensitivity(report: Sensitivity, ax: Axes | None = None) -> Axes:
    """Draw the answer of `sensitivity`.

    Parameters
    ----------
    report : Sensitivity
    ax : matplotlib axes, optional
    """
    report = shown_view(report)
    ranges = [
        *((f"own curve, {c.region}", c.change, c.change, COLOURS[0]) for c in report.curves),
        *((f"{s.term} switches", s.low, s.high, COLOURS[1]) for s in report.switches),
        ("in total", report.low, report.high, COLOURS[6]),
    ]
    ax = ax or new_axes(1.1 * HALF_PAGE, 0.8 + 0.24 * len(ranges))
    for place, (_, low, high, colour) in enumerate(ranges):
        style: dict[str, Any] = {"color": colour, "solid_capstyle": "butt"}
        ax.plot([low, high], [place, place], "|-", linewidth=5, markersize=8, **style)
        _note(ax, range_text(low, high), high, place)
    ax.axvline(0, color=GREY, linewidth=0.6, zorder=0)
    labels = [wrap(pretty(label), N_LABEL - 4) for label, *_ in ranges]
    ax.set_yticks(range(len(ranges)), labels, **AS_IT_IS)
    ax.set_ylim(len(ranges) - 0.4, -0.6)
    ends = [0.0, *(end for _, low, high, _ in ranges for end in (low, high))]
    room = _room([line for label in labels for line in label.split("\n")], 1.1 * HALF_PAGE)
    _set_limits(ax, ends, room)
    number_ticks(ax.xaxis, 4, room)
    values = f"{value_text(report.start)} → {value_text(report.stop)}"
    name = cut_middle(report.feature, max(N_TITLE - len(values), N_TITLE // 2))
    title = f"{name}: {cut_middle(values, N_LABEL)}"
    ax.set_title(title, fontsize=SMALL + 2, loc="right", **AS_IT_IS)
    ax.set_xlabel(report.scale_text, fontsize=SMALL)
    tidy(ax, "left", "bottom")
    return ax


def plot_trees(model: Model, ax: Axes | None = None) -> Axes:
    """Draw the conditions that choose the curves: one tree per feature that has several.

    Parameters
    ----------
    model : Model
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    view = shown_view(model_view(model))
    features = [feature for feature in view.features if feature.partition]
    starts = list(accumulate((len(feature.partition) + 2 for feature in features), initial=0))
    ax = ax or new_axes(HALF_PAGE, 0.3 + 0.155 * starts[-1])
    for start, feature in zip(starts, features, strict=False):
        title = title_text(feature.name, feature.conditioned_on, 42)
        style: dict[str, Any] = {"va": "center", **AS_IT_IS}
        ax.text(0, start, title, fontsize=SMALL + 1, weight="bold", **style)
        parents = [start]
        for place, branch in enumerate(feature.partition, start + 1):
            parents[branch.depth + 1 :] = [place]
            _draw_branch(ax, feature, branch, place, parents[branch.depth])
    ax.set_xlim(0, 1)
    ax.set_ylim(max(starts[-1], 1) - 1, -1)
    ax.axis("off")
    return ax


def _draw_branch(
    ax: Axes, feature: ImportanceView, branch: BranchView, place: int, parent: int
) -> None:
    """Draw one line of a tree: its condition, and the share of the rows if it is a leaf."""
    style: dict[str, Any] = {"fontsize": SMALL, "va": "center", **AS_IT_IS}
    x = INDENT * (branch.depth + 1)
    corner = x - 0.7 * INDENT, x - 0.7 * INDENT, x - 0.2 * INDENT
    ax.plot(corner, (parent + 0.4, place, place), color=GREY, linewidth=0.8)
    n_characters = int((0.68 - x) * HALF_PAGE * POINTS / CHARACTER)
    ax.text(x, place, cut_middle(pretty(branch.rule), n_characters), **style)
    if branch.leaf is not None:
        share = feature.parts[branch.leaf].share
        colour = region_style(branch.leaf)[0]
        ax.barh(place, 0.16 * share, 0.7, 0.78, color=colour, alpha=0.75)
        ax.text(0.77, place, f"{share:.0%}", ha="right", **style)


def _note(ax: Axes, text: str, x: float, y: float) -> None:
    """Write a small number at the right of a bar's end."""
    offset: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points"}
    ax.annotate(text, (x, y), va="center", fontsize=SMALL - 1, gid=NOTE, **offset)


def _room(labels: Sequence[str], width: float) -> float:
    """Return the width in points that labels leave to the axes of a figure of `width` inches."""
    return POINTS * width - CHARACTER * max(map(len, labels))


def _set_limits(ax: Axes, ends: Sequence[float] | FloatArray, room: float) -> None:
    """Let the axis reach from the smallest to the largest number, and leave room for the notes."""
    low, high = min(ends), max(ends)
    size = (high - low) or abs(high) or 1.0
    notes = [text.get_text() for text in ax.texts if text.get_gid() == NOTE]
    n_points = min((SMALL - 1) / SMALL * CHARACTER * max(map(len, notes)), room / 2)
    ax.set_xlim(low - 0.06 * size, high + size * (0.06 + n_points / (room - n_points)))
