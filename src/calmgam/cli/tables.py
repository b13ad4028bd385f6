"""Tables as files: CSV, TSV or Parquet, gzipped or not, from a path, a pipe or standard input.

Bytes come in, a `Table` goes out. The bytes themselves tell what they are, whatever the file is
called: the kind of file, the delimiter, the decimal mark. Types are read off whole columns:
numbers, booleans, else text; some spellings stand for missing values.
"""

from __future__ import annotations

import codecs
import gzip
import re
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from calmgam.cli import numbers
from calmgam.model.columns import PANDAS_INDEX, refuse_duplicates
from calmgam.model.datasets import MISSING

STDIN = Path("-")
DELIMITERS = ";\t|,"  # of two that fit equally well the first: commas also stand in numbers
NO_DELIMITER = "\x1f"  # a header without delimiters: lines are the values of one column
QUOTED = re.compile(r'(?<![^,;\t|\r\n])"(?:[^"]|"")*"')  # where a field starts
N_SAMPLE = 100_000  # characters that the delimiter is guessed from
N_SAMPLE_LINES = 20


@dataclass(frozen=True)
class Spelling:
    """How a file is written, as far as users say so.

    Attributes
    ----------
    missing : tuple of str
        Spellings of missing values beside `MISSING`.
    decimal : {".", ","} or None
        The decimal mark; None: what the file tells.
    encoding : str or None
        Of text; None: UTF-8, or what a mark at the beginning of the file tells.
    """

    missing: tuple[str, ...] = ()
    decimal: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class Table:
    """A file that was read.

    Attributes
    ----------
    path : Path
    columns : pyarrow table
    decimal : {".", ","} or None
        The decimal mark of the file; None if nothing tells.
    verbatim : pyarrow table
        Some columns as they are written.
    """

    path: Path
    columns: Any
    decimal: str | None
    verbatim: Any = None

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns.column_names)

    def select(self, names: Sequence[str]) -> Table:
        """Keep some columns, in this order."""
        return replace(self, columns=self.columns.select(names))

    def with_numbers(self, names: Iterable[str]) -> Table:
        """Turn those columns into numbers that are numbers as people write them: 1.234,50."""
        columns = self.columns
        for name in names:
            found = numbers.read_numbers(name, columns.column(name), self.decimal)
            columns = columns if found is None else _set(columns, name, found)
        return replace(self, columns=columns)


def read_table(
    path: Path,
    how: Spelling,
    text: Sequence[str] = (),
    verbatim: Sequence[str] = (),
) -> Table:
    """Read a file.

    Parameters
    ----------
    path : Path
        "-" is standard input.
    how : Spelling
    text : sequence of str
        Columns of labels, which stay as they are written: a zone 007 is not the number 7.
    verbatim : sequence of str
        Columns to read once more as they are written, spellings of missing values included.
    """
    import pyarrow as pa

    data = _read_bytes(path)
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        table = (_read_parquet if data.startswith(b"PAR1") else _read_text)(
            data, path, how, text, verbatim
        )
    except UnicodeDecodeError as error:
        byte = f"byte {error.object[error.start]:#x} at {error.start}"
        raise ValueError(
            f"{path} must be {error.encoding.upper()} text or Parquet; got {byte}: "
            "say how it is written, such as --encoding latin-1"
        ) from None
    except (ValueError, OSError, EOFError, zlib.error, pa.ArrowException) as error:
        raise ValueError(f"cannot read {path}: {error}") from None
    if table.columns.num_rows == 0:
        raise ValueError(f"{path} must have at least one row below its header; got none")
    columns = table.columns
    for name in columns.column_names:
        kind = columns.schema.field(name).type
        if name in text and kind != pa.string():
            columns = cast(columns, name, pa.string())
        elif kind == pa.null():
            columns = cast(columns, name, pa.float64())
        elif numbers.is_text(kind):
            columns = _set(columns, name, numbers.without_blanks(columns.column(name)))
    return replace(table, columns=columns)


def _read_bytes(path: Path) -> bytes:
    if path != STDIN:
        return path.read_bytes()
    if sys.stdin is None:
        raise ValueError("standard input is closed: nothing can be read from -")
    return sys.stdin.buffer.read()


def _read_parquet(
    data: bytes, path: Path, how: Spelling, text: Sequence[str], verbatim: Sequence[str]
) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    columns = parquet.read_table(pa.BufferReader(data))
    columns = columns.drop(list(filter(PANDAS_INDEX.fullmatch, columns.column_names)))
    refuse_duplicates(columns.column_names)
    kept = columns.select([name for name in verbatim if name in columns.column_names])
    for name in columns.column_names if how.missing else ():
        present = numbers.without_words(columns.column(name), how.missing)
        columns = _set(columns, name, present)
    return Table(path, columns, how.decimal, kept)


def _read_text(
    data: bytes, path: Path, how: Spelling, text: Sequence[str], verbatim: Sequence[str]
) -> Table:
    """Read delimited text; what is written with decimal commas is read twice."""
    if data.startswith(b"PK\x03\x04"):
        raise ValueError("it is a spreadsheet or a zip archive; save it as CSV")
    content = data.decode(how.encoding or _encoding(data)).removeprefix("\ufeff")
    delimiter = guess_delimiter(content)
    data = content.encode("utf-8")
    first = _read_csv(data, delimiter, how, text, decimal=how.decimal or ".")
    refuse_duplicates(first.column_names)
    columns, decimal = first, how.decimal
    if how.decimal is None:
        readable = [name for name in first.column_names if name not in set(text)]
        decimal = numbers.guess_decimal(first.select(readable), delimiter)
        if decimal == ",":
            columns = _read_csv(data, delimiter, how, text, decimal=decimal)
            if numbers.has_points(first, columns):  # some columns have commas, some points
                columns, decimal = first, None
            else:
                numbers.warn_of_commas(first.select(readable))
    kept = [name for name in verbatim if name in columns.column_names]
    written = _read_csv(data, delimiter, how, kept, is_verbatim=True) if kept else None
    return Table(path, columns, decimal, written)


def _encoding(data: bytes) -> str:
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if is_wide else "utf-8"


def guess_delimiter(content: str) -> str:
    """Return the sign that stands equally often in every line, or most often in the header."""
    sample = content[:N_SAMPLE]
    lines = [line for line in QUOTED.sub("", sample).splitlines() if line.strip()]
    if len(content) > N_SAMPLE and len(lines) > 1:
        lines.pop()  # it may be cut
    header, *rows = lines[:N_SAMPLE_LINES] or [""]

    def fitness(sign: str) -> tuple[bool, int]:
        return all(row.count(sign) == header.count(sign) for row in rows), header.count(sign)

    candidates = [sign for sign in DELIMITERS if sign in header]
    return max(candidates, key=fitness) if candidates else NO_DELIMITER


def _read_csv(
    data: bytes,
    delimiter: str,
    how: Spelling,
    text: Sequence[str],
    *,
    decimal: str = ".",
    is_verbatim: bool = False,
) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    # One block: types are those of whole columns, and quoted text may hold line breaks. One thread:
    # a process that ends while another one starts, because the text is no table, would be aborted.
    one_block = csv.ReadOptions(block_size=min(len(data) + 1, 2**31 - 1), use_threads=False)
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=one_block,
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            null_values=[*MISSING, *how.missing],
            strings_can_be_null=not is_verbatim,
            column_types=dict.fromkeys(text, pa.string()),
            include_columns=list(text) if is_verbatim else None,
            decimal_point=decimal,
        ),
    )


def cast(columns: Any, name: str, kind: Any) -> Any:
    """Return the pyarrow table with one column turned into another type."""
    try:
        return _set(columns, name, columns.column(name).cast(kind))
    except ValueError as error:  # it names the value
        raise ValueError(f"column {name!r} cannot be {kind}: {error}") from None


def _set(columns: Any, name: str, column: Any) -> Any:
    return columns.set_column(columns.column_names.index(name), name, column)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the question that helps with a misspelt name, or the list of names."""
    by_lower = {each.lower(): each for each in names}
    nearest = get_close_matches(name.lower(), by_lower, n=1)
    if nearest:
        return f"did you mean {by_lower[nearest[0]]!r}?"
    listed = ", ".join(map(repr, list(by_lower.values())[:20]))
    return f"there are {listed}{', …' if len(by_lower) > 20 else ''}"
