"""Features that move together: pairs with a strong rank correlation share their effect.

In: a model and rows. Out: the pairs whose Spearman correlation is beyond a threshold, over the rows
that have both values. Levels without an order have no ranks; of two levels the code is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model
from calmgam.model.schema import Feature
from calmgam.read.view_types import View
from calmgam.read.words.wording import shown_name

STRONG = 0.9
MAX_ROWS = 20_000  # evenly spaced ones of more
MARGIN = 0.1  # pairs this close are ranked again over the rows that have both values


@dataclass(frozen=True)
class CorrelatedPair(View):
    """Two features and their rank correlation, over the rows that have both values."""

    first: str
    second: str
    correlation: float
    n_rows: int

    def __str__(self) -> str:
        return (
            f"{shown_name(self.first)} and {shown_name(self.second)} move together "
            f"(rank correlation {self.correlation:.2f}): they share their effect, and neither "
            "curve alone tells what its feature does"
        )


@dataclass(frozen=True, repr=False)
class Correlations(View):
    """Pairs of features that move together, the strongest first; and which were compared."""

    threshold: float
    n_rows: int
    features: tuple[str, ...]
    pairs: tuple[CorrelatedPair, ...]

    def __str__(self) -> str:
        compared = f"{len(self.features)} features with an order, {self.n_rows:,} rows"
        head = f"rank correlations beyond ±{self.threshold:g} ({compared})"
        return "\n".join(
            [f"{head}: {'' if self.pairs else 'none'}".rstrip(), *map(str, self.pairs)]
        )

    __repr__ = __str__


def correlated_features(model: Model, X: Any, threshold: float = STRONG) -> Correlations:
    """Find pairs of features that move together, and so share their effect.

    Parameters
    ----------
    model : Model
        Whose features are looked at.
    X : data frame or array
    threshold : float
        Pairs whose rank correlation is beyond, in either direction, are named.

    Returns
    -------
    Correlations
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be a number in [0, 1]; got {threshold}")
    features = [feature for feature in model.schema.features if _has_order(feature)]
    encoded = model.schema.encode(X)
    encoded = encoded[:: max(1, -(-len(encoded) // MAX_ROWS))]
    columns = [_known(feature, encoded[:, feature.index]) for feature in features]
    likely = _likely(columns, threshold - MARGIN)
    pairs = (_pair(features[i], features[j], columns[i], columns[j]) for i, j in likely)
    found = [pair for pair in pairs if abs(pair.correlation) > threshold]
    found.sort(key=lambda pair: -abs(pair.correlation))
    names = tuple(feature.name for feature in features)
    return Correlations(threshold, len(encoded), names, tuple(found))


def _has_order(feature: Feature) -> bool:
    return feature.is_numeric or feature.ordered or feature.n_levels == 2


def _known(feature: Feature, values: FloatArray) -> FloatArray:
    """Return values, NaN where a level is not known."""
    return values if feature.is_numeric else np.where(values >= feature.n_levels, np.nan, values)


def _likely(columns: list[FloatArray], threshold: float) -> list[tuple[int, int]]:
    """Return pairs that may be correlated: ranks of each column's own values, missing ones out."""
    if len(columns) < 2:
        return []
    ranks = np.column_stack([_ranks(column) for column in columns])
    is_known = ~np.isnan(ranks)
    filled, known = np.where(is_known, ranks, 0.0), is_known.astype(np.float64)
    n, both = known.T @ known, filled.T @ filled
    total, square = filled.T @ known, (filled**2).T @ known
    with np.errstate(all="ignore"):
        covariance = both - total * total.T / n
        variance = np.maximum(square - total**2 / n, 0.0)
        correlation = covariance / np.sqrt(variance * variance.T)
    strong = np.triu(np.abs(correlation) > threshold, 1)
    return [(int(i), int(j)) for i, j in np.argwhere(strong)]


def _pair(first: Feature, second: Feature, one: FloatArray, other: FloatArray) -> CorrelatedPair:
    both = ~(np.isnan(one) | np.isnan(other))
    a, b = _ranks(one[both]), _ranks(other[both])
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    correlation = float(a @ b) / size if size > 0 else 0.0
    return CorrelatedPair(first.name, second.name, correlation, int(both.sum()))


def _ranks(values: FloatArray) -> FloatArray:
    """Return ranks in [-0.5, 0.5], of equal values their mean; NaN of NaN."""
    known = ~np.isnan(values)
    ranks = np.full(len(values), np.nan)
    _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks[known] = (last - 0.5 * (counts - 1))[place] / max(int(known.sum()), 1) - 0.5
    return ranks
