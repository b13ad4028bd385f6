"""What is known of a column: range or levels, added with ``+`` in any order and grouping."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calmgam._kernels import summarise
from calmgam.fit.scale.arrow import BOOLEAN, CATEGORICAL, NOTHING, NUMERIC
from calmgam.model.columns import sorted_labels
from calmgam.model.feature_types import Asked, check_listed
from calmgam.model.pages import see
from calmgam.model.schema import BOOLEAN_LEVELS, Feature, has_ends_only

MAX_LEVELS = 1000  # as `Schema.learn` keeps


@dataclass(frozen=True)
class Range:
    """What is known of a column.

    Attributes
    ----------
    low, high : float
        Of numbers.
    whole, has_missing : bool
    only_ends : bool
        Whether every number is the lowest or the highest.
    levels : Counter
        How many rows have each label.
    orders : frozenset of tuple
        Of all labels, in the partitions that have some; empty where they have no order.
    """

    low: float = math.inf
    high: float = -math.inf
    whole: bool = True
    has_missing: bool = False
    levels: Counter[str] = field(default_factory=Counter)
    only_ends: bool = True
    orders: frozenset[tuple[str, ...]] = frozenset()

    def __add__(self, other: Range) -> Range:
        ends = {one.low for one in (self, other)} | {one.high for one in (self, other)}
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Range(
            low,
            high,
            self.whole and other.whole,
            self.has_missing or other.has_missing,
            self.levels + other.levels,
            self.only_ends and other.only_ends and ends <= {low, high, math.inf, -math.inf},
            self.orders | other.orders,
        )

    @property
    def is_empty(self) -> bool:
        """Whether there was no value."""
        return self.low > self.high and not self.levels

    @classmethod
    def of_numbers(cls, values: Any) -> Range:
        """Return the range of a column of numbers."""
        low, high, n_missing, whole = summarise(values)
        return cls(low, high, whole, n_missing > 0, only_ends=has_ends_only(values, low, high))

    @classmethod
    def of_levels(cls, codes: Any, labels: list[str], order: tuple[str, ...] = ()) -> Range:
        """Return the range of a column of labels, given by their positions; they may be ordered."""
        *counts, n_missing = np.bincount(
            codes % (len(labels) + 1), minlength=len(labels) + 1
        ).tolist()
        levels = Counter({text: n for text, n in zip(labels, counts, strict=True) if n})
        orders = frozenset({order} if levels else ())
        return cls(has_missing=n_missing > 0, levels=levels, orders=orders)

    def check_order(self, name: str) -> None:
        """Refuse levels that partitions order in different ways."""
        if len(self.orders) > 1:
            one, other = (list(order) or "no order" for order in sorted(self.orders)[-2:])
            raise ValueError(
                f"column {name!r} must have the same order of levels in all partitions; "
                f"got {one} and {other}: say which in "
                f"feature_types={{{name!r}: [...]}}{see('data#what-columns-are')}"
            )

    def feature(self, name: str, index: int, kind: str, asked: Asked | None = None) -> Feature:
        """Return the feature of a column, as `Schema.learn` does."""
        if kind == NOTHING and self.levels:  # Dask may not know the type of text in advance
            kind = CATEGORICAL
        if kind in (NUMERIC, NOTHING):
            low, high = (math.nan, math.nan) if self.is_empty else (self.low, self.high)
            return Feature(
                name,
                index,
                NUMERIC,
                (),
                self.has_missing,
                low=low,
                high=high,
                whole=self.whole,
                two_valued=low < high and self.only_ends,
            )
        order = next(iter(self.orders), ())
        if isinstance(asked, tuple):
            order = asked
            check_listed(name, order, self.levels)
        if order:
            levels = [text for text in order if text in self.levels]
        else:
            levels = list(BOOLEAN_LEVELS) if kind == BOOLEAN else sorted_labels(set(self.levels))
        has_rare = len(levels) > MAX_LEVELS
        if has_rare:
            by_count = sorted(range(len(levels)), key=lambda k: (-self.levels[levels[k]], k))
            levels = [levels[k] for k in sorted(by_count[:MAX_LEVELS])]
        if not levels:
            return Feature(name, index, NUMERIC, (), self.has_missing)
        ordered = bool(order)
        return Feature(
            name, index, kind, tuple(levels), self.has_missing, has_rare, ordered=ordered
        )
