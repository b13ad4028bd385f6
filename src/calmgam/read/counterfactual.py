"""Counterfactuals: the smallest change of a row that reaches a score or flips the decision.

All values that the model can tell apart are tried, for every mutable feature (or pair of them).
Fewer changed features come first; then the smaller distance. The distance of a number is the share
of the feature's training rows between the old and the new value (half of both bins counts); of a
level the share of rows that do *not* have the new level; leaving missing costs 1. The distances of
two features add up. No change leads to a missing value or an unseen level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from calmgam.model.exact.inputs import (
    Indexes,
    Inputs,
    Row,
    curves,
    decode_row,
    decode_value,
    encode_row,
    rows_per_slot,
)
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Mask
from calmgam.model.schema import FloatArray
from calmgam.model.shapes import slot_codes
from calmgam.read.findings import Report, is_supported, value_text

# Empty bins count as holding this share of the rows, so that the nearest of them wins.
SLIVER = 1e-9


@dataclass(frozen=True, repr=False)
class Change(Report):
    """One feature's part of a counterfactual."""

    feature: str
    before: Any
    after: Any
    distance: float

    def __str__(self) -> str:
        return f"{self.feature}: {value_text(self.before)} → {value_text(self.after)}"


@dataclass(frozen=True, repr=False)
class Counterfactual(Report):
    """The smallest change of a row that reaches a target.

    Attributes
    ----------
    target : float
        The score to reach; 0 where the decision is to flip.
    score, new_score : float
        Before and after the changes.
    reached : bool
        False if no change of so many features reaches the target; then nothing changes.
    changes : tuple of Change
    row : dict
        The row after the changes, by feature name.
    supported : bool
        Every region that chooses a curve for it holds training rows.
    """

    target: float
    score: float
    new_score: float
    reached: bool
    changes: tuple[Change, ...]
    row: Row
    supported: bool

    @property
    def distance(self) -> float:
        """Sum of the changes' distances."""
        return sum(change.distance for change in self.changes)

    def __str__(self) -> str:
        goal = f"from a score of {self.score:.4g} to {self.target:.4g}"
        if not self.reached:
            return f"{goal}: no change of so few mutable features gets there"
        what = " and ".join(map(str, self.changes)) or "nothing needs to change"
        support = "" if self.supported else " [no training rows]"
        return f"{goal}: {what}, which gives {self.new_score:.4g}{support}"


def counterfactual(
    model: Model,
    row: Any,
    target: float | str,
    mutable: Sequence[str] | None = None,
    n_features: int = 1,
) -> Counterfactual:
    """Find the smallest change of a row that reaches a score or flips the decision.

    Parameters
    ----------
    model : Model
    row : mapping by feature name, or table of one row
    target : float or "flip"
        A score, to be reached from below or above; "flip" changes a classifier's decision (it is
        the second class where the score is above 0).
    mutable : sequence of str, optional
        The features that may change; all by default.
    n_features : {1, 2}
        How many may change at once.

    Returns
    -------
    Counterfactual
    """
    if n_features not in (1, 2):
        raise ValueError(f"n_features must be 1 or 2; got {n_features}")
    if isinstance(target, str) and (target != "flip" or model.link != "logit"):
        raise ValueError(f"target must be a score, or 'flip' for a classifier; got {target!r}")
    encoded = encode_row(model.schema, row)
    score = float(_scores(model, encoded, {}))
    inputs = Inputs.of(model)
    names = model.schema.names if mutable is None else mutable
    choices = {k: _Choice.of(inputs, k, encoded[k]) for k in map(model.schema.index, names)}
    sizes = range(n_features + 1)  # perhaps nothing needs to change
    attempts = (_nearest(model, encoded, choices, size, _goal(score, target)) for size in sizes)
    found = next((changed for changed in attempts if changed is not None), None)
    row_after, changes = encoded.copy(), []
    for k, at in (found or {}).items():
        feature, choice = model.schema.features[k], choices[k]
        row_after[k] = choice.points[at]
        before, after = (decode_value(feature, values[k]) for values in (encoded, row_after))
        changes.append(Change(feature.name, before, after, float(choice.distances[at])))
    return Counterfactual(
        target=0.0 if isinstance(target, str) else float(target),
        score=score,
        new_score=float(_scores(model, row_after, {})),
        reached=found is not None,
        changes=tuple(changes),
        row=decode_row(model.schema, row_after),
        supported=is_supported(model, row_after[None]),
    )


@dataclass(frozen=True, eq=False)
class _Choice:
    """The values that a feature may take instead of its own, and how far away they are."""

    points: FloatArray
    distances: FloatArray

    @classmethod
    def of(cls, inputs: Inputs, index: int, code: float) -> _Choice:
        term = inputs.model.terms[index]
        points = inputs.points[index][~np.isnan(inputs.points[index])]
        counts = rows_per_slot(term)
        slots = slot_codes(term.feature, term.edges, np.append(points, code))
        if not term.feature.is_numeric:
            return cls(points, 1 - counts[slots[:-1]] / (counts.sum() or 1.0))
        if np.isnan(code):
            return cls(points, np.ones(len(points)))
        shares = counts[:-1] / (counts[:-1].sum() or 1.0) + SLIVER
        ranks = (np.cumsum(shares) - shares / 2)[slots]
        return cls(points, np.abs(ranks[:-1] - ranks[-1]))


def _goal(score: float, target: float | str) -> Callable[[FloatArray], Mask]:
    """Return the test that scores must pass."""
    if isinstance(target, str):
        return (lambda scores: scores <= 0) if score > 0 else (lambda scores: scores > 0)
    return (lambda s: s >= target) if score < target else (lambda s: s <= target)


def _nearest(
    model: Model,
    row: FloatArray,
    choices: Mapping[int, _Choice],
    size: int,
    reaches: Callable[[FloatArray], Mask],
) -> dict[int, int] | None:
    """Return the nearest change of so many features that reaches the goal: feature: choice."""
    nearest, smallest = None, np.inf
    for chosen in combinations(choices, size):
        scores = _scores(model, row, {k: choices[k].points for k in chosen})
        distances = sum(np.ix_(*(choices[k].distances for k in chosen)), np.zeros(scores.shape))
        distances[~reaches(scores)] = np.inf
        at = np.unravel_index(distances.argmin(), distances.shape)
        if distances[at] < smallest:
            nearest, smallest = dict(zip(chosen, map(int, at), strict=True)), distances[at]
    return nearest


def _scores(model: Model, row: FloatArray, points: Mapping[int, FloatArray]) -> FloatArray:
    """Return the scores of a row with all combinations of points of some features, an axis each.

    Terms are added in the model's own order, so that these are its very bits.
    """
    columns = dict(zip(points, np.ix_(*points.values()), strict=True))
    scores = np.full([len(values) for values in points.values()], model.intercept)
    for term in model.terms:
        scores += _contribution(term, row, columns)
    return scores


def _contribution(term: Term, row: FloatArray, columns: Mapping[int, FloatArray]) -> FloatArray:
    """Return a term's contributions, broadcast over the columns that it depends on."""

    def column(index: int) -> FloatArray:
        return columns.get(index, np.asarray(row[index]))

    leaves: Indexes = np.zeros((), dtype=np.intp)
    for leaf, region in enumerate(term.tree.regions):
        inside = np.ones((), dtype=bool)
        for condition in region.conditions:
            values = column(condition.feature.index)
            inside = inside & condition.holds(values.ravel()).reshape(values.shape)
        leaves = np.where(inside, leaf, leaves)
    own = column(term.feature.index)
    slots = slot_codes(term.feature, term.edges, own.ravel()).reshape(own.shape)
    contribution: FloatArray = curves(term)[leaves, slots]
    return contribution
