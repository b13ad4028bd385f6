"""Plain values, read strictly: every error names the place, the rule and the value.

A document of dicts, lists, text, numbers and booleans comes in as a `Plain`. Asking it for a field,
an item, a text or a number gives just that, or an error such as

    terms[3].shapes[0].values[7] must be a number; got "x"

JSON lacks three numbers; they are the texts "nan", "inf" and "-inf" where the format allows them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from calmgam.model.columns import FloatArray

T = TypeVar("T")

NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
MAX_SHOWN = 60  # signs of a value in an error


class Plain:
    """A part of a document that knows its place.

    Parameters
    ----------
    value
        Dict, list, text, number, boolean or None.
    parent, key
        Where it stands; the whole document stands nowhere.
    """

    __slots__ = ("key", "parent", "value")

    def __init__(self, value: Any, parent: Plain | None = None, key: str | int = "") -> None:
        self.value, self.parent, self.key = value, parent, key

    @classmethod
    def of(cls, value: Any) -> Plain:
        """Return a document, or a part of one as it is."""
        return value if isinstance(value, Plain) else cls(value)

    @property
    def place(self) -> str:
        """Such as `terms[3].shapes[0]`; empty for the whole document."""
        if self.parent is None:
            return ""
        before = self.parent.place
        if isinstance(self.key, int):
            return f"{before}[{self.key}]"
        return f"{before}.{self.key}" if before else self.key

    def error(self, rule: str) -> ValueError:
        """Return the error that says which rule the value breaks."""
        return ValueError(f"{self.place or 'the document'} must {rule}; got {_shown(self.value)}")

    def fields(self, *names: str, optional: Collection[str] = ()) -> Plain:
        """Check that it is an object with just these fields."""
        if not isinstance(self.value, Mapping):
            raise self.error("be an object")
        absent = [name for name in names if name not in self.value]
        if absent:
            raise self.error(f'have the field "{absent[0]}"')
        allowed = {*names, *optional}
        unknown = [name for name in self.value if name not in allowed]
        if unknown:
            raise self.error(f"not have the field {_shown(unknown[0])}")
        return self

    def entries(self) -> dict[str, Plain]:
        """Return all fields of an object, whatever they are called."""
        if not isinstance(self.value, Mapping) or not all(isinstance(k, str) for k in self.value):
            raise self.error("be an object")
        return {key: self[key] for key in self.value}

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def __getitem__(self, name: str) -> Plain:
        return Plain(self.value[name], self, name)

    def items(self) -> list[Plain]:
        """Return the items of a list."""
        if not isinstance(self.value, list | tuple):
            raise self.error("be a list")
        return [Plain(value, self, position) for position, value in enumerate(self.value)]

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.error("be text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(item.text() for item in self.items())

    def flag(self) -> bool:
        """Return a boolean."""
        if not isinstance(self.value, bool):
            raise self.error("be true or false")
        return self.value

    def integer(self, low: int = 0) -> int:
        """Return a whole number that is not below `low`."""
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise self.error(f"be a whole number from {low}")
        return value

    def number(self, finite: bool = True) -> float:
        """Return a number; one that is not finite only if it may be."""
        value = self.value
        if not finite and isinstance(value, str) and value in NOT_FINITE:
            return NOT_FINITE[value]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.error("be a number")
        try:
            number = float(value)
        except OverflowError:
            raise self.error("be a number that a float can hold") from None
        if finite and not math.isfinite(number):
            raise self.error("be a finite number")
        return number

    def numbers(self) -> FloatArray:
        """Return a list of finite numbers."""
        if isinstance(self.value, list) and set(map(type, self.value)) <= {int, float}:
            try:
                array = np.array(self.value, dtype=np.float64)
            except OverflowError:
                array = np.array(math.nan)
            if np.isfinite(array).all():
                return array
        return np.array([item.number() for item in self.items()], dtype=np.float64)

    def numbers_by_class(self) -> FloatArray:
        """Return a list of finite numbers, or of equally long lists of them."""
        if not isinstance(self.value, list) or not any(isinstance(v, list) for v in self.value):
            return self.numbers()
        lines = [item.numbers() for item in self.items()]
        if len({len(line) for line in lines}) > 1:
            raise self.error("hold lists of the same length")
        return np.array(lines)

    def find(self, table: Mapping[str, T], what: str) -> T:
        """Return what a table holds under this text."""
        if not isinstance(self.value, str) or self.value not in table:
            raise self.error(f"be {what}")
        return table[self.value]

    def choice(self, allowed: Iterable[str]) -> str:
        """Return a text that is one of some."""
        allowed = list(allowed)
        if not isinstance(self.value, str) or self.value not in allowed:
            raise self.error(f"be one of {', '.join(map(_shown, allowed))}")
        return self.value

    def make(self, kind: Callable[..., T], *arguments: Any) -> T:
        """Call a constructor; its complaints name this place."""
        try:
            return kind(*arguments)
        except ValueError as error:
            place = self.place
            raise ValueError(f"{place}: {error}" if place else str(error)) from None


Document = Plain | Mapping[str, Any]


def _shown(value: Any) -> str:
    """Write a value as JSON would, short."""
    if isinstance(value, Mapping):
        return f"an object with {len(value)} field{'' if len(value) == 1 else 's'}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
