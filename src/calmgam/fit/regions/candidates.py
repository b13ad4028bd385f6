"""Which conditions may be tried on one feature.

In: a feature in bins. Out: `Candidates`, the left sides of all splits that growth may try, and a
small code per value that says which of them hold. Numbers offer `<= cut` at some of the cuts;
categories offer `= level`, one level each, ordered levels the first 1, 2, 3, …; where values are
missing, "is not missing" can be tried too. Which side of the others takes the missing values is
decided later, by growth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calmgam.fit.data.binning import Binned, spaced_values
from calmgam.model.regions import Condition
from calmgam.model.schema import Feature
from calmgam.model.shapes import slot_codes

THRESHOLDS = ("quantile", "uniform", "all")


@dataclass(frozen=True, eq=False)
class Candidates:
    """The conditions that may be tried on one feature.

    Parameters
    ----------
    feature
        The conditioning feature.
    values
        Threshold or level of every candidate split.
    kind
        ``"order"``: condition t holds for codes <= t; ``"equal"``: for codes == t.
    edges
        Numeric features: the cuts between neighbouring codes; empty for categories.
    """

    feature: Feature
    values: np.ndarray
    kind: str
    edges: np.ndarray

    @property
    def n_conditions(self) -> int:
        """Number of candidate splits."""
        return len(self.values)

    @property
    def missing_code(self) -> int:
        """Code of a missing value."""
        return self.n_conditions + 1

    def codes(self, column: np.ndarray) -> np.ndarray:
        """Code of each value (uint16).

        ``"order"``: number of thresholds below the value; ``"equal"``: index of the condition that
        holds, `n_conditions` if none does. Missing values have `missing_code`.
        """
        codes = slot_codes(self.feature, self.edges, column)
        if self.kind == "order":  # unseen levels come after all
            np.minimum(codes, self.n_conditions, out=codes)
        codes[np.isnan(column)] = self.missing_code
        return codes

    def holds(self, codes: np.ndarray, candidate: int, missing: bool) -> np.ndarray:
        """Mask of the codes on the left of a candidate, missing values on the given side."""
        if candidate == self.n_conditions:
            return codes != self.missing_code
        left = codes <= candidate if self.kind == "order" else codes == candidate
        return left | (codes == self.missing_code) if missing else left

    def condition(self, candidate: int, missing: bool) -> Condition:
        """Condition of a candidate, missing values on the given side.

        Candidate `n_conditions`, after the others, is "is not missing".
        """
        if candidate < self.n_conditions:
            value = self.values[candidate]
            if self.feature.is_numeric:
                return Condition(self.feature, "<=", float(value), missing)
            first = 0 if self.kind == "order" else int(value)
            return Condition(self.feature, "=", tuple(range(first, int(value) + 1)), missing)
        if self.feature.is_numeric:
            return Condition(self.feature, "<=", np.inf, False)
        return Condition(self.feature, "!=", (), False)

    def condition_of(
        self, left: np.ndarray, n_left: int, n_rows: int, codes: np.ndarray
    ) -> Condition:
        """Condition that sends a set of codes left.

        Parameters
        ----------
        left
            For every code, missing last, whether it goes left: a beginning of the order, or levels.
        n_left, n_rows, codes
            The region's rows: where none is missing, missing values follow the majority.
        """
        present, missing = left[: self.n_conditions], bool(left[self.missing_code])
        if left[: self.missing_code].all():
            return self.condition(self.n_conditions, False)
        if not np.any(codes == self.missing_code):
            missing = 2 * n_left >= n_rows
        if self.kind == "order":
            return self.condition(int(present.sum()) - 1, missing)
        chosen = np.flatnonzero(present).tolist()
        if len(chosen) == 1:
            return self.condition(chosen[0], missing)
        return Condition(self.feature, "=", tuple(chosen), missing)


def candidates_for(
    binned: Binned,
    j: int,
    *,
    thresholds: str,
    n_thresholds: int,
) -> Candidates:
    """Choose the conditions to try on a feature.

    Parameters
    ----------
    binned : Binned
        All training rows; every threshold is one of the cuts.
    j : int
        The conditioning feature.
    thresholds : {"quantile", "uniform", "all"}
        Numeric features: ``"quantile"`` takes cuts with about equally many rows in between,
        ``"uniform"`` equally spaced ones from the smallest value to the largest, which `bin_table`
        has made cuts, ``"all"`` every cut.
    n_thresholds : int
        How many cuts ``"quantile"`` and ``"uniform"`` take (at most).
    """
    feature, edges = binned.features[j], binned.edges[j]
    if not feature.is_numeric:
        kind, n_last = ("order", 1) if feature.ordered else ("equal", 0)
        return Candidates(feature, np.arange(feature.n_levels - n_last), kind, np.empty(0))
    if thresholds == "quantile":
        edges = _quantile_edges(edges, binned.codes[j], n_thresholds)
    elif thresholds == "uniform":
        edges = edges[np.isin(edges, spaced_values(feature, n_thresholds))]
    return thresholds_at(feature, edges)


def thresholds_at(feature: Feature, edges: np.ndarray) -> Candidates:
    """Conditions ``<= cut`` at the given cuts."""
    return Candidates(feature, edges, "order", edges)


def _quantile_edges(edges: np.ndarray, codes: np.ndarray, n_thresholds: int) -> np.ndarray:
    """Cuts whose shares of the rows below come nearest to k / (n_thresholds + 1)."""
    if edges.size <= n_thresholds:
        return edges
    counts = np.bincount(codes, minlength=edges.size + 2)
    below = np.cumsum(counts[: edges.size + 1])
    wanted = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    shares = below[:-1] / below[-1]
    return edges[np.unique(np.searchsorted((shares[1:] + shares[:-1]) / 2, wanted))]


def code_matrix(candidates: Sequence[Candidates], binned: Binned) -> np.ndarray:
    """Codes of all rows, one line per conditioning feature."""
    codes = np.empty((len(candidates), binned.n_rows), dtype=np.uint16)
    for line, one in zip(codes, candidates, strict=True):
        j = one.feature.index
        line[:] = one.codes(binned.slot_ends(j))[binned.codes[j]]
    return codes
