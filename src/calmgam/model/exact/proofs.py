"""Bounds with proofs: the steps of a variable elimination, which others can check one by one.

    most over all inputs of   sign * score(x)   or   sign * (score(x after) - score(x before))

Every term is a table over the pieces of the features it depends on: the most that it adds. A step
takes tables, adds them up and keeps the largest sum over one variable; `calmgam.verify` says what
has to be true of it. All sums are sums of real numbers, rounded up to the next double, so that a
bound is sound to the last bit, and anybody who follows the steps finds the very same doubles.
Where a sum would have more than MAX_ENTRIES entries, its tables are added in groups, each with its
own largest sums: the bound is then sound still, but perhaps not attained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from calmgam.model.exact.changes import Move
from calmgam.model.exact.inputs import Indexes, Inputs
from calmgam.model.exact.optimise import Factor, cheapest, groups_within, spread
from calmgam.model.glassbox import Term
from calmgam.model.regions import Mask
from calmgam.model.schema import FloatArray

# The work limit: the largest table of sums, one by one in Python, here and where it is checked.
MAX_ENTRIES = 2**18


@dataclass(frozen=True)
class Step:
    """One variable (a feature's index), the numbers of the tables taken, and the largest sums."""

    variable: int
    taken: tuple[int, ...]
    message: tuple[float, ...]


@dataclass(frozen=True)
class Proof:
    """A bound and the steps that lead to it."""

    bound: float
    steps: tuple[Step, ...]


def prove_score(inputs: Inputs, sign: int) -> Proof:
    """Bound sign * score from above."""
    tables = [_table(inputs, term, sign) for term in inputs.model.terms]
    return _eliminate(tables, sign * inputs.model.intercept)


def prove_change(inputs: Inputs, move: Move, sign: int) -> Proof:
    """Bound sign * change of the score from above, for the move from one point to another."""
    involved = (t for t in inputs.model.terms if move.index in (t.feature.index, *t.conditioned_on))
    return _eliminate([_table(inputs, term, sign, move) for term in involved], 0.0)


def curve_bounds(inputs: Inputs, index: int, sign: int) -> FloatArray:
    """Return the most that sign * own curves add from each point of a feature to the next."""
    heights = sign * inputs.axes[index].heights[inputs.reachable(inputs.model.terms[index])]
    bounds: FloatArray = _difference_up(heights[:, 1:], heights[:, :-1]).max(axis=0)
    return bounds


def sum_up(parts: Sequence[float]) -> float:
    """Return the least double that is not below the sum of real numbers."""
    nearest = math.fsum(parts)
    is_below = math.fsum([*parts, -nearest]) > 0
    return math.nextafter(nearest, math.inf) if is_below else nearest


def _difference_up(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the least doubles that are not below a - b; the rounding error is a double itself."""
    nearest = a - b
    back = nearest - a
    error = (a - (nearest - back)) - (b + back)
    rounded: FloatArray = np.where(error > 0, np.nextafter(nearest, np.inf), nearest)
    return rounded


def _table(inputs: Inputs, term: Term, sign: int, move: Move | None = None) -> Factor:
    """Return the most that a term adds, for every choice of pieces in the order of their points."""
    own = term.feature.index
    allowed = dict(inputs.allowed(term))
    fixed = [np.ones(term.tree.n_leaves, dtype=bool)]
    if move is not None:
        ends = move.stops[0], move.starts[0]
        fixed *= 2
        if move.index != own:
            mask = allowed.pop(move.index)
            fixed = [mask[:, inputs.axes[move.index].pieces[end]] for end in ends]
    asked = sorted(allowed)
    n_entries = math.prod(len(inputs.axes[k].piece_points) for k in {*asked, own})
    if n_entries > MAX_ENTRIES:
        raise ValueError(
            f"the tree of {term.feature.name!r} must tell apart at most {MAX_ENTRIES} combinations "
            f"of pieces to be proved something about; got {n_entries}"
        )
    orders = {k: _piece_order(inputs, k) for k in {*asked, own}}
    sides = [allowed[k][:, orders[k]] for k in asked]
    leaves = [_leaf_of_pieces(possible, sides) for possible in fixed]  # after and before, or one
    heights = sign * inputs.axes[own].heights
    if move is not None and move.index == own:
        change = _difference_up(heights[:, ends[0]], heights[:, ends[1]])
        return _without_single(Factor(tuple(asked), change[leaves[0]]))
    pairs, which = np.unique(
        np.stack(leaves, axis=-1).reshape(-1, len(leaves)), axis=0, return_inverse=True
    )
    added = heights[pairs[:, 0]]
    if move is not None:
        added = _difference_up(added, heights[pairs[:, 1]])
    pieces = inputs.axes[own].pieces
    by_piece = np.stack([added[:, pieces == piece].max(axis=1) for piece in orders[own]], axis=1)
    table = by_piece[which.reshape(leaves[0].shape)]
    variables = (*asked, own)
    return _without_single(
        Factor(tuple(sorted(variables)), spread(Factor(variables, table), tuple(sorted(variables))))
    )


def _piece_order(inputs: Inputs, index: int) -> Indexes:
    """Return a feature's pieces in the order of their first points."""
    pieces, first = np.unique(inputs.axes[index].pieces, return_index=True)
    return pieces[np.argsort(first)]


def _leaf_of_pieces(possible: Mask, sides: Sequence[Mask]) -> Indexes:
    """Return the leaf for every choice of pieces; one axis per feature that the tree asks about."""
    inside = possible
    for side in sides:
        inside = inside[..., None] & side.reshape(len(side), *(1,) * (inside.ndim - 1), -1)
    leaves: Indexes = inside.argmax(axis=0)
    return leaves


def _without_single(factor: Factor) -> Factor:
    sizes = zip(factor.variables, factor.table.shape, strict=True)
    return factor.without({variable for variable, size in sizes if size == 1})


def _eliminate(tables: Sequence[Factor], constant: float) -> Proof:
    sizes = {v: n for f in tables for v, n in zip(f.variables, f.table.shape, strict=True)}
    open_factors, numbers = {factor: at for at, factor in enumerate(tables)}, count(len(tables))
    steps = []
    while any(factor.variables for factor in open_factors):
        variable = cheapest(open_factors, sizes)
        bucket = [factor for factor in open_factors if variable in factor.variables]
        for group in groups_within(bucket, sizes, MAX_ENTRIES):
            group.sort(key=open_factors.__getitem__)
            taken = tuple(open_factors.pop(factor) for factor in group)
            factor = _largest_sums(group, variable)
            open_factors[factor] = next(numbers)
            steps.append(Step(variable, taken, tuple(factor.table.ravel().tolist())))
    return Proof(sum_up([*(f.table.item() for f in open_factors), constant]), tuple(steps))


def _largest_sums(group: Sequence[Factor], variable: int) -> Factor:
    kept = tuple(sorted({v for factor in group for v in factor.variables} - {variable}))
    parts = np.broadcast_arrays(*(spread(factor, (*kept, variable)) for factor in group))
    summands = np.stack(parts, axis=-1)
    *shape, n_values, n_parts = summands.shape
    sums = (
        max(map(sum_up, choices)) for choices in summands.reshape(-1, n_values, n_parts).tolist()
    )
    return Factor(kept, np.fromiter(sums, float).reshape(shape))
