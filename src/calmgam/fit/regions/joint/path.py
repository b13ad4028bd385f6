"""Step 2 beyond the paper: all trees grown together, best split first.

In: a denoised target (`target.py`) and the table in coarse bins. Out: the path, a list of splits
in order of merit. An additive histogram model is fitted to the target; then, again and
again, the split that explains most of what is left over all leaves of all trees is made, and the
model is fitted on. So no interaction is paid for twice, and weak splits come last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam.fit.data.binning import Binned
from calmgam.fit.prepared import Limits
from calmgam.fit.regions.candidates import Candidates, code_matrix, thresholds_at
from calmgam.fit.regions.joint.crowding import CROWDING
from calmgam.fit.regions.joint.pairs import Partners
from calmgam.fit.regions.joint.settings import JointSettings
from calmgam.fit.regions.joint.thresholds import (
    Divided,
    roundest_of_the_best,
    threshold_gains,
)
from calmgam.model.ledger import PathSplit, SplitRecord
from calmgam.model.regions import Region
from calmgam.model.schema import Feature, FloatArray
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True)
class JointTable:
    """The rows as joint growth sees them.

    Attributes
    ----------
    fine : Binned
        With all cuts.
    binned : Binned
        Few bins a feature; levels and missing have bins of their own.
    candidates : tuple of Candidates
        Conditions to try, by conditioning feature.
    codes : (n_candidates, n_rows) array of uint16
        The rows' codes among them.
    is_crowded : bool
        Whether there are so many features for the rows that bins must be fewer.
    is_coarse : bool
        Whether bins are fewer, for that or for want of rows.
    """

    fine: Binned
    binned: Binned
    candidates: tuple[Candidates, ...]
    codes: NDArray[np.uint16]
    is_crowded: bool
    is_coarse: bool

    @classmethod
    def of(cls, binned: Binned, candidates: Sequence[Candidates], max_bins: int) -> JointTable:
        """Make the table of binned rows."""
        codes = code_matrix(candidates, binned)
        coarse, shape = binned.coarsened(max_bins), (binned.n_rows, len(binned.features))
        is_crowded = CROWDING.is_crowded(sum(coarse.n_slots), *shape)
        n_bins = CROWDING.n_bins(*shape, is_crowded)
        if is_coarse := n_bins < max_bins:
            coarse = binned.coarsened(n_bins)
        return cls(binned, coarse, tuple(candidates), codes, is_crowded, is_coarse)

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


class Grown(NamedTuple):
    """What growth leaves."""

    path: tuple[PathSplit, ...]  # the splits in order of merit
    curved: frozenset[int]  # features whose curves are more than chance before the first split

    def features(self, n_splits: int) -> list[int]:
        """Return the features that matter when so many splits are made; at least one."""
        return sorted(self.curved.union(*map(features_of, self.path[:n_splits])) or {0})


def grow_path(
    table: JointTable,
    scores: FloatArray,
    weights: FloatArray,
    settings: JointSettings,
    limits: Limits,
    *,
    n_jobs: int = 1,
    partners: Partners | None = None,
    watch: Callable[[FloatArray], bool | None] = lambda residual: None,
) -> Grown:
    """Grow all trees together.

    Parameters
    ----------
    table : JointTable
    scores : (n_rows,) array
        What is to be explained; of many classes (n_rows, n_classes).
    weights : (n_rows,) array
        Row weights. Rows of weight 0 change nothing, but are fitted like the others.
    settings : JointSettings
    limits : Limits
    n_jobs : int
        Threads; the result does not depend on it.
    partners : tuple of frozenset of int, optional
        For every feature those that may be conditions on its curve; all others, if not given.
    watch : callable
        Called after 0, 1, 2, … splits with what the histogram model leaves of the scores; True
        ends the path.

    Returns
    -------
    Grown
        Fewer splits than the limit if no more gain anything, or `watch` has ended the path.
    """
    growing = _Growing(table, scores, weights, settings, limits)
    growing.choose_partners(partners)
    growing.backfit(settings.first_sweeps)
    growing.look_along(settings.max_directions)
    curved = growing.curved
    ended = watch(growing.left_over)
    path: list[PathSplit] = []
    at_least, max_splits = 0.0, settings.path_length(limits)
    while len(path) < max_splits and not ended:
        best = growing.best_split(at_least, n_jobs)
        if best.gain <= 0:
            break
        path.append(growing.make(best))
        growing.backfit(settings.n_sweeps(len(scores), table.is_crowded))
        ended = watch(growing.left_over)
        at_least = settings.promising * best.gain if len(path) % settings.refresh else 0.0
    return Grown(tuple(path), curved)


def features_of(step: PathSplit) -> set[int]:
    """Return the feature that a step splits, and the one that it asks about."""
    assert step.record.condition is not None  # it was made
    return {step.feature, step.record.condition.feature.index}


class _Best(NamedTuple):
    """The best split that may be made."""

    gain: float = 0.0
    feature: int = 0
    leaf: int = 0
    candidates: int = -1  # on which feature the condition is
    left: bytes = b""  # one per code: whether it goes left


class _Choice(NamedTuple):
    """A split of a leaf: one of some candidates, of which the rows have codes."""

    gain: float
    candidates: Candidates
    codes: NDArray[np.uint16]
    left: NDArray[np.bool_]  # of every code


class _Growing:
    """Trees that grow: the rows, which stay, and regions, leaves and residual, which move."""

    def __init__(
        self,
        table: JointTable,
        scores: FloatArray,
        weights: FloatArray,
        settings: JointSettings,
        limits: Limits,
    ) -> None:
        self.table, self.weights, self.settings, self.limits = table, weights, settings, limits
        self.regions = [[Region()] for _ in table.binned.features]  # of every leaf
        self.leaf_of_row = np.zeros_like(table.binned.codes)
        self.shape, columns = scores.shape, scores.reshape(len(scores), -1)
        centred = columns - np.average(columns, axis=0, weights=weights)
        self.residual = np.ascontiguousarray(centred.T)  # (n_outputs, n_rows)
        self.directions, self.aside = np.eye(len(self.residual)), np.zeros(1)
        self.partners: Partners | None = None  # None: whatever the policy allows
        self.kernel = _kernels.JointGrowth(
            weights,
            table.binned.n_slots,
            table.codes,
            [one.feature.index for one in table.candidates],
            [one.n_conditions for one in table.candidates],
            [one.kind == "order" for one in table.candidates],
            [not one.feature.is_numeric for one in table.candidates],
            list(table.binned.turns),
            float(settings.min_samples_leaf),
            settings.ridge,
            CROWDING.doubt(sum(table.binned.n_slots), int(np.count_nonzero(weights)))
            if table.is_crowded
            else None,
            table.is_coarse,
        )
        for i, codes in enumerate(table.binned.codes):
            self.kernel.set_cells(i, codes.astype(np.uint32), 1)

    @property
    def noise(self) -> float:
        """What every bin that a split divides gains by chance: the variance of the residual."""
        return sum(float(np.average(one**2, weights=self.weights)) for one in self.residual)

    @property
    def left_over(self) -> FloatArray:
        """What the histogram model leaves of the scores, in their shape."""
        return (self.directions @ self.residual + self.aside).T.reshape(self.shape)

    @property
    def curved(self) -> frozenset[int]:
        """Features whose curves have not stayed flat."""
        return frozenset(np.flatnonzero(self.kernel.moved()).tolist())

    def choose_partners(self, partners: Partners | None) -> None:
        """Try conditions on a feature's partners only, and those that the policy allows."""
        self.partners = partners
        if partners is not None or not self.limits.policy.is_open:
            for i in range(len(self.regions)):
                self._try_allowed(i)

    def _try_allowed(self, i: int) -> None:
        """Try what may join a feature and all that its tree asks about."""
        asked = {c.feature.index for region in self.regions[i] for c in region.conditions}
        self.kernel.try_only(
            i,
            [
                k
                for k, one in enumerate(self.table.candidates)
                if self.partners is None or one.feature.index in self.partners[i]
                if self.limits.policy.allows({i, one.feature.index, *asked})
            ],
        )

    def look_along(self, max_directions: int) -> None:
        """Look at the leading directions of many classes' residuals alone; the rest stays aside.

        Backfitting is linear, so a direction is fitted as its classes would be.
        """
        if len(self.residual) <= max_directions:
            return
        covariance = (self.residual * self.weights) @ self.residual.T
        _, vectors = np.linalg.eigh(covariance)
        self.directions = np.ascontiguousarray(vectors[:, ::-1][:, :max_directions])
        along = np.ascontiguousarray(self.directions.T @ self.residual)
        self.aside = self.residual - self.directions @ along
        self.residual = along

    def backfit(self, n_sweeps: int) -> None:
        """Fit the histogram model on; the residual follows."""
        self.kernel.backfit(n_sweeps, self.residual)

    def best_split(self, at_least: float, n_jobs: int) -> _Best:
        """Return the best split; what last gained less than `at_least` is looked at if need be."""
        best = self._best_of(self.kernel.best_splits(self.residual, self.noise, at_least, n_jobs))
        if best.gain < at_least:  # what was left out may be better now
            best = self._best_of(self.kernel.best_splits(self.residual, self.noise, 0.0, n_jobs))
        return best

    def _best_of(self, found: list[list[tuple[float, int, bytes]]]) -> _Best:
        """Return the best split that may be made; the first of equals."""
        gain, i, leaf = max(
            (
                (split[0], -i, -leaf)
                for i in self.limits.split_features
                if len(self.regions[i]) < self.table.fine.max_leaves[i]
                for leaf, split in enumerate(found[i])
                if len(self.regions[i][leaf].conditions) < self.limits.max_depth
            ),
            default=(0.0, 0, 0),
        )
        if gain <= 0:
            return _Best()
        _, candidates, left = found[-i][-leaf]
        return _Best(gain, -i, -leaf, candidates, left)

    def make(self, best: _Best) -> PathSplit:
        """Make a split; return the step."""
        choice, i = self._refined(best), best.feature
        step = self._split(self.table.binned.features[i], best.leaf, choice)
        leaves = self.leaf_of_row[i].astype(np.uint32)  # times many levels they outgrow 16 bits
        cells = leaves * np.uint32(self.table.binned.n_slots[i]) + self.table.binned.codes[i]
        self.kernel.set_cells(i, cells, len(self.regions[i]))
        if not self.limits.policy.is_open:
            self._try_allowed(i)
        return step

    def _refined(self, best: _Best) -> _Choice:
        """Search on between the neighbours of a threshold, among all cuts there are."""
        table, which = self.table, best.candidates
        candidates, left = table.candidates[which], np.frombuffer(best.left, dtype=bool)
        is_number = candidates.feature.is_numeric
        is_threshold = is_number and not left[: candidates.missing_code].all()
        if not is_threshold:
            return _Choice(best.gain, candidates, table.codes[which], left)
        position = int(left[: candidates.n_conditions].sum()) - 1
        candidates, codes = table.between(which, position)
        leaves, counted = self.leaf_of_row[best.feature], self.weights > 0
        if not table.is_coarse:  # no step is charged: other leaves have no say
            counted &= leaves == best.leaf
        rows = Divided(
            codes[counted],
            table.binned.codes[best.feature, counted],
            leaves[counted],
            self.weights[counted],
            candidates.n_conditions,
            best.leaf,
        )
        gains: FloatArray = sum(  # type: ignore[assignment]
            threshold_gains(
                rows,
                residual[counted],
                min_rows=self.settings.min_samples_leaf,
                ridge=self.settings.ridge,
                noise=self.noise / len(self.residual),
                charge_steps=table.is_coarse,
            )
            for residual in self.residual
        )
        missing_left = int(gains[1].max() > gains[0].max())
        cut = roundest_of_the_best(candidates.edges, gains[missing_left], self.noise)
        left = np.arange(candidates.missing_code + 1) <= cut
        left[-1] = missing_left
        return _Choice(float(gains[missing_left, cut]), candidates, codes, left)

    def _split(self, feature: Feature, leaf: int, choice: _Choice) -> PathSplit:
        """Split a leaf; return the step."""
        i, region, weights = feature.index, self.regions[feature.index][leaf], self.weights
        inside = self.leaf_of_row[i] == leaf
        goes_left = choice.left[choice.codes]
        counted = inside & (weights > 0)
        n_rows, n_left = int(counted.sum()), int((counted & goes_left).sum())
        codes = choice.codes[counted]
        condition = choice.candidates.condition_of(choice.left, n_left, n_rows, codes)
        weight = float(weights[inside].sum())
        squares = sum(float((weights[inside] * one[inside] ** 2).sum()) for one in self.residual)
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
        self.regions[i][leaf : leaf + 1] = map(region.with_condition, sides)
        self.leaf_of_row[i] += (self.leaf_of_row[i] > leaf) | (inside & ~goes_left)
        return PathSplit(i, leaf, record)
