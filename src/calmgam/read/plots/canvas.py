"""What all pictures share: colours, sizes, tidy axes, and figures that nobody else knows of.

Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart;
after seven regions the dashes change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calmgam.read.words.numbers import tick_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)))
GREY = "#767676"
PALE = "#F4F4F4"
SMALL = 7.0  # points
LINE = 1.16 * SMALL  # height of a line of small text
CHARACTER = 0.62 * SMALL  # its mean width
HALF_PAGE = 3.5  # inches
POINTS = 72.0  # per inch
AS_IT_IS: dict[str, Any] = {"parse_math": False, "usetex": False}  # text from data is no formula


def region_style(number: int) -> tuple[str, Any]:
    """Colour and dashes of region `number`."""
    return COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of this size in inches, without pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", dpi=150)


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new figure."""
    return new_figure(width, height).subplots()


def tidy(ax: Axes, *sides: str) -> None:
    """Keep thin spines on these sides only, and small ticks."""
    ax.tick_params(labelsize=SMALL, width=0.6, length=2.5)
    for side, spine in ax.spines.items():
        spine.set_linewidth(0.6)
        spine.set_visible(side in sides)


def number_ticks(
    axis: Axis, n_ticks: int = 5, width: float = math.inf, whole: bool = False
) -> None:
    """Write round numbers along an axis: short, different from each other, and not too many.

    Parameters
    ----------
    axis : matplotlib axis
        With the limits that it will have.
    n_ticks : int
        About how many, where they fit.
    width : float
        Room for all labels beside each other, in points.
    whole : bool
        Only integers.
    """
    from matplotlib.ticker import Formatter, MaxNLocator

    class Numbers(Formatter):
        """Labels of all ticks at once."""

        def __call__(self, value: float, position: int | None = None) -> str:
            return self.format_ticks([value])[0]

        def format_ticks(self, values: Sequence[float]) -> list[str]:
            return [self.fix_minus(text) for text in tick_texts(values)]

    options: dict[str, Any] = {"steps": [1, 2, 2.5, 5, 10], "integer": whole}
    locator = MaxNLocator(n_ticks, **options)
    while n_ticks > 1 and _labels_width(locator.tick_values(*axis.get_view_interval())) > width:
        n_ticks -= 1
        locator = MaxNLocator(n_ticks, **options)
    axis.set_major_locator(locator)
    axis.set_major_formatter(Numbers())


def _labels_width(values: Sequence[float]) -> float:
    return CHARACTER * sum(len(text) + 2 for text in tick_texts(values))
