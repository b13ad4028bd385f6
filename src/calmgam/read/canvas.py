"""What all pictures share: colours, sizes, tidy axes, and figures that nobody else knows of.

Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart;
after seven regions the dashes change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calmgam.read.numbers import tick_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)))
GREY = "#767676"
PALE = "#F4F4F4"
SMALL = 7.0  # points
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


def number_ticks(axis: Axis, n_ticks: int = 5, whole: bool = False) -> None:
    """Write round numbers along an axis: few, short, and different from each other."""
    from matplotlib.ticker import Formatter, MaxNLocator

    class Numbers(Formatter):
        """Labels of all ticks at once."""

        def __call__(self, value: float, position: int | None = None) -> str:
            return self.format_ticks([value])[0]

        def format_ticks(self, values: Sequence[float]) -> list[str]:
            return [self.fix_minus(text) for text in tick_texts(values)]

    axis.set_major_locator(MaxNLocator(n_ticks, integer=whole))
    axis.set_major_formatter(Numbers())
