"""Short words for people: rules, numbers, and texts that have to fit somewhere."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import replace

import numpy as np

from calmgam.model.regions import Condition, Region


def rule_text(region: Region) -> str:
    """Region in words, thresholds rounded to six digits (and no coarser than 0.1).

    Parameters
    ----------
    region : Region
    """
    return str(Region(tuple(map(_rounded, region.conditions))))


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
    """Threshold of `<=` and `>` in six digits, but never to whole numbers: 2011.5 is not 2012."""
    if not condition.feature.is_numeric or condition.operator in ("=", "!="):
        return condition
    threshold = condition.threshold
    if not math.isfinite(threshold) or threshold == 0:
        return condition
    n_decimals = max(1, 5 - math.floor(math.log10(abs(threshold))))
    return replace(condition, value=round(threshold, n_decimals))
