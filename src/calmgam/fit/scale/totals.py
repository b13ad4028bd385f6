"""The last pass of a log link: what was observed and what curves predict, over all rows.

In: blocks of rows, and curves in fine bins. Out: `Totals`. Every float is an integer times a power
of two, and Python's integers have no end: sums are exact, the same bits in any order and grouping.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calmgam.fit.curves.contract import Curves
from calmgam.fit.data.losses import Loss
from calmgam.fit.scale.batches import Batch
from calmgam.fit.scale.moments import Cells, FixedPoint
from calmgam.model.schema import FloatArray

MANTISSA, HALF = 53, 27  # bits
UNIT = -1074 - MANTISSA  # no float's last bit has a smaller exponent


@dataclass(frozen=True)
class Totals:
    """Weighted sums over rows of y and of its predictions, in units of 2^UNIT."""

    observed: int = 0
    predicted: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.observed + other.observed, self.predicted + other.predicted)

    @property
    def correction(self) -> float:
        """What to add to all scores, so that predictions add up to what was observed."""
        return math.log(self.observed / self.predicted)


@dataclass(frozen=True, eq=False)
class TotalsPass:
    """How totals are made of a block of rows.

    Attributes
    ----------
    cells : Cells
    fixed : FixedPoint
    curves : Curves
        In fine bins.
    loss : Loss
    n_jobs : int
    """

    cells: Cells
    fixed: FixedPoint
    curves: Curves
    loss: Loss
    n_jobs: int = 1

    def start(self) -> Totals:
        """Return the totals of no rows."""
        return Totals()

    def add(self, totals: Totals, batch: Batch) -> Totals:
        """Add a block of rows."""
        y, given = batch.target()
        weights = np.ones(len(y)) if given is None else given / self.fixed.unit
        _, cells = self.cells.of(batch, np.arange(len(y)), self.n_jobs)
        means = self.loss.response(self.curves.scores(cells))
        values = (y - self.fixed.mean) / self.fixed.scale
        return totals + Totals(exact_sum(weights * values), exact_sum(weights * means))


def exact_sum(values: FloatArray) -> int:
    """Return the sum of floats in units of 2^UNIT."""
    mantissas, exponents = np.frexp(values)
    halves = np.divmod(np.ldexp(mantissas, MANTISSA).astype(np.int64), 1 << HALF)
    places = exponents - MANTISSA - UNIT
    high, low = (np.bincount(places, half).tolist() for half in halves)  # below 2^53: exact
    return sum(
        ((int(a) << HALF) + int(b)) << place
        for place, (a, b) in enumerate(zip(high, low, strict=True))
    )
