"""The code that runs a program in another language: files with a place for its tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


def runtime(name: str) -> str:
    """Return the text of a file in the folder ``runtime``.

    Parameters
    ----------
    name : str
    """
    return (files("calmgam.read.export") / "runtime" / name).read_text(encoding="utf-8")


def with_tables(code: str, tables: str, comment: str) -> str:
    """Put a program's tables between the marks of a runtime.

    Parameters
    ----------
    code, tables : str
    comment : str
        How a comment begins.
    """
    before, rest = code.split(f"{comment} tables\n")
    _, after = rest.split(f"{comment} code\n")
    return f"{before}{comment} tables\n\n{tables}\n{comment} code\n{after}"


@dataclass(frozen=True)
class Literals:
    """How a language writes plain values: its name of infinity, its keys, and all other values."""

    infinity: str
    key: Callable[[str], str]
    scalar: Callable[[Any], str]

    def write(self, value: Any) -> str:
        """Write plain values in ASCII, rows of tables on lines of their own.

        Parameters
        ----------
        value : dict, list, str, number, bool or None
        """
        if isinstance(value, dict):
            pairs = (f"{self.key(key)}: {self.write(value[key])}" for key in value)
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list):
            between = ",\n    " if any(isinstance(item, dict) for item in value) else ", "
            return "[" + between.join(map(self.write, value)) + "]"
        if isinstance(value, float) and math.isinf(value):
            return self.infinity if value > 0 else f"-{self.infinity}"
        return self.scalar(value)
