"""What all ways of growing regions share: which conditions are tried, and on which rows.

A way of growing is a part (`Joint`, `Heterogeneity`) with a method ``search(prepared) -> Regions``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.candidates import THRESHOLDS, Candidates, candidates_for
from calmgam.fit.regions.found import Regions
from calmgam.fit.support.parts import NO_RECORD, Part, tuned
from calmgam.fit.support.settings import check_in, check_integer

FOLDS_1_TO_4 = "growth and selection: folds 1 to 4 of some of the paper's tables"
ENOUGH_ROWS = 10  # below which a variance says little

GrowthType = TypeVar("GrowthType", bound="Growth")


@dataclass(repr=False)
class Growth(Part):
    """Settings that all ways of growing share.

    Parameters
    ----------
    thresholds : {"quantile", "uniform", "all"}
        Which cuts of a numeric feature are tried as conditions.
    n_thresholds : int
        How many of them.
    n_background : int or None
        Rows on which regions are searched, drawn from larger tables; None takes all.
    min_samples_leaf : int
        Fewest training rows in a region.
    """

    thresholds: str = "quantile"
    n_thresholds: int = tuned(31, FOLDS_1_TO_4)
    n_background: int | None = tuned(50_000, NO_RECORD)
    min_samples_leaf: int = tuned(10, FOLDS_1_TO_4)

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_in("thresholds", self.thresholds, THRESHOLDS)
        check_integer("n_thresholds", self.n_thresholds, low=1)
        check_integer("n_background", self.n_background, low=2, or_none=True)
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)

    @abstractmethod
    def search(self, prepared: Prepared) -> Regions:
        """Find the regions of all features."""

    def candidates(self, prepared: Prepared) -> list[Candidates]:
        """Return the conditions to try on each feature that conditions may be about."""
        return [self.candidates_on(j, prepared) for j in prepared.limits.condition_features]

    def candidates_on(self, j: int, prepared: Prepared) -> Candidates:
        """Return the conditions to try on a feature, chosen on all rows."""
        return candidates_for(
            prepared.binned, j, thresholds=self.thresholds, n_thresholds=self.n_thresholds
        )

    def sampled(self: GrowthType, prepared: Prepared) -> tuple[GrowthType, Prepared]:
        """Draw the background rows of a large table; a leaf's share of the rows stays the same."""
        n_rows = prepared.n_rows
        if self.n_background is None or self.n_background >= n_rows:
            return self, prepared
        rows = np.sort(prepared.rng.choice(n_rows, self.n_background, replace=False))
        in_leaf = math.ceil(self.min_samples_leaf * (self.n_background / n_rows))
        in_leaf = max(in_leaf, min(self.min_samples_leaf, ENOUGH_ROWS))
        return replace(self, min_samples_leaf=in_leaf), prepared.take(rows)
