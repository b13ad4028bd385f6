"""Trees that the user gives, instead of growing them.

In: `growth={"temp": ["hour <= 7", "hour > 7"]}`, texts, regions or a tree per feature. Out: one
`PartitionTree` per feature, trivial where nothing was given. Thresholds move to the cut that sends
the training rows the same way (or nearly so), because curves and conditions share one list of cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from calmgam.fit.prepared import Prepared
from calmgam.model.parsing import parse_region
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree

Partition = PartitionTree | Iterable[str | Region]


def given_trees(
    partitions: Mapping[str, Partition], prepared: Prepared
) -> tuple[PartitionTree, ...]:
    """Read the user's partitions.

    Parameters
    ----------
    partitions : mapping
        For each feature to split: a tree, or a list of regions (or their texts) that together
        hold every row exactly once.
    prepared : Prepared
        The training rows and their cuts.
    """
    schema, edges, X = prepared.schema, prepared.binned.edges, prepared.X
    trees = [PartitionTree.trivial()] * schema.n_features
    for name, partition in partitions.items():
        try:
            index = schema.index(name)
            trees[index] = _tree(partition, schema, edges, X)
            if index in trees[index].condition_features:
                raise ValueError("a feature's regions must not depend on the feature itself")
            run = prepared.binned.runs[index]
            if run.is_bend and trees[index].n_splits:
                raise ValueError(f"what monotone wants to be {run.value} must have one region")
        except (KeyError, ValueError) as error:
            raise ValueError(f"growth[{name!r}]: {error.args[0]}") from error
    return tuple(trees)


def _tree(
    partition: Partition, schema: Schema, edges: Sequence[np.ndarray], X: np.ndarray
) -> PartitionTree:
    if isinstance(partition, PartitionTree):
        nodes = (
            node
            if node.condition is None
            else replace(node, condition=_snap(node.condition, schema, edges, X))
            for node in partition.nodes
        )
        return PartitionTree(tuple(nodes))
    if isinstance(partition, str) or not isinstance(partition, Iterable):
        raise ValueError(
            "must be a tree or a list of regions that hold every row once, such as "
            f"['hour <= 7', 'hour > 7']; got {partition!r}"
        )
    regions = (parse_region(one, schema) if isinstance(one, str) else one for one in partition)
    return PartitionTree.from_regions(
        [Region(tuple(_snap(c, schema, edges, X) for c in one.conditions)) for one in regions]
    )


def _snap(
    condition: Condition, schema: Schema, edges: Sequence[np.ndarray], X: np.ndarray
) -> Condition:
    """Move a condition's threshold to a cut, or its bounds to the cuts around its value."""
    condition = Condition.from_dict(condition.to_dict(), schema)  # by name and label
    feature = condition.feature
    if not feature.is_numeric or condition.threshold == np.inf:
        return condition
    value, column = condition.threshold, X[:, feature.index]
    cuts = edges[feature.index]
    position = int(np.searchsorted(cuts, value))
    low, high = [-np.inf, *cuts.tolist(), np.inf][position : position + 2]  # low < value <= high
    if condition.operator in ("=", "!="):
        if not np.any(column == value):
            raise ValueError(f"no training row has {feature.name} = {value:g}")
        return replace(condition, bounds=(low, high))
    n_below = np.count_nonzero((column > low) & (column <= value))
    n_above = np.count_nonzero((column > value) & (column <= high))
    threshold = high if n_above <= n_below else low  # the cut that moves fewer rows
    if np.isinf(threshold):
        raise ValueError(f"'{condition}' holds for all training rows or for none")
    return replace(condition, value=threshold)
