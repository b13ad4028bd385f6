"""The program as one JavaScript module."""

from __future__ import annotations

import json
import math
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.read.export.program import TABLES, Program
from calmgam.read.export.runtimes import runtime, with_tables


def to_javascript(model: Model) -> str:
    """Write a model as one ES module without dependencies.

    Parameters
    ----------
    model : Model

    Returns
    -------
    str
        Source code that exports the functions ``score``, ``predict``, ``classify``,
        ``contributions`` and ``reasons`` of one row, an object.
    """
    document = Program.of(model).to_dict()
    tables = "".join(f"const {name.upper()} = {_literal(document[name])};\n" for name in TABLES)
    return with_tables(runtime("scorer.js"), tables, "//")


def _literal(value: Any) -> str:
    """Write plain values as JavaScript does, in ASCII, rows of tables on lines of their own."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_literal(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        between = ",\n  " if any(isinstance(item, dict) for item in value) else ", "
        return "[" + between.join(map(_literal, value)) + "]"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return json.dumps(value)
