"""The program as one Python file that imports nothing but `math`."""

from __future__ import annotations

from calmgam.model.glassbox import Model
from calmgam.read.export.program import TABLES, Program
from calmgam.read.export.runtimes import Literals, runtime, with_tables

LITERALS = Literals(infinity="math.inf", key=ascii, scalar=ascii)


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
    tables = "".join(f"{name.upper()} = {LITERALS.write(document[name])}\n" for name in TABLES)
    return with_tables(runtime("scorer.py"), tables, "#")
