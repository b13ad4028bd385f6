"""The table as the model sees it: a data frame comes in, a float64 matrix goes out.

`Schema.learn(X)` writes down each column's name, kind and levels; `schema.encode(X)` turns any
table with those columns into one float64 matrix, the only form the rest of the library knows:

    numeric              the value itself                        missing: NaN
    boolean, categorical the level's code 0..L-1; unseen, rare: L   missing: NaN
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Key = tuple[type, Hashable]

KINDS = ("numeric", "boolean", "categorical")
BOOLEAN_LEVELS = ("False", "True")
UNREADABLE = (
    complex,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
    tuple,
    frozenset,
)


@dataclass(frozen=True)
class Feature:
    """One column: its name, its place in the encoded matrix and what its values can be.

    Attributes
    ----------
    name : str
    index : int
        Column of the encoded matrix.
    kind : {"numeric", "boolean", "categorical"}
    levels : tuple of str
        Labels of a boolean or categorical feature; a level's code is its position.
    has_missing : bool
        Missing values were seen in training.
    has_rare : bool
        Some training rows had a level that was too rare to keep.
    low, high : float
        Finite range of a numeric feature in training; NaN if there was no value.
    """

    name: str
    index: int
    kind: str
    levels: tuple[str, ...] = ()
    has_missing: bool = False
    has_rare: bool = False
    low: float = math.nan
    high: float = math.nan

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"kind of feature {self.name!r} must be one of {KINDS}; got {self.kind!r}"
            )
        if self.is_numeric == bool(self.levels):
            raise ValueError(
                f"a numeric feature has no levels, any other at least one; "
                f"{self.kind} feature {self.name!r} got {len(self.levels)}"
            )
        if len(set(self.levels)) < self.n_levels:
            raise ValueError(f"levels of feature {self.name!r} must be distinct")
        if self.kind == "boolean" and self.levels != BOOLEAN_LEVELS:
            raise ValueError(f"levels of boolean feature {self.name!r} must be {BOOLEAN_LEVELS}")

    def _identity(self) -> tuple[Any, ...]:
        # repr, so that NaN equals NaN
        range_text = repr(self.low), repr(self.high)
        flags = self.has_missing, self.has_rare
        return self.name, self.index, self.kind, self.levels, flags, range_text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Feature):
            return NotImplemented
        return self is other or self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.name, self.index))

    @property
    def is_numeric(self) -> bool:
        """Values lie on a line; otherwise they are codes of levels."""
        return self.kind == "numeric"

    @property
    def n_levels(self) -> int:
        """Number of levels; also the code of a level that is not among them."""
        return len(self.levels)

    def label(self, code: int) -> str:
        """Text of a level's code."""
        return self.levels[code] if code < self.n_levels else "other"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "levels": list(self.levels),
            "has_missing": self.has_missing,
            "has_rare": self.has_rare,
            "low": self.low,
            "high": self.high,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], index: int) -> Feature:
        """Inverse of `to_dict`."""
        return cls(
            name=plain["name"],
            index=index,
            kind=plain["kind"],
            levels=tuple(plain["levels"]),
            has_missing=plain["has_missing"],
            has_rare=plain["has_rare"],
            low=float(plain["low"]),
            high=float(plain["high"]),
        )


@dataclass(frozen=True)
class Schema:
    """The features of a table, in the order of the encoded matrix."""

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        if not self.features:
            raise ValueError("a table needs at least one column")
        _refuse_duplicates(self.names)
        for position, feature in enumerate(self.features):
            if feature.index != position:
                raise ValueError(
                    f"feature {feature.name!r} must have index {position}; got {feature.index}"
                )

    @classmethod
    def learn(cls, X: Any, max_levels: int = 1000) -> Schema:
        """Read names, kinds and levels off a training table.

        Parameters
        ----------
        X : data frame (pandas, polars, pyarrow, ...) or 2-D array
        max_levels : int
            A categorical feature keeps at most this many levels, the most frequent ones; the
            others share the slot of unseen levels.
        """
        columns = list(_columns(X))
        _refuse_duplicates([column.name for column in columns])
        return cls(tuple(_learn(column, i, max_levels) for i, column in enumerate(columns)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all features."""
        return tuple(feature.name for feature in self.features)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    def __getitem__(self, name: str) -> Feature:
        return self.features[self.index(name)]

    def index(self, name: str) -> int:
        """Column of the feature called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(f"no feature is called {name!r}; there are {list(self.names)}") from None

    def encode(self, X: Any) -> FloatArray:
        """Turn a table into the float64 matrix of the module's docstring, in Fortran order.

        Columns of a data frame are found by name (any order, others ignored), those of an array
        by position. A float64 array in Fortran order without levels to look up is not copied.
        """
        if isinstance(X, np.ndarray) and X.dtype.kind in "fiu":
            self._check_width(X)
            if all(feature.is_numeric for feature in self.features):
                encoded = _fortran_floats(X)
                for feature in self.features:
                    _refuse_infinite(encoded[:, feature.index], feature.name)
                return encoded
        columns = self._matched(X)
        encoded = np.empty((len(columns[0].values), self.n_features), order="F")
        for feature, column in zip(self.features, columns, strict=True):
            encoded[:, feature.index] = _encode(feature, column)
        return encoded

    def _matched(self, X: Any) -> list[_Column]:
        columns = list(_columns(X))
        if isinstance(_table(X), np.ndarray):
            self._check_width(_table(X))
            return columns
        _refuse_duplicates([column.name for column in columns if column.name in self.names])
        by_name = {column.name: column for column in columns}
        absent = [name for name in self.names if name not in by_name]
        if absent:
            raise ValueError(f"X must have the columns of the training table; missing: {absent}")
        return [by_name[name] for name in self.names]

    def _check_width(self, X: np.ndarray[Any, Any]) -> None:
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X must be a table of {self.n_features} columns; got an array of shape {X.shape}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"features": [feature.to_dict() for feature in self.features]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Schema:
        """Inverse of `to_dict`."""
        return cls(tuple(Feature.from_dict(d, i) for i, d in enumerate(plain["features"])))


@dataclass(frozen=True)
class _Column:
    """One raw column: an array of numbers, or a list of Python values."""

    name: str
    values: np.ndarray[Any, Any] | list[Any]
    is_category: bool = False
    order: tuple[str, ...] = ()  # labels of an ordered category


def _table(X: Any) -> Any:
    """Return a narwhals data frame or a 2-D array."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X must be dense; got a sparse matrix: pass X.toarray()")
    if not isinstance(X, np.ndarray):
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return frame
        X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        raise ValueError(f"X must be a data frame or a 2-D array; got {X.ndim} dimension(s)")
    return X


def _columns(X: Any) -> Iterator[_Column]:
    table = _table(X)
    if isinstance(table, nw.DataFrame):
        yield from map(_frame_column, table.iter_columns())
    else:
        is_number = table.dtype.kind in "fiu"
        for i in range(table.shape[1]):
            yield _Column(f"x{i}", table[:, i] if is_number else table[:, i].tolist())


def _frame_column(series: nw.Series[Any]) -> _Column:
    name, dtype = str(series.name), series.dtype
    if dtype.is_numeric():
        return _Column(name, series.cast(nw.Float64).to_numpy())
    if dtype.is_temporal() or dtype.is_nested():
        raise _unreadable(name, str(dtype))
    order: tuple[str, ...] = ()
    if nw.is_ordered_categorical(series):
        order = tuple(map(_label, series.cat.get_categories().to_list()))
    is_category = dtype in (nw.Categorical, nw.Enum)
    return _Column(name, series.to_list(), is_category, order)


def _learn(column: _Column, index: int, max_levels: int) -> Feature:
    if isinstance(column.values, np.ndarray):
        return _learn_numeric(column.name, index, column.values.astype(float, copy=False))
    distinct = _distinct(column)
    present = [value for _, value in distinct if not _is_missing(value)]
    for value in present:
        if isinstance(value, UNREADABLE):
            raise _unreadable(column.name, type(value).__name__)
    if not column.is_category:
        if present and all(isinstance(value, bool | np.bool_) for value in present):
            has_missing = len(present) < len(distinct)
            return Feature(column.name, index, "boolean", BOOLEAN_LEVELS, has_missing)
        if all(isinstance(value, numbers.Number) for value in present):
            return _learn_numeric(column.name, index, _to_floats(column))
    elif not present:
        return _learn_numeric(column.name, index, np.full(len(column.values), math.nan))

    seen = {_label(value) for value in present}
    levels = [label for label in column.order if label in seen] or _sorted_labels(seen)
    codes = _look_up(column, {label: code for code, label in enumerate(levels)}, len(levels))
    if has_rare := len(levels) > max_levels:
        counts = np.bincount(codes[~np.isnan(codes)].astype(int), minlength=len(levels))
        keep = np.sort(np.argsort(-counts, kind="stable")[:max_levels])
        levels = [levels[code] for code in keep]
    has_missing = bool(np.isnan(codes).any())
    return Feature(column.name, index, "categorical", tuple(levels), has_missing, has_rare)


def _learn_numeric(name: str, index: int, values: FloatArray) -> Feature:
    _refuse_infinite(values, name)
    low = float(np.fmin.reduce(values, initial=math.nan))
    high = float(np.fmax.reduce(values, initial=math.nan))
    has_missing = bool(np.isnan(np.min(values, initial=math.inf)))
    return Feature(name, index, "numeric", has_missing=has_missing, low=low, high=high)


def _encode(feature: Feature, column: _Column) -> FloatArray:
    if feature.is_numeric:
        values = (
            column.values.astype(float, copy=False)
            if isinstance(column.values, np.ndarray)
            else _to_floats(column)
        )
        _refuse_infinite(values, feature.name)
        return values
    code_of = {label: code for code, label in enumerate(feature.levels)}
    if feature.kind == "boolean":
        code_of |= {"0": 0, "1": 1}
    return _look_up(column, code_of, feature.n_levels)


def _keys(values: Sequence[Any]) -> Iterator[Key]:
    # the type belongs to the key, because 1 == 1.0 == True
    return zip(map(type, values), values, strict=True)


def _distinct(column: _Column) -> list[Key]:
    try:
        return list(dict.fromkeys(_keys(column.values)))  # type: ignore[arg-type]
    except TypeError:  # unhashable: lists, arrays, dicts
        raise _unreadable(column.name, "nested") from None


def _look_up(column: _Column, code_of: Mapping[str, int], other: int) -> FloatArray:
    """Code of every value's label: one Python step per distinct value, not per row."""
    if isinstance(column.values, np.ndarray):
        distinct, inverse = np.unique(column.values, return_inverse=True)
        codes = [_code(value, code_of, other) for value in distinct.tolist()]
        return np.array(codes, dtype=float)[inverse]
    table = {key: _code(key[1], code_of, other) for key in _distinct(column)}
    steps = map(table.__getitem__, _keys(column.values))
    return np.fromiter(steps, dtype=float, count=len(column.values))


def _code(value: Any, code_of: Mapping[str, int], other: int) -> float:
    return math.nan if _is_missing(value) else code_of.get(_label(value), other)


def _to_floats(column: _Column) -> FloatArray:
    table = {}
    for key in _distinct(column):
        try:
            table[key] = math.nan if _is_missing(key[1]) else float(key[1])  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise ValueError(f"column {column.name!r} must hold numbers; got {key[1]!r}") from None
    return np.fromiter(map(table.__getitem__, _keys(column.values)), float, len(column.values))


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA refuses to be true or false
        return True


def _label(value: Any) -> str:
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and value % 1 == 0:
        return str(int(value))
    return str(value)


def _sorted_labels(labels: set[str]) -> list[str]:
    def number(label: str) -> float:
        value = float(label)
        if math.isfinite(value):
            return value
        raise ValueError

    try:
        return sorted(labels, key=lambda label: (number(label), label))
    except ValueError:
        return sorted(labels)


def _fortran_floats(X: np.ndarray[Any, Any]) -> FloatArray:
    if X.dtype == np.float64 and X.flags.f_contiguous:
        return X
    encoded = np.empty(X.shape, order="F")
    for start in range(0, len(X), 4096):  # a block stays in the cache while it is transposed
        encoded[start : start + 4096] = X[start : start + 4096]
    return encoded


def _refuse_infinite(values: FloatArray, name: str) -> None:
    if np.isinf(values).any():
        raise ValueError(f"column {name!r} must be finite or missing; it holds infinite values")


def _refuse_duplicates(names: Sequence[str]) -> None:
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ValueError(f"column names must be distinct; duplicated: {duplicates}")


def _unreadable(name: str, what: str) -> ValueError:
    return ValueError(
        f"column {name!r} holds {what} values, which are neither numbers, booleans nor levels: "
        f"convert it to numbers or text, or leave it out"
    )
