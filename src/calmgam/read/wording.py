"""Short words for people: rules, numbers, and texts that have to fit somewhere."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calmgam.model.regions import Condition, Region, number_text
from calmgam.model.schema import Feature


def rule_text(region: Region) -> str:
    """Region in words, thresholds rounded as `threshold_text` does.

    Parameters
    ----------
    region : Region
    """
    return str(Region(tuple(map(_rounded, region.conditions))))


def threshold_text(feature: Feature, threshold: float) -> str:
    """Threshold with three digits or 1/2000 of the range, whichever is finer.

    It keeps a decimal: years up to 2011.5 are not those up to 2012.

    Parameters
    ----------
    feature : Feature
    threshold : float
    """
    return number_text(_round(feature, threshold))


def range_text(low: float, high: float) -> str:
    """Range of numbers, or the one number that it is; the larger end has three digits.

    Parameters
    ----------
    low, high : float
    """
    largest = max(abs(low), abs(high))
    n_decimals = 2 - math.floor(math.log10(largest)) if largest > 0 else 0
    first, last = (number_text(round(end, n_decimals) + 0.0) for end in (low, high))
    return first if first == last else f"[{first}, {last}]"


def brief_number(value: float, n_digits: int = 3) -> str:
    """Text of a number in a few significant digits, without exponent."""
    text = np.format_float_positional(value, n_digits, fractional=False, trim="-")
    return "0" if float(text) == 0 else text


def pretty(rule: str) -> str:
    """Write a rule with short signs, and with spaces at which lines do not break."""
    rule = rule.replace("<=", "≤").replace("!=", "≠")
    return re.sub(" (≤|<|>|=|≠|in|or) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", rule)


def wrap(text: str, n_characters: int, max_lines: int = 2) -> str:
    """Break a text into a few lines; what does not fit becomes an ellipsis."""
    lines = textwrap.wrap(
        text, n_characters, max_lines=max_lines, placeholder=" …", break_on_hyphens=False
    )
    return "\n".join(lines)


def listed(names: Sequence[str]) -> str:
    """Names in one phrase: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def cut(text: str, n_characters: int) -> str:
    """Text of at most this length; what does not fit becomes an ellipsis."""
    return text if len(text) <= n_characters else text[: n_characters - 1] + "…"


def short_number(value: float, _: float = 0.0) -> str:
    """Text of a number on an axis: 100, 1k, 2.5M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _rounded(condition: Condition) -> Condition:
    if not condition.feature.is_numeric or condition.operator in ("=", "!="):
        return condition
    return replace(condition, value=_round(condition.feature, condition.threshold))


def _round(feature: Feature, threshold: float) -> float:
    size = min((feature.high - feature.low) / 20, abs(threshold))  # NaN if there is no range
    if not math.isfinite(threshold) or not size > 0:
        return threshold
    return round(threshold, max(1, 2 - math.floor(math.log10(size))))
