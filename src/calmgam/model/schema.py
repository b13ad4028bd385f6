"""The table as the model sees it: a data frame comes in, a float64 matrix goes out.

`Schema.learn(X)` writes down each column's name, kind and levels; `schema.encode(X)` turns any
table with those columns into one float64 matrix, the only form the rest of the library knows:

    numeric                the value itself                            missing: NaN
    boolean, categorical   the level's code 0..L-1; unseen or rare: L  missing: NaN
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from calmgam.model.columns import (
    AnyArray,
    Column,
    FloatArray,
    as_table,
    is_missing,
    label,
    number_of,
    read_table,
    refuse_duplicates,
    sorted_labels,
)
from calmgam.model.feature_types import Asked, as_asked, read_feature_types
from calmgam.model.pages import see
from calmgam.model.plain import Document, Plain

__all__ = ["Feature", "FloatArray", "Schema"]

KINDS = ("numeric", "boolean", "categorical")
BLOCK = 4096  # rows that stay in the cache while they are looked at or transposed
BOOLEAN_LEVELS = ("False", "True")
BOOLEAN_NUMBERS = ("0", "1")
MAX_SHOWN_LEVELS = 5  # in an error


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
        Finite range of a numeric feature in training; NaN if there was no value, and of levels.
    whole : bool
        All numbers seen in training were whole.
    two_valued : bool
        All numbers seen in training were one of two: `low` and `high`.
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
    two_valued: bool = False

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
        is_unknown = math.isnan(self.low) and math.isnan(self.high)
        is_range = self.is_numeric and -math.inf < self.low <= self.high < math.inf
        if not (is_unknown or is_range):
            raise ValueError(
                f"range of feature {self.name!r} must be finite with low <= high, or NaN and NaN "
                f"(as of levels); got {self.low} and {self.high}"
            )

    def _identity(self) -> tuple[Any, ...]:
        # repr, so that NaN equals NaN
        range_text = repr(self.low), repr(self.high)
        flags = self.has_missing, self.has_rare, self.whole, self.ordered, self.two_valued
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

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every level's label."""
        return {text: code for code, text in enumerate(self.levels)}

    @cached_property
    def code_of_number(self) -> dict[float, int]:
        """The code of the level that equals a number, where just one does."""
        texts = BOOLEAN_NUMBERS if self.kind == "boolean" else self.levels
        numbers = [number_of(text) for text in texts]
        counts = Counter(numbers)
        return {n: code for code, n in enumerate(numbers) if n is not None and counts[n] == 1}

    def code(self, value: Any) -> float:
        """Encode one value of a feature with levels.

        A level is known by its label, or by a number that equals it: 5, 5.0 and "5.0" are the level
        "5"; 0 and 1 are booleans. Unseen levels have the code `n_levels`, missing ones NaN.
        """
        if is_missing(value):
            return math.nan
        text = label(value)
        if text in self.code_of:
            return self.code_of[text]
        number = number_of(text)
        return self.n_levels if number is None else self.code_of_number.get(number, self.n_levels)

    def is_known(self, value: Any) -> bool:
        """Tell whether a value is a number, missing or one of the levels: not an unseen level."""
        return self.is_numeric or self.code(value) != self.n_levels

    def label(self, code: int) -> str:
        """Text of a level's code."""
        return self.levels[code] if code < self.n_levels else "other"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {
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
        return plain | ({"two_valued": True} if self.two_valued else {})

    @classmethod
    def from_dict(cls, plain: Document, index: int) -> Feature:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain)
        flags = ("whole", "ordered", "two_valued")  # which older files do not know
        plain.fields(
            *("name", "kind", "levels", "has_missing", "has_rare", "low", "high"), optional=flags
        )
        return plain.make(
            cls,
            plain["name"].text(),
            index,
            plain["kind"].choice(KINDS),
            plain["levels"].texts(),
            plain["has_missing"].flag(),
            plain["has_rare"].flag(),
            plain["low"].number(finite=False),
            plain["high"].number(finite=False),
            *(name in plain and plain[name].flag() for name in flags),
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
    def learn(
        cls,
        X: Any,
        max_levels: int = 1000,
        feature_types: Mapping[Any, Any] | None = None,
    ) -> Schema:
        """Read names, kinds and levels off a training table.

        Parameters
        ----------
        X : data frame (pandas, polars, pyarrow, ...) or 2-D array
        max_levels : int
            A categorical feature keeps at most this many levels, the most frequent ones; the
            others share the slot of unseen levels.
        feature_types : mapping, optional
            Columns, by name or position, that are to be read as ``"nominal"``, as
            ``"continuous"``, or as levels in a given order: ``["A", "B", "C"]``.
        """
        columns, _ = read_table(X)
        asked = read_feature_types(feature_types, [column.name for column in columns])
        return cls(
            tuple(_learn(c, i, max_levels, asked.get(c.name)) for i, c in enumerate(columns))
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all features."""
        return tuple(feature.name for feature in self.features)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @cached_property
    def by_name(self) -> dict[str, Feature]:
        """All features by name."""
        return {feature.name: feature for feature in self.features}

    def __getitem__(self, name: str) -> Feature:
        try:
            return self.by_name[name]
        except KeyError:
            raise KeyError(f"no feature is called {name!r}; there are {list(self.names)}") from None

    def index(self, name: str) -> int:
        """Column of the feature called `name`."""
        return self[name].index

    def encode(self, X: Any) -> FloatArray:
        """Turn a table into numbers: a float64 matrix in Fortran order; missing: NaN.

        Columns of a data frame are found by name (any order, others ignored), those of an array
        by position. A float64 array in Fortran order without levels to look up is not copied.
        A warning names the columns of which no value is known.
        """
        X = as_table(X)
        is_plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu"
        if is_plain:
            X = _fortran_floats(X)
        columns = self._matched(X)
        is_plain = is_plain and all(feature.is_numeric for feature in self.features)
        shape = len(columns[0].values), self.n_features
        encoded: FloatArray = X if is_plain else np.empty(shape, order="F")
        strange = []
        for feature, column in zip(self.features, columns, strict=True):
            values = column.floats() if feature.is_numeric else column.mapped(feature.code)
            if not is_plain:
                encoded[:, feature.index] = values
            if not feature.is_numeric and _is_strange(feature, values):
                strange.append(_strangeness(feature, column))
        if strange:
            page = see("data#levels-that-training-has-not-seen")
            warnings.warn("; ".join(strange) + page, UserWarning, stacklevel=2)
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
    def from_dict(cls, plain: Document) -> Schema:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("features")
        features = (Feature.from_dict(d, i) for i, d in enumerate(plain["features"].items()))
        return plain.make(cls, tuple(features))


def _learn(column: Column, index: int, max_levels: int, asked: Asked | None) -> Feature:
    column = as_asked(column, asked)
    if column.holds_numbers():
        return _learn_numeric(column, index)
    seen = column.labels()
    if column.holds_booleans() and not column.is_category:
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
    has_missing = bool(np.isnan(np.min(values, initial=math.inf)))
    if len(values) and not has_missing:  # several times as fast
        low, high = float(np.min(values)), float(np.max(values))
    else:
        low = float(np.fmin.reduce(values, initial=math.nan))
        high = float(np.fmax.reduce(values, initial=math.nan))
    blocks = (values[start : start + BLOCK] for start in range(0, len(values), BLOCK))
    return Feature(
        column.name,
        index,
        "numeric",
        has_missing=has_missing,
        low=low,
        high=high,
        whole=all(bool(np.all(np.isnan(one) | (np.floor(one) == one))) for one in blocks),
        two_valued=low < high and has_ends_only(values, low, high),
    )


def has_ends_only(values: AnyArray, low: float, high: float) -> bool:
    """Tell whether no number lies between two others."""
    some, every = values[:1000], values  # most columns show it soon
    return not any(bool(((part > low) & (part < high)).any()) for part in (some, every))


def _is_strange(feature: Feature, codes: FloatArray) -> bool:
    """Tell whether no value of a column is known, though some are there."""
    present = codes[~np.isnan(codes)]
    return len(present) > 0 and not feature.has_rare and bool((present == feature.n_levels).all())


def _strangeness(feature: Feature, column: Column) -> str:
    """Say what is wrong with a column of which no value is known."""
    values = column.values if isinstance(column.values, list) else column.values.tolist()
    value = next(value for value in values if not is_missing(value))
    levels = ", ".join(map(repr, feature.levels[:MAX_SHOWN_LEVELS]))
    more = ", …" if feature.n_levels > MAX_SHOWN_LEVELS else ""
    return (
        f"no value of column {feature.name!r} was seen in training; it holds values like "
        f"{value!r}, its levels are {levels}{more}"
    )


def _fortran_floats(X: AnyArray) -> FloatArray:
    if X.dtype == np.float64 and X.flags.f_contiguous:
        return X
    encoded = np.empty(X.shape, order="F")
    for start in range(0, len(X), BLOCK):
        encoded[start : start + BLOCK] = X[start : start + BLOCK]
    return encoded
