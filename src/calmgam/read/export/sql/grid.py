"""A grid of equal cells over sorted edges: where to begin the search for a number's slot.

A number's cell is a monotone function of it, computed with two operations on doubles that every
engine rounds alike. So edges in lower cells lie below the number, edges in higher ones do not, and
only those in its own cell are left to be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calmgam.model.columns import FloatArray

CELLS = (256, 1024, 4096)  # tried in this order
TRIMS = (0, 1, 3, 7, 15)  # edges beside the grid on each side: skewed ones lie far out


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of numbers: cell = floor((number - low) * scale), within 0..n_cells-1.

    Attributes
    ----------
    low, scale : float
    first : tuple of int
        Edges in cells below each cell.
    n_steps : int
        Steps of a binary search among the edges of any one cell.
    """

    low: float
    scale: float
    first: tuple[int, ...]
    n_steps: int

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.first)


def grid_of(edges: FloatArray) -> Grid | None:
    """Return the grid that leaves the fewest steps; None if a plain search has no more of them.

    Parameters
    ----------
    edges : array
        Sorted, distinct.
    """
    best: Grid | None = None
    n_steps = len(edges).bit_length() - 2  # a grid costs about two steps itself
    for n_cells in CELLS:
        for below in TRIMS:
            for above in TRIMS:
                if below + above + 2 > len(edges):
                    continue
                found = _grid(edges, n_cells, edges[below], edges[len(edges) - 1 - above])
                if found is not None and found.n_steps < n_steps:
                    best, n_steps = found, found.n_steps
    return best


def _grid(edges: FloatArray, n_cells: int, low: float, high: float) -> Grid | None:
    with np.errstate(all="ignore"):
        scale = float((n_cells - 1) / (high - low))
        if not 0 < scale < np.inf:
            return None
        cells = np.floor(np.clip((edges - low) * scale, 0, n_cells - 1)).astype(np.intp)
    counts = np.bincount(cells, minlength=n_cells)
    first = np.cumsum(counts) - counts
    return Grid(float(low), scale, tuple(first.tolist()), int(counts.max()).bit_length())
