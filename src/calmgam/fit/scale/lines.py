"""From tiles to what boosting reads: lines of the Gram matrix, summed over nodes and bins.

In: `Moments`. Out: per fold, and of all rows, a line for every slot of every node of every tree:
the weights of the node's rows that are in each cell; over ordered bins the sums run on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.scale.moments import Cells, FixedPoint, Moments
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

Lines = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FoldSums:
    """Sums of one fold, or of all, in units of y and weights.

    Attributes
    ----------
    weights, sums : (n_cells,) arrays
    square : float
    """

    weights: FloatArray
    sums: FloatArray
    square: float

    def __add__(self, other: FoldSums) -> FoldSums:
        return FoldSums(
            self.weights + other.weights, self.sums + other.sums, self.square + other.square
        )


def fold_sums(moments: Moments, fixed: FixedPoint, fold: Any) -> FoldSums:
    """Return the sums of a fold; of several, if `fold` is a slice."""
    folds = [fold] if isinstance(fold, int) else fold
    return FoldSums(
        np.ldexp(moments.weights[folds].sum(axis=0).astype(float), -fixed.weight_bits),
        np.ldexp(moments.sums[folds].sum(axis=0).astype(float), -fixed.value_bits),
        float(np.ldexp(float(moments.squares[folds].sum()), -fixed.square_bits)),
    )


def gram_of(moments: Moments, cells: Cells, fixed: FixedPoint, fold: int) -> Lines:
    """Return the Gram matrix of a fold, (n_cells, n_cells)."""
    firsts, at = cells.firsts, 0
    gram = np.zeros((firsts[-1], firsts[-1]), dtype=np.float32)
    unit = 2.0**-fixed.weight_bits
    tiles = moments.tiles[fold]
    for i, n_left in enumerate(cells.n_cells):
        left = slice(firsts[i], firsts[i + 1])
        np.fill_diagonal(gram[left, left], moments.weights[fold, left] * unit)
        for j in range(i + 1, len(cells.n_cells)):
            right = slice(firsts[j], firsts[j + 1])
            size = n_left * cells.n_cells[j]
            tile = tiles[at : at + size].reshape(n_left, -1)
            gram[left, right] = tile if unit == 1.0 else tile * unit
            gram[right, left] = gram[left, right].T
            at += size
    return gram


def lines_of(gram: Lines, cells: Cells) -> Lines:
    """Sum the Gram matrix over the leaves of nodes, and run on over ordered bins."""
    blocks = []
    for i, (tree, n_slots) in enumerate(zip(cells.trees, cells.binned.n_slots, strict=True)):
        leaves = gram[cells.firsts[i] : cells.firsts[i + 1]].reshape(tree.n_leaves, n_slots, -1)
        nodes = np.empty((2 * tree.n_splits + 1, n_slots, len(gram)), dtype=np.float32)
        nodes[tree.n_splits :] = leaves
        for node in reversed(range(tree.n_splits)):
            below = [k for k in range(1, len(nodes)) if tree.parents[k] == node]
            nodes[node] = nodes[below[0]] + nodes[below[1]]
        if cells.binned.features[i].is_numeric:
            bins = nodes[:, :-1]
            nodes[:, :-1] = np.cumsum(bins, axis=1, dtype=np.float64)
        blocks.append(nodes.reshape(-1, len(gram)))
    return np.concatenate(blocks)


def without_regions(moments: Moments, cells: Cells) -> tuple[Moments, Cells]:
    """Return the sums that a GAM is learned from, of two folds: the first, and all others."""
    shapes = [(t.n_leaves, n) for t, n in zip(cells.trees, cells.binned.n_slots, strict=True)]

    def over_leaves(sums: NDArray[Any]) -> NDArray[Any]:
        parts = np.split(_in_two(sums), cells.firsts[1:-1], axis=1)
        whole = [p.reshape(-1, *shape).sum(axis=1) for p, shape in zip(parts, shapes, strict=True)]
        return np.concatenate(whole, axis=1)

    tiles, at = [np.empty((2, 0), dtype=moments.tiles.dtype)], 0
    for i, left in enumerate(shapes):
        for right in shapes[i + 1 :]:
            size = math.prod((*left, *right))
            tile = _in_two(moments.tiles[:, at : at + size]).reshape(-1, *left, *right)
            tiles.append(tile.sum(axis=(1, 3), dtype=tile.dtype).reshape(2, -1))
            at += size
    joined = replace(
        moments,
        weights=over_leaves(moments.weights),
        sums=over_leaves(moments.sums),
        squares=_in_two(moments.squares),
        tiles=np.concatenate(tiles, axis=1),
    )
    return joined, Cells(cells.binned, (PartitionTree.trivial(),) * len(shapes))


def _in_two(sums: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the first fold, and of all others."""
    return np.add.reduceat(sums, [0, 1], axis=0, dtype=sums.dtype)
