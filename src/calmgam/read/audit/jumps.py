"""Hidden jumps: where moving a feature switches the curves of other features.

A feature's own curves do not show what happens where the feature is a condition of another term's
tree. At every threshold the number just below becomes the one just above; at every set of levels a
level outside becomes one inside. The jump is the change of the terms that ask about it, over all
inputs; where nothing switches it is 0. (Becoming missing is no jump: ask `sensitivity`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.exact.changes import Move, extremes
from calmgam.model.exact.inputs import Inputs, all_inputs, rounding, terms_asking
from calmgam.model.exact.kept import once_per_model
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Condition
from calmgam.model.schema import Feature
from calmgam.read.audit.findings import Range, Report, make_range
from calmgam.read.outputs import Between, pair_of
from calmgam.read.words.wording import listed, sides_text


@dataclass(frozen=True, repr=False)
class Jump(Range):
    """One hidden discontinuity: the range of what crossing it upwards (entering the levels) adds.

    Attributes
    ----------
    feature : str
    at : float or tuple of str
        The threshold, or the set of levels that is entered.
    terms : tuple of str
        The term that switches; several for the joint range of all that share the threshold.
    place : str
        The same in words; of whole numbers the values on both sides: ``9 → 10``.
    arrow : {"↑", "↓", "↕", "="}
        The change is never negative, never positive, both, or always nothing.
    """

    feature: str
    at: float | tuple[str, ...]
    place: str
    terms: tuple[str, ...]
    arrow: str

    def __str__(self) -> str:
        return (
            f"{self.place} {self.arrow} {self.range_text} from the curves of {listed(self.terms)}"
        )


@dataclass(frozen=True, repr=False)
class Jumps(Report):
    """All hidden jumps of one feature, sorted along its axis."""

    feature: str
    jumps: tuple[Jump, ...]

    def __str__(self) -> str:
        if not self.jumps:
            return f"{self.feature}: no hidden jumps"
        return "\n  ".join([f"{self.feature}: hidden jumps at", *map(str, self.jumps)])


@once_per_model
def jumps(model: Model, feature: str, between: Between = None) -> Jumps:
    """Find every hidden jump of a feature: at each threshold or set of levels, for each term.

    Parameters
    ----------
    model : Model
    feature : str
    between : (label, label), optional
        The score is the log-odds of one class against another; needed if there are many.

    Returns
    -------
    Jumps
    """
    model = pair_of(model, between)
    moved = model.schema[feature]
    asking = terms_asking(model).get(moved.index, ())
    if not asking:
        return Jumps(feature, ())
    inputs = all_inputs(model)
    terms_at: dict[float | tuple[int, ...], list[Term]] = {}
    for term in asking:
        for at in dict.fromkeys(_places(term, moved)):
            terms_at.setdefault(at, []).append(term)
    found = []
    for at in sorted(terms_at):  # all numbers, or all tuples
        moves = _moves(inputs, moved, at)
        together = [terms_at[at]] if len(terms_at[at]) > 1 else []
        if moves:  # a set of no levels, or of all, is never entered
            for terms in [[term] for term in terms_at[at]] + together:
                found.append(_jump(inputs, moved, at, terms, moves))
    return Jumps(feature, tuple(found))


def _places(term: Term, feature: Feature) -> Iterable[float | tuple[int, ...]]:
    """Yield the thresholds, or sets of levels, of a term's conditions on the feature."""
    for node in term.tree.nodes:
        if node.condition is not None and node.condition.feature.index == feature.index:
            yield from node.condition.edges if feature.is_numeric else [_smaller(node.condition)]


def _smaller(condition: Condition) -> tuple[int, ...]:
    """Return the levels on one side: entering one side is leaving the other."""
    others = sorted(set(range(condition.feature.n_levels)) - set(condition.codes))
    sides = condition.codes, tuple(others)
    return min(sides, key=lambda codes: (len(codes), 0 in codes))


def _moves(inputs: Inputs, feature: Feature, at: float | tuple[int, ...]) -> list[Move]:
    """Return the moves across a threshold, or into a set of levels from every piece outside."""
    axis = inputs.axes[feature.index]
    points, pieces = axis.points, axis.pieces
    if not isinstance(at, tuple):
        below = int(np.searchsorted(points[~np.isnan(points)], at, side="right")) - 1
        return [Move.between(feature.index, below, below + 1)]
    inside = Condition(feature, "=", at).holds(points)
    outside = ~inside & ~np.isnan(points)
    starts, stops = (
        np.flatnonzero(side)[np.unique(pieces[side], return_index=True)[1]]
        for side in (outside, inside)
    )
    return [Move.between(feature.index, start, stop) for start in starts for stop in stops]


def _jump(
    inputs: Inputs,
    feature: Feature,
    at: float | tuple[int, ...],
    terms: Sequence[Term],
    moves: Sequence[Move],
) -> Jump:
    pairs = [extremes(inputs, move, terms) for move in moves]
    low = min((low for low, _ in pairs), key=lambda extreme: extreme.bound)
    high = max((high for _, high in pairs), key=lambda extreme: extreme.bound)
    change = make_range(inputs.model, feature, low, high, terms)
    if isinstance(at, tuple):
        levels = tuple(feature.levels[code] for code in at)
        where: dict[str, Any] = {"at": levels, "place": "{" + ", ".join(levels) + "}"}
    else:
        where = {"at": at, "place": sides_text(feature, at)}
    names = tuple(term.feature.name for term in terms)
    arrow = _arrow(change, rounding(inputs.model))
    return Jump(**vars(change), **where, feature=feature.name, terms=names, arrow=arrow)


def _arrow(change: Range, tolerance: float) -> str:
    rises, falls = change.high > tolerance, change.low < -tolerance
    return {(True, False): "↑", (False, True): "↓", (True, True): "↕"}.get((rises, falls), "=")
