"""What a search for regions gives back: the trees, and the record of how they were found."""

from __future__ import annotations

from dataclasses import dataclass, field

from calmgam.model.ledger import Ledger, PathSplit
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True)
class Regions:
    """The regions of all features.

    Attributes
    ----------
    trees : tuple of PartitionTree
    ledger : Ledger
    path : tuple of PathSplit
        Joint growth: all splits in order, those beyond the chosen number included.
    errors : dict
        Held-out errors: of own GAM, CALM and reference if cross-validated, or of the reference.
    flat : frozenset of int
        Features that say nothing beyond chance, and get no curve.
    kept : frozenset of int
        Features whose curves are not to be learned: others must not hand them steps.
    """

    trees: tuple[PartitionTree, ...]
    ledger: Ledger = field(default_factory=Ledger)
    path: tuple[PathSplit, ...] = ()
    errors: dict[str, float] = field(default_factory=dict)
    flat: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
