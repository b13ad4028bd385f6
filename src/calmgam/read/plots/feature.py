"""The picture of one feature: a `FeatureView` is drawn on axes.

    title            x1 | x3
    header           one line per region: its rule; one line per hidden jump: where, how much
    axes             curves and bands, dotted lines with arrows at the jumps; missing at the right
    strip            where the rows are, by region

Levels lie one below the other, so that their names can be read; then the strip is at the right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.links import SCALES
from calmgam.read.plots.canvas import (
    AS_IT_IS,
    CHARACTER,
    GREY,
    LINE,
    PALE,
    POINTS,
    SMALL,
    number_ticks,
    region_style,
    tidy,
)
from calmgam.read.view_types import FeatureView, FloatTuple, PointView, joint_jumps
from calmgam.read.words.numbers import short_number
from calmgam.read.words.wording import cut, cut_apart, cut_middle, pretty, title_text, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = SMALL + 2
MAX_JUMPS = 8
MAX_LEVELS = 24
MAX_LABEL = 20
MAX_PLACE = 40
MAX_POWERS = 8
STRIP = 0.12  # of the axes' height or width


def draw_feature(
    view: FeatureView,
    ax: Axes,
    width: float | None = None,
    indent: float | None = None,
    n_levels: int | None = MAX_LEVELS,
) -> Axes:
    """Draw all curves of a feature.

    Parameters
    ----------
    view : FeatureView
    ax : matplotlib axes
    width, indent : float, optional
        Width of the header and how far it reaches to the left of the axes, in points; by default
        it spans the axes and their labels.
    n_levels : int or None
        Draw only this many, the most frequent ones; None: all.
    """
    if indent is None:
        indent = label_width(view)
    if width is None:
        width = ax.get_window_extent().width / ax.figure.dpi * POINTS + indent
    if view.is_numeric:
        _draw_curves(view, ax, width - indent)
    else:
        _draw_levels(view, ax, width - indent, n_levels)
    _draw_header(view, ax, width, indent)
    return ax


def header_height(view: FeatureView, width: float) -> float:
    """Height of title and header of this width, in points."""
    return 2.0 * TITLE + LINE * sum(text.count("\n") + 1 for text in _header_texts(view, width))


def body_height(view: FeatureView, n_levels: int | None = MAX_LEVELS) -> float:
    """Height of axes in which all marks can be told apart, with the labels below, in points."""
    n_labels = 0 if view.is_numeric else len(view.labels[:n_levels])
    return max(150.0, 40.0 + n_labels * (7.0 + 1.5 * len(view.regions)))


def _draw_curves(view: FeatureView, ax: Axes, width: float) -> None:
    strip = ax.inset_axes((0, -0.14, 1, 0.12), sharex=ax)
    low, high = (view.display_edges[0], view.display_edges[-1]) if view.display_edges else (0, 1)
    if view.log_from is not None:
        ax.set_xscale("symlog", linthresh=view.log_from)
    below = np.zeros(max(len(view.display_edges) - 1, 0))
    for number, region in enumerate(view.regions):
        colour, dashes = region_style(number)
        edges, values, spreads = map(np.array, (region.edges, region.values, region.spreads))
        if not len(values):
            continue
        ax.stairs(values, edges, baseline=None, color=colour, linestyle=dashes, linewidth=1.4)
        band = {"baseline": values - spreads, "color": colour, "alpha": 0.2, "linewidth": 0}
        ax.stairs(values + spreads, edges, fill=True, **band)
        if edges[-1] - edges[0] < 0.02 * (high - low):  # too narrow for a line
            ax.plot(edges.mean(), values.mean(), "o", color=colour, markersize=3)
        above = below + region.density
        strip.stairs(above, view.display_edges, baseline=below, fill=True, color=colour, alpha=0.6)
        below = above
    if view.labels:
        _draw_missing(view, ax)
    margin = 0.02 * (high - low) or 0.5
    ax.set_xlim(low - (margin if view.log_from is None else 0), high + margin)
    _set_ticks(view, strip, width)
    ax.axhline(0, color=GREY, linewidth=0.6, zorder=0)
    drawn = [(region.values, region.spreads) for region in view.regions]
    drawn += [((p.value,), (p.spread,)) for _, _, p in _points(view, [0.0])]
    ax.set_ylim(_limits(drawn))
    number_ticks(ax.yaxis, 6)
    ax.set_ylabel(_contribution_label(view), fontsize=SMALL)
    ax.tick_params(axis="x", which="both", bottom=False, labelbottom=False)
    tidy(ax, "left", "bottom")
    tidy(strip, "bottom")
    name = cut_middle(view.name, int(width / CHARACTER))
    strip.set_xlabel(name, fontsize=SMALL, **AS_IT_IS)
    strip.set_yticks([])
    strip.set_ylim(bottom=0)
    for jump in joint_jumps(view.jumps):
        place, transform = jump.threshold or 0.0, ax.get_xaxis_transform()
        ax.axvline(place, color="black", linestyle=":", linewidth=0.9, zorder=1)
        _draw_arrow(ax, jump.arrow, place, 0.99, transform, "top")


def _draw_missing(view: FeatureView, ax: Axes) -> None:
    """Draw the contribution of missing numbers, apart at the right edge."""
    edge = ax.inset_axes((1.02, 0, 0.09, 1), sharey=ax)
    for number, left, point in _points(view, [0.0]):
        colour, _ = region_style(number)
        width = 0.8 / len(view.regions)
        edge.hlines(point.value, left, left + width, color=colour, linewidth=2)
        bottom = point.value - point.spread
        edge.bar(left, 2 * point.spread, width, bottom, align="edge", color=colour, alpha=0.25)
    edge.axhline(0, color=GREY, linewidth=0.6, zorder=0)
    edge.set_xlim(-0.6, 0.6)
    edge.set_xticks([0], ["missing"], rotation=90)
    edge.set_facecolor(PALE)
    edge.tick_params(axis="y", left=False, labelleft=False)
    tidy(edge, "bottom")


def _draw_levels(view: FeatureView, ax: Axes, width: float, n_levels: int | None) -> None:
    strip = ax.inset_axes((1.02, 0, STRIP, 1), sharey=ax)
    places = _level_places(view, n_levels)
    height = 0.8 / len(view.regions)
    n_rows = np.zeros(len(view.labels))
    for number, top, point in _points(view, places):
        colour, _ = region_style(number)
        ax.vlines(point.value, top, top + height, color=colour, linewidth=2)
        left = point.value - point.spread
        ax.barh(top, 2 * point.spread, height, left, align="edge", color=colour, alpha=0.25)
        place = places[point.position]
        strip.barh(place, point.n_rows, 0.8, n_rows[point.position], color=colour, alpha=0.6)
        n_rows[point.position] += point.n_rows
    shown = np.flatnonzero(~np.isnan(places))
    bottom = np.nanmax(places, initial=0.0) + 0.6
    labels = cut_apart([view.labels[k] for k in shown], MAX_LABEL)
    ax.set_yticks(places[shown], labels, **AS_IT_IS)
    ax.set_ylim(bottom, -0.6)
    first_apart = np.sum(shown < view.n_levels)  # "other" and "missing" stand apart
    if first_apart < len(shown):
        ax.axhspan(first_apart - 0.2, bottom, color=PALE, zorder=-1)
    ax.axvline(0, color=GREY, linewidth=0.6, zorder=0)
    ax.set_xlim(_limits([((p.value,), (p.spread,)) for _, _, p in _points(view, places)]))
    number_ticks(ax.xaxis, 5, (1 - STRIP) * width)
    n_hidden = len(view.labels) - len(shown)
    note = f"\n{n_hidden} rarer levels not shown; n_levels={len(view.labels)} shows all"
    label = _contribution_label(view) + (note if n_hidden else "")
    ax.set_xlabel(label, fontsize=SMALL, loc="right" if n_hidden else "center")
    tidy(ax, "left", "bottom")
    tidy(strip, "left")
    strip.tick_params(axis="y", left=False, labelleft=False)
    strip.set_xticks([])
    strip.set_xlim(left=0)
    place_of = dict(zip(view.labels, places, strict=True))
    for jump in joint_jumps(view.jumps):
        for level in jump.levels:
            if not np.isnan(place_of.get(level, np.nan)):
                ax.axhline(place_of[level], color="black", linestyle=":", linewidth=0.9, zorder=1)
                transform = ax.get_yaxis_transform()
                _draw_arrow(ax, jump.arrow, 0.99, place_of[level], transform, "center")


def _points(
    view: FeatureView, places: Sequence[float] | FloatArray
) -> Iterator[tuple[int, float, PointView]]:
    """Points at known places with their region's number and where their part of the place starts.

    The regions share the width of a place, 0.8, side by side.
    """
    width = 0.8 / len(view.regions)
    for number, region in enumerate(view.regions):
        for point in region.points:
            if not np.isnan(places[point.position]):
                yield number, places[point.position] - 0.4 + number * width, point


def _level_places(view: FeatureView, n_levels: int | None) -> FloatArray:
    """Places of all labels, NaN for the rarest beyond `n_levels`."""
    n_rows = np.zeros(len(view.labels))
    for region in view.regions:
        for point in region.points:
            n_rows[point.position] += point.n_rows
    shown = np.sort(np.argsort(-n_rows, kind="stable")[:n_levels])
    places = np.full(len(view.labels), np.nan)
    places[shown] = np.arange(len(shown)) + 0.4 * (shown >= view.n_levels)
    return places


def _limits(drawn: Sequence[tuple[FloatTuple, FloatTuple]]) -> tuple[float, float]:
    """All values with some margin, and bands as far as they do not dwarf the values."""
    values = np.concatenate([(), *(value for value, _ in drawn)])
    spreads = np.concatenate([(), *(spread for _, spread in drawn)])
    if not len(values):
        return -1.0, 1.0
    low, high = values.min(), values.max()
    size = (high - low) or abs(high) or 1.0
    band_low, band_high = (values - spreads).min(), (values + spreads).max()
    return (
        max(band_low, low - 0.25 * size) - 0.05 * size,
        min(band_high, high + 0.25 * size) + 0.05 * size,
    )


def _draw_arrow(ax: Axes, arrow: str, x: float, y: float, transform: Any, va: str) -> None:
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    style: dict[str, Any] = {"ha": "center", "va": va, "transform": transform}
    ax.text(x, y, arrow, fontsize=SMALL + 2, path_effects=halo, **style)


def _draw_header(view: FeatureView, ax: Axes, width: float, indent: float) -> None:
    """Legend of regions and jumps above the axes, and the title above that."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    def shifted(points: float) -> Any:
        move = ScaledTranslation(-indent / POINTS, points / POINTS, ax.figure.dpi_scale_trans)
        return ax.transAxes + move

    texts = _header_texts(view, width)
    styles = [region_style(number) for number in range(len(view.regions))]
    if texts:
        styles = [*(styles if len(styles) > 1 else []), *[("black", ":")] * len(texts)]
        legend = ax.legend(
            [Line2D([], [], color=colour, linestyle=dashes) for colour, dashes in styles][
                : len(texts)
            ],
            ["…"] * len(texts),  # matplotlib leaves out labels like _x
            loc="lower left",
            bbox_to_anchor=(0, 1),
            bbox_transform=shifted(4),
            fontsize=SMALL,
            frameon=False,
            handlelength=1.5,
            handletextpad=0.5,
            labelspacing=0.15,
            borderpad=0,
            borderaxespad=0,
        )
        legend.set_in_layout(False)  # the title is; long rules must not squeeze the axes
        for label, text in zip(legend.get_texts(), texts, strict=True):
            label.set(text=text, linespacing=1.0, **AS_IT_IS)
    n_characters = int(width / (CHARACTER * TITLE / SMALL))
    title = title_text(view.name, view.conditioned_on, n_characters)
    heading = ax.set_title(title, fontsize=TITLE, loc="left", y=1, **AS_IT_IS)
    heading.set_transform(shifted(header_height(view, width) - 1.4 * TITLE))


def _header_texts(view: FeatureView, width: float) -> list[str]:
    """Rules of several regions, then jumps."""
    regions = view.regions if len(view.regions) > 1 else ()
    texts = [f"{pretty(region.rule)} ({region.share:.0%})" for region in regions]
    jumps = joint_jumps(view.jumps)
    places = (replace(jump, place=cut(jump.place, MAX_PLACE)) for jump in jumps[:MAX_JUMPS])
    texts += map(str, places)
    if len(jumps) > MAX_JUMPS:
        texts.append(f"and {len(jumps) - MAX_JUMPS} more jumps")
    return [wrap(text, int(width / CHARACTER) - 6) for text in texts]


def label_width(view: FeatureView) -> float:
    """Width of the labels at the left of the axes, in points."""
    if view.is_numeric:
        return 26.0
    return 4.0 + CHARACTER * max((min(len(label), MAX_LABEL) for label in view.labels), default=0)


def _contribution_label(view: FeatureView) -> str:
    label = f"contribution{SCALES[view.link]}"
    return f"{label} to {cut(view.output, MAX_PLACE)}" if view.output else label


def _set_ticks(view: FeatureView, strip: Axes, width: float) -> None:
    """Whole numbers for whole numbers, powers of ten on a logarithmic axis, k and M if large."""
    from matplotlib.ticker import FuncFormatter

    if not view.display_edges:
        return
    low, high = view.display_edges[0], view.display_edges[-1]
    if view.log_from is None:
        is_whole = low.is_integer() and high.is_integer()
        whole = is_whole and len(view.display_edges) <= high - low + 2
        number_ticks(strip.xaxis, 6, width, whole)
        return
    first, last = math.ceil(math.log10(view.log_from)), math.floor(math.log10(high))
    powers = 10.0 ** np.arange(first, last + 1, 1 + (last - first) // MAX_POWERS)
    strip.set_xticks([*([0.0] if low == 0 else []), *powers], minor=False)
    strip.minorticks_off()
    strip.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
