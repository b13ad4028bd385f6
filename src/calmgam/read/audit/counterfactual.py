"""Counterfactuals: the smallest change of a row that reaches a score or flips the decision.

Of every bin that the model can tell apart the value nearest to the row's own is tried, for every
mutable feature (or pair of them): the edge itself below, the first number above an edge (the next
whole one in a column of whole numbers, otherwise the shortest one in the first hundredth of the
bin). Fewer changed features come first. Of one feature the nearest value that does it counts. Then
the smaller *distance* wins: of a number the share of the feature's training rows between the old
and the new value (half of both bins counts); of a level, and of a number in place of a missing one,
the share of rows that are elsewhere. The distances of two features add up. No change leads to a
missing value or an unseen level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from calmgam.model.exact.inputs import Indexes, all_inputs, curves, rounding
from calmgam.model.exact.rows import Row, UserRow, decode_value, read_row
from calmgam.model.glassbox import Model, Term
from calmgam.model.links import probability_of
from calmgam.model.schema import FloatArray
from calmgam.model.shapes import slot_codes
from calmgam.read.audit.findings import (
    Report,
    affected,
    contributions_beside,
    evidence_text,
    is_supported,
    total,
)
from calmgam.read.audit.goals import Goal, Target, goal_of
from calmgam.read.audit.nearest_values import Choice
from calmgam.read.outputs import Between, pair_of
from calmgam.read.words.numbers import number_texts
from calmgam.read.words.wording import value_text


@dataclass(frozen=True, repr=False)
class Change(Report):
    """One feature's part of a counterfactual; `mark` says if training did not see `before`."""

    feature: str
    before: Any
    after: Any
    distance: float
    mark: str = ""

    def __str__(self) -> str:
        before = value_text(self.before, self.mark)
        return f"{self.feature}: {before} → {value_text(self.after)}"


@dataclass(frozen=True, repr=False)
class Counterfactual(Report):
    """The smallest change of a row that reaches a target.

    Attributes
    ----------
    target : float
        The score to reach; 0 where the decision is to flip, or a class of many to become the most
        probable one: then scores are log-odds of the class against its strongest rival.
    score, new_score : float
        Before and after the changes.
    reached : bool
        False if no change of so many features reaches the target; then nothing changes.
    changes : tuple of Change
    row : dict
        The row after the changes, by feature name; what does not change is as it was given.
    supported : bool
        Every region that chooses a curve for it holds training rows.
    probabilities : (float, float) or None
        Of the second class, or of the class of many that is the goal, before and after the
        changes; None if the model predicts a number.
    wanted : str
        The class of many that is the goal, or "".
    """

    target: float
    score: float
    new_score: float
    reached: bool
    changes: tuple[Change, ...]
    row: Row
    supported: bool
    probabilities: tuple[float, float] | None
    wanted: str = ""

    @property
    def distance(self) -> float:
        """Sum of the changes' distances."""
        return sum(change.distance for change in self.changes)

    def __str__(self) -> str:
        score, target, new_score = number_texts([self.score, self.target, self.new_score], 4)
        against = f" (log-odds of {self.wanted})" if self.wanted else ""
        goal = f"from a score of {score} to {target}{against}"
        if self.probabilities and not self.wanted:
            ends = self.probabilities[0], float(probability_of(self.target))
            goal += " (log-odds; probability {:.3f} to {:.3f})".format(*ends)
        if not self.reached:
            return f"{goal}: no change of so few mutable features gets there"
        what = " and ".join(map(str, self.changes)) or "nothing needs to change"
        text = f"{goal}: {what}, which gives {new_score}"
        return evidence_text(text, self.probabilities, self.supported)


def counterfactual(
    model: Model,
    row: Any,
    target: Target = None,
    mutable: Sequence[str] | None = None,
    n_features: int = 1,
    probability: float | None = None,
    between: Between = None,
) -> Counterfactual:
    """Find the smallest change of a row that reaches a score or flips the decision.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    target : float, "flip" or label
        A score, to be reached from below or above; "flip" changes a classifier's decision (it is
        the second class where the score is above 0). The score of a classifier is a log-odds: a
        number between 0 and 1 is refused, since it may be meant as a probability. With three
        classes or more: the class that is to become the most probable one.
    mutable : sequence of str, optional
        The features that may change; all by default.
    n_features : {1, 2}
        How many may change at once.
    probability : float, optional
        Instead of `target`: the probability of a classifier's second class to be reached; with
        three classes or more beside it: that of the target class.
    between : (label, label), optional
        Look at the log-odds of one class against another, as if there were no other.

    Returns
    -------
    Counterfactual
    """
    if n_features not in (1, 2):
        raise ValueError(f"n_features must be 1 or 2; got {n_features}")
    model = model if between is None else pair_of(model, between)
    user_row = read_row(model.schema, row)
    search = _Search(model, user_row)
    goal = goal_of(model, search.score, target, probability)
    names = model.schema.names if mutable is None else mutable
    indexes = list(dict.fromkeys(map(model.schema.index, names)))
    found = {} if goal.is_reached(search.score) else search.one_change(indexes, goal)
    if found is None and n_features == 2:
        found = search.two_changes(indexes, goal)
    return _answer(model, user_row, search, goal, found)


class _Search:
    """A row, and what changes of its features do to its score."""

    def __init__(self, model: Model, row: UserRow) -> None:
        self.model, self.row = model, row.encoded
        self.contributions = model.contributions_encoded(self.row[None])[0]
        self.score = total(model, self.contributions)
        self.choices: dict[int, Choice] = {}
        self.changes: dict[int, FloatArray] = {}

    @cached_property
    def tie(self) -> float:
        """Sums closer than this may be equal."""
        return rounding(self.model)

    def one_change(self, indexes: Sequence[int], goal: Goal) -> dict[int, int] | None:
        """Return the feature and its choice that reach the goal; None if there is none."""
        best, smallest = None, np.inf
        for k in indexes:
            self.choices[k] = Choice.of(all_inputs(self.model).axes[k], self.row[k])
            self.changes[k] = self._changes((k,))
            at = self._first((k,), self.changes[k], self.choices[k].steps, goal)
            if at is not None and self.choices[k].distances[at] < smallest:
                best, smallest = {k: at[0]}, float(self.choices[k].distances[at])
        return best

    def two_changes(self, indexes: Sequence[int], goal: Goal) -> dict[int, int] | None:
        """Return the nearest pair of choices that reaches the goal, by feature."""
        best, smallest = None, np.inf
        needed, gains = self._needed(goal), {}
        if needed is not None:
            gains = {k: float((goal.sign * self.changes[k]).max()) for k in indexes}
        touched = {k: {t.feature.index for t in affected(self.model, [k])} for k in indexes}
        for pair in combinations(indexes, 2):
            first, second = pair
            is_apart = touched[first].isdisjoint(touched[second])
            if is_apart and needed is not None and gains[first] + gains[second] < needed:
                continue
            one, other = (self.choices[k] for k in pair)
            distances = np.add.outer(one.distances, other.distances)
            distances[~np.isfinite(np.add.outer(one.steps, other.steps))] = np.inf
            changes = (
                self.changes[first][:, None] + self.changes[second][None]
                if is_apart
                else self._changes(pair)
            )
            at = self._first(pair, changes, np.where(distances < smallest, distances, np.inf), goal)
            if at is not None:
                best, smallest = dict(zip(pair, at, strict=True)), float(distances[at])
        return best

    def _needed(self, goal: Goal) -> float | None:
        """Return what changes must add up to at least; of many classes there is no such sum."""
        if goal.index is not None:
            return None
        return float(goal.sign * (goal.target - self.score) - self.tie)

    def _first(
        self, chosen: tuple[int, ...], changes: FloatArray, order: FloatArray, goal: Goal
    ) -> tuple[int, ...] | None:
        """Return where the goal is reached first; sums too close to it are added up exactly."""
        beyond = goal.beyond(self.score + changes)
        order = np.where(beyond >= -self.tie, order, np.inf)
        while True:
            at = tuple(map(int, np.unravel_index(order.argmin(), order.shape)))
            if not order[at] < np.inf:
                return None
            found = dict(zip(chosen, at, strict=True))
            if beyond[at] > self.tie or goal.is_reached(self.score_at(found)):
                return at
            order[at] = np.inf

    def row_at(self, found: Mapping[int, int]) -> FloatArray:
        """Return the encoded row with some choices made."""
        row = self.row.copy()
        for k, at in found.items():
            row[k] = self.choices[k].nearest(at)
        return row

    def score_at(self, found: Mapping[int, int]) -> Any:
        """Return the row's score (or all classes') with some choices made, to the bit."""
        row = self.row_at(found)
        return total(
            self.model, contributions_beside(self.model, self.row, self.contributions, row)
        )

    def _changes(self, chosen: tuple[int, ...]) -> FloatArray:
        """Return the change of the score for all combinations of choices, an axis per feature."""
        points = [self.choices[k].points for k in chosen]
        columns = dict(zip(chosen, np.ix_(*points), strict=True))
        n_classes = self.contributions.shape[1:]
        changes = np.zeros((*(len(values) for values in points), *n_classes))
        for term in affected(self.model, chosen):
            known = self.contributions[term.feature.index]
            changes += _contribution(term, self.row, columns) - known
        return changes


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


def _answer(
    model: Model, row: UserRow, search: _Search, goal: Goal, found: Mapping[int, int] | None
) -> Counterfactual:
    row_after, values, changes = search.row_at(found or {}), row.values(), []
    for k, at in (found or {}).items():
        feature = model.schema.features[k]
        after = decode_value(feature, row_after[k])
        distance = float(search.choices[k].distances[at])
        changes.append(Change(feature.name, row.value(k), after, distance, row.mark(k)))
        values[feature.name] = after
    new_score = search.score_at(found or {})
    probabilities = None
    if model.classes:
        probabilities = goal.probability(search.score), goal.probability(new_score)
    return Counterfactual(
        target=goal.target,
        score=float(goal.read(search.score)),
        new_score=float(goal.read(new_score)),
        reached=found is not None,
        changes=tuple(changes),
        row=values,
        supported=is_supported(model, row_after[None]),
        probabilities=probabilities,
        wanted="" if goal.index is None else str(model.classes[goal.index]),
    )
