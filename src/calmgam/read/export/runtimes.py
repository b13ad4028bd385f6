"""The code that runs a program in another language: files with a place for its tables."""

from __future__ import annotations

from importlib.resources import files


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
