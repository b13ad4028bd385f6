"""The program as one JavaScript module."""

from __future__ import annotations

import json

from calmgam.model.glassbox import Model
from calmgam.read.export.program import TABLES, Program
from calmgam.read.export.runtimes import Literals, runtime, with_tables

LITERALS = Literals(infinity="Infinity", key=str, scalar=json.dumps)


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
    tables = "".join(
        f"const {name.upper()} = {LITERALS.write(document[name])};\n" for name in TABLES
    )
    return with_tables(runtime("scorer.js"), tables, "//")
