"""What SQL engines differ in: types, quotes, numbers, missing values, search and lookup.

Names and texts from data only ever enter a query through `name` and `text`. Thresholds are written
so that the engine reads the very same double: they decide, so the last bit counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from calmgam.model.columns import FloatArray

MAX_CHAIN = 100  # operands in a row: engines bound the depth of expressions
NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?\s*$"
MAX_DIGITS = 60  # no more than that, so that no number is too large


@dataclass(frozen=True)
class Search:
    """A number whose slot among sorted edges is wanted: the SQL of the number, and its edges."""

    alias: str
    number: str
    edges: FloatArray


class Dialect:
    """SQL that most engines share; each overrides what it does in its own way."""

    double, integer, string = "DOUBLE PRECISION", "INTEGER", "TEXT"
    collation = ""
    max_name_bytes = 10**6
    folds_case = True  # names that differ in case alone are one name
    kept = " MATERIALIZED "  # a stage is computed once, not where it is used

    def name(self, text: str) -> str:
        """Quote the name of a column or table."""
        if not text or "\0" in text or not is_utf8(text):
            raise ValueError(f"a name in SQL must be text without NUL signs; got {text!r}")
        return '"' + text.replace('"', '""') + '"'

    def can_hold(self, text: str) -> bool:
        """Tell whether a column of the engine can hold a text."""
        return is_utf8(text)

    def text(self, text: str) -> str:
        """Quote a text."""
        return "'" + text.replace("'", "''") + "'"

    def flag(self, value: bool) -> str:
        """Write true or false."""
        return str(value).upper()

    def number(self, value: float) -> str:
        """Write a double that is read back bit for bit."""
        return repr(value)

    def as_number(self, column: str) -> str:
        """Read a column as numbers; missing: NULL."""
        return f"CAST({column} AS {self.double})"

    def as_text(self, column: str) -> str:
        """Read a column as labels."""
        raise NotImplementedError

    def parsed(self, column: str) -> str:
        """Read the number that a label spells; NULL if it spells none."""
        raise NotImplementedError

    def slots(self, searches: Sequence[Search]) -> list[dict[str, str]]:
        """Count the edges below numbers that are not NULL."""
        raise NotImplementedError

    def picked(self, values: Sequence[float], position: str) -> str:
        """Look a value up by its position, 0 first."""
        raise NotImplementedError

    def ranked(self, sizes: Sequence[str], n: int) -> list[dict[str, str]]:
        """Find the n largest sizes that are not 0: their positions r1, r2, …, NULL if fewer."""
        sources = ", ".join(f"({size}, {place})" for place, size in enumerate(sizes))
        return [
            {
                f"r{rank}": f"(SELECT u.column2 FROM (VALUES {sources}) AS u "
                "WHERE u.column1 > 0 ORDER BY u.column1 DESC, u.column2 "
                f"LIMIT 1 OFFSET {rank - 1})"
                for rank in range(1, n + 1)
            }
        ]

    def shared(self) -> dict[str, str]:
        """Return what all rows look into, by alias: one row that stands beside them."""
        return {}

    def exponential(self, number: str) -> str:
        """Write exp of a number."""
        return f"exp({number})"

    def largest(self, numbers: Sequence[str]) -> str:
        """Write the largest of some numbers."""
        return f"GREATEST({', '.join(numbers)})"

    def query(self, table: str, stages: Sequence[dict[str, str]], outputs: Sequence[str]) -> str:
        """Put stages together: the first reads the table, the others what came before.

        A stage passes on only what later ones use: engines bound the columns of a result.
        """
        first, *others = stages
        parts = [f"s0 AS{self.kept}(\n  SELECT {listed(first)}\n  FROM {table}\n)"]
        shared = self.shared()
        if shared:
            parts.insert(0, f"lists AS MATERIALIZED (\n  SELECT {listed(shared)}\n)")
        at_hand = {*first, *shared}
        for k, stage in enumerate(others):
            used_later = mentioned([*outputs, *chain(*(s.values() for s in others[k + 1 :]))])
            passed = sorted(at_hand & used_later - set(stage))
            at_hand = {*passed, *stage}
            columns = ", ".join([*passed, listed(stage)])
            source = f"s{k}, lists" if shared and k == 0 else f"s{k}"
            parts.append(f"s{k + 1} AS{self.kept}(\n  SELECT {columns}\n  FROM {source}\n)")
        body = ",\n".join(parts)
        return f"WITH {body}\nSELECT\n  " + ",\n  ".join(outputs) + f"\nFROM s{len(others)}"


def balanced(items: Sequence[str], is_before: Callable[[int], str], start: int = 0) -> str:
    """Nest CASEs in a balanced way.

    Parameters
    ----------
    items : sequence of str
        What to choose from.
    is_before : callable
        Of k: the condition under which the choice is among the items up to k.
    start : int
        Number of the first item.
    """
    if len(items) == 1:
        return items[0]
    middle = (len(items) - 1) // 2
    left = balanced(items[: middle + 1], is_before, start)
    right = balanced(items[middle + 1 :], is_before, start + middle + 1)
    return f"CASE WHEN {is_before(start + middle)} THEN {left} ELSE {right} END"


def joined(parts: Sequence[str], operator: str) -> str:
    """Write a chain of operations in the order of its parts; very long ones in groups."""
    if len(parts) <= MAX_CHAIN:
        return f" {operator} ".join(parts)
    groups = [parts[start : start + MAX_CHAIN] for start in range(0, len(parts), MAX_CHAIN)]
    return joined([f"({joined(group, operator)})" for group in groups], operator)


def mentioned(expressions: Iterable[str]) -> set[str]:
    """Return the words in expressions: among them all aliases that they read."""
    return set(chain(*(re.findall(r"\w+", expression) for expression in expressions)))


def is_utf8(text: str) -> bool:
    """Tell whether a text can be written as UTF-8: halves of characters cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def listed(columns: dict[str, str]) -> str:
    """Write expressions with their aliases."""
    return ", ".join(f"{expression} AS {alias}" for alias, expression in columns.items())
