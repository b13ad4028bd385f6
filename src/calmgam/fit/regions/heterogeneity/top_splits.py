"""What growth by heterogeneity gives back, and how it is cut back to its best splits.

In: one `GrownNode` per searched feature: a node's best split and what grew on its two sides. Out:
`GrownTrees`, which derives from them the partition trees and the ledger, and keeps, when asked, the
best splits over all trees whose parents are in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from calmgam.model.ledger import Ledger, PathPoint, SplitRecord
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True, eq=False)
class GrownNode:
    """A grown tree: a node's best split and, if it was made, what grew on its two sides."""

    record: SplitRecord
    children: tuple[GrownNode, ...] = ()

    @property
    def records(self) -> tuple[SplitRecord, ...]:
        """All nodes' records, a region before its parts."""
        below = (record for child in self.children for record in child.records)
        return (self.record, *below)

    @property
    def tree(self) -> PartitionTree:
        """The partition that was grown."""
        tree, leaf = PartitionTree.trivial(), 0
        for record in self.records:  # depth first, so leaves come in their final order
            if record.accepted:
                assert record.condition is not None
                tree = tree.split(leaf, record.condition)
            else:
                leaf += 1
        return tree

    def cut_to(self, kept: Collection[GrownNode], reason: str) -> GrownNode:
        """Return the same tree with the kept splits only."""
        if self in kept:
            return replace(self, children=tuple(c.cut_to(kept, reason) for c in self.children))
        if self.record.accepted:
            return GrownNode(replace(self.record, accepted=False, reason=reason))
        return self


@dataclass(frozen=True, eq=False)
class GrownTrees:
    """The trees of all features.

    Attributes
    ----------
    growths : mapping of int to GrownNode
        By the position of the feature; those that were not searched have none.
    n_features : int
    effect : str
        The local effects that were compared.
    rank : {"absolute", "relative"}
        Which splits are the best: those of the largest gain, or of the largest drop.
    """

    growths: Mapping[int, GrownNode]
    n_features: int
    effect: str
    rank: str

    @property
    def records(self) -> Iterator[SplitRecord]:
        """All trees' records, feature by feature."""
        return (record for growth in self.growths.values() for record in growth.records)

    @property
    def n_splits(self) -> int:
        """Number of splits that were made."""
        return sum(record.accepted for record in self.records)

    @property
    def trees(self) -> tuple[PartitionTree, ...]:
        """The partition of every feature."""
        grown = {i: growth.tree for i, growth in self.growths.items()}
        return tuple(grown.get(i, PartitionTree.trivial()) for i in range(self.n_features))

    def ledger(self, path: tuple[PathPoint, ...] = (), scale: float = 1.0) -> Ledger:
        """Return the ledger in units of which the fit's own are `scale`.

        It has the errors of some numbers of splits, if they are known.
        """
        records = (
            replace(record, heterogeneity_before=scale * (scale * record.heterogeneity_before))
            for record in self.records
        )
        return Ledger(self.n_features, tuple(records), path, effect=self.effect)

    def keeping(self, n_splits: int, reason: str = "") -> GrownTrees:
        """Cut the trees back to their best splits; the reason is for the ledger."""
        kept = best_splits(list(self.growths.values()), n_splits, self.rank)
        growths = {i: growth.cut_to(kept, reason) for i, growth in self.growths.items()}
        return replace(self, growths=growths)


def best_splits(growths: Sequence[GrownNode], n_splits: int, rank: str) -> set[GrownNode]:
    """Return the best splits over all trees.

    Repeatedly takes the split with the largest gain (`rank` ``"absolute"``) or drop
    (``"relative"``) among those whose parents are in.
    """
    worth = {"absolute": lambda g: g.record.gain, "relative": lambda g: g.record.drop}[rank]
    kept: set[GrownNode] = set()
    within_reach = [growth for growth in growths if growth.record.accepted]
    while within_reach and len(kept) < n_splits:
        best = max(within_reach, key=worth)
        within_reach.remove(best)
        within_reach += [child for child in best.children if child.record.accepted]
        kept.add(best)
    return kept
