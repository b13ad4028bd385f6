"""Checks that settings make of themselves: thing, rule, value."""

from __future__ import annotations

import numbers
from collections.abc import Collection
from typing import Any

SMALL_TABLE = 2000  # rows, from which on defaults are those of large tables


def check_integer(
    name: str, value: Any, *, low: int, high: int | None = None, or_none: bool = False
) -> None:
    """Refuse anything but an integer between `low` and `high` (or None, if that is allowed)."""
    if or_none and value is None:
        return
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or value < low or (high is not None and value > high):
        rule = f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"
        raise ValueError(f"{name} must be {rule}{' or None' if or_none else ''}; got {value!r}")


def check_number(
    name: str,
    value: Any,
    *,
    low: float | None = None,
    above: float | None = None,
    high: float | None = None,
    below: float | None = None,
) -> None:
    """Refuse anything but a number between the given bounds."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if (
        not number
        or (low is not None and not value >= low)
        or (above is not None and not value > above)
        or (high is not None and not value <= high)
        or (below is not None and not value < below)
    ):
        start = f"[{low}" if low is not None else f"({above}" if above is not None else "(-inf"
        end = f"{high}]" if high is not None else f"{below})" if below is not None else "inf)"
        raise ValueError(f"{name} must be a number in {start}, {end}; got {value!r}")


def check_in(name: str, value: Any, allowed: Collection[Any]) -> None:
    """Refuse anything but one of a few values."""
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {choices}; got {value!r}")
