"""Raw columns of any table, before the schema gives them a meaning.

A data frame or array comes in; a list of `Column`s goes out, each an array of numbers or a list of
Python values. A column turns into floats or into codes of levels with one Python step per distinct
value, not per row. The label of a value is its text: "3" for 3 and 3.0, "True" for a boolean.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calmgam.model.pages import see

FloatArray = NDArray[np.float64]
AnyArray = NDArray[Any]
Key = tuple[type, Hashable]

PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # its name for row numbers in Arrow files
MAX_WHOLE = 1e16  # larger floats are written with an exponent: 1e+300, not 301 digits
UNREADABLE = (
    complex,
    np.complexfloating,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    tuple,
    frozenset,
)


@dataclass(frozen=True)
class Column:
    """One raw column: an array of numbers, or a list of Python values."""

    name: str
    values: AnyArray | list[Any]
    is_category: bool = False
    order: tuple[str, ...] = ()  # all labels of an ordered category

    def present(self) -> list[Any]:
        """Return the distinct values of a list that are not missing."""
        values = [value for _, value in self._keys() if not is_missing(value)]
        for value in values:
            if isinstance(value, UNREADABLE) or is_period(value):
                raise unreadable(self.name, type(value).__name__)
        return values

    def holds_numbers(self) -> bool:
        """Tell whether the values are numbers, or all missing; booleans are none."""
        if isinstance(self.values, np.ndarray):
            return True
        present = self.present()
        is_number = all(isinstance(value, Number) for value in present)
        return not present or (is_number and not self.is_category and not self.holds_booleans())

    def holds_booleans(self) -> bool:
        """Tell whether all values of a list that are not missing are booleans."""
        return all(isinstance(value, bool | np.bool_) for value in self.present())

    def labels(self) -> set[str]:
        """Return the distinct labels of a list."""
        return {label(value) for value in self.present()}

    def floats(self) -> FloatArray:
        """Return the values as numbers; missing: NaN."""
        if isinstance(self.values, np.ndarray):
            values = self.values.astype(np.float64, copy=False)
        else:
            values = self.mapped(self._float)
        infinite = np.isinf(values)
        if infinite.any():
            raise ValueError(
                f"column {self.name!r} must be finite or missing; got {values[infinite][0]}"
            )
        return values

    def codes(self, code_of: Mapping[str, int], other: int) -> FloatArray:
        """Return the codes of the values' labels; a label not in `code_of`: other; missing: NaN."""
        return self.mapped(
            lambda value: math.nan if is_missing(value) else code_of.get(label(value), other)
        )

    def _float(self, value: Any) -> float:
        try:
            return math.nan if is_missing(value) else float(value)
        except (TypeError, ValueError):
            raise ValueError(f"column {self.name!r} must hold numbers; got {value!r}") from None
        except OverflowError:
            raise ValueError(
                f"column {self.name!r} must hold numbers that a float can hold, up to 1.8e308; "
                f"got an integer of {value.bit_length()} bits"
            ) from None

    def mapped(self, function: Callable[[Any], float]) -> FloatArray:
        """Apply a function to every distinct value."""
        if isinstance(self.values, np.ndarray):
            distinct, inverse = np.unique(self.values, return_inverse=True)
            return np.array([function(v) for v in distinct.tolist()], dtype=np.float64)[inverse]
        table = {key: function(key[1]) for key in self._keys()}
        steps = map(table.__getitem__, _typed(self.values))
        return np.fromiter(steps, dtype=np.float64, count=len(self.values))

    def _keys(self) -> list[Key]:
        try:
            return list(dict.fromkeys(_typed(self.values)))
        except TypeError:  # unhashable: lists, dicts, arrays
            raise unreadable(self.name, "nested") from None


def read_table(X: Any) -> tuple[list[Column], bool]:
    """Return the columns of a data frame or 2-D array, and whether their names come from it."""
    X = as_table(X)
    if not isinstance(X, np.ndarray):
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return [_frame_column(series) for series in frame.iter_columns()], True
        X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        raise ValueError(f"X must be a data frame or a 2-D array; got {X.ndim} dimension(s)")
    if X.dtype.kind in "mM":
        raise unreadable("x0", str(X.dtype))
    is_number = X.dtype.kind in "fiu"
    columns = (X[:, i] if is_number else X[:, i].tolist() for i in range(X.shape[1]))
    return [Column(f"x{i}", values) for i, values in enumerate(columns)], False


def as_table(X: Any) -> Any:
    """Return a table as a frame or array in memory: lazy frames collected, masked cells missing."""
    _refuse_other_tables(X)
    if isinstance(X, np.ma.MaskedArray):
        is_number = X.dtype.kind in "fiu"
        table = np.array(X.data, dtype=np.float64 if is_number else object)
        table[np.ma.getmaskarray(X)] = math.nan if is_number else None
        return table
    if isinstance(X, np.ndarray):
        return X
    frame = nw.from_native(X, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


def _refuse_other_tables(X: Any) -> None:
    """Refuse what holds a table in a way that is easily changed, and say how."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError(
            "X must be dense; got a sparse matrix: pass X.toarray(); if it is sparse because text "
            "was encoded, leave that out: text is read as it is"
        )
    what = ""
    if isinstance(X, Mapping):
        what = "dict"
    elif isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        what = f"{type(X).__name__} of dicts"
    elif isinstance(X, np.ndarray) and X.dtype.names:
        what = "structured array"
    if what:
        raise ValueError(
            f"X must be a data frame or a 2-D array; got a {what}: pandas.DataFrame(X) is a frame"
        )


def number_of(text: str) -> float | None:
    """Return the finite number that a label stands for, if it does."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def read_column(values: Any, name: str) -> Column:
    """Return a series or one-dimensional array as a column."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return replace(_frame_column(series), name=name)
    table = np.asarray(values).reshape(-1, 1)
    return replace(read_table(table)[0][0], name=name)


def series_name(values: Any) -> str:
    """Return the name of a series of a data frame; nothing of what has none."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else ""


def _frame_column(series: nw.Series[Any]) -> Column:
    name, dtype = str(series.name), series.dtype
    if dtype.is_numeric():
        return Column(name, series.cast(nw.Float64).to_numpy())
    if dtype.is_temporal() or dtype.is_nested():
        raise unreadable(name, str(dtype))
    order = tuple(map(label, dtype.categories)) if isinstance(dtype, nw.Enum) else ()
    is_category = isinstance(dtype, nw.Enum | nw.Categorical)
    return Column(name, series.to_list(), is_category, order)


def label(value: Any) -> str:
    """Return the text of a level."""
    if isinstance(value, float | np.floating) and value % 1 == 0 and -MAX_WHOLE < value < MAX_WHOLE:
        return str(int(value))
    return str(value)


def sorted_labels(labels: set[str]) -> list[str]:
    """Sort numerically if every label is a number, else by text."""
    numbers = {text: number_of(text) for text in labels}
    if None in numbers.values():
        return sorted(labels)
    return sorted(labels, key=lambda text: (numbers[text], text))


def is_missing(value: Any) -> bool:
    """Tell whether a Python value stands for a missing one: None, NaN, NaT, NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA refuses to be true or false
        return True


def is_period(value: Any) -> bool:
    """Tell whether a Python value is a period of pandas."""
    return hasattr(value, "to_timestamp")


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raise an error that names the columns that come more than once."""
    duplicates = sorted(name for name, count in Counter(names).items() if count > 1)
    if duplicates:
        raise ValueError(f"column names must be distinct; duplicated: {duplicates}")


def unreadable(name: str, what: str) -> ValueError:
    """Return the error for a column that no feature can be made of."""
    is_date = re.match("date(time)?|timestamp|period", what, re.IGNORECASE)
    hint = "calmgam.date_parts(X) makes numbers of dates; or " if is_date else ""
    return ValueError(
        f"column {name!r} holds {what} values, which are neither numbers, booleans nor levels: "
        f"{hint}convert it to numbers or text, or leave it out{see('data#what-columns-are')}"
    )


def _typed(values: Any) -> Iterator[Key]:
    # the type belongs to the key, because 1 == 1.0 == True
    return zip(map(type, values), values, strict=True)
