"""The words of the command line: arguments and options, and what users type into them.

A name that does not exist is refused with the nearest that does; exit code 2.
"""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from calmgam import __version__
from calmgam.cli.tables import STDIN, Spelling, did_you_mean
from calmgam.model.datasets import MISSING
from calmgam.model.feature_types import CONTINUOUS, NOMINAL
from calmgam.model.glassbox import Model
from calmgam.model.schema import Feature


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"calmgam {__version__}")
        raise typer.Exit


def _check_table(path: Path | None) -> Path | None:
    if path and path != STDIN and not path.exists():
        raise typer.BadParameter(f"there is no file {path}")
    if path and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder, not a table")
    return path


def _check_table_or_folder(path: Path | None) -> Path | None:
    return path if path and path.is_dir() else _check_table(path)


def _check_encoding(name: str | None) -> str | None:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name or "utf-8")
    except LookupError:
        raise typer.BadParameter(f"there is no encoding of text called {name!r}") from None
    return name


class Mark(str, Enum):
    """Decimal mark."""

    point = "."
    comma = ","


TABLE_HELP = "CSV, TSV or Parquet file, gzipped or not; - is standard input."
TABLE: dict[str, Any] = {"metavar": "TABLE", "help": TABLE_HELP, "callback": _check_table}
MODEL_HELP = "Model file, written by `calmgam fit --out`."
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help=MODEL_HELP, exists=True, dir_okay=False)
]
EditsFile = Annotated[
    Path,
    typer.Argument(metavar="EDITS", help="JSON list of edits.", exists=True, dir_okay=False),
]
NewModel = Annotated[Path, typer.Option("--out", help="Model file to write.")]
Who = Annotated[str, typer.Option(help="Who edits, for the trail.")]
TableFile = Annotated[Path, typer.Argument(**TABLE)]
FOLDER: dict[str, Any] = {
    "metavar": "TABLE",
    "help": f"{TABLE_HELP} Or a folder of Parquet, Feather or CSV files.",
    "callback": _check_table_or_folder,
}
TableOrFolder = Annotated[Path, typer.Argument(**FOLDER)]
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
BetweenClasses = Annotated[
    tuple[str, str] | None,
    typer.Option(help="Log-odds of one class against another.", metavar="CLASS CLASS"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
FeatureType = Annotated[
    list[str] | None,
    typer.Option(
        help="What a column is: nominal (labels, as written), continuous (numbers), or its levels "
        "in their order, such as grade=A,B,C.",
        metavar="COLUMN=TYPE",
    ),
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


Decimal = Annotated[
    Mark | None,
    typer.Option(help="Decimal mark of numbers; default: what the table tells."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="How text is written, such as latin-1; default: UTF-8.",
        metavar="NAME",
        callback=_check_encoding,
    ),
]
Offset = Annotated[
    str | None,
    typer.Option(help="Column that is added to the score.", metavar="COLUMN"),
]
Exposure = Annotated[
    str | None,
    typer.Option(help="Column with exposures; their logarithm is the offset.", metavar="COLUMN"),
]
ObjectiveName = Annotated[
    str | None,
    typer.Option(
        "--objective",
        help="What is minimised, such as poisson, quantile:0.9 or tweedie:1.5.",
        metavar="NAME[:NUMBER]",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(help="Copy this column of the table.", metavar="COLUMN"),
]
Interval = Annotated[
    float | None,
    typer.Option(
        help="Also: an interval that holds this share of new rows, such as 0.9.", min=0.01, max=0.99
    ),
]


OPTION_OF = {
    "between": "--between",
    "of_class": "--class",
    "probability": "--probability",
    "target": "--reach",
}
NAMED = re.compile(rf"\b({'|'.join(OPTION_OF)})(?:(=)|(?= must| needs))")


class Task(str, Enum):
    """What is predicted."""

    regression = "regression"
    classification = "classification"


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how a table is written; it gets them as `how`."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def with_spelling(
        *,
        missing: list[str] | None,
        decimal: Mark | None,
        encoding: str | None,
        **others: Any,
    ) -> None:
        how = Spelling(tuple(missing or ()), decimal.value if decimal else None, encoding)
        command(**others, how=how)

    options = {"missing": Missing, "decimal": Decimal, "encoding": Encoding}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in options.items()
    ]
    own = [each for each in signature.parameters.values() if each.name != "how"]
    with_spelling.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*own, *added]
    )
    return with_spelling


@contextmanager
def wrongly_called(errors: tuple[type[Exception], ...] = (ValueError,)) -> Iterator[None]:
    """Turn errors into exit code 2: what users typed is their only cause."""
    try:
        yield
    except errors as error:
        raise typer.BadParameter(as_typed(str(error))) from None


def as_typed(message: str) -> str:
    """Return a message of the library with options for parameters: --class for of_class."""
    typed = NAMED.sub(lambda found: OPTION_OF[found[1]] + (" " if found[2] else ""), message)
    return typed.removesuffix("; got None")


def read_objective(text: str) -> Any:
    """Read NAME or NAME:NUMBER, such as "quantile:0.9"."""
    from calmgam.fit.data.objectives import LOSSES, loss_of

    name, colon, number = text.partition(":")
    check_name("objective", name, LOSSES)
    with wrongly_called((ValueError, TypeError)):
        if not colon:
            return loss_of(name)
        kind: Any = LOSSES[name]
        return kind(read_number("the number of --objective", number))


def feature_called(model: Model, name: str) -> Feature:
    """Return the feature of this name."""
    check_name("feature", name, model.schema.names)
    return model.schema[name]


def read_value(feature: Feature, text: str) -> Any:
    """Read a value of a feature; a spelling of missing is None."""
    if text in MISSING and text not in feature.levels:
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


def read_change(text: str, model: Model) -> tuple[str, Any]:
    """Read FEATURE=VALUE; the feature's name may hold an equals sign."""
    known = [name for name in model.schema.names if text.startswith(f"{name}=")]
    name = max(known, key=len) if known else read_pair(text, "--with")[0]
    return name, read_value(feature_called(model, name), text[len(name) + 1 :])


def read_settings(texts: Iterable[str], estimator: Any) -> dict[str, Any]:
    """Read parameters and their values, Python literals or words, and try them on an estimator.

    Parameters
    ----------
    texts : iterable of str
        ``name=value``; ``part.name=value`` is a parameter of a part.
    estimator : scikit-learn estimator
    """
    parameters = estimator.get_params(deep=True)
    settings = dict(_read_setting(text, parameters) for text in texts)
    with wrongly_called((ValueError, TypeError, AttributeError)):
        estimator.set_params(**settings)
    return settings


def _read_setting(text: str, parameters: Mapping[str, Any]) -> tuple[str, Any]:
    typed, value = read_pair(text, "--set")
    name = typed.replace(".", "__")
    part = name.partition("__")[0]
    has_parts = any(each.startswith(f"{part}__") for each in parameters)
    if part not in parameters or part == name or has_parts:  # else the estimator knows why not
        check_name("parameter", typed, [each.replace("__", ".") for each in parameters])
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):  # a word
        return name, value


def read_edits(path: Path) -> list[Any]:
    """Read a JSON file of edits: a list, or an object whose "edits" is one."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"cannot read edits from {path}: not JSON: {error}") from None
    plain = plain.get("edits") if isinstance(plain, dict) else plain
    if not isinstance(plain, list) or not all(isinstance(one, dict) for one in plain):
        raise ValueError(f"cannot read edits from {path}: it must hold a list of objects")
    return plain


@contextmanager
def blaming(settings: Mapping[str, Any]) -> Iterator[None]:
    """Turn an error that begins with the name of a setting into exit code 2."""
    names = {word for name in settings for word in (name.replace("__", "."), *name.split("__"))}
    try:
        yield
    except (ValueError, TypeError) as error:
        first = re.match(r"[\w.]*", str(error))
        if first and first[0] in names:
            raise typer.BadParameter(f"--set: {error}") from None
        raise


def read_feature_types(texts: Iterable[str]) -> dict[str, str | list[str]]:
    """Read what columns are said to be; of each one thing."""
    types: dict[str, str | list[str]] = {}
    for text in texts:
        name, said = _read_feature_type(text)
        if types.setdefault(name, said) != said:
            raise typer.BadParameter(
                f"--feature-type {name!r} cannot be both {types[name]!r} and {said!r}"
            )
    return types


def _read_feature_type(text: str) -> tuple[str, str | list[str]]:
    """Read COLUMN=TYPE; the column's name may hold an equals sign, a level may not."""
    name, sign, said = text.rpartition("=")
    if not sign or not name:
        raise typer.BadParameter(f"--feature-type must be COLUMN=TYPE; got {text!r}")
    if said in (NOMINAL, CONTINUOUS):
        return name, said
    levels = said.split(",")
    if len(levels) < 2:
        raise typer.BadParameter(
            f"--feature-type {name!r} must be nominal, continuous or levels in their order, "
            f"such as A,B,C; got {said!r}"
        )
    return name, levels


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
