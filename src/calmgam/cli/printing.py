"""What the commands print: results to standard output, notes to standard error.

Text from tables and models is never taken as markup, and no control sign of it reaches a terminal.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from calmgam.model.regions import number_text
from calmgam.model.schema import Feature, Schema

MAX_COLUMNS = 40
MAX_LEVELS = 4
NOTES = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
# all but the line break, and the signs that turn the direction of writing
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return the text with its control signs spelled out: an escape becomes \x1b."""
    return CONTROL.sub(lambda sign: repr(sign[0])[1:-1], text)


def cell(text: str) -> Text:
    """Return the text for a cell of a table, on one line."""
    return Text(visible(" ".join(text.split())))


def note(text: str) -> None:
    """Write a line to standard error."""
    NOTES.print(visible(text), markup=False)


def show(text: str) -> None:
    """Write a text to standard output."""
    typer.echo(visible(text))


def print_result(plain: Any, text: str, as_json: bool) -> None:
    """Write a result to standard output, as JSON or as text."""
    if as_json:
        typer.echo(json_text(plain), nl=False)
    else:
        show(text)


def json_text(plain: Any) -> str:
    """Return plain values as JSON, without control signs; what is not finite is null."""
    text = json.dumps(_finite(plain), ensure_ascii=False, indent=1, allow_nan=False, default=str)
    return CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text) + "\n"


def _finite(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _finite(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [_finite(value) for value in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def show_columns(X: Any, title: str, types: Mapping[str, Any]) -> None:
    """Show what the columns of a pyarrow table are taken for, with exact ranges and counts."""
    schema = Schema.learn(X, feature_types=types)
    table = Table("column", "taken as", "values", box=None, pad_edge=False)
    for feature in schema.features[:MAX_COLUMNS]:
        values = values_text(feature, X.column(feature.name))
        name = feature.name if feature.name.strip() else repr(feature.name)
        table.add_row(cell(name), feature.kind, cell(values))
    note(f"{title}, {counted(X.num_rows, 'row')}, {counted(schema.n_features, 'feature')}")
    NOTES.print(table)
    if schema.n_features > MAX_COLUMNS:
        note(f"and {counted(schema.n_features - MAX_COLUMNS, 'more column')}")
    note("")


def counted(n: int, word: str) -> str:
    """Return a number of things in words: 1 row, 1,200 rows."""
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def values_text(feature: Feature, column: Any) -> str:
    """Say between what a feature's numbers lie, or which levels it has."""
    missing = ", some missing" if feature.has_missing else ""
    if feature.is_numeric:
        ends = [feature.low, feature.high]
        if str(column.type) == "float":  # of 32 bits: as many digits as those have
            ends = [float(str(np.float32(end))) for end in ends]
        text = " to ".join(map(exact_number, ends))
        return "none" if math.isnan(feature.low) else text + missing
    n_levels = feature.n_levels
    if feature.has_rare:  # a feature keeps only the frequent ones
        n_levels = len(set(column.to_pylist()) - {None})
    first = ", ".join(feature.levels[:MAX_LEVELS])
    return (f"{n_levels:,}: {first}, …" if n_levels > MAX_LEVELS else first) + missing


def exact_number(value: float) -> str:
    """Text of a number with all its digits; a whole number without exponent."""
    return f"{value + 0.0:.0f}" if value % 1 == 0 and abs(value) < 1e21 else number_text(value)
