"""Thresholds of a large table, placed between the cuts that growth could see.

In: regions, and the sample that found them. Out: both, with every threshold moved to where the
sample's rows between the neighbouring cuts fit best. A bin of a large table holds thousands of
rows, far more than a clear threshold needs to be told; growth, which knows bins alone, would leave
it beside the truth by up to half a bin. The cut of the curves moves along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from calmgam.fit.curves.contract import Curves
from calmgam.fit.data.binning import Binned
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.joint.thresholds import roundest_of_the_best
from calmgam.fit.scale.moments import Cells
from calmgam.fit.scale.quick import in_wide_bins
from calmgam.model.ledger import SplitRecord
from calmgam.model.regions import Condition, Region
from calmgam.model.rounding import roundest
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

Moves = Mapping[tuple[int, float], float]  # feature and threshold -> threshold


def place_thresholds(
    prepared: Prepared, regions: Regions, cells: Cells, curves: Curves
) -> tuple[Prepared, Regions]:
    """Place all thresholds, one after the other.

    Parameters
    ----------
    prepared : Prepared
        The sample.
    regions : Regions
    cells : Cells
        The bins of the curves.
    curves : Curves
        Of these regions.
    """
    moves: dict[tuple[int, float], float] = {}
    for feature, threshold in movable(regions):
        cells = replace(cells, trees=regions.trees)
        found = _best_threshold(prepared, cells, curves, feature, threshold)
        if found == threshold:
            continue
        moves[feature, threshold] = found
        prepared = replace(prepared, binned=_with_cut(prepared, feature, threshold, found))
        trees = tuple(_moved_tree(tree, {(feature, threshold): found}) for tree in regions.trees)
        regions = replace(regions, trees=trees)
    return prepared, _recorded(regions, moves)


def movable(regions: Regions) -> list[tuple[int, float]]:
    """Return the features and thresholds of the conditions that growth has found."""
    conditions = [one.condition for one in regions.ledger.accepted if one.condition]
    compare = {
        (one.feature.index, one.threshold)
        for one in conditions
        if one.feature.is_numeric and one.operator in ("<=", ">") and math.isfinite(one.threshold)
    }
    bounds = {
        (one.feature.index, edge)
        for one in conditions
        if one.operator in ("=", "!=")
        for edge in one.edges
    }
    return sorted(compare - bounds)


def _best_threshold(
    prepared: Prepared, cells: Cells, curves: Curves, feature: int, threshold: float
) -> float:
    """Return the threshold that fits the rows between the neighbouring cuts best."""
    binned, target = prepared.binned, prepared.target
    slot, codes = int(np.searchsorted(binned.edges[feature], threshold)), binned.codes[feature]
    rows = np.flatnonzero((codes == slot) | (codes == slot + 1))
    rows = rows[np.argsort(prepared.X[rows, feature], kind="stable")]
    values = prepared.X[rows, feature]
    ends = np.flatnonzero(values[:-1] < values[1:])
    if len(ends) < 2:
        return threshold

    def losses(side: int) -> FloatArray:
        """Return what the rows lose if all of them are on one side."""
        taken = binned.take(rows)
        taken.codes[feature] = side
        scores = curves.scores(in_wide_bins(taken, cells).cells(cells.trees))
        return target.weights[rows] * target.losses(scores, rows)

    left, right = losses(slot), losses(slot + 1)
    gains = np.cumsum(right - left)[ends]
    noise = float((right.sum() - gains.max()) / target.weights[rows].sum())
    cuts = roundest(values[ends], values[ends + 1])
    return float(cuts[roundest_of_the_best(cuts, gains - gains.min() + 1.0, noise)])


def _with_cut(prepared: Prepared, feature: int, threshold: float, new: float) -> Binned:
    """Return the sample in bins of which one cut has moved."""
    binned, column = prepared.binned, prepared.X[:, feature]
    edges, centres = binned.edges[feature].copy(), binned.centres[feature].copy()
    slot = int(np.searchsorted(edges, threshold))
    edges[slot] = new
    codes = binned.codes.copy()
    around = np.flatnonzero((codes[feature] == slot) | (codes[feature] == slot + 1))
    above = column[around] > new
    codes[feature, around] = slot + above
    for side, inside in enumerate((~above, above)):
        centres[slot + side] = column[around[inside]].mean()
    return replace(
        binned,
        edges=tuple(edges if i == feature else one for i, one in enumerate(binned.edges)),
        centres=tuple(centres if i == feature else one for i, one in enumerate(binned.centres)),
        codes=codes,
    )


def _moved(condition: Condition, moves: Moves) -> Condition:
    if not condition.feature.is_numeric or condition.operator not in ("<=", ">"):
        return condition
    key = condition.feature.index, condition.threshold
    return replace(condition, value=moves.get(key, condition.threshold))


def _moved_tree(tree: PartitionTree, moves: Moves) -> PartitionTree:
    nodes = (
        replace(node, condition=_moved(node.condition, moves)) if node.condition else node
        for node in tree.nodes
    )
    return PartitionTree(tuple(nodes))


def _recorded(regions: Regions, moves: Moves) -> Regions:
    """Let ledger and path name the thresholds that the trees have."""

    def moved(record: SplitRecord) -> SplitRecord:
        region = Region(tuple(_moved(one, moves) for one in record.region.conditions))
        condition = record.condition and _moved(record.condition, moves)
        return replace(record, region=region, condition=condition)

    ledger = replace(regions.ledger, splits=tuple(map(moved, regions.ledger.splits)))
    path = tuple(replace(step, record=moved(step.record)) for step in regions.path)
    return replace(regions, ledger=ledger, path=path)
