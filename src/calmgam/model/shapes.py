"""Curves: the contribution of one feature in one region, as a table of slots.

A value is looked up by its slot, and every curve of a feature has the same slots:

    numeric (k edges)    bins 0..k, bin b holding edges[b-1] < x <= edges[b]; then missing
    levels (L of them)   levels 0..L-1; then rare or unseen; then missing

`slot_codes` is the one function that finds the slot; the fit bins its training table with it.
A curve of a model with many classes has one value per slot and class, (n_slots, n_classes).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.plain import Document, Plain
from calmgam.model.schema import Feature

MAX_SLOTS = 2**16  # a code of a slot has 16 bits
ARRAYS = ("edges", "values", "counts", "spreads")
BY_CLASS = ("values", "spreads")  # may have an axis of classes


def slot_codes(feature: Feature, edges: FloatArray, column: FloatArray) -> NDArray[np.uint16]:
    """Slot of every value of the feature's encoded column."""
    missing_slot = count_slots(feature, edges) - 1
    missing = np.isnan(column)
    if feature.is_numeric:
        codes = count_below(edges, column).astype(np.uint16)
        codes[missing] = missing_slot
        return codes
    return np.where(missing, missing_slot, column).astype(np.uint16)


def count_below(edges: FloatArray, column: FloatArray) -> NDArray[np.intp]:
    """Count the edges below every value: `np.searchsorted(edges, column)`, four times faster.

    All values halve their range at once, so that no branch is ever guessed wrong.
    """
    n_bits = len(edges).bit_length()
    padded = np.full(2**n_bits - 1, np.inf)
    padded[: len(edges)] = edges
    below = np.zeros(len(column), dtype=np.intp)
    for bit in reversed(range(n_bits)):
        step = 2**bit
        is_above = padded[step - 1 :].take(below) < column
        below += np.multiply(is_above, step, dtype=np.intp)
    return below


def count_slots(feature: Feature, edges: FloatArray) -> int:
    """Count the slots: bins or levels (with the unseen one), and missing."""
    return (len(edges) if feature.is_numeric else feature.n_levels) + 2


def weighted_mean(values: FloatArray, weights: FloatArray) -> float:
    """Mean of finite values, of all classes alike; 0 if nothing has any weight."""
    if not weights.any():
        return 0.0
    if values.ndim == 2:
        return float(np.mean([weighted_mean(column, weights) for column in values.T]))
    with np.errstate(over="ignore", invalid="ignore"):
        mean = values @ weights / weights.sum()
    if not np.isfinite(mean):  # the sums are too large for floats, the mean is not
        shares = weights / weights.max()
        mean = values @ (shares / shares.sum())
    return float(mean)


@dataclass(frozen=True, eq=False)
class ShapeFunction:
    """A step function of a number, or one value per level, with missing and unseen values.

    Attributes
    ----------
    feature : Feature
    edges : array of float
        Strictly increasing finite cuts; empty for levels.
    values, spreads : array of float, (n_slots,) or (n_slots, n_classes)
        Contribution, and half the width of its 90 % band.
    counts : array of float, one per slot
        Training rows (sum of sample weights).
    """

    feature: Feature
    edges: FloatArray
    values: FloatArray
    counts: FloatArray
    spreads: FloatArray

    def __post_init__(self) -> None:
        for name in ARRAYS:
            array = np.array(getattr(self, name), dtype=np.float64)
            n_axes = (1, 2) if name in BY_CLASS else (1,)
            if array.ndim not in n_axes or not np.isfinite(array).all():
                raise ValueError(
                    f"{name} of {self.feature.name!r} must be a list of finite numbers"
                )
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if len(self.edges) and not self.feature.is_numeric:
            raise ValueError(f"levels have no edges; {self.feature.name!r} got {len(self.edges)}")
        if not (self.edges[:-1] < self.edges[1:]).all():
            raise ValueError(f"edges of {self.feature.name!r} must be strictly increasing")
        if self.n_slots > MAX_SLOTS:
            raise ValueError(
                f"{self.feature.name!r} must have at most {MAX_SLOTS} slots; got {self.n_slots}"
            )
        for name in ("values", "counts", "spreads"):
            if len(getattr(self, name)) != self.n_slots:
                raise ValueError(
                    f"{name} of {self.feature.name!r} must have one number for each of its "
                    f"{self.n_slots} slots; got {len(getattr(self, name))}"
                )
        if self.values.shape != self.spreads.shape or self.n_outputs < 1:
            raise ValueError(
                f"values and spreads of {self.feature.name!r} must be of the same classes; "
                f"got {self.values.shape[1:]} and {self.spreads.shape[1:]}"
            )
        if min(self.counts.min(), self.spreads.min()) < 0:
            raise ValueError(f"counts and spreads of {self.feature.name!r} must not be negative")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeFunction):
            return NotImplemented
        return self.feature == other.feature and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ARRAYS
        )

    def __hash__(self) -> int:
        return hash((self.feature, self.n_slots))

    @property
    def n_slots(self) -> int:
        """Number of slots, missing included."""
        return count_slots(self.feature, self.edges)

    @property
    def n_outputs(self) -> int:
        """How many values a slot has: one, or one per class."""
        return self.values.shape[1] if self.values.ndim == 2 else 1

    def codes(self, column: FloatArray) -> NDArray[np.uint16]:
        """Slot of every value of the feature's encoded column."""
        return slot_codes(self.feature, self.edges, column)

    def __call__(self, column: FloatArray) -> FloatArray:
        """Contribution of every value of the feature's encoded column."""
        return self.values[self.codes(column)]

    @property
    def mean(self) -> float:
        """Mean over the training rows; 0 if there were none."""
        return weighted_mean(self.values, self.counts)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest value among slots with training rows (or all, if none has)."""
        values = self.values[self.counts > 0] if (self.counts > 0).any() else self.values
        return float(values.min()), float(values.max())

    def shifted(self, constant: float) -> ShapeFunction:
        """Return the curve moved up by a constant."""
        return replace(self, values=self.values + constant)

    def refined(self, extra_edges: ArrayLike, counts: ArrayLike | None = None) -> ShapeFunction:
        """Return the same curve with more edges.

        `counts` are the rows per new slot; without them a divided bin's rows are all counted in
        its uppermost part.
        """
        edges = np.union1d(self.edges, np.asarray(extra_edges, dtype=np.float64))
        # new bin b lies in the old bin of its upper edge; the last bin and missing stay last
        bins = np.searchsorted(self.edges, edges, side="left")
        old = np.concatenate([bins, [len(self.edges), len(self.edges) + 1]])
        if counts is None:
            counts = np.where(np.append(old[:-1] != old[1:], True), self.counts[old], 0.0)
        new_counts = np.asarray(counts, dtype=np.float64)
        return ShapeFunction(self.feature, edges, self.values[old], new_counts, self.spreads[old])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the feature is known from the place."""
        return {name: getattr(self, name).tolist() for name in ARRAYS}

    @classmethod
    def from_dict(cls, plain: Document, feature: Feature) -> ShapeFunction:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*ARRAYS)
        return plain.make(
            cls,
            feature,
            *(
                plain[name].numbers_by_class() if name in BY_CLASS else plain[name].numbers()
                for name in ARRAYS
            ),
        )
