"""Sets of values of one feature: disjoint intervals (low, high] on its axis, and missing or not.

Levels lie on an axis, too: the one with code c is (c - 1, c], the unseen level is the last one.
Intersection and subset are exact and take time in proportion to the number of intervals.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

Interval = tuple[float, float]

EVERYTHING: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Support:
    """A set of values of one feature: sorted, non-touching intervals (low, high], and missing."""

    intervals: tuple[Interval, ...]
    missing: bool

    def __bool__(self) -> bool:
        return bool(self.intervals) or self.missing

    def __and__(self, other: Support) -> Support:
        overlaps: list[Interval] = []
        mine, others = list(self.intervals[::-1]), list(other.intervals[::-1])
        while mine and others:  # the lowest of either come last
            low, high = max(mine[-1][0], others[-1][0]), min(mine[-1][1], others[-1][1])
            overlaps.append((low, high))
            (mine if mine[-1][1] <= others[-1][1] else others).pop()
        return Support(_nonempty(overlaps), self.missing and other.missing)

    def codes(self, n_levels: int) -> set[int]:
        """Return the codes of the levels in the set; unseen: n_levels, missing: n_levels + 1."""
        # the level with code c is (c - 1, c]
        codes = {code for a, b in self.intervals for code in range(int(a) + 1, int(b) + 1)}
        return codes | ({n_levels + 1} if self.missing else set())

    def __le__(self, other: Support) -> bool:
        """Subset: the intervals of `other` do not touch, so each of ours must lie inside one."""
        if self.missing > other.missing:
            return False
        lows = [low for low, _ in other.intervals]
        around = (bisect_right(lows, low) - 1 for low, _ in self.intervals)
        return all(
            position >= 0 and high <= other.intervals[position][1]
            for (_, high), position in zip(self.intervals, around, strict=True)
        )


def _nonempty(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    return tuple((low, high) for low, high in intervals if low < high)


def merge(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Join sorted intervals that touch."""
    merged: list[Interval] = []
    for low, high in intervals:
        if merged and merged[-1][1] == low:
            low = merged.pop()[0]
        merged.append((low, high))
    return tuple(merged)


def complement(intervals: tuple[Interval, ...], domain: Interval) -> tuple[Interval, ...]:
    """Return the rest of a domain, outside of sorted intervals."""
    lows = (domain[0], *(high for _, high in intervals))
    highs = (*(low for low, _ in intervals), domain[1])
    return _nonempty(zip(lows, highs, strict=True))
