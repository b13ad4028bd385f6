"""One row of a user: encoded for the model, and with the values as the user wrote them.

A mapping by feature name, a row of a pandas frame, a sequence in the model's order or a table of
one row comes in. A level that is not among the feature's levels keeps its own text, so that what is
reported about the row is about that row, also where a real level is called "other".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from calmgam.model.columns import label, read_table
from calmgam.model.schema import Feature, FloatArray, Schema

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class UserRow:
    """An encoded row, and the texts of those of its values that are no levels, by index."""

    schema: Schema
    encoded: FloatArray
    unseen: Mapping[int, str] = field(default_factory=dict)

    def value(self, index: int) -> Any:
        """Return a value as the user may write it: a number, a label, None (missing)."""
        if index in self.unseen:
            return self.unseen[index]
        return decode_value(self.schema.features[index], self.encoded[index])

    def mark(self, index: int) -> str:
        """Return what is to be said beside a value: "" or that training did not see its level."""
        is_rare = self.schema.features[index].has_rare
        return ("rare or unseen" if is_rare else "unseen") if index in self.unseen else ""

    def values(self) -> Row:
        """Return all values by feature name."""
        return {name: self.value(index) for index, name in enumerate(self.schema.names)}


def read_row(schema: Schema, row: Any) -> UserRow:
    """Read one row."""
    values = _by_name(schema, row)
    absent = [name for name in schema.names if name not in values]
    if absent:
        raise ValueError(f"row must have a value for every feature; missing: {absent}")
    raw = [values[name] for name in schema.names]
    table = np.empty((1, len(raw)), dtype=object)
    for index, value in enumerate(raw):  # one by one: a value may be a list by mistake
        table[0, index] = value
    encoded = schema.encode(table).ravel()
    return UserRow(schema, encoded, unseen_labels(schema, encoded, raw))


def unseen_labels(schema: Schema, encoded: FloatArray, raw: Any) -> dict[int, str]:
    """Return the texts of the raw values whose codes stand for levels that are not known."""
    return {
        feature.index: label(raw[feature.index])
        for feature, code in zip(schema.features, encoded, strict=True)
        if not feature.is_numeric and code == feature.n_levels
    }


def encode_value(feature: Feature, value: Any) -> float:
    """Return the code of a number, a known level or a missing value (None, NaN)."""
    schema = Schema((replace(feature, index=0),))
    code = float(schema.encode(np.array([[value]], dtype=object))[0, 0])
    if not feature.is_numeric and code == feature.n_levels:
        raise ValueError(
            f"{feature.name!r} must be one of its levels {list(feature.levels[:20])}; got {value!r}"
        )
    return code


def decode_value(feature: Feature, code: float) -> Any:
    """Return the number, label or None (missing) of a code."""
    if math.isnan(code):
        return None
    return float(code) if feature.is_numeric else feature.label(int(code))


def decode_row(schema: Schema, row: FloatArray) -> Row:
    """Return a row by feature name."""
    return UserRow(schema, row).values()


def _by_name(schema: Schema, row: Any) -> Mapping[str, Any]:
    """Return raw values by feature name."""
    if isinstance(row, Mapping):
        return row
    if np.ndim(row) == 1:
        if hasattr(row, "items"):  # a row of a pandas frame
            return {str(name): value for name, value in row.items()}
        return _in_order(schema, row)
    columns, has_names = read_table(row)
    n_rows = len(columns[0].values) if columns else 0
    if n_rows != 1:
        raise ValueError(f"row must be one row; got {n_rows}")
    values = [column.values[0] for column in columns]
    if has_names:
        return dict(zip((column.name for column in columns), values, strict=True))
    return _in_order(schema, values)


def _in_order(schema: Schema, values: Any) -> Row:
    if len(values) != schema.n_features:
        raise ValueError(f"row must have {schema.n_features} values; got {len(values)}")
    return dict(zip(schema.names, values, strict=True))
