"""One list of cuts per feature, and every row's slot on it.

In: the encoded matrix. Out: `Binned`, the cuts (between adjacent distinct training values, at the
roundest number there) and the slot of every value. Curve edges and thresholds of conditions both
come from these cuts, so no value can have the bin of one side and the region of the other, and
regions are looked up by slots alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.runs import Run
from calmgam.model.regions import Condition
from calmgam.model.rounding import roundest
from calmgam.model.schema import Feature, FloatArray, Schema
from calmgam.model.shapes import count_slots, slot_codes
from calmgam.model.tree import PartitionTree

MAX_CELLS = 2**16  # codes of cells have 16 bits
MAX_BINS = MAX_CELLS - 1  # missing has a code, too


@dataclass(frozen=True)
class Binned:
    """A table as slots.

    Attributes
    ----------
    features : tuple of Feature
    edges : tuple of arrays
        The cuts of every feature; empty for levels.
    centres : tuple of arrays
        Mean of the training values in every bin; empty for levels.
    codes : (n_features, n_rows) array of uint16
        Slot of every value, laid out as the slots of `ShapeFunction`.
    one_value_a_bin : tuple of bool
        Whether each bin of a number holds a single training value, which is its centre.
    fine : Binned or None
        The bins that these were joined from, in which thresholds lie; None if these are they.
    runs : tuple of Run
        How the curves over these bins must run; free, if not given.
    """

    features: tuple[Feature, ...]
    edges: tuple[FloatArray, ...]
    centres: tuple[FloatArray, ...]
    codes: NDArray[np.uint16]
    one_value_a_bin: tuple[bool, ...]
    fine: Binned | None = None
    runs: tuple[Run, ...] = ()

    def __post_init__(self) -> None:
        if not self.runs:
            object.__setattr__(self, "runs", (Run.free,) * len(self.features))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.codes.shape[1]

    @cached_property
    def n_slots(self) -> tuple[int, ...]:
        """Number of slots of every feature."""
        return tuple(count_slots(f, e) for f, e in zip(self.features, self.edges, strict=True))

    @property
    def varying(self) -> frozenset[int]:
        """Features with more than one value: a constant has no curve that regions could change."""
        return frozenset(i for i, codes in enumerate(self.codes) if (codes != codes[0]).any())

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """Features in the order in which they learn, wherever they stand in the table."""
        return tuple(content_order(self)) if self.fine is None else self.fine.turns

    def slot_ends(self, feature: int) -> FloatArray:
        """Return an encoded value for every slot: the upper end of a bin, a level's code, NaN."""
        if self.features[feature].is_numeric:
            return np.concatenate([self.edges[feature], [np.inf, np.nan]])
        return np.append(np.arange(self.n_slots[feature] - 1.0), np.nan)

    def leaf_of(self, tree: PartitionTree) -> NDArray[np.int32]:
        """Leaf of every row; all thresholds of the tree are cuts."""
        fine = self.fine or self

        def holds(condition: Condition, rows: Any) -> NDArray[np.bool_]:
            j = condition.feature.index
            in_slots: NDArray[np.bool_] = condition.holds(fine.slot_ends(j))
            return in_slots[fine.codes[j][rows]]

        return tree.leaf_where(self.n_rows, holds)

    def cells(self, trees: Sequence[PartitionTree]) -> NDArray[np.uint16]:
        """Cell of every row in every term: ``leaf * n_slots + slot``."""
        self.check_cells(trees)
        cells = self.codes.copy()
        for line, tree, n_slots in zip(cells, trees, self.n_slots, strict=True):
            if tree.n_splits:
                line += (self.leaf_of(tree) * n_slots).astype(np.uint16)
        return cells

    @cached_property
    def max_leaves(self) -> tuple[int, ...]:
        """How many curves a feature may have before its cells no longer fit into 16 bits."""
        return tuple(MAX_CELLS // n_slots for n_slots in self.n_slots)

    def check_cells(self, trees: Sequence[PartitionTree]) -> None:
        """Refuse trees of so many leaves that the codes of cells would overflow."""
        for feature, tree, n_slots in zip(self.features, trees, self.n_slots, strict=True):
            if tree.n_leaves > MAX_CELLS // n_slots:
                raise ValueError(
                    f"{feature.name!r} has {tree.n_leaves} curves of {n_slots} slots: "
                    f"curves times slots must be at most {MAX_CELLS}; lower max_bins or max_depth"
                )

    def take(self, rows: NDArray[np.intp]) -> Binned:
        """Return some of the rows."""
        fine = None if self.fine is None else self.fine.take(rows)
        return replace(self, codes=np.take(self.codes, rows, axis=1), fine=fine)

    def only(self, features: Sequence[int]) -> Binned:
        """Return the bins of some features; trees are looked up in those of all."""
        return Binned(
            tuple(self.features[i] for i in features),
            tuple(self.edges[i] for i in features),
            tuple(self.centres[i] for i in features),
            self.codes[list(features)],
            tuple(self.one_value_a_bin[i] for i in features),
            fine=None if self.fine is None else self.fine.only(features),
            runs=tuple(self.runs[i] for i in features),
        )

    def coarsened(self, max_bins: int) -> Binned:
        """Join neighbouring bins into at most `max_bins` of about equally many rows."""
        edges, centres, codes = list(self.edges), list(self.centres), self.codes.copy()
        single = list(self.one_value_a_bin)
        for i, fine in enumerate(self.edges):
            if len(fine) < max_bins:
                continue
            counts = np.bincount(self.codes[i], minlength=len(fine) + 2)[:-1]
            kept = quantile_positions(counts, max_bins)
            edges[i], centres[i] = fine[kept], _means(self.centres[i], counts, kept)
            single[i] = False
            # slot -> coarse slot; missing stays last
            slots = np.append(np.searchsorted(kept, np.arange(len(fine) + 1)), len(kept) + 1)
            codes[i] = slots.astype(np.uint16)[self.codes[i]]
        return Binned(
            self.features,
            tuple(edges),
            tuple(centres),
            codes,
            tuple(single),
            fine=self.fine or self,
            runs=self.runs,
        )


def bin_table(X: FloatArray, schema: Schema, max_bins: int, n_spaced: int = 0) -> Binned:
    """Cut every numeric column into at most `max_bins` bins of about equally many rows.

    `n_spaced` equally spaced values from the smallest to the largest are cuts, too, exactly.
    """
    none = np.empty(0)
    edges, centres, single = zip(
        *(
            cuts(X[:, feature.index], max_bins, spaced_values(feature, n_spaced))
            if feature.is_numeric
            else (none, none, False)
            for feature in schema.features
        ),
        strict=True,
    )
    return Binned(schema.features, edges, centres, slots_of(X, schema, edges), single)


def slots_of(X: FloatArray, schema: Schema, edges: Sequence[FloatArray]) -> NDArray[np.uint16]:
    """Slot of every value between given cuts, (n_features, n_rows)."""
    codes = np.empty((schema.n_features, len(X)), dtype=np.uint16)
    for feature, feature_edges in zip(schema.features, edges, strict=True):
        if (n_slots := count_slots(feature, feature_edges)) > MAX_CELLS:
            raise ValueError(
                f"{feature.name!r} has {n_slots} slots: bins or levels, unseen and missing must be "
                f"at most {MAX_CELLS} together; lower max_bins or join levels"
            )
        codes[feature.index] = slot_codes(feature, feature_edges, X[:, feature.index])
    return codes


def spaced_values(feature: Feature, number: int) -> FloatArray:
    """Equally spaced values from a feature's smallest to its largest, both included."""
    if not number or not np.isfinite([feature.low, feature.high]).all():
        return np.empty(0)
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.unique(np.linspace(feature.low, feature.high, number))
    return values[np.isfinite(values)]  # the range of huge numbers may overflow


def cuts(
    column: FloatArray, max_bins: int, wanted: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, bool]:
    """Return the cuts, the mean of each bin, and whether every bin holds one value only.

    All cuts, or those nearest to quantiles. A wanted number that divides the values is a cut in any
    case, as it stands; of several that divide them alike the first.
    """
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    if len(values) < 2:
        return np.empty(0), values if len(values) else np.zeros(1), len(values) == 1
    is_fine = len(values) <= max_bins
    lower = np.arange(len(values) - 1) if is_fine else quantile_positions(counts, max_bins)
    edges = roundest(values[lower], values[lower + 1])
    if wanted is not None and len(wanted):
        below, first = np.unique(np.searchsorted(values, wanted, side="right"), return_index=True)
        divides = (below > 0) & (below < len(values))
        given = dict(zip(lower.tolist(), edges.tolist(), strict=True))
        given |= zip((below[divides] - 1).tolist(), wanted[first[divides]].tolist(), strict=True)
        lower = np.array(sorted(given))
        edges = np.array([given[position] for position in lower.tolist()])
    return edges, values if is_fine else _means(values, counts, lower), is_fine


def _means(values: FloatArray, counts: NDArray[Any], last: NDArray[np.intp]) -> FloatArray:
    """Mean of the values in every run; `last` are the positions at which runs end, but the last."""
    starts = np.append(0, last + 1)
    largest = np.abs(values).max() or 1.0  # no overflow
    sums = np.add.reduceat(values / largest * counts, starts)
    return sums / np.maximum(np.add.reduceat(counts, starts), 1) * largest


def quantile_positions(counts: NDArray[Any], max_bins: int) -> NDArray[np.intp]:
    """Positions of at most ``max_bins - 1`` cuts after runs of about equally many rows."""
    share_below = np.cumsum(counts)[:-1] / max(counts.sum(), 1)
    quantiles = np.arange(1, max_bins) / max_bins
    return np.unique(np.minimum(np.searchsorted(share_below, quantiles), len(counts) - 2))


def content_order(binned: Binned) -> list[int]:
    """Return the features sorted by their values, wherever they stand in the table."""

    def content(i: int) -> tuple[bytes, bytes, bytes]:
        codes = binned.codes[i]  # where the rows stand decides between equal distributions only
        counts, rows = np.bincount(codes), blake2b(codes.tobytes()).digest()
        return binned.edges[i].tobytes(), counts.tobytes(), rows

    return sorted(range(len(binned.codes)), key=content)
