"""Step 2 beyond the paper: all trees grown together, best split first.

In: a denoised target (`target.py`) and the table in coarse bins. Out: the path, a list of splits
in order of merit. An additive histogram model is fitted to the target; then, again and
again, the split that explains most of what is left over all leaves of all trees is made, and the
model is fitted on. So no interaction is paid for twice, and weak splits come last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam.fit.data.binning import Binned, content_order
from calmgam.fit.regions.candidates import Candidates, code_matrix, thresholds_at
from calmgam.fit.regions.heterogeneity.growing import GrowthSettings
from calmgam.fit.regions.joint.thresholds import roundest_of_the_best, threshold_gains
from calmgam.fit.support.settings import SMALL_TABLE
from calmgam.model.ledger import PathSplit, SplitRecord
from calmgam.model.regions import Region
from calmgam.model.schema import Feature, FloatArray
from calmgam.model.tree import PartitionTree

MAX_BINS = 32
FIRST_SWEEPS, SWEEPS = 30, 5  # of backfitting: before the first split, after each split …
SWEEPS_OF_SMALL = 20  # … of a small table, where they cost little
PROMISING = 0.3  # share of the last split's gain below which conditions are left for later …
REFRESH = 5  # … but looked at again after so many splits
L2 = 5.0  # rows at rest in every cell of the histogram model


@dataclass(frozen=True)
class JointTable:
    """The rows as joint growth sees them.

    Attributes
    ----------
    fine : Binned
        With all cuts.
    binned : Binned
        At most `MAX_BINS` bins a feature; levels and missing have bins of their own.
    candidates : tuple of Candidates
        Conditions to try, by conditioning feature.
    codes : (n_candidates, n_rows) array of uint16
        The rows' codes among them.
    turns : list of int
        The order in which features are fitted.
    """

    fine: Binned
    binned: Binned
    candidates: tuple[Candidates, ...]
    codes: NDArray[np.uint16]
    turns: list[int]

    @classmethod
    def of(cls, X: FloatArray, binned: Binned, candidates: Sequence[Candidates]) -> JointTable:
        """Make the table of encoded, binned rows."""
        codes, turns = code_matrix(candidates, X), content_order(binned)
        return cls(binned, binned.coarsened(MAX_BINS), tuple(candidates), codes, turns)

    def between(self, which: int, position: int) -> tuple[Candidates, NDArray[np.uint16]]:
        """All cuts between the neighbours of a threshold, as candidates, and the rows' codes."""
        coarse = self.candidates[which]
        feature, cuts = coarse.feature, self.fine.edges[coarse.feature.index]
        below, above = np.concatenate([[-np.inf], coarse.edges, [np.inf]])[[position, position + 2]]
        first, last = np.searchsorted(cuts, below, "right"), np.searchsorted(cuts, above, "left")
        candidates = thresholds_at(feature, cuts[first:last])
        slots = self.fine.codes[feature.index].astype(np.intp)
        codes = np.clip(slots - first, 0, candidates.n_conditions)
        codes[slots == len(cuts) + 1] = candidates.missing_code
        return candidates, codes.astype(np.uint16)


def trees_after(path: Sequence[PathSplit], n_features: int) -> tuple[PartitionTree, ...]:
    """Return the trees that a path, or its beginning, leads to."""
    roots: list[list[Any]] = [[] for _ in range(n_features)]  # [] is a leaf
    leaves = [[root] for root in roots]
    for step in path:
        sides: tuple[list[Any], list[Any]] = [], []
        leaves[step.feature][step.leaf][:] = step.record.condition, *sides
        leaves[step.feature][step.leaf : step.leaf + 1] = sides

    def nested(node: list[Any]) -> Any:
        return (node[0], nested(node[1]), nested(node[2])) if node else None

    whole = PartitionTree.trivial()
    return tuple(PartitionTree.from_nested(nested(root)) if root else whole for root in roots)


@dataclass
class _State:
    """What moves while the trees grow."""

    regions: list[list[Region]]  # of every leaf
    leaf_of_row: NDArray[np.uint16]
    residual: FloatArray


def grow_path(
    table: JointTable,
    scores: FloatArray,
    weights: FloatArray,
    settings: GrowthSettings,
    *,
    max_splits: int,
    split_features: Collection[int],
    n_jobs: int = 1,
    watch: Callable[[FloatArray], None] | None = None,
) -> tuple[PathSplit, ...]:
    """Grow all trees together.

    Parameters
    ----------
    table : JointTable
    scores : (n_rows,) array
        The denoised target.
    weights : (n_rows,) array
        Row weights. Rows of weight 0 change nothing, but are fitted like the others.
    settings : GrowthSettings
        Of which `max_depth` and `min_samples_leaf` count.
    max_splits : int
    split_features : collection of int
        Features that may be split.
    n_jobs : int
        Threads; the result does not depend on it.
    watch : callable, optional
        Called after 0, 1, 2, … splits with what the histogram model leaves of the scores.

    Returns
    -------
    The splits in order; fewer than `max_splits` if no more gain anything.
    """
    features = table.binned.features
    state = _State(
        regions=[[Region()] for _ in features],
        leaf_of_row=np.zeros_like(table.binned.codes),
        residual=scores - np.average(scores, weights=weights),
    )
    growth = _kernels.JointGrowth(
        weights,
        table.binned.n_slots,
        table.codes,
        [one.feature.index for one in table.candidates],
        [one.n_conditions for one in table.candidates],
        [one.kind == "order" for one in table.candidates],
        [not one.feature.is_numeric for one in table.candidates],
        table.turns,
        float(settings.min_samples_leaf),
        L2,
    )
    for i, codes in enumerate(table.binned.codes):
        growth.set_cells(i, codes, 1)
    n_sweeps = SWEEPS_OF_SMALL if len(scores) < SMALL_TABLE else SWEEPS
    watch = watch or (lambda residual: None)
    growth.backfit(FIRST_SWEEPS, state.residual)
    watch(state.residual)
    path: list[PathSplit] = []
    at_least = 0.0
    while len(path) < max_splits:
        # by chance alone every bin that a split divides would gain the variance of the residual
        noise = float(np.average(state.residual**2, weights=weights))
        tries = (growth.best_splits(state.residual, noise, low, n_jobs) for low in (at_least, 0.0))
        found, i, leaf = _best(next(tries), state, split_features, settings.max_depth)
        if found.gain < at_least:  # what was left out may be better now
            found, i, leaf = _best(next(tries), state, split_features, settings.max_depth)
        if found.gain <= 0:
            break
        choice = _refined(found, i, leaf, state, table, weights, noise, settings.min_samples_leaf)
        path.append(_split(state, features[i], leaf, choice, weights))
        n_slots = table.binned.n_slots[i]
        cells = state.leaf_of_row[i] * np.uint16(n_slots) + table.binned.codes[i]
        growth.set_cells(i, cells, len(state.regions[i]))
        growth.backfit(n_sweeps, state.residual)
        watch(state.residual)
        at_least = PROMISING * found.gain if len(path) % REFRESH else 0.0
    return tuple(path)


class _Found(NamedTuple):
    """What the kernel says of a leaf."""

    gain: float
    candidates: int  # on which feature the best condition is; -1 if none gains anything
    left: bytes  # one per code: whether it goes left


def _best(
    found: list[list[tuple[float, int, bytes]]],
    state: _State,
    split_features: Collection[int],
    max_depth: int,
) -> tuple[_Found, int, int]:
    """Return the best split that may be made, its feature and its leaf; the first of equals."""
    gain, i, leaf = max(
        (
            (split[0], -i, -leaf)
            for i in split_features
            for leaf, split in enumerate(found[i])
            if len(state.regions[i][leaf].conditions) < max_depth
        ),
        default=(0.0, 0, 0),
    )
    return _Found(*found[-i][-leaf]) if gain > 0 else _Found(0.0, -1, b""), -i, -leaf


class _Choice(NamedTuple):
    """A split of a leaf: one of some candidates, of which the rows have codes."""

    gain: float
    candidates: Candidates
    codes: NDArray[np.uint16]
    left: NDArray[np.bool_]  # of every code


def _refined(
    found: _Found,
    i: int,
    leaf: int,
    state: _State,
    table: JointTable,
    weights: FloatArray,
    noise: float,
    min_rows: float,
) -> _Choice:
    """Search on between the neighbours of a threshold, among all cuts there are."""
    gain, which, mask = found
    candidates, left = table.candidates[which], np.frombuffer(mask, dtype=bool)
    is_threshold = candidates.kind == "order" and not left[: candidates.missing_code].all()
    if not is_threshold:
        return _Choice(gain, candidates, table.codes[which], left)
    position = int(left[: candidates.n_conditions].sum()) - 1
    candidates, codes = table.between(which, position)
    inside = np.flatnonzero((state.leaf_of_row[i] == leaf) & (weights > 0))
    gains = threshold_gains(
        codes[inside],
        table.binned.codes[i, inside],
        state.residual[inside],
        weights[inside],
        candidates.n_conditions,
        min_rows=min_rows,
        l2=L2,
        noise=noise,
    )
    missing_left = int(gains[1].max() > gains[0].max())
    cut = roundest_of_the_best(candidates.edges, gains[missing_left], noise)
    left = np.arange(candidates.missing_code + 1) <= cut
    left[-1] = missing_left
    return _Choice(float(gains[missing_left, cut]), candidates, codes, left)


def _split(
    state: _State,
    feature: Feature,
    leaf: int,
    choice: _Choice,
    weights: FloatArray,
) -> PathSplit:
    """Split a leaf in place; return the step."""
    i, region = feature.index, state.regions[feature.index][leaf]
    inside = state.leaf_of_row[i] == leaf
    goes_left = choice.left[choice.codes]
    counted = inside & (weights > 0)
    n_rows, n_left = int(counted.sum()), int((counted & goes_left).sum())
    condition = choice.candidates.condition_of(choice.left, n_left, n_rows, choice.codes[counted])
    weight = float(weights[inside].sum())
    squares = float((weights[inside] * state.residual[inside] ** 2).sum())
    record = SplitRecord(
        feature=feature.name,
        region=region,
        condition=condition,
        depth=len(region.conditions),
        n_rows=n_rows,
        n_left=n_left,
        n_right=n_rows - n_left,
        share=weight / float(weights.sum()),
        heterogeneity_before=squares / weight,
        drop=choice.gain / squares,
        accepted=True,
    )
    sides = condition, condition.negate()
    state.regions[i][leaf : leaf + 1] = map(region.with_condition, sides)
    state.leaf_of_row[i] += (state.leaf_of_row[i] > leaf) | (inside & ~goes_left)
    return PathSplit(i, leaf, record)
