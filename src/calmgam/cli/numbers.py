"""Numbers as people write them: 70,15 and 1.234,50 and $1,234.50, and words between numbers.

Text columns of pyarrow come in; columns of numbers go out, with a note that says how they were
read, or the words that are no numbers. A column that may mean two things is refused.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from calmgam.cli.printing import counted

MARKS = (".", ",")
GROUPS = {".": r"[,'’_\s\x{a0}\x{202f}]", ",": r"[.'’_\s\x{a0}\x{202f}]"}  # between thousands
UNITS = "[$€£¥%]"  # before or behind a number
MIN_NUMBERS = 20  # different ones: fewer are levels, such as 0, 1, 2, 3+
MAX_WORDS = 5  # different ones; more are no slips
BLANK = r"^\s*$"


def is_text(kind: Any) -> bool:
    """Tell whether a pyarrow type holds text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def without_blanks(column: Any) -> Any:
    """Return a text column whose fields of nothing but spaces are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_blank = pc.match_substring_regex(column, BLANK)
    return pc.if_else(is_blank, pa.scalar(None, column.type), column)


def without_words(column: Any, words: Sequence[str]) -> Any:
    """Return a column in which some words, or the numbers that they spell, are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_text(column.type):
        values = pa.array(words, column.type)
    elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        found = [_number(word) for word in words]
        values = pa.array([number for number in found if number is not None], pa.float64())
        is_word = pc.is_in(column.cast(pa.float64(), safe=False), values)
        return pc.if_else(is_word, pa.scalar(None, column.type), column)
    else:
        return column
    return pc.if_else(pc.is_in(column, values), pa.scalar(None, column.type), column)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def guess_decimal(columns: Any, delimiter: str) -> str | None:
    """Tell the decimal mark of a file from its columns, read with decimal points.

    Parameters
    ----------
    columns : pyarrow table
    delimiter : str
        Who puts commas between fields puts points into numbers.

    Returns
    -------
    {".", ","} or None
        None: nothing tells, or columns tell different things.
    """
    import pyarrow as pa

    texts = [column for column in columns.columns if is_text(column.type)]
    marks = [_marks(column) for column in texts]
    if (",",) in marks:
        return None if (".",) in marks else ","
    has_points = any(pa.types.is_floating(column.type) for column in columns.columns)
    return "." if has_points or (".",) in marks or delimiter == "," else None


def has_points(with_points: Any, with_commas: Any) -> bool:
    """Tell whether columns that are numbers with points are none with commas: 0.5, not 1.234."""
    return any(
        is_text(comma.type) and not is_text(point.type) and not _all_numbers(comma, ",")
        for point, comma in zip(with_points.columns, with_commas.columns, strict=True)
    )


def read_numbers(name: str, column: Any, decimal: str | None) -> Any:
    """Return a text column as numbers, or None if it holds others; warn of how it was read.

    Parameters
    ----------
    name : str
    column : pyarrow column
    decimal : {".", ","} or None
        The decimal mark; None: what the column tells.
    """
    if not is_text(column.type) or column.null_count == len(column):
        return None
    marks = [mark for mark in _marks(column) if decimal in (mark, None)]
    if not marks:
        return None
    example = _example(column)
    values = {mark: _parsed(example, mark) for mark in marks}
    if len(set(values.values())) > 1:
        either = " or ".join(map(_plain, values.values()))
        raise ValueError(
            f"column {name!r} holds {example!r}, which may be {either}: "
            "say --decimal . or --decimal ,"
        )
    value = values[marks[0]]
    if _number(example) != value:
        warnings.warn(f"column {name!r}: {example!r} is read as {_plain(value)}", stacklevel=2)
    return _floats(column, marks[0])


def warn_of_commas(columns: Any) -> None:
    """Say of which column, read with decimal points, it is known that a file has commas."""
    for name, column in zip(columns.column_names, columns.columns, strict=True):
        if is_text(column.type) and _marks(column) == (",",):
            example = _example(column)
            warnings.warn(
                f"numbers have decimal commas: {example!r} in column {name!r} is read as "
                f"{_plain(_parsed(example, ','))}",
                stacklevel=2,
            )
            return


def refuse_words(columns: Any, names: Iterable[str]) -> None:
    """Refuse columns of numbers with a few words between them, and say what can be done.

    Levels that are numbers but for one, such as 0, 1, 2, 3+, are labels.
    """
    found = []
    for name in names:
        words, n_numbers = _words(columns.column(name))
        if 0 < len(words) <= MAX_WORDS and n_numbers > MIN_NUMBERS:
            found.append(
                f"column {name!r} holds numbers, but also {_described(words)}: {_as_missing(words)}"
                f", --feature-type {shlex.quote(name)}=nominal takes all as labels"
            )
    if found:
        raise ValueError("\n".join(found))


def require_numbers(columns: Any, names: Iterable[str]) -> None:
    """Refuse columns with text where numbers are asked for, and name what is none."""
    for name in names:
        words, _ = _words(columns.column(name))
        if words:
            raise ValueError(
                f"column {name!r} must hold numbers; got {_described(words)}: {_as_missing(words)}"
            )


def _words(column: Any) -> tuple[dict[str, int], int]:
    """Return what is no number in a text column, with counts, and how many numbers there are."""
    import pyarrow.compute as pc

    if not is_text(column.type):
        return {}, 0
    counts = pc.value_counts(column.drop_null())
    is_number = pc.or_(*(_are_numbers(counts.field(0), mark) for mark in MARKS))
    words = counts.filter(pc.invert(is_number))
    pairs = zip(words.field(0).to_pylist(), words.field(1).to_pylist(), strict=True)
    return dict(pairs), len(counts) - len(words)


def _described(words: dict[str, int]) -> str:
    shown = [f"{word!r} ({counted(n, 'row')})" for word, n in list(words.items())[:MAX_WORDS]]
    return ", ".join([*shown, "…"] if len(words) > MAX_WORDS else shown)


def _as_missing(words: dict[str, int]) -> str:
    options = [f"--missing {shlex.quote(word)}" for word in list(words)[:MAX_WORDS]]
    return f"{' '.join(options)} takes that as missing"


def _marks(column: Any) -> tuple[str, ...]:
    """Decimal marks with which all fields are numbers."""
    return tuple(mark for mark in MARKS if _all_numbers(column, mark))


def _all_numbers(column: Any, mark: str) -> bool:
    """Tell whether all fields are numbers with this decimal mark."""
    import pyarrow.compute as pc

    return column.null_count < len(column) and bool(pc.all(_are_numbers(column, mark)).as_py())


def _are_numbers(column: Any, mark: str) -> Any:
    """Tell which fields are numbers with this decimal mark."""
    import pyarrow.compute as pc

    whole = rf"([0-9]+|[1-9][0-9]{{0,2}}({GROUPS[mark]}[0-9]{{3}})+)"
    number = rf"({whole}([{mark}][0-9]*)?|[{mark}][0-9]+)([eE][+-]?[0-9]+)?"
    return pc.match_substring_regex(column, rf"^\s*[+-]?{UNITS}?\s*{number}\s*{UNITS}?\s*$")


def _example(column: Any) -> Any:
    """Return a field with a decimal mark, or one with another sign."""
    import pyarrow.compute as pc

    for signs in (r"[.,]", r"[^0-9+-]"):
        found = pc.filter(column, pc.match_substring_regex(column, signs))
        if len(found):
            return found[0].as_py()
    return column.drop_null()[0].as_py()


def _floats(column: Any, mark: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.replace_substring_regex(column, f"{GROUPS[mark]}|{UNITS}", "")
    return pc.replace_substring(text, mark, ".").cast(pa.float64())


def _parsed(text: str, mark: str) -> float:
    import pyarrow as pa

    return float(_floats(pa.array([text]), mark)[0].as_py())


def _plain(value: float) -> str:
    return repr(value).removesuffix(".0")
