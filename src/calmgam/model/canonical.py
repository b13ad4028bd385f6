"""The canonical form: what the height of a curve means.

In: trees, cuts and row counts (the geometry, worked out once) and curve values of any number of
bags. Out: a shift of the intercept and new values that give every input exactly the same score
(with many classes: the same probabilities, as their curves are centred over classes, too).
Every node of T_i but its root may hand a step of height u to f_j, x_j being what its parent splits
on: T_i's curves below the node lose u; f_j gains u where the node's conditions on x_j hold, in the
curves whose regions imply its other conditions. The heights minimise the sum over all leaves of
(rows in the leaf) * (mean of its curve)^2, terms being centred; among equals the smallest curves
win, so the result does not depend on where the constants lay before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Feature, FloatArray
from calmgam.model.tree import PartitionTree

Codes = NDArray[Any]

# Where steps nearly coincide on the rows, a leaf mean could only be removed by steps that are huge
# and cancel each other. Changes that move leaf means less than this, relatively, count as ties.
COINCIDING = 1e-4
# Combinations of steps that change the curves less than this, relatively, do so by rounding only.
IDLE = 1e-9


def centred_over_classes(
    intercepts: FloatArray, values: Sequence[FloatArray]
) -> tuple[FloatArray, list[FloatArray]]:
    """Return curves and intercepts whose mean over classes is 0; no probability changes.

    Parameters
    ----------
    intercepts : (..., n_classes) array
    values : sequence of (..., n_classes, n_leaves, n_slots) arrays
    """
    moved = [curves - curves.mean(axis=-3, keepdims=True) for curves in values]
    return intercepts - intercepts.mean(axis=-1, keepdims=True), moved


class CanonicalPlan:
    """How curves on given trees and edges are brought into canonical form, whatever their values.

    Parameters
    ----------
    features : sequence of Feature
    trees : sequence of PartitionTree
        One per feature.
    edges : sequence of arrays
        The cuts of every feature; every threshold of a condition is one of them.
    counts : sequence of (n_leaves, n_slots) arrays
        Rows (sums of sample weights) per curve and slot.
    kept : set of int
        Features that neither give nor take steps.
    """

    def __init__(
        self,
        features: Sequence[Feature],
        trees: Sequence[PartitionTree],
        edges: Sequence[FloatArray],
        counts: Sequence[FloatArray],
        kept: frozenset[int] = frozenset(),
    ) -> None:
        self._pieces = [
            _Pieces.of(feature, cuts, trees, rows)
            for feature, cuts, rows in zip(features, edges, counts, strict=True)
        ]
        self._steps = _steps(trees, self._pieces, kept)
        self._heights = _heights(self._steps, self._pieces)

    def apply(self, values: Sequence[FloatArray]) -> tuple[FloatArray, list[FloatArray]]:
        """Return the shift of the intercept and the canonical values.

        Parameters
        ----------
        values : sequence of (..., n_leaves, n_slots) arrays
            The curves of every term; leading dimensions (bags) are treated one by one.

        Returns
        -------
        shift : (...) array
        values : list of (..., n_leaves, n_slots) arrays
        """
        means = [pieces.means(curves) for pieces, curves in zip(self._pieces, values, strict=True)]
        changes = _flat(means) @ self._heights @ self._steps
        stops = np.cumsum([pieces.shares.size for pieces in self._pieces])
        shift = np.zeros(changes.shape[:-1])
        moved = []
        for i, change in enumerate(np.split(changes, stops[:-1], axis=-1)):
            pieces = self._pieces[i]
            curves = values[i] + change.reshape(means[i].shape)[..., pieces.piece_of_slot]
            mean = np.sum(curves * pieces.slot_shares, axis=(-2, -1))
            moved.append(curves - mean[..., None, None])
            shift += mean
        return shift, moved


def slot_points(feature: Feature, edges: FloatArray) -> FloatArray:
    """Return one value per slot of a curve: the right end of every bin, or every level's code."""
    present = np.append(edges, np.inf) if feature.is_numeric else np.arange(feature.n_levels + 1.0)
    return np.append(present, np.nan)


def cell_counts(
    codes: Codes, leaf_of_row: Codes, shape: tuple[int, int], weights: FloatArray | None = None
) -> FloatArray:
    """Return the rows (or the sum of their weights) per leaf and slot of one term."""
    n_leaves, n_slots = shape
    cell_of_row = leaf_of_row * np.int64(n_slots) + codes
    counts = np.bincount(cell_of_row, weights, minlength=n_leaves * n_slots)
    return counts.reshape(shape).astype(float)


@dataclass(frozen=True)
class _Pieces:
    """One term's curves over pieces: slots of its feature that no condition tells apart."""

    points: FloatArray  # (n_pieces,) a value of each piece
    piece_of_slot: Codes  # (n_slots,)
    slot_shares: FloatArray  # (n_leaves, n_slots) part of the rows
    shares: FloatArray  # (n_leaves, n_pieces) part of the rows
    averaging: FloatArray  # (n_leaves, n_slots) part in its piece; all alike without rows

    @classmethod
    def of(
        cls,
        feature: Feature,
        edges: FloatArray,
        trees: Sequence[PartitionTree],
        counts: FloatArray,
    ) -> _Pieces:
        """Group the slots by the sides that the trees' conditions put them on."""
        conditions = [c for c in _conditions(trees) if c.feature.index == feature.index]
        for threshold in {edge for condition in conditions for edge in condition.edges}:
            if threshold not in edges:
                raise ValueError(
                    f"every threshold on {feature.name!r} must be one of its edges; got {threshold}"
                )
        slots = slot_points(feature, edges)
        sides = np.array([np.isnan(slots), *(condition.holds(slots) for condition in conditions)])
        _, first, piece_of_slot = np.unique(sides, axis=1, return_index=True, return_inverse=True)
        piece_of_slot = piece_of_slot.ravel()
        member = np.eye(len(first))[piece_of_slot]
        slot_shares = counts / counts.sum()
        shares = slot_shares @ member
        parts = np.where((shares > 0)[:, piece_of_slot], slot_shares, 1.0)
        averaging = parts / (parts @ member)[:, piece_of_slot]
        return cls(slots[first], piece_of_slot, slot_shares, shares, averaging)

    def means(self, values: FloatArray) -> FloatArray:
        """Return the mean of every curve over every piece, (..., n_leaves, n_pieces)."""
        return (values * self.averaging) @ np.eye(len(self.points))[self.piece_of_slot]


def _steps(
    trees: Sequence[PartitionTree], pieces: Sequence[_Pieces], kept: frozenset[int]
) -> FloatArray:
    """Return what every movable step of height 1 adds to the pieces, (n_steps, n_values).

    A step is movable when every leaf of its taker implies or contradicts the conditions on features
    other than the taker's own: then the taker's implying curves gain exactly what the giver loses.
    """
    steps = []
    for giver, tree in enumerate(trees):
        for path, leaves in _branches(tree).items():
            taker = path[-1].feature.index
            own = [c.holds(pieces[taker].points) for c in path if c.feature.index == taker]
            rest = Region(tuple(c for c in path if c.feature.index != taker))
            regions = trees[taker].regions
            implied = [region.implies(rest) for region in regions]
            contradicted = [region.contradicts(rest) for region in regions]
            is_kept = giver in kept or taker in kept
            if not is_kept and all(np.logical_or(implied, contradicted)):
                step = [np.zeros(term.shares.shape) for term in pieces]
                step[giver][leaves] = -1
                step[taker] += np.outer(implied, np.all(own, axis=0))
                steps.append(_flat(step))
    return np.array(steps).reshape(len(steps), sum(term.shares.size for term in pieces))


def _heights(steps: FloatArray, pieces: Sequence[_Pieces]) -> FloatArray:
    """Return the matrix, (n_values, n_steps), that turns piece means into heights of the steps.

    With c the piece means, centred by term, and Q an orthonormal basis of what steps can do to
    them: c0 = c - Q Q'c is the smallest set of curves with these scores, and the canonical form is
    c0 + Q y, with y of minimum norm among those that minimise |L (c0 + Q y)|, where L takes the
    leaf means, times the root of their rows.
    """
    shares = _flat([term.shares for term in pieces])
    in_term = np.repeat(np.eye(len(pieces)), [term.shares.size for term in pieces], axis=1)
    curve_sizes = [len(term.points) for term in pieces for _ in term.shares]
    in_leaf = np.repeat(np.eye(len(curve_sizes)), curve_sizes, axis=1)
    centring = np.eye(len(shares)) - in_term.T @ (in_term * shares)
    root_rows = np.sqrt(in_leaf @ shares)[:, None]
    leaf_means = in_leaf * shares / np.where(root_rows > 0, root_rows, 1)

    changes, sizes, heights = np.linalg.svd(centring @ steps.T, full_matrices=False)
    kept = sizes > IDLE * sizes.max(initial=0)
    changes, heights = changes[:, kept], heights[kept].T / sizes[kept]
    pull = np.linalg.pinv(leaf_means @ changes, COINCIDING) @ leaf_means
    wanted = changes.T + pull @ (np.eye(len(shares)) - changes @ changes.T)
    solution: FloatArray = -(heights @ wanted @ centring).T
    return solution


def _flat(pieces: Sequence[FloatArray]) -> FloatArray:
    """Return one vector from the (..., n_leaves, n_pieces) arrays of all terms."""
    return np.concatenate([term.reshape(*term.shape[:-2], -1) for term in pieces], axis=-1)


def _conditions(trees: Iterable[PartitionTree]) -> list[Condition]:
    return [node.condition for tree in trees for node in tree.nodes if node.condition is not None]


def _branches(tree: PartitionTree) -> dict[tuple[Condition, ...], list[int]]:
    """Return the leaves below every node but the root, by the node's path."""
    branches: dict[tuple[Condition, ...], list[int]] = {}
    for leaf, region in enumerate(tree.regions):
        for depth in range(len(region.conditions)):
            branches.setdefault(region.conditions[: depth + 1], []).append(leaf)
    return branches
