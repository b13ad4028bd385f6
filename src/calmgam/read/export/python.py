"""The program as one Python file that imports nothing but `math`."""

from __future__ import annotations

import math
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.read.export.program import TABLES, Program
from calmgam.read.export.runtimes import runtime, with_tables


def to_python(model: Model) -> str:
    """Write a model as one Python file without dependencies.

    Parameters
    ----------
    model : Model

    Returns
    -------
    str
        Source code with the functions ``score``, ``predict``, ``classify``, ``contributions``
        and ``reasons`` of one row, a dict.
    """
    document = Program.of(model).to_dict()
    tables = "".join(f"{name.upper()} = {_literal(document[name])}\n" for name in TABLES)
    return with_tables(runtime("scorer.py"), tables, "#")


def _literal(value: Any) -> str:
    """Write plain values as Python does, in ASCII, rows of tables on lines of their own."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!a}: {_literal(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        between = ",\n    " if any(isinstance(item, dict) for item in value) else ", "
        return "[" + between.join(map(_literal, value)) + "]"
    if isinstance(value, float) and math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return ascii(value)
