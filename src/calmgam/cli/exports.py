"""`calmgam export`: a model file in another language."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from calmgam import Model, load, read
from calmgam.cli.options import ModelFile
from calmgam.cli.outputs import check_outputs
from calmgam.cli.printing import note
from calmgam.model.files import new_file


class Language(str, Enum):
    """What a model can be exported to."""

    sql = "sql"
    python = "python"
    javascript = "javascript"
    c = "c"
    onnx = "onnx"
    pmml = "pmml"
    csv = "csv"
    xlsx = "xlsx"


class SqlDialect(str, Enum):
    """Dialects of SQL."""

    duckdb = "duckdb"
    postgres = "postgres"
    sqlite = "sqlite"


TABLES = (Language.csv, Language.xlsx)
FILES = (Language.onnx, *TABLES)
SQL_OPTIONS = ("dialect", "table", "view", "keep", "contributions", "n_reasons", "offset")


def export(
    model: ModelFile,
    to: Annotated[Language, typer.Option(help="Language, or kind of rating table.")],
    out: Annotated[Path | None, typer.Option(help="File to write; default: print.")] = None,
    dialect: Annotated[SqlDialect | None, typer.Option(help="Of SQL; default: duckdb.")] = None,
    table: Annotated[
        str | None, typer.Option(help="SQL: table with the rows; default: rows.", metavar="NAME")
    ] = None,
    view: Annotated[
        str | None, typer.Option(help="SQL: make a view of this name.", metavar="NAME")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="SQL: column to pass on; repeat.", metavar="COLUMN")
    ] = None,
    contributions: Annotated[
        bool, typer.Option("--contributions", help="SQL: every feature's contribution, too.")
    ] = False,
    n_reasons: Annotated[
        int, typer.Option("--reasons", help="SQL: the largest contributions, too.", min=0)
    ] = 0,
    offset: Annotated[
        str | None, typer.Option(help="SQL: column to add to the score.", metavar="COLUMN")
    ] = None,
) -> None:
    """Write a model as SQL, Python, JavaScript, C, ONNX, PMML or a rating table."""
    given = {
        "dialect": dialect and dialect.value,
        "table": table,
        "view": view,
        "keep": keep,
        "contributions": contributions,
        "n_reasons": n_reasons,
        "offset": offset,
    }
    asked = {name: value for name, value in given.items() if value}
    if asked and to is not Language.sql:
        option = "reasons" if "n_reasons" in asked else next(iter(asked))
        raise typer.BadParameter(f"--{option} is for --to sql; got --to {to.value}")
    if out is None and to in FILES:
        raise typer.BadParameter(f"--to {to.value} needs --out")
    check_outputs({"--out": out}, {"the model": model})
    fitted = load(model)
    if out is not None and to in TABLES:
        if out.suffix.lower() != f".{to.value}":
            raise typer.BadParameter(f"--out must end in .{to.value}; got {out}")
        read.to_table(fitted, out)
    elif out is not None and to is Language.onnx:
        with new_file(out, "wb") as file:
            file.write(read.to_onnx(fitted).SerializeToString())
    else:
        _export_text(fitted, to, out, asked)
    if out is not None:
        note(f"{to.value}: {out}")


def _export_text(model: Model, to: Language, out: Path | None, asked: dict[str, Any]) -> None:
    writers: dict[Language, Callable[..., str]] = {
        Language.sql: read.to_sql,
        Language.python: read.to_python,
        Language.javascript: read.to_javascript,
        Language.c: read.to_c,
        Language.pmml: read.to_pmml,
    }
    text = writers[to](model, **asked).rstrip("\n") + "\n"
    if out is None:
        typer.echo(text, nl=False)
    else:
        with new_file(out) as file:
            file.write(text)
