"""Pictures of a model, with matplotlib.

A `Model` comes in, the axes (or figure) that were drawn on go out. Every function draws a view of
`calmgam.read.views` and computes nothing but positions. Nothing global is touched: without `ax` a
new figure is made, which `ax.figure.savefig(...)` writes. Colours are those of Okabe and Ito,
which people with any kind of colour vision can tell apart.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from calmgam.model.glassbox import Model
from calmgam.read.canvas import (
    COLOURS,
    GREY,
    HALF_PAGE,
    POINTS,
    SMALL,
    cut,
    new_axes,
    new_figure,
    pretty,
    region_style,
    tidy,
    wrap,
)
from calmgam.read.feature_plot import body_height, draw_feature, header_height, label_width
from calmgam.read.views import feature_view, model_view, number_text, prediction_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADER_WIDTH = 0.95 * HALF_PAGE * POINTS
INDENT = 0.06  # of a tree's line, as a part of the width


def plot_feature(model: Model, feature: str, ax: Axes | None = None) -> Axes:
    """Draw all curves of a feature.

    One step curve per region, with a band of one standard deviation over bags; dotted lines and
    arrows where the feature switches the curves of others; below, where the rows are.

    Parameters
    ----------
    model : Model
    feature : str
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    view = feature_view(model, feature)
    if ax is not None:
        return draw_feature(view, ax)
    height = body_height(view) + header_height(view, HEADER_WIDTH)
    return draw_feature(view, new_axes(HALF_PAGE, height / POINTS), HEADER_WIDTH)


def plot_model(model: Model, n_features: int | None = None, n_columns: int = 3) -> Figure:
    """Draw every feature, the most important one first.

    Parameters
    ----------
    model : Model
    n_features : int, optional
        Draw only this many.
    n_columns : int

    Returns
    -------
    matplotlib figure
    """
    names = [feature.name for feature in model_view(model).features][:n_features]
    views = [feature_view(model, name) for name in names]
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
    return figure


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
    features = model_view(model).features[:n_features]
    ax = ax or new_axes(HALF_PAGE, 0.5 + 0.19 * len(features))
    for place, feature in enumerate(features):
        left = 0.0
        for number, part in enumerate(feature.parts):
            ax.barh(place, part.importance, 0.7, left, color=region_style(number)[0], alpha=0.75)
            left += part.importance
        ax.annotate(
            number_text(feature.importance),
            (left, place),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL - 1,
        )
    ax.set_yticks(range(len(features)), [cut(feature.title, 34) for feature in features])
    ax.set_ylim(len(features) - 0.4, -0.6)
    ax.margins(x=0.15)
    ax.set_xlabel("mean |contribution|, by region", fontsize=SMALL)
    tidy(ax, "left", "bottom")
    return ax


def plot_prediction(model: Model, row: Any, n_features: int = 12, ax: Axes | None = None) -> Axes:
    """Draw one prediction as steps from the intercept to the score.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    n_features : int
        The largest contributions; the others are drawn as one.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    view = prediction_view(model, row)
    shown, others = view.ranked[:n_features], view.ranked[n_features:]
    steps = [(f"{line.name} = {line.value}", line.rule, line.contribution) for line in shown]
    if others:
        rest = sum(line.contribution for line in others)
        steps.append((f"{len(others)} others", "everywhere", rest))
    ax = ax or new_axes(1.25 * HALF_PAGE, 0.8 + 0.27 * len(steps))
    start = view.intercept
    for place, (_, rule, contribution) in enumerate(steps):
        colour = COLOURS[0] if contribution >= 0 else COLOURS[1]
        ax.barh(place, contribution, 0.62, start, color=colour, alpha=0.75)
        end = start + contribution
        ax.plot([end, end], [place, place + 1], color=GREY, linewidth=0.6)
        ax.annotate(
            f"{'+' if contribution >= 0 else ''}{number_text(contribution)}",
            (max(start, end), place),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL - 1,
        )
        start = end
    labels = [
        cut(name, 34) + ("" if rule == "everywhere" else f"\n{cut(pretty(rule), 44)}")
        for name, rule, _ in steps
    ]
    ax.set_yticks(range(len(steps)), labels)
    ax.set_ylim(len(steps) - 0.4, -0.6)
    ax.margins(x=0.12)
    ax.axvline(view.intercept, color=GREY, linewidth=0.6, linestyle=":")
    score = f"intercept {number_text(view.intercept)} → score {number_text(view.score)}"
    if view.probability is not None:
        score += f", probability of {view.classes[1]} {view.probability:.1%}"
    ax.set_title(score, fontsize=SMALL + 1, loc="left")
    ax.set_xlabel("score (log-odds)" if model.link == "logit" else "score", fontsize=SMALL)
    tidy(ax, "left", "bottom")
    return ax


def plot_sensitivity(report: Sensitivity, ax: Axes | None = None) -> Axes:
    """Draw what a change of one feature does to the score: own curves, hidden jumps, in total.

    Parameters
    ----------
    report : Sensitivity
        Made by `calmgam.read.audit.sensitivity`.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ranges = [
        *((curve.region, curve.change, curve.change, COLOURS[0]) for curve in report.curves),
        *((f"jump of {s.term}", s.low, s.high, COLOURS[1]) for s in report.switches),
        ("total", report.low, report.high, COLOURS[6]),
    ]
    ax = ax or new_axes(HALF_PAGE, 0.8 + 0.24 * len(ranges))
    for place, (_, low, high, colour) in enumerate(ranges):
        ax.plot([low, high], [place, place], "|-", color=colour, linewidth=4, markersize=8)
        text = number_text(low) if low == high else f"[{number_text(low)}, {number_text(high)}]"
        ax.annotate(
            text, (high, place), (6, 0), textcoords="offset points", va="center", fontsize=SMALL - 1
        )
    ax.axvline(0, color=GREY, linewidth=0.6, zorder=0)
    ax.set_yticks(range(len(ranges)), [wrap(pretty(label), 30) for label, *_ in ranges])
    ax.set_ylim(len(ranges) - 0.4, -0.6)
    ax.margins(x=0.2)
    ax.set_title(
        f"{report.feature}: {report.start} → {report.stop}", fontsize=SMALL + 2, loc="left"
    )
    ax.set_xlabel("change of the score", fontsize=SMALL)
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
    features = [feature for feature in model_view(model).features if feature.partition]
    n_lines = sum(len(feature.partition) + 2 for feature in features)
    ax = ax or new_axes(HALF_PAGE, 0.3 + 0.155 * n_lines)
    place = 0
    for feature in features:
        ax.text(0, place, cut(feature.title, 50), fontsize=SMALL + 1, va="center", weight="bold")
        parents = [place]
        for place, branch in enumerate(feature.partition, place + 1):
            parents[branch.depth + 1 :] = [place]
            x = INDENT * (branch.depth + 1)
            corner = x - 0.7 * INDENT, x - 0.7 * INDENT, x - 0.2 * INDENT
            ax.plot(corner, (parents[branch.depth] + 0.4, place, place), color=GREY, linewidth=0.8)
            ax.text(x, place, cut(pretty(branch.rule), 48), fontsize=SMALL, va="center")
            if branch.leaf is not None:
                share = feature.parts[branch.leaf].share
                colour = region_style(branch.leaf)[0]
                ax.barh(place, 0.16 * share, 0.7, 0.78, color=colour, alpha=0.75)
                ax.text(0.77, place, f"{share:.0%}", fontsize=SMALL, va="center", ha="right")
        place += 2
    ax.set_xlim(0, 1)
    ax.set_ylim(max(n_lines, 1) - 1, -1)
    ax.axis("off")
    return ax
