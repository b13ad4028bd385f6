"""Pictures of a model, with matplotlib.

A `Model` comes in, the axes (or figure) that were drawn on go out. Every function draws a view of
`calmgam.read.views` and computes nothing but positions. Nothing global is touched: without `ax` a
new figure is made, which `ax.figure.savefig(...)` writes. Colours are those of Okabe and Ito,
which people with any kind of colour vision can tell apart.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model
from calmgam.read.views import (
    FeatureView,
    RegionView,
    feature_view,
    model_view,
    number_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)))
GREY = "#767676"
SMALL = 7.0
HALF_PAGE = 3.5
RULE_WIDTH = 46
MAX_LEVELS = 30


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
    return _draw_feature(feature_view(model, feature), ax or _new_axes())


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
    n_columns = min(n_columns, len(names))
    n_rows = math.ceil(len(names) / n_columns)
    figure = _new_figure(HALF_PAGE * n_columns, 3.1 * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for name, ax in zip(names, axes, strict=False):
        plot_feature(model, name, ax)
    for ax in axes[len(names) :]:
        ax.remove()
    return figure


def _draw_feature(view: FeatureView, ax: Axes) -> Axes:
    strip = ax.inset_axes((0, -0.14, 1, 0.12), sharex=ax)
    draw = _draw_curves if view.is_numeric else _draw_levels
    places = draw(view, ax, strip)
    ax.axhline(0, color=GREY, linewidth=0.6, zorder=0)
    ax.set_ylabel("contribution", fontsize=SMALL + 1)
    ax.tick_params(axis="x", labelbottom=False, bottom=False)
    ax.margins(y=0.08)
    strip.set_xlabel(view.name, fontsize=SMALL + 1)
    strip.set_yticks([])
    strip.set_ylim(bottom=0)
    _tidy(ax)
    _tidy(strip)
    strip.spines["left"].set_visible(False)
    _draw_jumps(view, ax, places)
    _draw_legend(view, ax)
    return ax


def _draw_curves(view: FeatureView, ax: Axes, strip: Axes) -> dict[str, float]:
    """Step curves with their bands; rows stacked in the strip; missing values at the right."""
    low, high = (view.display_edges[0], view.display_edges[-1]) if view.display_edges else (0, 1)
    margin = 0.02 * (high - low) or 0.5
    ax.set_xlim(low - margin, high + margin)
    below = np.zeros(max(len(view.display_edges) - 1, 0))
    for number, region in enumerate(view.regions):
        if not region.values:
            continue
        colour, dashes = _style(number)
        edges, values, spreads = map(np.array, (region.edges, region.values, region.spreads))
        ax.stairs(values, edges, baseline=None, color=colour, linestyle=dashes, linewidth=1.4)
        ax.stairs(
            values + spreads, edges, baseline=values - spreads, fill=True, color=colour, alpha=0.18
        )
        if edges[-1] - edges[0] < margin:  # too narrow for a line
            ax.plot(edges.mean(), values.mean(), "o", color=colour, markersize=3.5)
        above = below + region.density
        strip.stairs(above, view.display_edges, baseline=below, fill=True, color=colour, alpha=0.6)
        below = above
    if view.labels:
        edge = ax.inset_axes((1.02, 0, 0.09, 1), sharey=ax)
        _draw_points(view, edge, [0.0])
        edge.set_xlim(-0.6, 0.6)
        edge.set_xticks([0], ["missing"], rotation=90)
        edge.set_facecolor("#F5F5F5")
        edge.axhline(0, color=GREY, linewidth=0.6, zorder=0)
        edge.tick_params(axis="y", left=False, labelleft=False)
        _tidy(edge)
        edge.spines["left"].set_visible(False)
    return {}


def _draw_levels(view: FeatureView, ax: Axes, strip: Axes) -> dict[str, float]:
    """One short line per level and region; other and missing levels apart, at the right."""
    n_rows = np.zeros(len(view.labels))
    for region in view.regions:
        for point in region.points:
            n_rows[point.position] += point.n_rows
    shown = np.sort(np.argsort(-n_rows, kind="stable")[:MAX_LEVELS])
    places = np.full(len(view.labels), np.nan)
    places[shown] = np.arange(len(shown)) + 0.5 * (shown >= view.n_levels)
    _draw_points(view, ax, places)
    below = np.zeros(len(view.labels))
    for number, region in enumerate(view.regions):
        rows = np.zeros(len(view.labels))
        for point in region.points:
            rows[point.position] = point.n_rows
        strip.bar(places, rows, 0.8, bottom=below, color=_style(number)[0], alpha=0.6)
        below += rows
    labels = [textwrap.shorten(view.labels[k], 20, placeholder="…") for k in shown]
    is_wide = sum(map(len, labels)) > 30
    rotation: dict[str, Any] = {"rotation": 90 if len(labels) > 12 else 35 if is_wide else 0}
    if is_wide and len(labels) <= 12:
        rotation |= {"ha": "right", "rotation_mode": "anchor"}
    strip.set_xticks(places[shown], labels, **rotation)
    ax.set_xlim(-0.6, np.nanmax(places) + 0.6)
    if len(view.labels) > len(shown):
        strip.text(
            1,
            1.1,
            f"{len(view.labels) - len(shown)} rarer levels not shown",
            ha="right",
            fontsize=SMALL - 1,
            color=GREY,
            transform=strip.transAxes,
        )
    return {view.labels[k]: places[k] for k in shown}


def _draw_points(view: FeatureView, ax: Axes, places: Sequence[float] | FloatArray) -> None:
    """Short lines with bands at the places of the view's labels, regions side by side."""
    width = 0.8 / len(view.regions)
    for number, region in enumerate(view.regions):
        colour, _ = _style(number)
        left = np.array([places[point.position] for point in region.points]) - 0.4 + number * width
        values = np.array([point.value for point in region.points])
        spreads = np.array([point.spread for point in region.points])
        ax.hlines(values, left, left + width, color=colour, linewidth=2)
        ax.bar(left, 2 * spreads, width, values - spreads, align="edge", color=colour, alpha=0.25)


def _draw_jumps(view: FeatureView, ax: Axes, places: Mapping[str, float]) -> None:
    """Dotted lines where the feature switches other curves, with arrow and range of the change."""
    column = 8.5 / (72 * ax.figure.get_figwidth() * ax.get_position().width)  # of the axes' width
    start, stop = ax.get_xlim()
    free = 0.0
    for where, group in groupby(view.jumps, key=lambda jump: (jump.threshold, jump.levels)):
        jumps, (threshold, levels) = list(group), where
        at = [places[level] for level in levels if level in places] or [threshold or start]
        for place in at:
            ax.axvline(place, color="black", linestyle=":", linewidth=0.9, zorder=1)
        arrows = {jump.arrow for jump in jumps}
        left = max((at[0] - start) / (stop - start) + 0.1 * column, free)
        free = left + column * len(jumps)
        style = {"transform": ax.transAxes, "va": "top", "path_effects": _halo()}
        arrow = arrows.pop() if len(arrows) == 1 else "↕"
        ax.text(left, 0.99, arrow, fontsize=SMALL + 2, **style)
        text = "\n".join(f"{jump.term} {_range_text(jump.low, jump.high)}" for jump in jumps)
        ax.text(left, 0.88, text, fontsize=SMALL - 1, rotation=90, linespacing=1.1, **style)


def _draw_legend(view: FeatureView, ax: Axes) -> None:
    """Rules in colour between the title and the axes, if there is more than one."""
    from matplotlib.lines import Line2D

    texts = [_legend_text(region) for region in view.regions]
    title_pad = 6.0
    if len(texts) > 1:
        handles = [Line2D([], [], color=c, linestyle=d) for c, d in map(_style, range(len(texts)))]
        ax.legend(
            handles,
            texts,
            loc="lower left",
            bbox_to_anchor=(-0.02, 1.0),
            fontsize=SMALL,
            frameon=False,
            handlelength=1.6,
            labelspacing=0.25,
            borderpad=0.2,
        )
        n_lines = sum(text.count("\n") + 1 for text in texts)
        title_pad += n_lines * SMALL * 1.2 + len(texts) * SMALL * 0.25 + 4
    ax.set_title(view.title, fontsize=SMALL + 2.5, loc="left", pad=title_pad)


def _legend_text(region: RegionView) -> str:
    rule = textwrap.shorten(region.rule, 2 * RULE_WIDTH, placeholder=" …")
    return "\n".join(textwrap.wrap(f"{rule}  ({region.share:.0%})", RULE_WIDTH + 8))


def _range_text(low: float, high: float) -> str:
    return f"[{number_text(low)}, {number_text(high)}]"


def _style(number: int) -> tuple[str, Any]:
    """Colour and dashes of region `number`."""
    return COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]


def _halo() -> list[Any]:
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2, foreground="white")]


def _tidy(ax: Axes) -> None:
    ax.tick_params(labelsize=SMALL, width=0.6, length=2.5)
    for side, spine in ax.spines.items():
        spine.set_linewidth(0.6)
        spine.set_visible(side in ("left", "bottom"))


def _new_axes(width: float = HALF_PAGE, height: float = 3.0) -> Axes:
    return _new_figure(width, height).subplots()


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", dpi=150)
