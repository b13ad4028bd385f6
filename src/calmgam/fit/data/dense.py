"""A table as networks want it: numbers scaled, levels one-hot, missing values imputed and marked.

    numeric   (x - mean) / sd, missing: 0      and a column that is 1 where x is missing
    levels    a column for every level, for rare ones and for missing values

Columns that would be constant on the training rows are left out; so a level that was not seen is a
row of zeros, as far from all levels as they are from each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calmgam.model.schema import Feature, FloatArray, Schema
from calmgam.model.shapes import slot_codes


def standardisation(column: FloatArray) -> tuple[float, float]:
    """Mean and standard deviation of what is not missing; 0 and 0 if nothing is there."""
    present = column[~np.isnan(column)]
    size = float(np.abs(present).max(initial=0.0))  # squares of large numbers overflow
    if size == 0.0:
        return 0.0, 0.0
    return float(size * np.mean(present / size)), float(size * np.std(present / size))


@dataclass(frozen=True, eq=False)
class DenseColumn:
    """How one feature is encoded.

    Attributes
    ----------
    feature : Feature
    mean, scale : float
        Of a number.
    marks : array of int
        Slots (levels, or missing) that have a column of their own.
    """

    feature: Feature
    mean: float
    scale: float
    marks: np.ndarray

    @classmethod
    def learn(cls, feature: Feature, column: FloatArray) -> DenseColumn:
        """Read mean, scale and marks off a training column."""
        mean, scale = standardisation(column) if feature.is_numeric else (0.0, 0.0)
        slots = _slots(feature, column)
        marks = np.unique(slots[slots > 0] if feature.is_numeric else slots)
        return cls(feature, mean, scale or 1.0, marks)

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.feature.is_numeric) + len(self.marks)

    def scaled(self, column: FloatArray) -> FloatArray:
        """Numbers in standard units; 0 for what is missing, and for levels."""
        if not self.feature.is_numeric:
            return np.zeros(len(column))
        return np.nan_to_num(column / self.scale - self.mean / self.scale)

    def marked(self, column: FloatArray) -> np.ndarray:
        """Which mark every value has, 1 .. n_marks; 0 for none."""
        return (_slots(self.feature, column)[:, None] == self.marks) @ (
            1 + np.arange(len(self.marks))
        )

    def encode(self, column: FloatArray) -> FloatArray:
        """Encode values of the feature, (n, width)."""
        marks = np.eye(len(self.marks) + 1)[self.marked(column), 1:]
        if not self.feature.is_numeric:
            return marks
        return np.column_stack([self.scaled(column), marks])


def _slots(feature: Feature, column: FloatArray) -> np.ndarray:
    """Slot of every value: of a number only whether it is missing, 0 or 1."""
    return slot_codes(feature, np.empty(0), column)


@dataclass(frozen=True, eq=False)
class DenseTable:
    """How all features are encoded, one after the other."""

    columns: tuple[DenseColumn, ...]

    @classmethod
    def learn(cls, X: FloatArray, schema: Schema) -> DenseTable:
        """Read the encoding off encoded training rows."""
        return cls(tuple(DenseColumn.learn(one, X[:, one.index]) for one in schema.features))

    def place(self, feature: int) -> slice:
        """Return where a feature's columns are."""
        start = sum(column.width for column in self.columns[:feature])
        return slice(start, start + self.columns[feature].width)

    def encode(self, X: FloatArray) -> FloatArray:
        """Encode rows, (n, total width)."""
        parts = [column.encode(X[:, i]) for i, column in enumerate(self.columns)]
        return np.concatenate(parts, axis=1)
