"""The table as the model sees it: a data frame comes in, a float64 matrix goes out.

`Schema.learn(X)` writes down each column's name, kind and levels; `schema.encode(X)` turns any
table with those columns into one float64 matrix, the only form the rest of the library knows:

    numeric                the value itself                            missing: NaN
    boolean, categorical   the level's code 0..L-1; unseen or rare: L  missing: NaN
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np

from calmgam.model.columns import (
    AnyArray,
    Column,
    FloatArray,
    label,
    read_table,
    refuse_duplicates,
    sorted_labels,
)

__all__ = ["Feature", "FloatArray", "Schema"]

KINDS = ("numeric", "boolean", "categorical")
BOOLEAN_LEVELS = ("False", "True")


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
    whole : bool
        All numbers seen in training were whole.
    ordered : bool
        The levels come from an ordered column: their order means something.
    """

    name: str
    index: int
    kind: str
    levels: tuple[str, ...] = ()
    has_missing: bool = False
    has_rare: bool = False
    low: float = math.nan
    high: float = math.nan
    whole: bool = False
    ordered: bool = False

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
        flags = self.has_missing, self.has_rare, self.whole, self.ordered
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
    def has_order(self) -> bool:
        """Values can grow: numbers, False to True, or ordered levels."""
        return self.kind != "categorical" or self.ordered

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
            "whole": self.whole,
            "ordered": self.ordered,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], index: int) -> Feature:
        """Inverse of `to_dict`."""
        if not all(isinstance(text, str) for text in (plain["name"], *plain["levels"])):
            raise ValueError(f"name and levels of feature {index} must be text")
        return cls(
            name=plain["name"],
            index=index,
            kind=plain["kind"],
            levels=tuple(plain["levels"]),
            has_missing=bool(plain["has_missing"]),
            has_rare=bool(plain["has_rare"]),
            low=float(plain["low"]),
            high=float(plain["high"]),
            whole=bool(plain.get("whole", False)),
            ordered=bool(plain.get("ordered", False)),
        )


@dataclass(frozen=True)
class Schema:
    """The features of a table, in the order of the encoded matrix."""

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        if not self.features:
            raise ValueError("a table needs at least one column")
        refuse_duplicates(self.names)
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
        columns, _ = read_table(X)
        return cls(tuple(_learn(column, i, max_levels) for i, column in enumerate(columns)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all features."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def _index_of(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    def __getitem__(self, name: str) -> Feature:
        return self.features[self.index(name)]

    def index(self, name: str) -> int:
        """Column of the feature called `name`."""
        try:
            return self._index_of[name]
        except KeyError:
            raise KeyError(f"no feature is called {name!r}; there are {list(self.names)}") from None

    def encode(self, X: Any) -> FloatArray:
        """Turn a table into the float64 matrix of the module's docstring, in Fortran order.

        Columns of a data frame are found by name (any order, others ignored), those of an array
        by position. A float64 array in Fortran order without levels to look up is not copied.
        """
        is_plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu"
        if is_plain:
            X = _fortran_floats(X)
        columns = self._matched(X)
        is_plain = is_plain and all(feature.is_numeric for feature in self.features)
        shape = len(columns[0].values), self.n_features
        encoded: FloatArray = X if is_plain else np.empty(shape, order="F")
        for feature, column in zip(self.features, columns, strict=True):
            values = _encode(feature, column)
            if not is_plain:
                encoded[:, feature.index] = values
        return encoded

    def _matched(self, X: Any) -> list[Column]:
        """Return the table's columns in the schema's order."""
        columns, has_names = read_table(X)
        if not has_names:
            if len(columns) != self.n_features:
                raise ValueError(f"X must have {self.n_features} columns; got {len(columns)}")
            named = zip(columns, self.names, strict=True)
            return [replace(column, name=name) for column, name in named]
        by_name = {column.name: column for column in columns}
        absent = [name for name in self.names if name not in by_name]
        if absent:
            raise ValueError(f"X must have the columns of the training table; missing: {absent}")
        return [by_name[name] for name in self.names]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"features": [feature.to_dict() for feature in self.features]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Schema:
        """Inverse of `to_dict`."""
        return cls(tuple(Feature.from_dict(d, i) for i, d in enumerate(plain["features"])))


def _learn(column: Column, index: int, max_levels: int) -> Feature:
    if isinstance(column.values, np.ndarray):
        return _learn_numeric(column, index)
    present = column.present()
    is_boolean = all(isinstance(value, bool | np.bool_) for value in present)
    is_number = all(isinstance(value, Number) for value in present)
    if not present or (is_number and not is_boolean and not column.is_category):
        return _learn_numeric(column, index)

    seen = {label(value) for value in present}
    if is_boolean and not column.is_category:
        kind, levels = "boolean", list(BOOLEAN_LEVELS)
    else:
        kind = "categorical"
        levels = [text for text in column.order if text in seen] or sorted_labels(seen)
    codes = column.codes({text: code for code, text in enumerate(levels)}, len(levels))
    has_missing, has_rare = bool(np.isnan(codes).any()), len(levels) > max_levels
    if has_rare:
        counts = np.bincount(codes[~np.isnan(codes)].astype(int))
        most_frequent = np.sort(np.argsort(-counts, kind="stable")[:max_levels])
        levels = [levels[code] for code in most_frequent]
    ordered = kind == "categorical" and bool(column.order)
    return Feature(column.name, index, kind, tuple(levels), has_missing, has_rare, ordered=ordered)


def _learn_numeric(column: Column, index: int) -> Feature:
    values = column.floats()
    return Feature(
        column.name,
        index,
        "numeric",
        has_missing=bool(np.isnan(np.min(values, initial=math.inf))),
        low=float(np.fmin.reduce(values, initial=math.nan)),
        high=float(np.fmax.reduce(values, initial=math.nan)),
        whole=bool(np.all(np.isnan(values) | (np.floor(values) == values))),
    )


def _encode(feature: Feature, column: Column) -> FloatArray:
    if feature.is_numeric:
        return column.floats()
    code_of = {text: code for code, text in enumerate(feature.levels)}
    if feature.kind == "boolean":
        code_of |= {"0": 0, "1": 1}
    return column.codes(code_of, feature.n_levels)


def _fortran_floats(X: AnyArray) -> FloatArray:
    if X.dtype == np.float64 and X.flags.f_contiguous:
        return X
    encoded = np.empty(X.shape, order="F")
    for start in range(0, len(X), 4096):  # a block stays in the cache while it is transposed
        encoded[start : start + 4096] = X[start : start + 4096]
    return encoded
