"""The words of the command line: arguments and options, and what users type into them.

A name that does not exist is refused with the nearest that does; exit code 2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from calmgam import __version__
from calmgam.cli.tables import MISSING, STDIN, did_you_mean
from calmgam.model.glassbox import Model
from calmgam.model.schema import Feature


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"calmgam {__version__}")
        raise typer.Exit


def _check_table(path: Path | None) -> Path | None:
    if path and path != STDIN and not path.is_file():
        raise typer.BadParameter(f"there is no file {path}")
    return path


TABLE_HELP = "CSV, TSV or Parquet file, gzipped or not; - is standard input."
TABLE: dict[str, Any] = {"metavar": "TABLE", "help": TABLE_HELP, "callback": _check_table}
MODEL_HELP = "Model file, written by `calmgam fit --out`."
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help=MODEL_HELP, exists=True, dir_okay=False)
]
TableFile = Annotated[Path, typer.Argument(**TABLE)]
MaybeTableFile = Annotated[Path | None, typer.Argument(**TABLE)]
TestTarget = Annotated[str | None, typer.Option(help="Column with the truth.", metavar="COLUMN")]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help=f"One more spelling of missing values; empty, {', '.join(MISSING[1:])} are known.",
        metavar="TEXT",
    ),
]
Version = Annotated[
    bool,
    typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="Take this column's values as labels, as written.", metavar="COLUMN"),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(help="Take this column's values as numbers.", metavar="COLUMN"),
]
Drop = Annotated[list[str] | None, typer.Option(help="Leave this column out.", metavar="COLUMN")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter of the estimator.", metavar="NAME=VALUE"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--with", help="A value of a feature.", metavar="FEATURE=VALUE"),
]


class Task(str, Enum):
    """What is predicted."""

    regression = "regression"
    classification = "classification"


def feature_called(model: Model, name: str) -> Feature:
    """Return the feature of this name."""
    check_name("feature", name, model.schema.names)
    return model.schema[name]


def read_value(feature: Feature, text: str) -> Any:
    """Read a value of a feature; a spelling of missing is None."""
    if text in MISSING:
        return None
    if not feature.is_numeric:
        check_name(f"level of {feature.name!r}", text, feature.levels)
        return text
    return read_number(feature.name, text)


def read_number(name: str, text: str) -> float:
    """Read a number; its name is for the error."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{name} must be a number; got {text!r}") from None


def read_setting(text: str, parameters: Mapping[str, Any]) -> tuple[str, Any]:
    """Read a parameter and its value: a Python literal, or a word."""
    name, value = read_pair(text, "--set")
    check_name("parameter", name, parameters)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):  # a word
        return name, value


def read_pair(text: str, option: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not sign:
        raise typer.BadParameter(f"{option} must be NAME=VALUE; got {text!r}")
    return name, value


def check_name(what: str, name: str, names: Iterable[str]) -> None:
    """Refuse a name that does not exist."""
    if name not in names:
        raise typer.BadParameter(f"no {what} is called {name!r}; {did_you_mean(name, names)}")
