"""All inputs of a model, as the finitely many points that it can tell apart.

Between two cuts (edges of a feature's curves, thresholds of conditions on it) a model is constant,
so one value for every gap, every level and missing (if seen in training) stand for all values.
Points that lie on the same side of every condition form a *cell*: which curves are active depends
on cells alone. "All inputs" means all numbers, the levels seen in training, and missing only if
seen; unseen levels are left out. `given` narrows them: a mapping, a region or its text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.glassbox import Model, Term
from calmgam.model.parsing import parse_region
from calmgam.model.regions import Condition, Mask, Region
from calmgam.model.schema import Feature, FloatArray, Schema
from calmgam.model.shapes import slot_codes

Given = Mapping[str, Any] | Region | str | None
Indexes = NDArray[np.intp]
Row = dict[str, Any]

# Changes of the score below this part of the model's scale come from the rounding of sums.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Inputs:
    """The points of every feature, sorted, missing last."""

    model: Model
    points: tuple[FloatArray, ...]

    @classmethod
    def of(
        cls, model: Model, given: Given = None, fixed: Mapping[int, FloatArray] | None = None
    ) -> Inputs:
        """Return the inputs that agree with `given`; features in `fixed` have just those values."""
        values, region = read_given(model.schema, given)
        pinned = {index: np.array([value]) for index, value in values.items()} | dict(fixed or {})
        conditions = (*model_conditions(model), *region.conditions)
        points = []
        for term in model.terms:
            index = term.feature.index
            own = [c for c in conditions if c.feature.index == index]
            cuts = np.union1d(term.edges, [edge for c in own for edge in c.edges])
            if index in pinned:
                points.append(pinned[index])
                continue
            present = _all_points(term.feature, cuts)
            for condition in region.conditions:
                if condition.feature.index == index:
                    present = present[condition.holds(present)]
            if not len(present):
                raise ValueError(f"given must hold for some input; {region} never does")
            points.append(present)
        return cls(model, tuple(points))

    @cached_property
    def cell_of_point(self) -> tuple[Indexes, ...]:
        """The cell of every point of every feature."""
        conditions = dict.fromkeys(model_conditions(self.model))
        cells = []
        for index, points in enumerate(self.points):
            sides = [c.holds(points) for c in conditions if c.feature.index == index]
            rows = np.array(sides, dtype=bool).reshape(len(sides), len(points))
            cells.append(np.unique(rows, axis=1, return_inverse=True)[1].reshape(-1))
        return tuple(cells)

    @cached_property
    def slots(self) -> tuple[Indexes, ...]:
        """The slot of every point of every feature in its curves."""
        return tuple(
            slot_codes(term.feature, term.edges, points).astype(np.intp)
            for term, points in zip(self.model.terms, self.points, strict=True)
        )

    @cached_property
    def allowed(self) -> tuple[dict[int, Mask], ...]:
        """For every term and feature it asks about: the cells each leaf allows, as a mask."""
        return tuple(
            {index: self._allowed(term, index) for index in term.conditioned_on}
            for term in self.model.terms
        )

    def _allowed(self, term: Term, index: int) -> Mask:
        _, first = np.unique(self.cell_of_point[index], return_index=True)
        points = self.points[index][first]
        masks = np.ones((term.tree.n_leaves, len(points)), dtype=bool)
        for mask, region in zip(masks, term.tree.regions, strict=True):
            for condition in region.conditions:
                if condition.feature.index == index:
                    mask &= condition.holds(points)
        return masks

    def reachable(self, term: Term) -> Indexes:
        """Return the leaves that some input reaches."""
        can_hold = np.ones(term.tree.n_leaves, dtype=bool)
        for mask in self.allowed[term.feature.index].values():
            can_hold &= mask.any(axis=1)
        return np.flatnonzero(can_hold)

    def typical(self, index: int, candidates: Indexes) -> int:
        """Return the candidate point in the middle of the training rows (levels: the commonest)."""
        term = self.model.terms[index]
        counts = rows_per_slot(term)[self.slots[index]]
        if not term.feature.is_numeric:
            return int(candidates[counts[candidates].argmax()])
        present = candidates[~np.isnan(self.points[index][candidates])]
        candidates = present if len(present) else candidates
        below = np.cumsum(counts[candidates])
        return int(candidates[np.searchsorted(below, below[-1] / 2)])


def rounding(model: Model) -> float:
    """Return the size below which a change of the score is a tie."""
    heights = sum(float(np.abs(curves(term)).max()) for term in model.terms)
    return ROUNDING * (abs(model.intercept) + heights)


def curves(term: Term) -> FloatArray:
    """Return the values of a term's curves, (n_leaves, n_slots)."""
    return np.array([shape.values for shape in term.shapes])


def rows_per_slot(term: Term) -> FloatArray:
    """Return the training rows of every slot of a term's feature."""
    counts: FloatArray = np.sum([shape.counts for shape in term.shapes], axis=0)
    return counts


def model_conditions(model: Model) -> list[Condition]:
    """Return the conditions of all trees."""
    return [n.condition for t in model.terms for n in t.tree.nodes if n.condition is not None]


def read_given(schema: Schema, given: Given) -> tuple[dict[int, float], Region]:
    """Return the encoded values, by feature index, and the region that `given` asks for."""
    if isinstance(given, Mapping):
        features = (schema[name] for name in given)
        return {f.index: encode_value(f, given[f.name]) for f in features}, Region()
    return {}, parse_region(given, schema) if isinstance(given, str) else given or Region()


def encode_value(feature: Feature, value: Any) -> float:
    """Return the code of a number, a known level or a missing value (None, NaN)."""
    schema = Schema((replace(feature, index=0),))
    code = float(schema.encode(np.array([[value]], dtype=object))[0, 0])
    if not feature.is_numeric and code == feature.n_levels:
        raise ValueError(
            f"{feature.name!r} must be one of its levels {list(feature.levels[:20])}; got {value!r}"
        )
    return code


def encode_row(schema: Schema, row: Any) -> FloatArray:
    """Return the encoded vector of one row: a mapping by feature name, or a table of one row."""
    if isinstance(row, Mapping):
        absent = [name for name in schema.names if name not in row]
        if absent:
            raise ValueError(f"row must have a value for every feature; missing: {absent}")
        row = np.array([[row[name] for name in schema.names]], dtype=object)
    encoded: FloatArray = schema.encode(row)
    if len(encoded) != 1:
        raise ValueError(f"row must be one row; got {len(encoded)}")
    return encoded.ravel()


def decode_value(feature: Feature, code: float) -> Any:
    """Return the number, label or None (missing) of a code."""
    if math.isnan(code):
        return None
    return float(code) if feature.is_numeric else feature.label(int(code))


def decode_row(schema: Schema, row: FloatArray) -> Row:
    """Return a row by feature name."""
    return {f.name: decode_value(f, code) for f, code in zip(schema.features, row, strict=True)}


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
    middles = np.where((lows < middles) & (middles <= highs), middles, highs)
    first = float(np.fmin(feature.low, cuts[0]))
    above = max(cuts[-1] + 1, math.nextafter(cuts[-1], math.inf))
    last = feature.high if feature.high > cuts[-1] else above
    return np.concatenate([[first], middles, [last]])
