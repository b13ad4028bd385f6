"""The exact range of a change of the score when one feature moves between two of its points.

    change(x) = f_i^(r)(stop) - f_i^(r)(start) + sum_j [ f_j^(after)(x_j) - f_j^(before)(x_j) ]

Only feature i's own term and the terms whose trees put the two points on different sides take part.
Each has a *state*: the leaf, or the pair of leaves before and after. A leaf's region speaks about
one feature at a time, so a state is tied to every feature by a table "this cell is allowed", and to
the feature of its own curves by the smallest change inside the cell; `minimise` does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calmgam.model.exact.inputs import Indexes, Inputs, curves
from calmgam.model.exact.optimise import Factor, minimise
from calmgam.model.glassbox import Term
from calmgam.model.regions import Mask
from calmgam.model.schema import FloatArray


@dataclass(frozen=True)
class Move:
    """Feature `index` goes from point number `start` to point number `stop` of its points."""

    index: int
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Extreme:
    """A sound bound of a change, and two encoded rows whose change comes as near as was found."""

    bound: float
    attained: float
    before: FloatArray
    after: FloatArray


def switches(inputs: Inputs, term: Term, move: Move) -> bool:
    """Tell whether the move takes some input from one leaf of the term's tree to another."""
    mask = inputs.allowed[term.feature.index].get(move.index)
    if mask is None:
        return False
    cells = inputs.cell_of_point[move.index]
    return not np.array_equal(mask[:, cells[move.start]], mask[:, cells[move.stop]])


def taking_part(inputs: Inputs, move: Move) -> list[Term]:
    """Return the moved feature's own term, then the terms that switch."""
    terms = inputs.model.terms
    return [terms[move.index], *(term for term in terms if switches(inputs, term, move))]


def extremes(inputs: Inputs, move: Move, terms: Sequence[Term]) -> tuple[Extreme, Extreme]:
    """Return the smallest and the largest change of the sum of these terms over all inputs."""
    parts = [_Part.of(inputs, term, move) for term in terms]
    return _extreme(inputs, move, parts, 1), _extreme(inputs, move, parts, -1)


def total_change(terms: Sequence[Term], before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the change of the sum of these terms, for every row."""
    changes = np.zeros(len(before))
    for term in terms:
        changes += term.contribution(after) - term.contribution(before)
    return changes


@dataclass(frozen=True, eq=False)
class _Part:
    """One term of a change: its states and what they are worth and allow."""

    term: Term
    changes: FloatArray  # (n_states, n_points of its feature); the moved feature's own: (.., 1)
    allowed: dict[int, Mask]  # feature: (n_states, n_cells)

    @classmethod
    def of(cls, inputs: Inputs, term: Term, move: Move) -> _Part:
        index = term.feature.index
        values = curves(term)[:, inputs.slots[index]]
        if index == move.index:
            changes = values[:, [move.stop]] - values[:, [move.start]]
            return cls(term, changes, inputs.allowed[index])
        allowed = dict(inputs.allowed[index])
        mask, cells = allowed.pop(move.index), inputs.cell_of_point[move.index]
        before, after = np.nonzero(np.outer(mask[:, cells[move.start]], mask[:, cells[move.stop]]))
        both = {k: mask[before] & mask[after] for k, mask in allowed.items()}
        is_possible = np.ones(len(before), dtype=bool)
        for mask in both.values():
            is_possible &= mask.any(axis=1)
        changes = (values[after] - values[before])[is_possible]
        return cls(term, changes, {k: mask[is_possible] for k, mask in both.items()})

    def factors(self, inputs: Inputs, move: Move, sign: int) -> Iterator[Factor]:
        """Yield the tables over features (by index) and the state (the indexes behind them)."""
        index = self.term.feature.index
        state = len(inputs.points) + index
        for k, mask in self.allowed.items():
            yield Factor((state, k), np.where(mask, 0.0, np.inf))
        if index == move.index:
            yield Factor((state,), sign * self.changes[:, 0])
        else:
            cells = inputs.cell_of_point[index]
            by_cell = [
                (sign * self.changes[:, cells == cell]).min(axis=1)
                for cell in range(cells.max() + 1)
            ]
            yield Factor((state, index), np.stack(by_cell, axis=1))


def _extreme(inputs: Inputs, move: Move, parts: Sequence[_Part], sign: int) -> Extreme:
    factors = [factor for part in parts for factor in part.factors(inputs, move, sign)]
    bound, assignment = minimise(factors)
    chosen = [_candidates(inputs, k, assignment.get(k)) for k in range(len(inputs.points))]
    points = [inputs.typical(k, candidates) for k, candidates in enumerate(chosen)]
    for part in parts:
        k = part.term.feature.index
        if k != move.index:
            changes = sign * part.changes[assignment[len(inputs.points) + k], chosen[k]]
            points[k] = int(chosen[k][changes.argmin()])
    before = np.array([values[at] for values, at in zip(inputs.points, points, strict=True)])
    after = before.copy()
    before[move.index] = inputs.points[move.index][move.start]
    after[move.index] = inputs.points[move.index][move.stop]
    terms = [part.term for part in parts]
    attained = float(total_change(terms, before[None], after[None])[0])
    return Extreme(sign * bound, attained, before, after)


def _candidates(inputs: Inputs, index: int, cell: int | None) -> Indexes:
    """Return the points of a feature in a cell (None: all of them)."""
    cells = inputs.cell_of_point[index]
    return np.arange(len(cells)) if cell is None else np.flatnonzero(cells == cell)
