"""Prediction intervals: how far new rows may lie from their predictions, whatever the noise.

    interval(x) = prediction(x) ± (q * scale(x) + slack)

In: predictions of rows by models that have not seen them, and the truth. `scale` is a product of
factors, one by the size of the prediction and one by the leaf of every tree, that makes errors
comparable; q is the conformal quantile of |error| / scale. Kept are the factors and 99 quantiles,
no rows. `slack` is what edits may have moved predictions by since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.links import response
from calmgam.model.plain import Document, Plain
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree

COVERAGES = np.arange(1, 100) / 100  # between which others are interpolated
N_BINS = 10  # of predictions
N_SWEEPS = 3  # over all features
PRIOR_ROWS = 50  # that a factor of 1 is worth
MIN_ROWS = 50  # fewer say too little of the ends of a distribution


@dataclass(frozen=True)
class Group:
    """A tree, and the factor of the scale in every leaf of it."""

    tree: PartitionTree
    factors: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "factors", _positive(self.factors, "factors"))
        if len(self.factors) != self.tree.n_leaves:
            raise ValueError(
                f"factors must be one for each of {self.tree.n_leaves} leaves; "
                f"got {len(self.factors)}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"tree": self.tree.to_dict(), "factors": list(self.factors)}

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> Group:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("tree", "factors")
        tree = PartitionTree.from_dict(plain["tree"], schema)
        return plain.make(cls, tree, tuple(plain["factors"].numbers().tolist()))


@dataclass(frozen=True)
class Intervals:
    """What a model knows about the size of its errors.

    Attributes
    ----------
    edges, factors : tuple of float
        Bins of predictions, and the scale in each.
    groups : tuple of Group
        Factors of the scale by region.
    quantiles : tuple of float
        Of |error| / scale, at the coverages 0.01 to 0.99, each with its finite-sample correction.
    n_rows : int
        Rows that they were measured on.
    slack : float
        How far edits may have moved a prediction since.
    """

    edges: tuple[float, ...]
    factors: tuple[float, ...]
    groups: tuple[Group, ...]
    quantiles: tuple[float, ...]
    n_rows: int
    slack: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(map(float, self.edges)))
        object.__setattr__(self, "factors", _positive(self.factors, "factors"))
        object.__setattr__(self, "quantiles", tuple(map(float, self.quantiles)))
        if not (np.isfinite(self.edges).all() and (np.diff(self.edges) > 0).all()):
            raise ValueError("edges must be finite and increasing")
        if len(self.factors) != len(self.edges) + 1:
            raise ValueError(f"factors must be {len(self.edges) + 1}; got {len(self.factors)}")
        steps = np.diff(self.quantiles, prepend=0.0)
        if len(steps) != len(COVERAGES) or not (steps >= 0).all():
            raise ValueError(f"quantiles must be {len(COVERAGES)} numbers >= 0 that never fall")
        if not 0 <= self.slack < np.inf:
            raise ValueError(f"slack must be a number >= 0; got {self.slack}")

    @classmethod
    def learn(
        cls,
        trees: Sequence[PartitionTree],
        X: FloatArray,
        prediction: FloatArray,
        y: FloatArray,
        weights: FloatArray | None = None,
    ) -> Intervals:
        """Measure errors on rows that the predictions know nothing of.

        Parameters
        ----------
        trees : sequence of PartitionTree
            By whose leaves the size of errors may differ.
        X : (n, d) array
            Encoded rows.
        prediction, y : (n,) arrays
        weights : (n,) array, optional
        """
        if len(y) < MIN_ROWS:
            raise ValueError(f"intervals need at least {MIN_ROWS} rows; got {len(y)}")
        weights = np.ones(len(y)) if weights is None else weights
        errors = np.abs(y - prediction)
        cuts = np.unique(np.quantile(prediction, np.arange(1, N_BINS) / N_BINS))
        split = [tree for tree in trees if tree.n_splits]
        leaves: list[NDArray[Any]] = [tree.leaf_of(X) for tree in split]
        codes = [np.searchsorted(cuts, prediction), *leaves]
        sizes = [len(cuts) + 1, *(tree.n_leaves for tree in split)]
        scale, factors = _scales(errors, weights, codes, sizes)
        scores = errors / scale
        order = np.argsort(scores)
        below = np.cumsum(weights[order]) / (weights.sum() + weights.mean())
        at = np.minimum(np.searchsorted(below, COVERAGES - 1e-12), len(y) - 1)
        return cls(
            tuple(cuts),
            tuple(factors[0]),
            tuple(Group(tree, tuple(one)) for tree, one in zip(split, factors[1:], strict=True)),
            tuple(scores[order][at]),
            len(y),
        )

    def half_widths(self, X: FloatArray, prediction: FloatArray, coverage: float) -> FloatArray:
        """Return half the width of the interval of every encoded row.

        Parameters
        ----------
        X : (n, d) array
        prediction : (n,) array
        coverage : float
            Between 0.01 and 0.99.
        """
        is_number = isinstance(coverage, Real)
        if not (is_number and COVERAGES[0] <= coverage <= COVERAGES[-1]):
            raise ValueError(f"coverage must be in [0.01, 0.99]; got {coverage!r}")
        lowest, highest = (
            np.searchsorted(self.edges, prediction + side) for side in (-self.slack, self.slack)
        )
        table = np.array(self.factors)
        scale = table[lowest]
        for _ in range(len(table) if self.slack else 0):  # the largest of bins within the slack
            lowest = np.minimum(lowest + 1, highest)
            scale = np.maximum(scale, table[lowest])
        for group in self.groups:
            scale = scale * np.array(group.factors)[group.tree.leaf_of(X)]
        quantile = np.interp(coverage, COVERAGES, self.quantiles)
        widths: FloatArray = quantile * scale + self.slack
        return widths

    def widened(self, change: float) -> Intervals:
        """Return intervals for a model whose predictions lie at most this far from before."""
        return replace(self, slack=self.slack + change)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "edges": list(self.edges),
            "factors": list(self.factors),
            "groups": [group.to_dict() for group in self.groups],
            "quantiles": list(self.quantiles),
            "n_rows": self.n_rows,
            "slack": self.slack,
        }

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> Intervals:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*(one.name for one in fields(cls)))
        return plain.make(
            cls,
            tuple(plain["edges"].numbers().tolist()),
            tuple(plain["factors"].numbers().tolist()),
            tuple(Group.from_dict(part, schema) for part in plain["groups"].items()),
            tuple(plain["quantiles"].numbers().tolist()),
            plain["n_rows"].integer(low=1),
            plain["slack"].number(),
        )


def middles(
    link: str, score: FloatArray, offset: FloatArray | float
) -> tuple[FloatArray, FloatArray | float]:
    """Return what intervals lie around, and by how much they are moved in the end.

    An offset moves a number and its errors; an exposure makes another number with other errors.
    """
    return (score, offset) if link == "identity" else (response(link, score + offset), 0.0)


def _scales(
    errors: FloatArray, weights: FloatArray, codes: Sequence[NDArray[Any]], sizes: Sequence[int]
) -> tuple[FloatArray, list[FloatArray]]:
    """Return the scale of every row, and its factors: the ratio of mean errors, in turns."""
    mean = float(np.average(errors, weights=weights)) or 1.0
    scale = np.full(len(errors), mean)
    factors = [np.ones(size) for size in sizes]
    prior = PRIOR_ROWS * mean
    for _ in range(N_SWEEPS):
        for code, factor in zip(codes, factors, strict=True):
            found = np.bincount(code, weights * errors, minlength=len(factor)) + prior
            ratio = found / (np.bincount(code, weights * scale, minlength=len(factor)) + prior)
            factor *= ratio
            scale = scale * ratio[code]
    factors[0] *= mean
    return scale, factors


def _positive(numbers: Sequence[float], what: str) -> tuple[float, ...]:
    array = np.array(numbers, dtype=np.float64)
    if array.ndim != 1 or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{what} must be numbers above 0")
    return tuple(array.tolist())
