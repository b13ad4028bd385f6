"""The exact range of a change of the score when one feature moves.

    change(x) = f_i^(r)(stop) - f_i^(r)(start) + sum_j [ f_j^(after)(x_j) - f_j^(before)(x_j) ]

Only feature i's own term and the terms whose trees put the two points on different sides take part.
Each has a *state*: the leaf, or the pair of leaves before and after. A leaf's region speaks about
one feature at a time, so a state is tied to every feature by a table "this piece is allowed", and
to the feature of its own curves by the smallest change inside the piece; `minimise` does the rest.
Which terms switch depends on the pieces of start and stop alone, so a move may leave both ends open
inside two pieces: then every leaf takes the ends that suit its own curve best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calmgam.model.exact.inputs import Axis, Indexes, Inputs, terms_asking
from calmgam.model.exact.optimise import Factor, minimise
from calmgam.model.glassbox import Term
from calmgam.model.regions import Mask
from calmgam.model.schema import FloatArray


@dataclass(frozen=True, eq=False)
class Move:
    """Feature `index` goes from one of the points `starts` to one of the points `stops`.

    All starts lie in one piece, and so do all stops. `is_along`: they are the same sorted points,
    and the move does not go down.
    """

    index: int
    starts: Indexes
    stops: Indexes
    is_along: bool = False

    @classmethod
    def between(cls, index: int, start: int, stop: int) -> Move:
        """Return the move from one point to another."""
        return cls(index, np.array([start]), np.array([stop]))

    def lowest(self, heights: FloatArray) -> tuple[FloatArray, Indexes, Indexes]:
        """Return the smallest change of every curve, and the points where it starts and stops."""
        leaves = np.arange(len(heights))
        if self.is_along:
            along = heights[:, self.starts]
            last = (along - np.maximum.accumulate(along, axis=1)).argmin(axis=1)
            is_before = np.arange(along.shape[1]) <= last[:, None]
            first = np.where(is_before, along, -np.inf).argmax(axis=1)
        else:
            first = heights[:, self.starts].argmax(axis=1)
            last = heights[:, self.stops].argmin(axis=1)
        starts, stops = self.starts[first], self.stops[last]
        return heights[leaves, stops] - heights[leaves, starts], starts, stops


@dataclass(frozen=True, eq=False)
class Extreme:
    """A sound bound of a change, and two encoded rows whose change comes as near as was found.

    Rows of a user's table may have levels that the model does not know: `unseen` has their texts.
    """

    bound: float
    attained: float
    before: FloatArray
    after: FloatArray
    unseen: Mapping[int, str] = field(default_factory=dict)


def taking_part(inputs: Inputs, move: Move) -> list[Term]:
    """Return the moved feature's own term, then the terms that switch."""
    pieces = inputs.axes[move.index].pieces
    start, stop = pieces[move.starts[0]], pieces[move.stops[0]]
    switching = (
        term
        for term in terms_asking(inputs.model).get(move.index, ())
        if not np.array_equal(*inputs.allowed(term)[move.index].T[[start, stop]])
    )
    return [inputs.model.terms[move.index], *switching]


def extremes(inputs: Inputs, move: Move, terms: Sequence[Term]) -> tuple[Extreme, Extreme]:
    """Return the smallest and the largest change of the sum of these terms over all inputs."""
    low, high = (_extreme(inputs, move, _parts(inputs, move, terms, sign)) for sign in (1, -1))
    return low, high


def largest_change(
    inputs: Inputs, moves: Iterable[Move], sign: int
) -> tuple[Extreme, Sequence[Term]]:
    """Return the smallest (sign 1) or largest (sign -1) change of the score over several moves.

    A move whose terms, each on its own, cannot beat what was found is left out.
    """
    candidates = []
    for move in moves:
        parts = _parts(inputs, move, taking_part(inputs, move), sign)
        candidates.append((sum(part.lowest for part in parts), move, parts))
    best: tuple[Extreme, Sequence[Term]] | None = None
    bound = np.inf
    for optimistic, move, parts in sorted(candidates, key=lambda candidate: candidate[0]):
        if best is not None and optimistic >= sign * best[0].attained:
            break
        extreme = _extreme(inputs, move, parts)
        bound = min(bound, sign * extreme.bound)
        if best is None or sign * extreme.attained < sign * best[0].attained:
            best = extreme, [part.term for part in parts]
    assert best is not None
    return replace(best[0], bound=sign * bound), best[1]


def total_change(terms: Sequence[Term], before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the change of the sum of these terms, for every row."""
    changes = np.zeros(len(before))
    for term in terms:
        changes += term.contribution(after) - term.contribution(before)
    return changes


@dataclass(frozen=True, eq=False)
class Part:
    """One term of a sum: its states, what they are worth (times the sign) and allow.

    The moved feature's own part has one change per leaf, and the ends that it belongs to.
    """

    term: Term
    sign: int
    changes: FloatArray  # (n_states, n_points of its feature), or (n_leaves, 1)
    allowed: dict[int, Mask]  # feature: (n_states, n_pieces)
    ends: tuple[Indexes, Indexes] | None = None

    @property
    def lowest(self) -> float:
        """The smallest change of any state that some input reaches."""
        is_possible = np.ones(len(self.changes), dtype=bool)
        for mask in self.allowed.values():
            is_possible &= mask.any(axis=1)
        return float(self.changes[is_possible].min())

    def factors(self, inputs: Inputs) -> Iterator[Factor]:
        """Yield the tables over features (by index) and the state (the indexes behind them)."""
        index = self.term.feature.index
        state = len(inputs.axes) + index
        for k, mask in self.allowed.items():
            yield Factor((state, k), np.where(mask, 0.0, np.inf))
        if self.ends is not None:
            yield Factor((state,), self.changes[:, 0])
        else:
            pieces = inputs.axes[index].pieces
            by_piece = [
                self.changes[:, pieces == piece].min(axis=1) for piece in range(pieces.max() + 1)
            ]
            yield Factor((state, index), np.stack(by_piece, axis=1))


def _parts(inputs: Inputs, move: Move, terms: Sequence[Term], sign: int) -> list[Part]:
    return [
        _own_part(inputs, term, move, sign)
        if term.feature.index == move.index
        else _switching_part(inputs, term, move, sign)
        for term in terms
    ]


def _own_part(inputs: Inputs, term: Term, move: Move, sign: int) -> Part:
    changes, starts, stops = move.lowest(sign * inputs.axes[move.index].heights)
    return Part(term, sign, changes[:, None], inputs.allowed(term), (starts, stops))


def _switching_part(inputs: Inputs, term: Term, move: Move, sign: int) -> Part:
    heights = sign * inputs.axes[term.feature.index].heights
    allowed, pieces = dict(inputs.allowed(term)), inputs.axes[move.index].pieces
    mask = allowed.pop(move.index)
    start, stop = mask[:, pieces[move.starts[0]]], mask[:, pieces[move.stops[0]]]
    before, after = np.nonzero(np.outer(start, stop))
    both = {k: mask[before] & mask[after] for k, mask in allowed.items()}
    is_possible = np.ones(len(before), dtype=bool)
    for mask in both.values():
        is_possible &= mask.any(axis=1)
    changes = (heights[after] - heights[before])[is_possible]
    return Part(term, sign, changes, {k: mask[is_possible] for k, mask in both.items()})


def _extreme(inputs: Inputs, move: Move, parts: Sequence[Part]) -> Extreme:
    sign = parts[0].sign
    bound, assignment = minimise([factor for part in parts for factor in part.factors(inputs)])
    before, axes = inputs.typical.copy(), inputs.axes
    n_features = len(axes)
    for k, piece in assignment.items():
        if k < n_features:
            before[k] = axes[k].points[axes[k].typical(axes[k].members(piece))]
    start, stop = int(move.starts[0]), int(move.stops[0])
    for part in parts:
        k = part.term.feature.index
        state = assignment[n_features + k]
        if part.ends is not None:
            start, stop = (int(ends[state]) for ends in part.ends)
        else:
            members = axes[k].members(assignment[k])
            before[k] = axes[k].points[members[part.changes[state, members].argmin()]]
    after = before.copy()
    before[move.index], after[move.index] = axes[move.index].points[[start, stop]]
    attained = float(total_change([p.term for p in parts], before[None], after[None])[0])
    return Extreme(sign * bound, attained, before, after)


def moves_up(axis: Axis) -> Iterator[Move]:
    """Yield the moves up inside every stretch of one piece, and from each to all later ones."""
    pieces = axis.pieces[~np.isnan(axis.points)]
    if not len(pieces):
        return
    starts = np.flatnonzero(np.append(True, pieces[1:] != pieces[:-1]))
    stretches = np.split(np.arange(len(pieces)), starts[1:])
    index = axis.term.feature.index
    for k, stretch in enumerate(stretches):
        yield Move(index, stretch, stretch, is_along=True)
        for later in stretches[k + 1 :]:
            yield Move(index, stretch, later)
