"""Parts: the settings of one stage as an object that scikit-learn can look into.

A part is a dataclass. `GridSearchCV` reaches its settings as ``growth__min_drop``, `clone` copies
it, `repr` shows what differs from the defaults. As in scikit-learn a part stores what it is given
and is checked when it is used. Settings that were chosen by measurement say by which one (`tuned`);
`docs/tuning.md` is made from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from typing import Any

from sklearn.base import BaseEstimator


class Part(BaseEstimator):
    """Settings of one stage."""

    def check(self) -> None:
        """Refuse settings that make no sense: thing, rule, value."""


def tuned(default: Any, chosen_by: str) -> Any:
    """Declare a setting whose default was chosen by measurement.

    Parameters
    ----------
    default
    chosen_by : str
        The benchmark or trial that chose it, in a sentence for `docs/tuning.md`.
    """
    return field(default=default, metadata={"chosen_by": chosen_by})


def tuned_settings(settings: type) -> list[tuple[str, Any, str]]:
    """Return name, value and reason of every tuned setting of a class."""
    entries: tuple[Field[Any], ...] = fields(settings)
    return [
        (one.name, one.default, one.metadata["chosen_by"])
        for one in entries
        if "chosen_by" in one.metadata and one.default is not MISSING
    ]


def part_of(parameter: str, value: Any, parts: Mapping[str, type[Any]], also: str = "") -> Any:
    """Return the part that a parameter asks for: by its word, or the object itself.

    Parameters
    ----------
    parameter : str
        Its name, for the error.
    value : str or Part
    parts : mapping
        The part of every word.
    also : str
        What else the parameter may be, for the error.
    """
    if isinstance(value, str) and value in parts:
        return parts[value]()
    if isinstance(value, tuple(parts.values())):
        return value
    words = ", ".join(map(repr, parts))
    classes = ", ".join(f"{part.__name__}(…)" for part in parts.values())
    also = f", or {also}" if also else ""
    raise ValueError(f"{parameter} must be one of {words}, or {classes}{also}; got {value!r}")
