"""Rows of a file as the library takes them: features, target, weights; the columns of a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from calmgam.cli.numbers import refuse_words, require_numbers
from calmgam.cli.options import check_name
from calmgam.cli.printing import counted
from calmgam.cli.tables import Spelling, Table, cast, did_you_mean, read_table
from calmgam.model.feature_types import CONTINUOUS
from calmgam.model.glassbox import Model

MAX_LISTED = 5
IN_ROW = re.compile(r"((?:\w+: |Input )?(?:y|sample_weight) .* in row )(\d+)")


@dataclass(frozen=True)
class Added:
    """A column that is added to scores: an offset as it is, of an exposure its logarithm."""

    offset: str | None = None
    exposure: str | None = None

    def __post_init__(self) -> None:
        if self.offset is not None and self.exposure is not None:
            raise typer.BadParameter("one of --offset and --exposure can be given")

    @property
    def named(self) -> list[tuple[str, str]]:
        """The option that was given, and its column."""
        given = (("offset", self.offset), ("exposure", self.exposure))
        return [(option, name) for option, name in given if name is not None]

    @property
    def columns(self) -> list[str]:
        """The column, if there is one."""
        return [name for _, name in self.named]

    def of(self, rows: Any) -> Any:
        """Return what is added to the score of every row, or None."""
        if not self.named:
            return None
        option, name = self.named[0]
        values = rows.column(name).to_numpy().astype(np.float64)
        wrong = ~np.isfinite(values) | ((values <= 0) if option == "exposure" else False)
        if wrong.any():
            rule = "numbers above 0" if option == "exposure" else "finite numbers"
            raise ValueError(
                f"column {name!r} must hold {rule} to be the {option}; got {values[wrong][0]:g}"
            )
        return np.log(values) if option == "exposure" else values


NOTHING_ADDED = Added()


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are for: names from the command line, which must fit together."""

    target: str
    weight: str | None = None
    types: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    drop: Sequence[str] = ()
    added: Added = NOTHING_ADDED

    @property
    def categorical(self) -> list[str]:
        """Columns of labels, which are read as written."""
        return [name for name, said in self.types.items() if said != CONTINUOUS]

    @property
    def numeric(self) -> list[str]:
        """Columns that must be numbers."""
        return [name for name, said in self.types.items() if said == CONTINUOUS]

    @property
    def beside(self) -> list[str]:
        """Columns of numbers that are neither target nor features."""
        return [*([self.weight] if self.weight else []), *self.added.columns]

    def __post_init__(self) -> None:
        if self.target in self.drop:
            raise typer.BadParameter(f"--drop {self.target!r} would drop the target")
        for option, name in (("weight", self.weight), *self.added.named):
            if self.target == name:
                raise typer.BadParameter(f"{self.target!r} cannot be both --target and --{option}")

    def check(self, names: Sequence[str]) -> None:
        """Refuse names of columns that do not exist."""
        for name in (self.target, *self.beside, *self.drop, *self.types):
            check_name("column", name, names)
        if not set(names) - {self.target, *self.beside, *self.drop}:
            raise typer.BadParameter(
                f"the table must have a column beside {self.target!r} to learn from"
            )


@dataclass(frozen=True)
class TrainingRows:
    """The rows of a table that have a target: features, target, weights, offset.

    Their numbers are those of `--row`: the first row of the table is 1.
    """

    X: Any
    y: Any
    weights: Any
    offset: Any
    target: str
    numbers: NDArray[np.intp]
    n_left_out: int

    @contextmanager
    def numbered(self) -> Iterator[None]:
        """Let errors about y or weights say the row of the table: not 0 is the first."""
        try:
            yield
        except ValueError as error:
            found = IN_ROW.fullmatch(str(error))
            if not found:
                raise
            raise ValueError(f"{found[1]}{self.numbers[int(found[2])]}") from None

    def check_regression(self) -> None:
        """Refuse a target that is no number in every row."""
        wrong = self.y if self.y.dtype.kind not in "fiub" else self.y[~np.isfinite(self.y)]
        if len(wrong):
            raise ValueError(
                f"column {self.target!r} must hold finite numbers to be the target of a "
                f"regression; got {wrong.tolist()[0]!r}"
            )

    def guess_task(self) -> str:
        """Return "classification" if the target has two values or texts, else "regression"."""
        values = np.unique(self.y)
        if len(values) == 2:
            return "classification"
        if self.y.dtype.kind in "fiu":
            return "regression"
        if 1 < len(values) <= len(self.y) / 2:
            return "classification"
        raise ValueError(
            f"column {self.target!r} must hold numbers or two or more classes to be a target; "
            f"it holds {counted(len(values), 'different value')}, such as {values[0]!r}"
        )


def training_rows(table: Table, roles: Roles) -> TrainingRows:
    """Split a table into features, target and weights; rows without a target are left out."""
    import pyarrow as pa

    roles.check(table.names)
    used = [name for name in table.names if name not in roles.drop or name in roles.beside]
    guessed = [name for name in used if name not in roles.categorical]
    columns = table.with_numbers(guessed).columns.select(used)
    required = [name for name in dict.fromkeys((*roles.numeric, *roles.beside)) if name in used]
    require_numbers(columns, required)
    refuse_words(columns, guessed)
    for name in required:
        columns = cast(columns, name, pa.float64())
    rows, numbers = _with_target(columns, roles.target)
    X = rows.drop_columns([roles.target, *dict.fromkeys(roles.beside)])
    for column in X.schema:
        if pa.types.is_temporal(column.type):
            raise ValueError(
                f"column {column.name!r} holds dates or times, which are neither numbers nor "
                f"labels: --drop {column.name!r}, or --feature-type {column.name}=nominal"
            )
    return TrainingRows(
        X=X,
        y=rows.column(roles.target).to_numpy(),
        weights=rows.column(roles.weight).to_numpy() if roles.weight else None,
        offset=roles.added.of(rows),
        target=roles.target,
        numbers=numbers,
        n_left_out=columns.num_rows - rows.num_rows,
    )


def _with_target(columns: Any, target: str) -> tuple[Any, NDArray[np.intp]]:
    """Return the rows that have a target, and their numbers; the first row of the table is 1."""
    import pyarrow.compute as pc

    has_target = pc.invert(pc.is_null(columns.column(target), nan_is_null=True))
    rows = columns.filter(has_target)
    if not rows.num_rows:
        raise ValueError(f"column {target!r} must hold values to be a target; all are missing")
    return rows, np.flatnonzero(has_target.to_numpy()) + 1


def model_rows(
    path: Path,
    model: Model,
    how: Spelling,
    target: str | None = None,
    keep: Sequence[str] = (),
    added: Added = NOTHING_ADDED,
) -> Table:
    """Read the columns that a model asks for, target and offset; others come along as written."""
    labels = [feature.name for feature in model.schema.features if feature.kind == "categorical"]
    others = [target] if target is not None else []
    if any(isinstance(each, str) for each in model.classes):
        labels += others
    table = read_table(path, how, labels, keep)
    for name in model.schema.names:
        if name not in table.names:
            hint = did_you_mean(name, table.names)
            raise ValueError(f"{path} must have a column called {name!r}; {hint}")
    for name in (*others, *keep, *added.columns):
        check_name("column", name, table.names)
    beside = [name for name in added.columns if name not in model.schema.names]
    names = [*model.schema.names, *others, *beside]
    table = table.select(names).with_numbers([name for name in names if name not in labels])
    numeric = (feature.name for feature in model.schema.features if feature.is_numeric)
    require_numbers(table.columns, [*numeric, *added.columns])
    return table


def measured_rows(
    path: Path | None,
    target: str | None,
    model: Model,
    how: Spelling,
    added: Added = NOTHING_ADDED,
) -> tuple[Any, Any, Any]:
    """Read rows on which a model is measured, if there are any: features, target, offset."""
    if (path is None) != (target is None):
        raise typer.BadParameter("measuring a model needs both TABLE and --target")
    if path is None or target is None:
        return None, None, None
    if target in model.schema.names:
        raise typer.BadParameter(f"{target!r} is a feature of the model, so not its target")
    rows, _ = _with_target(model_rows(path, model, how, target, added=added).columns, target)
    y = rows.column(target).to_numpy()
    unknown = sorted(set(y.tolist()) - set(model.classes), key=str) if model.classes else []
    if unknown:
        others = ", …" if len(unknown) > MAX_LISTED else ""
        raise ValueError(
            f"{target!r} must hold the classes {model.classes}; "
            f"got {', '.join(map(repr, unknown[:MAX_LISTED]))}{others}"
        )
    if not model.classes:
        require_numbers(rows, [target])
    return rows.select(list(model.schema.names)), y, added.of(rows)
