"""What all ways of growing regions share: which conditions are tried, and on which rows.

A way of growing is a part (`Joint`, `Heterogeneity`) with a method ``search(prepared) -> Regions``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from calmgam.fit.prepared import Limits, Prepared
from calmgam.fit.regions.candidates import THRESHOLDS, Candidates, candidates_for
from calmgam.fit.regions.found import Regions
from calmgam.fit.support.parts import Part, tuned
from calmgam.fit.support.settings import check_in, check_integer, check_number

FOLDS_1_TO_4 = "growth and selection: folds 1 to 4 of some of the paper's tables"
ENOUGH_ROWS = 10  # below which a variance says little

SHARED = """
    Parameters
    ----------
    split_features : list of str or int, optional
        Features that may get several curves; default all.
    sparsity : float
        With ``max_splits="auto"``: how many standard errors of held-out loss fewer splits may cost.
        0 takes the best; more is simpler.
    thresholds : {"quantile", "uniform", "all"}
        Which cuts of a numeric feature are tried as conditions; ``"uniform"``: equally spaced
        values from its smallest to its largest.
    n_thresholds : int
        How many of them.
    n_background : int or None
        Rows on which regions are searched, drawn from larger tables; None takes all.
    min_samples_leaf : int
        Fewest training rows in a region.
    max_curves : int or None
        Most curves over all features, each of which has at least one; None is no limit."""

GrowthType = TypeVar("GrowthType", bound="Growth")


@dataclass(repr=False)
class Growth(Part):  # noqa: D101
    __doc__ = "Settings that all ways of growing share.\n" + SHARED

    split_features: Iterable[str | int] | None = None
    sparsity: float = 1.0
    thresholds: str = "quantile"
    n_thresholds: int = tuned(31, FOLDS_1_TO_4)
    n_background: int | None = tuned(
        50_000,
        "set by hand; halved or doubled, 60,000 rows stay within .0007 of R², with two or three "
        "of three weak interactions; half takes two thirds of the time: see `settings`",
    )
    min_samples_leaf: int = tuned(10, FOLDS_1_TO_4)
    max_curves: int | None = None

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_number("sparsity", self.sparsity, low=0)
        check_in("thresholds", self.thresholds, THRESHOLDS)
        check_integer("n_thresholds", self.n_thresholds, low=1)
        check_integer("n_background", self.n_background, low=2, or_none=True)
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
        check_integer("max_curves", self.max_curves, low=1, or_none=True)

    @abstractmethod
    def search(self, prepared: Prepared) -> Regions:
        """Find the regions of all features."""

    @property
    def n_spaced(self) -> int:
        """How many equally spaced values of a number must be cuts."""
        return self.n_thresholds if self.thresholds == "uniform" else 0

    def most_splits(self, limits: Limits, n_features: int) -> float:
        """Return the most splits that `max_curves` and a number of `max_splits` allow."""
        given = limits.max_splits
        most = math.inf if given is None or isinstance(given, str) else int(given)
        if self.max_curves is None:
            return most
        if self.max_curves < n_features:
            raise ValueError(
                f"max_curves must be at least {n_features}, a curve for every feature; "
                f"got {self.max_curves}"
            )
        return min(most, self.max_curves - n_features)

    def candidates(self, prepared: Prepared) -> list[Candidates]:
        """Return the conditions to try on each feature that conditions may be about."""
        return [self.candidates_on(j, prepared) for j in prepared.limits.policy.condition_features]

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
