"""Few steps instead of many: the best ways to cut a weighted sequence into bands.

    minimise   sum over bands of (rows-weighted squared distance to the band's mean) + price * bands

Neighbours that differ least are joined until few are left; over those the minimum is found exactly,
for any price, by dynamic programming.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray

MAX_PARTS = 160  # over which the minimum is exact


@dataclass(frozen=True, eq=False)
class Sequence:
    """Heights along an axis, and the weights of their rows."""

    heights: FloatArray
    weights: FloatArray

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """First positions of the parts that bands are made of."""
        return joined_starts(self.heights, self.weights, MAX_PARTS)

    @cached_property
    def _sums(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights, sums and squares of all before every part, and of the whole."""
        center = np.average(self.heights, weights=self.weights) if self.weights.any() else 0.0
        heights = self.heights - center  # squares cancel less
        return tuple(  # type: ignore[return-value]
            np.append(0.0, np.cumsum(np.add.reduceat(self.weights * heights**power, self.starts)))
            for power in (0, 1, 2)
        )

    def costs(self, first: NDArray[np.intp] | int, last: NDArray[np.intp] | int) -> FloatArray:
        """Return the squared distance to their mean of the parts first..last-1."""
        weights, sums, squares = (total[last] - total[first] for total in self._sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            explained = np.where(weights > 0, sums**2 / weights, 0.0)
        costs: FloatArray = np.maximum(squares - explained, 0.0)
        return costs

    @cached_property
    def _all_costs(self) -> FloatArray:
        """The cost of first..last-1 as [last, first]."""
        n_parts = len(self.starts)
        return self.costs(np.arange(n_parts)[None, :], np.arange(n_parts + 1)[:, None])

    def cut(self, price: float) -> NDArray[np.intp]:
        """Return the parts that bands start with, but the first, at a price per band."""
        n_parts = len(self.starts)
        best, came_from = np.zeros(n_parts + 1), np.zeros(n_parts + 1, dtype=np.intp)
        for last in range(1, n_parts + 1):
            totals = best[:last] + self._all_costs[last, :last]
            came_from[last] = totals.argmin()
            best[last] = totals[came_from[last]] + price
        cuts, at = [], int(came_from[n_parts])
        while at > 0:
            cuts.append(at)
            at = int(came_from[at])
        return np.array(cuts[::-1], dtype=np.intp)

    def nearly_as_good(self, cuts: NDArray[np.intp], allowance: float) -> NDArray[np.intp]:
        """Return, for every cut, the parts from and to which it may move at little cost.

        Bands on both sides keep at least half of what lies between neighbouring cuts.
        """
        ends = np.concatenate([[0], cuts, [len(self.starts)]])
        windows = []
        for before, cut, after in zip(ends, cuts, ends[2:], strict=False):
            low, high = (before + cut) // 2 + 1, (cut + after) // 2
            places = np.arange(min(low, cut), max(high, cut) + 1)
            costs = self.costs(before, places) + self.costs(places, after)
            good = costs <= costs[places == cut] + allowance
            at = int(np.flatnonzero(places == cut)[0])
            first = at - int(np.argmin(np.append(good[at::-1], False))) + 1
            last = at + int(np.argmin(np.append(good[at:], False))) - 1
            windows.append((places[first], places[last]))
        return np.array(windows, dtype=np.intp).reshape(len(cuts), 2)


def joined_starts(heights: FloatArray, weights: FloatArray, n_parts: int) -> NDArray[np.intp]:
    """Join the neighbours that differ least until few are left; return where those start."""
    n = len(heights)
    total, mean = weights.astype(float).tolist(), heights.tolist()
    before, after = list(range(-1, n - 1)), list(range(1, n + 1))
    is_left = [True] * n

    def cost(left: int, right: int) -> float:
        rows = total[left] + total[right]
        share = total[left] * total[right] / rows if rows > 0 else 0.0
        return float(share * (mean[left] - mean[right]) ** 2)

    heap = [(cost(i, i + 1), i, i + 1, 0) for i in range(n - 1)]
    heapq.heapify(heap)
    stamp = [0] * n
    left_over = n
    while heap and (left_over > n_parts or heap[0][0] <= 0.0):
        _, left, right, sign = heapq.heappop(heap)
        is_fresh = is_left[left] and right < n and is_left[right] and after[left] == right
        if not is_fresh or sign != stamp[left] + stamp[right]:
            continue
        rows = total[left] + total[right]
        if rows > 0:
            mean[left] = (total[left] * mean[left] + total[right] * mean[right]) / rows
        total[left], is_left[right], after[left] = rows, False, after[right]
        stamp[left] += 1
        left_over -= 1
        if after[left] < n:
            before[after[left]] = left
            other = after[left]
            heapq.heappush(heap, (cost(left, other), left, other, stamp[left] + stamp[other]))
        if before[left] >= 0:
            other = before[left]
            heapq.heappush(heap, (cost(other, left), other, left, stamp[other] + stamp[left]))
    return np.flatnonzero(is_left)
