"""Monotonicity: proof that the score never falls (or rises) as a feature grows, or two rows.

The largest total rise and fall between any two values of the feature, all else equal, over all
inputs decide. Along a stretch of values without a condition only the feature's own reachable curves
count; from one stretch to another the exact range of the change does. Changes of the size of
rounding errors count as none. Levels without an order have no direction; for them the largest
change from one level to another is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calmgam.model.exact.changes import Move, largest_change, moves_up
from calmgam.model.exact.inputs import Axis, Given, Inputs, rounding
from calmgam.model.glassbox import Model
from calmgam.model.schema import Feature
from calmgam.read.audit.findings import Pair, Report, make_pair
from calmgam.read.outputs import Between, pair_of
from calmgam.read.words.numbers import brief_number, number_texts

DIRECTIONS = {
    (True, True): "neither",
    (True, False): "increasing",
    (False, True): "decreasing",
    (False, False): "constant",
}


@dataclass(frozen=True, repr=False)
class Monotonicity(Report):
    """Whether the score rises or falls with a feature, all else equal.

    Attributes
    ----------
    feature : str
    direction : {"increasing", "decreasing", "constant", "neither", "unordered"}
        Equal scores are allowed: "increasing" means never falling by more than the tolerance.
        "unordered": levels without an order.
    proved : bool
        False only if the work limit was hit and no counterexample was found either.
    max_rise, max_fall : float
        The largest total rise and fall between any two values; sound bounds, and exact unless the
        work limit was hit. Levels without an order can be had either way round: both are equal.
    rise, fall : Pair or None
        Rows that attain them: `fall` refutes "increasing", `rise` refutes "decreasing". None where
        there is no change. (Levels without an order: `fall` is None.)
    tolerance : float
        Rises and falls of at most this size were allowed.
    """

    feature: str
    direction: str
    proved: bool
    max_rise: float
    max_fall: float
    rise: Pair | None
    fall: Pair | None
    tolerance: float = 0.0

    def __str__(self) -> str:
        proved = f"({'' if self.proved else 'not '}proved)"
        if self.direction == "unordered":
            if self.rise is None:
                return f"{self.feature}: unordered levels, none of which changes the score {proved}"
            return f"{self.feature}: unordered levels; from one to another the score" + self._line(
                "changes", self.max_rise, self.rise
            )
        if self.direction == "neither":
            return f"{self.feature}: neither increasing nor decreasing; as it grows the score" + (
                self._line("falls", self.max_fall, self.fall)
                + self._line("rises", self.max_rise, self.rise)
            )
        return f"{self.feature}: {self.direction}{self._exceptions()} {proved}" + "".join(
            self._line(verb, size, pair) for verb, size, pair in self._small_changes()
        )

    def _small_changes(self) -> Iterator[tuple[str, float, Pair]]:
        """Yield the changes against the direction that the tolerance allows."""
        if self.fall is not None and self.direction in ("increasing", "constant"):
            yield "falls", self.max_fall, self.fall
        if self.rise is not None and self.direction in ("decreasing", "constant"):
            yield "rises", self.max_rise, self.rise

    def _exceptions(self) -> str:
        parts = [
            f"{verb} of at most {brief_number(size, 4)}" for verb, size, _ in self._small_changes()
        ]
        return f" but for {' and '.join(parts)}" if parts else ""

    def _line(self, verb: str, size: float, pair: Pair | None) -> str:
        if pair is None:
            return ""
        attained, most = number_texts([abs(pair.change), size], 4)
        bound = "" if attained == most else f" (at most by {most})"
        return f"\n  {verb} by up to {attained}{bound}, for {pair}"


def monotonicity(
    model: Model,
    feature: str,
    given: Given = None,
    tolerance: float = 0.0,
    between: Between = None,
) -> Monotonicity:
    """Prove in which direction a feature moves the score, or find counterexamples.

    Parameters
    ----------
    model : Model
    feature : str
        Only numbers, booleans and ordered levels have a direction; missing has no place in it.
    given : mapping, Region or str, optional
        Only inputs that agree: ``{"workingday": "yes"}`` or ``"hour <= 7"``.
    tolerance : float
        Total rises and falls of at most this size, on the scale of the score, do not count
        against a direction.
    between : (label, label), optional
        The score is the log-odds of one class against another; needed if there are many.

    Returns
    -------
    Monotonicity
    """
    if not 0 <= tolerance < np.inf:
        raise ValueError(f"tolerance must be a finite number of at least 0; got {tolerance}")
    model = pair_of(model, between)
    inputs, moved, tie = Inputs.of(model, given), model.schema[feature], rounding(model)
    limit, axis = max(tolerance, tie), inputs.axes[moved.index]
    if not moved.has_order:
        largest = _largest(inputs, moved, list(_exchanges(axis)), -1)
        is_exact = largest.bound - largest.size <= tie
        sizes = largest.bound, largest.bound
        return Monotonicity(feature, "unordered", is_exact, *sizes, largest.pair, None, tolerance)
    moves = list(moves_up(axis))
    rise, fall = (_largest(inputs, moved, moves, sign) for sign in (-1, 1))
    direction = DIRECTIONS[rise.size > limit, fall.size > limit]
    proved = all(found.size > limit or found.bound <= limit for found in (rise, fall))
    return Monotonicity(
        feature, direction, proved, rise.bound, fall.bound, rise.pair, fall.pair, float(tolerance)
    )


@dataclass(frozen=True)
class _Largest:
    """The largest change one way: its size, a sound bound of it, and rows if there is one."""

    size: float = 0.0
    bound: float = 0.0
    pair: Pair | None = None


def _largest(inputs: Inputs, moved: Feature, moves: list[Move], sign: int) -> _Largest:
    """Find the largest rise (sign -1) or fall (sign 1)."""
    if not moves:  # no value but missing
        return _Largest()
    model, tie = inputs.model, rounding(inputs.model)
    found, terms = largest_change(inputs, moves, sign)
    size, bound = max(-sign * found.attained, 0.0), max(-sign * found.bound, 0.0)
    pair = make_pair(model, moved, found, terms) if size > tie else None
    return _Largest(size, size if bound - size <= tie else bound, pair)


def _exchanges(axis: Axis) -> Iterator[Move]:
    """Yield the moves from every piece of levels to every one, itself included."""
    pieces = axis.pieces[~np.isnan(axis.points)]
    members = [np.flatnonzero(pieces == piece) for piece in np.unique(pieces)]
    for before in members:
        for after in members:
            yield Move(axis.term.feature.index, before, after)
