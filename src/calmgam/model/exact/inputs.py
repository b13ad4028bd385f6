"""All inputs of a model, as the finitely many points that it can tell apart.

Between two cuts (edges of a feature's curves, thresholds of conditions on it) a model is constant,
so one value for every gap, every level and missing (if seen in training) stand for all values.
Points that lie on the same side of every condition form a *piece*: which curves are active depends
on pieces alone. "All inputs" means all numbers, the levels that the model lists, not rare or unseen
ones, and missing only if seen. `given` narrows them: a mapping, a region or its text.

The inputs of a model are built once; narrowed ones share the axes that they leave alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.exact.kept import once_per_model
from calmgam.model.exact.rows import Row, decode_row, decode_value, encode_value
from calmgam.model.glassbox import Model, Term
from calmgam.model.parsing import parse_region_of
from calmgam.model.regions import Condition, Mask, Region
from calmgam.model.schema import Feature, FloatArray
from calmgam.model.shapes import slot_codes

Given = Mapping[str, Any] | Region | str | None
Indexes = NDArray[np.intp]

# Changes of the score below this part of the model's scale come from the rounding of sums.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Axis:
    """One feature's points, sorted, missing last.

    Attributes
    ----------
    term : Term
    conditions : tuple of Condition
        Those of all trees that ask about the feature.
    given : tuple of Condition
        The points must satisfy them.
    fixed : array of float, optional
        Just these points.
    """

    term: Term
    conditions: tuple[Condition, ...]
    given: tuple[Condition, ...] = ()
    fixed: FloatArray | None = None

    @cached_property
    def cuts(self) -> FloatArray:
        """Numbers at which the model changes its mind."""
        conditions = (*self.conditions, *self.given)
        return np.union1d(self.term.edges, [edge for c in conditions for edge in c.edges])

    @cached_property
    def points(self) -> FloatArray:
        """A value for everything that the model can tell apart."""
        if self.fixed is not None:
            return self.fixed
        points = _all_points(self.term.feature, self.cuts)
        for condition in self.given:
            points = points[condition.holds(points)]
        return points

    @cached_property
    def pieces(self) -> Indexes:
        """The piece of every point."""
        if not self.conditions:
            return np.zeros(len(self.points), dtype=np.intp)
        sides = np.array([condition.holds(self.points) for condition in self.conditions])
        return np.unique(sides, axis=1, return_inverse=True)[1].reshape(-1)

    @cached_property
    def piece_points(self) -> FloatArray:
        """A point of every piece."""
        return self.points[np.unique(self.pieces, return_index=True)[1]]

    @cached_property
    def slots(self) -> Indexes:
        """The slot of every point in the feature's curves."""
        return slot_codes(self.term.feature, self.term.edges, self.points).astype(np.intp)

    @cached_property
    def heights(self) -> FloatArray:
        """The values of the feature's curves, (n_leaves, n_points)."""
        return np.array([shape.values[self.slots] for shape in self.term.shapes])

    def members(self, piece: int) -> Indexes:
        """Return the points of a piece."""
        return np.flatnonzero(self.pieces == piece)

    def typical(self, candidates: Indexes | None = None) -> int:
        """Return the candidate point in the middle of the training rows (levels: the commonest)."""
        if candidates is None:
            candidates = np.arange(len(self.points))
        counts = rows_per_slot(self.term)[self.slots]
        if not self.term.feature.is_numeric:
            return int(candidates[counts[candidates].argmax()])
        present = candidates[~np.isnan(self.points[candidates])]
        candidates = present if len(present) else candidates
        below = np.cumsum(counts[candidates])
        return int(candidates[np.searchsorted(below, below[-1] / 2)])


@dataclass(frozen=True, eq=False)
class Inputs:
    """An axis per feature, and the row in the middle of all."""

    model: Model
    axes: tuple[Axis, ...]
    typical: FloatArray
    _allowed: dict[int, dict[int, Mask]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, model: Model, given: Given = None, fixed: Mapping[int, FloatArray] | None = None
    ) -> Inputs:
        """Return the inputs that agree with `given`; features in `fixed` have just those values."""
        everything = all_inputs(model)
        values, region = read_given(model, given)
        pinned = {index: np.array([value]) for index, value in values.items()} | dict(fixed or {})
        axes, typical = list(everything.axes), everything.typical
        touched = {c.feature.index for c in region.conditions}.union(pinned)
        if not touched:
            return everything
        typical = typical.copy()
        for index in touched:
            conditions = tuple(c for c in region.conditions if c.feature.index == index)
            axis = replace(axes[index], given=conditions, fixed=pinned.get(index))
            if not len(axis.points):
                raise ValueError(f"given must hold for some input; {region} never does")
            axes[index], typical[index] = axis, axis.points[axis.typical()]
        return cls(model, tuple(axes), typical)

    def allowed(self, term: Term) -> dict[int, Mask]:
        """Return, for every feature that a term asks about, the pieces each leaf allows."""
        own = term.feature.index
        if own not in self._allowed:
            self._allowed[own] = {k: self._mask(term, k) for k in term.conditioned_on}
        return self._allowed[own]

    def _mask(self, term: Term, index: int) -> Mask:
        points = self.axes[index].piece_points
        masks = np.ones((term.tree.n_leaves, len(points)), dtype=bool)
        for mask, region in zip(masks, term.tree.regions, strict=True):
            for condition in region.conditions:
                if condition.feature.index == index:
                    mask &= condition.holds(points)
        return masks

    def reachable(self, term: Term) -> Indexes:
        """Return the leaves that some input reaches."""
        can_hold = np.ones(term.tree.n_leaves, dtype=bool)
        for mask in self.allowed(term).values():
            can_hold &= mask.any(axis=1)
        return np.flatnonzero(can_hold)


@once_per_model
def all_inputs(model: Model) -> Inputs:
    """Return all inputs of a model."""
    conditions = _conditions_on(model)
    axes = tuple(Axis(term, conditions.get(term.feature.index, ())) for term in model.terms)
    typical = np.array([axis.points[axis.typical()] for axis in axes])
    return Inputs(model, axes, typical)


@once_per_model
def terms_asking(model: Model) -> Mapping[int, tuple[Term, ...]]:
    """Return the terms whose trees ask about a feature, by its index."""
    asking: dict[int, list[Term]] = {}
    for term in model.terms:
        for index in term.conditioned_on:
            asking.setdefault(index, []).append(term)
    return {index: tuple(terms) for index, terms in asking.items()}


@once_per_model
def rounding(model: Model) -> float:
    """Return the size below which a change of the score is a tie."""
    heights = sum(float(np.abs(curves(term)).max()) for term in model.terms)
    return ROUNDING * (float(np.abs(model.intercept).max()) + heights)


def curves(term: Term) -> FloatArray:
    """Return the values of a term's curves, (n_leaves, n_slots)."""
    return np.array([shape.values for shape in term.shapes])


def rows_per_slot(term: Term) -> FloatArray:
    """Return the training rows of every slot of a term's feature."""
    counts: FloatArray = np.sum([shape.counts for shape in term.shapes], axis=0)
    return counts


def decode_input(model: Model, row: FloatArray) -> Row:
    """Return an encoded row by feature name, quickly where most of it is typical."""
    typical = all_inputs(model).typical
    decoded = dict(_typical_row(model))
    for index in np.flatnonzero(~np.equal(row, typical) & ~(np.isnan(row) & np.isnan(typical))):
        feature = model.schema.features[index]
        decoded[feature.name] = decode_value(feature, row[index])
    return decoded


def read_given(model: Model, given: Given) -> tuple[dict[int, float], Region]:
    """Return the encoded values, by feature index, and the region that `given` asks for."""
    if isinstance(given, Mapping):
        features = (model.schema[name] for name in given)
        return {f.index: encode_value(f, given[f.name]) for f in features}, Region()
    return {}, parse_region_of(given, model) if isinstance(given, str) else given or Region()


def agrees(model: Model, rows: FloatArray, given: Given, besides: int | None = None) -> Mask:
    """Return which encoded rows agree with `given`, whatever it says about feature `besides`."""
    values, region = read_given(model, given)
    mask = np.ones(len(rows), dtype=bool)
    for index, value in values.items():
        if index != besides:
            mask &= (rows[:, index] == value) | (np.isnan(rows[:, index]) & np.isnan(value))
    for condition in region.conditions:
        if condition.feature.index != besides:
            mask &= condition.contains(rows)
    return mask


@once_per_model
def _typical_row(model: Model) -> Row:
    return decode_row(model.schema, all_inputs(model).typical)


def _conditions_on(model: Model) -> dict[int, tuple[Condition, ...]]:
    """Return the distinct conditions of all trees, by the index of their feature."""
    conditions: dict[int, dict[Condition, None]] = {}
    for term in model.terms:
        for node in term.tree.nodes:
            if node.condition is not None:
                conditions.setdefault(node.condition.feature.index, {})[node.condition] = None
    return {index: tuple(distinct) for index, distinct in conditions.items()}


def _all_points(feature: Feature, cuts: FloatArray) -> FloatArray:
    """Return one value for every gap between cuts, or every level; then missing, if seen."""
    present = _between(feature, cuts) if feature.is_numeric else np.arange(float(feature.n_levels))
    return np.append(present, np.nan) if feature.has_missing else present


def _between(feature: Feature, cuts: FloatArray) -> FloatArray:
    """Return a number in every (low, high] between cuts: the middle, or an end of the data."""
    if not len(cuts):
        return np.array([0.0 if math.isnan(feature.low) else feature.low])
    lows, highs = cuts[:-1], cuts[1:]
    middles = lows / 2 + highs / 2
    if feature.whole:
        wholes = np.where(lows < np.floor(middles), np.floor(middles), np.ceil(middles))
        middles = np.where(wholes <= highs, wholes, middles)
    middles = np.where((lows < middles) & (middles <= highs), middles, highs)
    first = float(np.fmin(feature.low, cuts[0]))
    above = max(cuts[-1] + 1, math.nextafter(cuts[-1], math.inf))
    last = feature.high if feature.high > cuts[-1] else above
    return np.concatenate([[first], middles, [last]])
