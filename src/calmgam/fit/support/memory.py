"""How much memory a fit will take, and a warning where there is less.

In: the size of a table, bags and outputs. Out: bytes, from what the stages hold at the same time:
the encoded rows, their slots and cells, and the scores and gradients of a group of bags.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from calmgam._kernels import LANES
from calmgam.model.pages import see

BASE = 20 * 2**20  # of a small table
ENCODED, SLOTS, CELLS = 8, 2, 2 * 2  # bytes of a value; cells are copied in their order
PER_ROW = 8 * 6  # target, weight, offset, scores of the reference, folds
PER_LANE = 8 * 3  # score, gradient, hessian
LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"))
GIGABYTE = 2**30  # bytes


def estimate_memory(n_rows: int, n_features: int, n_bags: int, n_outputs: int = 1) -> int:
    """Return the bytes that a fit in memory will take, beside the table itself.

    Parameters
    ----------
    n_rows, n_features, n_bags : int
    n_outputs : int
        Scores of a row: the number of classes, if there are more than two.
    """
    values = n_rows * n_features * (ENCODED + SLOTS + CELLS)
    n_groups = -(-n_bags // LANES)
    bags = n_rows * n_groups * LANES * (1 + PER_LANE * max(n_outputs, 1))
    return BASE + values + n_rows * PER_ROW + bags


def available_memory() -> int | None:
    """Return the bytes that this process may still take, or None if nobody says."""
    free = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")]
    except (OSError, ValueError, IndexError):
        pass
    try:
        limit, used = (int(path.read_text()) for path in LIMITS)
        free.append(max(limit - used, 0))
    except (OSError, ValueError):  # no such file, or "max": no limit
        pass
    if not free and hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
        free.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(free, default=None)


def warn_of_memory(n_rows: int, n_features: int, n_bags: int, n_outputs: int = 1) -> None:
    """Warn if a fit will take more memory than there is.

    Parameters
    ----------
    n_rows, n_features, n_bags, n_outputs : int
        As in `estimate_memory`.
    """
    needed, free = estimate_memory(n_rows, n_features, n_bags, n_outputs), available_memory()
    if free is not None and needed > free:
        warnings.warn(
            f"this fit will take about {needed / GIGABYTE:.1f} GB of memory, and "
            f"{free / GIGABYTE:.1f} GB are free: pass the path of a file instead of a table, fewer "
            f"rows, or curves=Boosting(n_bags={LANES}){see('scale')}",
            stacklevel=6,
        )
