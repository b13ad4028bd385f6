"""Short words for people: rules, and texts from data that have to fit somewhere.

Text from data is shown, never obeyed: what would move a cursor or turn a line around becomes a
visible escape (`shown`), and what is too long loses its middle, not its value or its difference.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import takewhile
from typing import Any, TypeVar
from unicodedata import category

from calmgam.model.regions import Condition, Region, number_text, spoken
from calmgam.model.schema import Feature
from calmgam.read.words.numbers import data_number

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # several scripts are written with them
NAMES = {
    "name",
    "feature",
    "term",
    "label",
    "labels",
    "levels",
    "conditioned_on",
    "terms",
    "classes",
}

T = TypeVar("T")


def rule_text(region: Region) -> str:
    """Region in words, thresholds rounded as `threshold_text` does.

    Parameters
    ----------
    region : Region
    """
    return str(Region(tuple(map(_rounded, region.conditions))))


def threshold_text(feature: Feature, threshold: float) -> str:
    """Threshold with three digits or 1/2000 of the range, whichever is finer.

    Of whole numbers and of two numbers the values on both sides: 9 → 10.

    Parameters
    ----------
    feature : Feature
    threshold : float
    """
    return sides_text(feature, _round(feature, threshold))


def sides_text(feature: Feature, threshold: float) -> str:
    """Write a threshold exactly; of whole numbers and of two numbers the values on both sides.

    Parameters
    ----------
    feature : Feature
    threshold : float
    """
    if feature.two_valued and feature.low <= threshold < feature.high:
        return f"{number_text(feature.low)} → {number_text(feature.high)}"
    if feature.whole and math.isfinite(threshold):
        below = spoken(feature, threshold)
        return f"{number_text(below)} → {number_text(below + 1)}"
    return number_text(threshold)


def pretty(rule: str) -> str:
    """Write a rule with short signs, and with spaces at which lines do not break."""
    rule = rule.replace("<=", "≤").replace("!=", "≠")
    return re.sub(" (≤|<|>|=|≠|in|or) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", rule)


def wrap(text: str, n_characters: int, max_lines: int = 2) -> str:
    """Break a text into a few lines; what does not fit in its middle becomes an ellipsis.

    The middle, since a rule ends with its value.

    Parameters
    ----------
    text : str
    n_characters, max_lines : int
    """
    n_kept = min(len(text), n_characters * max_lines)
    lines = _lines(text, n_kept, n_characters)
    while len(lines) > max_lines:
        n_kept -= 1
        lines = _lines(text, n_kept, n_characters)
    return "\n".join(lines)


def listed(names: Sequence[str]) -> str:
    """Names in one phrase: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def shown(text: str) -> str:
    """Text from data that is safe to print: characters that cannot be seen become escapes.

    A terminal obeys some of them, and others reverse or hide what stands beside them.

    Parameters
    ----------
    text : str
    """
    return "".join(_escape(character) if _is_hidden(character) else character for character in text)


def shown_name(text: str) -> str:
    """Write a name or level as `shown` does; one without any visible sign is in quotes.

    Parameters
    ----------
    text : str
    """
    return shown(text) if text.strip() else f'"{shown(text)}"'


def value_text(value: Any, mark: str = "") -> str:
    """Write a value of a feature.

    Parameters
    ----------
    value : number, label or None
        None stands for missing.
    mark : str
        What is to be said beside it, in brackets.
    """
    if value is None:
        text = "missing"
    else:
        text = data_number(value) if isinstance(value, float) else shown_name(str(value))
    return f"{text} ({mark})" if mark else text


def shown_view(view: T) -> T:
    """Return a view, or any dataclass, whose texts can be printed and drawn.

    Parameters
    ----------
    view : dataclass
    """
    plain: Any = view
    names = [field.name for field in fields(plain)]
    result: T = replace(plain, **{name: _shown_part(getattr(view, name), name) for name in names})
    return result


def cut(text: str, n_characters: int) -> str:
    """Text of at most this length; what does not fit at its end becomes an ellipsis."""
    return text if len(text) <= n_characters else text[: n_characters - 1] + "…"


def cut_middle(text: str, n_characters: int) -> str:
    """Text of at most this length; what does not fit in its middle becomes an ellipsis."""
    if len(text) <= n_characters:
        return text
    n_last = (n_characters - 1) // 2
    return text[: n_characters - 1 - n_last] + "…" + text[len(text) - n_last :]


def cut_apart(texts: Sequence[str], n_characters: int) -> list[str]:
    """Cut texts so that different ones stay different.

    Parameters
    ----------
    texts : sequence of str
    n_characters : int
    """
    alike: dict[str, dict[str, str]] = {}
    for text in texts:
        alike.setdefault(cut_middle(text, n_characters), {})[text] = ""
    for brief, group in alike.items():
        # their beginning, and where they begin to differ
        n_shared = len(
            list(takewhile(lambda signs: len(set(signs)) == 1, zip(*group, strict=False)))
        )
        quarter = n_characters // 4
        start = max(quarter, n_shared - quarter)
        tails = [cut(f"{text[:quarter]}…{text[start:]}", n_characters) for text in group]
        numbers = [f"{cut(brief, n_characters - 4)} #{k}" for k in range(1, len(group) + 1)]
        distinct = tails if len(set(tails)) == len(tails) else numbers
        alike[brief] = dict(zip(group, distinct if len(group) > 1 else [brief], strict=True))
    return [alike[cut_middle(text, n_characters)][text] for text in texts]


def cut_parts(parts: Sequence[str], n_characters: int) -> list[str]:
    """Cut the longest parts of a text until together they have at most this length.

    Parameters
    ----------
    parts : sequence of str
    n_characters : int
    """
    longest = max(map(len, parts))
    while longest > 3 and sum(min(len(part), longest) for part in parts) > n_characters:
        longest -= 1
    return [cut_middle(part, longest) for part in parts]


def label_texts(labels: Sequence[tuple[str, str]], n_characters: int) -> list[str]:
    """Write each `name = value` in at most this length; different names and values stay different.

    Parameters
    ----------
    labels : sequence of (str, str)
        The name, and the whole label, which begins with it; it may be the name alone.
    n_characters : int
    """
    n_value = 3 * n_characters // 8
    names = cut_apart([name for name, _ in labels], n_characters - 3 - n_value)
    values = cut_apart([label[len(name) + 3 :] for name, label in labels], n_value)
    briefs = (" = ".join(filter(None, parts)) for parts in zip(names, values, strict=True))
    wholes = (label for _, label in labels)
    return [
        whole if len(whole) <= n_characters else brief
        for whole, brief in zip(wholes, briefs, strict=True)
    ]


def title_text(name: str, conditioned_on: Sequence[str], n_characters: int) -> str:
    """Write a feature and what it is conditioned on, `x1 | x3`, in at most this length.

    Parameters
    ----------
    name : str
    conditioned_on : sequence of str
    n_characters : int
    """
    if not conditioned_on:
        return cut_middle(name, n_characters)
    first, *others = cut_parts([name, *conditioned_on], n_characters - 1 - 2 * len(conditioned_on))
    return cut(f"{first} | {', '.join(others)}", n_characters)


def _lines(text: str, n_kept: int, n_characters: int) -> list[str]:
    return textwrap.wrap(cut_middle(text, n_kept), n_characters, break_on_hyphens=False)


def _shown_part(value: Any, field: str) -> Any:
    if isinstance(value, str):
        return shown_name(value) if field in NAMES else shown(value)
    if isinstance(value, tuple):
        return tuple(_shown_part(part, field) for part in value)
    return shown_view(value) if is_dataclass(value) else value


def _is_hidden(character: str) -> bool:
    """Control characters, direction marks, line separators, halves of characters."""
    return category(character) in HIDDEN and character not in JOINERS


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _rounded(condition: Condition) -> Condition:
    if not condition.feature.is_numeric or condition.operator in ("=", "!="):
        return condition
    return replace(condition, value=_round(condition.feature, condition.threshold))


def _round(feature: Feature, threshold: float) -> float:
    if feature.whole or feature.two_valued:  # words are about the values, and short
        return threshold
    size = min((feature.high - feature.low) / 20, abs(threshold))  # NaN if there is no range
    if not math.isfinite(threshold) or not size > 0:
        return threshold
    return round(threshold, max(1, 2 - math.floor(math.log10(size))))
