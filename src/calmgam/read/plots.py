"""Pictures of a model, with matplotlib.

A `Model` comes in, the axes (or figure) that were drawn on go out. Every function draws a view of
`calmgam.read.views` and computes nothing but positions. Nothing global is touched: without `ax` a
new figure is made, which `ax.figure.savefig(...)` writes. Colours are those of Okabe and Ito,
which people with any kind of colour vision can tell apart.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from calmgam.model.glassbox import Model
from calmgam.read.canvas import HALF_PAGE, POINTS, new_axes, new_figure
from calmgam.read.feature_plot import body_height, draw_feature, header_height, label_width
from calmgam.read.views import feature_view, model_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADER_WIDTH = 0.95 * HALF_PAGE * POINTS


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
