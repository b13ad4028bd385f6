"""Step 2 beyond the paper: all trees grown together, best split first.

In: a denoised target (the reference's scores) and the table in coarse bins. Out: the path, a list
of splits in order of merit. An additive histogram model is fitted to the target; then, again and
again, the split that explains most of what is left over all leaves of all trees is made, and the
model is fitted on. So no interaction is paid for twice, and weak splits come last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam.fit.binning import Binned, content_order
from calmgam.fit.candidates import Candidates, code_matrix
from calmgam.fit.growing import GrowthSettings
from calmgam.fit.ledger import SplitRecord
from calmgam.model.schema import Feature, FloatArray
from calmgam.model.tree import PartitionTree

MAX_BINS = 32
FIRST_SWEEPS, SWEEPS = 30, 5  # of backfitting: before the first split, after each split
L2 = 5.0  # rows at rest in every cell of the histogram model


@dataclass(frozen=True)
class JointTable:
    """The rows as joint growth sees them.

    Attributes
    ----------
    binned : Binned
        At most `MAX_BINS` bins a feature; levels and missing have bins of their own.
    candidates : tuple of Candidates
        Conditions to try, by conditioning feature.
    codes : (n_candidates, n_rows) array of uint16
        The rows' codes among them.
    turns : list of int
        The order in which features are fitted.
    """

    binned: Binned
    candidates: tuple[Candidates, ...]
    codes: NDArray[np.uint16]
    turns: list[int]

    @classmethod
    def of(cls, X: FloatArray, binned: Binned, candidates: Sequence[Candidates]) -> JointTable:
        """Make the table of encoded, binned rows."""
        codes = code_matrix(candidates, X)
        return cls(binned.coarsened(MAX_BINS), tuple(candidates), codes, content_order(binned))

    def take(self, rows: NDArray[np.intp]) -> JointTable:
        """Return some of the rows."""
        codes = np.take(self.codes, rows, axis=1)
        return replace(self, binned=self.binned.take(rows), codes=codes)


@dataclass(frozen=True)
class PathSplit:
    """One step of the path: which leaf of which feature's tree is split, and the split itself."""

    feature: int
    leaf: int
    record: SplitRecord


def trees_after(path: Sequence[PathSplit], n_features: int) -> tuple[PartitionTree, ...]:
    """Return the trees that a path, or its beginning, leads to."""
    trees = [PartitionTree.trivial()] * n_features
    for step in path:
        assert step.record.condition is not None
        trees[step.feature] = trees[step.feature].split(step.leaf, step.record.condition)
    return tuple(trees)


@dataclass
class _State:
    """What moves while the trees grow."""

    trees: list[PartitionTree]
    depths: list[list[int]]  # of every leaf
    leaf_of_row: NDArray[np.uint16]
    cells: NDArray[np.uint16]
    residual: FloatArray

    @property
    def n_leaves(self) -> list[int]:
        return [tree.n_leaves for tree in self.trees]


def grow_path(
    table: JointTable,
    scores: FloatArray,
    weights: FloatArray,
    settings: GrowthSettings,
    *,
    max_splits: int,
    split_features: Collection[int],
    n_jobs: int = 1,
) -> tuple[PathSplit, ...]:
    """Grow all trees together.

    Parameters
    ----------
    table : JointTable
    scores : (n_rows,) array
        The denoised target.
    weights : (n_rows,) array
        Row weights, mean 1.
    settings : GrowthSettings
        Of which `max_depth` and `min_samples_leaf` count.
    max_splits : int
    split_features : collection of int
        Features that may be split.
    n_jobs : int
        Threads; the result does not depend on it.

    Returns
    -------
    The splits in order; fewer than `max_splits` if no more gain anything.
    """
    features, n_bins = table.binned.features, list(table.binned.n_slots)
    codes = [one.feature.index for one in table.candidates]
    n_conditions = [one.n_conditions for one in table.candidates]
    ordered = [one.kind == "order" for one in table.candidates]
    subsets = [not one.feature.is_numeric for one in table.candidates]
    state = _State(
        trees=[PartitionTree.trivial()] * len(features),
        depths=[[0] for _ in features],
        leaf_of_row=np.zeros_like(table.binned.codes),
        cells=table.binned.codes.copy(),
        residual=scores - np.average(scores, weights=weights),
    )
    _backfit(state, table, weights, FIRST_SWEEPS)
    path: list[PathSplit] = []
    while len(path) < max_splits:
        # by chance alone every bin that a split divides would gain the variance of the residual
        noise = float(np.average(state.residual**2, weights=weights))
        found = _kernels.joint_splits(
            state.residual,
            weights,
            state.cells,
            state.n_leaves,
            n_bins,
            table.codes,
            codes,
            n_conditions,
            ordered,
            subsets,
            float(settings.min_samples_leaf),
            L2,
            noise,
            n_jobs,
        )
        gain, feature, leaf = max(
            (
                (split[0], -i, -leaf)  # of equal gains the first feature's first leaf wins
                for i in split_features
                for leaf, split in enumerate(found[i])
                if state.depths[i][leaf] < settings.max_depth
            ),
            default=(0.0, 0, 0),
        )
        if gain <= 0:
            break
        _, which, goes_left = found[-feature][-leaf]
        left = np.frombuffer(goes_left, dtype=bool)
        path.append(_split(state, features[-feature], -leaf, table, which, left, gain, weights))
        _backfit(state, table, weights, SWEEPS)
    return tuple(path)


def _backfit(state: _State, table: JointTable, weights: FloatArray, n_sweeps: int) -> None:
    """Fit the histogram model on, in place."""
    n_bins = list(table.binned.n_slots)
    _kernels.backfit(
        state.cells, state.n_leaves, n_bins, table.turns, weights, L2, n_sweeps, state.residual
    )


def _split(
    state: _State,
    feature: Feature,
    leaf: int,
    table: JointTable,
    which: int,
    left: NDArray[np.bool_],
    gain: float,
    weights: FloatArray,
) -> PathSplit:
    """Split a leaf in place; return the step."""
    i, tree = feature.index, state.trees[feature.index]
    inside = state.leaf_of_row[i] == leaf
    goes_left = left[table.codes[which]]
    n_rows, n_left = int(inside.sum()), int((inside & goes_left).sum())
    condition = table.candidates[which].condition_of(
        left, n_left, n_rows, table.codes[which][inside]
    )
    weight = float(weights[inside].sum())
    squares = float((weights[inside] * state.residual[inside] ** 2).sum())
    record = SplitRecord(
        feature=feature.name,
        region=tree.regions[leaf],
        condition=condition,
        depth=state.depths[i][leaf],
        n_rows=n_rows,
        n_left=n_left,
        n_right=n_rows - n_left,
        share=weight / float(weights.sum()),
        heterogeneity_before=squares / weight,
        drop=gain / squares,
        accepted=True,
    )
    state.trees[i] = tree.split(leaf, condition)
    state.depths[i][leaf : leaf + 1] = [state.depths[i][leaf] + 1] * 2
    state.leaf_of_row[i] += (state.leaf_of_row[i] > leaf) | (inside & ~goes_left)
    n_slots = table.binned.n_slots[i]
    state.cells[i] = state.leaf_of_row[i] * np.uint16(n_slots) + table.binned.codes[i]
    return PathSplit(i, leaf, record)
