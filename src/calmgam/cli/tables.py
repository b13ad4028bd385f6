"""Tables as files: CSV, TSV or Parquet, gzipped or not, from a path or from standard input.

Bytes come in, a pyarrow table goes out. The bytes themselves tell what they are, whatever the file
is called. Types are read off whole columns: numbers, booleans, else text; some spellings stand for
missing values.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from calmgam.model.columns import refuse_duplicates

STDIN = Path("-")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?")
DELIMITERS = ",;\t|"


def read_table(path: Path, text: Iterable[str] = (), missing: Sequence[str] = ()) -> Any:
    """Read a file.

    Parameters
    ----------
    path : Path
        "-" is standard input.
    text : iterable of str
        Columns that stay as they are written: a zone 007 is not the number 7.
    missing : sequence of str
        Spellings of missing values beside `MISSING`.

    Returns
    -------
    pyarrow table
    """
    import pyarrow as pa
    from pyarrow import parquet

    data = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        if data.startswith(b"PAR1"):
            table = parquet.read_table(pa.BufferReader(data))
        else:
            table = _read_csv(data, text, missing)
    except UnicodeDecodeError as error:
        byte = f"byte {error.object[error.start]:#x} at {error.start}"
        raise ValueError(f"{path} must be UTF-8 text or Parquet; got {byte}") from None
    except (ValueError, EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"cannot read {path}: {error}") from None
    refuse_duplicates(table.column_names)
    if table.num_rows == 0:
        raise ValueError(f"{path} must have at least one row below its header; got none")
    for name in text:
        if name in table.column_names:
            table = cast(table, name, pa.string())
    for name in table.column_names:
        if table.schema.field(name).type == pa.null():
            table = cast(table, name, pa.float64())
    return table


def _read_csv(data: bytes, text: Iterable[str], missing: Sequence[str]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    header = data.decode("utf-8").lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    # One block: types are those of whole columns, and quoted text may hold line breaks. One thread:
    # a process that ends while another one starts, because the text is no table, would be aborted.
    one_block = csv.ReadOptions(block_size=min(len(data) + 1, 2**31 - 1), use_threads=False)
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=one_block,
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            null_values=[*MISSING, *missing],
            strings_can_be_null=True,
            column_types=dict.fromkeys(text, pa.string()),
        ),
    )


@dataclass(frozen=True)
class TrainingRows:
    """The rows of a table that have a target: features, target, weights."""

    X: Any
    y: Any
    weights: Any
    target: str
    n_left_out: int

    def guess_task(self) -> str:
        """Return "classification" if the target has two values, "regression" if it has numbers."""
        values = np.unique(self.y)
        if len(values) == 2:
            return "classification"
        if self.y.dtype.kind in "fiu":
            return "regression"
        raise ValueError(
            f"column {self.target!r} must hold numbers or two classes to be a target; "
            f"it holds {len(values)} different values, such as {values[0]!r}"
        )


def training_rows(
    table: Any,
    target: str,
    weight: str | None = None,
    numeric: Iterable[str] = (),
    drop: Iterable[str] = (),
) -> TrainingRows:
    """Split a table into features, target and weights; rows without a target are left out.

    Parameters
    ----------
    table : pyarrow table
    target : str
    weight : str, optional
    numeric, drop : iterable of str
        Columns to take as numbers, and columns that are no features.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in numeric:
        table = cast(table, name, pa.float64())
    has_target = pc.invert(pc.is_null(table.column(target), nan_is_null=True))
    rows = table.filter(has_target)
    if not rows.num_rows:
        raise ValueError(f"column {target!r} must hold values to be a target; all are missing")
    X = rows.drop_columns(sorted({target, *drop}))
    for field in X.schema:
        if pa.types.is_temporal(field.type):
            raise ValueError(
                f"column {field.name!r} holds dates or times, which are neither numbers nor "
                f"labels: --drop {field.name!r}, or --categorical {field.name!r}"
            )
    return TrainingRows(
        X=X,
        y=rows.column(target).to_numpy(),
        weights=rows.column(weight).to_numpy() if weight else None,
        target=target,
        n_left_out=table.num_rows - rows.num_rows,
    )


def cast(table: Any, name: str, kind: Any) -> Any:
    """Return the table with one column turned into another pyarrow type."""
    position = table.column_names.index(name)
    try:
        column = table.column(position).cast(kind)
    except ValueError as error:  # it names the value
        raise ValueError(f"column {name!r} cannot be {kind}: {error}") from None
    return table.set_column(position, name, column)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the question that helps with a misspelt name, or the list of names."""
    by_lower = {each.lower(): each for each in names}
    nearest = get_close_matches(name.lower(), by_lower, n=1)
    if nearest:
        return f"did you mean {by_lower[nearest[0]]!r}?"
    listed = ", ".join(map(repr, list(by_lower.values())[:20]))
    return f"there are {listed}{', …' if len(by_lower) > 20 else ''}"
