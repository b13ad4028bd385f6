"""Local effects of one feature on some rows, and how much they differ: their heterogeneity.

    CurveEffects (PDP)              a curve per row      H(I) = sum_m w_m Var_{k in I} h(g_m, x^k)
    PointEffects (ALE, RHALE, SHAP) a number per row,    H(I) = sum_b |I_b|/|I| Var_{k in I_b} h_k
                                    at its own value x_i, compared with its bin of x_i

Both say what candidate conditions would take from W·H (cpp/heterogeneity.hpp), so growth does not
ask which they are. Row weights count in |.| and Var.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calmgam import _kernels


class LocalEffects(ABC):
    """Local effects of one feature, whatever they are."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows."""

    @abstractmethod
    def take(self, rows: np.ndarray) -> LocalEffects:
        """Return the effects on some of the rows."""

    @abstractmethod
    def _centred(self, weights: np.ndarray) -> np.ndarray:
        """Return the effects less their mean; their weighted squares sum to weight * H."""

    @abstractmethod
    def _gains(self, centred: np.ndarray, weights: np.ndarray, *conditions: Any) -> np.ndarray:
        """Return what every candidate takes from weight * H; conditions go to the kernel."""

    def heterogeneity(self, weights: np.ndarray) -> float:
        """Return H of all rows, with row weights."""
        return _sum_of_squares(self._centred(weights), weights) / float(weights.sum())

    def score_splits(
        self,
        weights: np.ndarray,
        codes: np.ndarray,
        n_conditions: Sequence[int],
        ordered: Sequence[bool],
        min_samples_leaf: int,
        n_jobs: int = 1,
    ) -> tuple[float, np.ndarray]:
        """Return weight * heterogeneity, and what every candidate condition takes from it.

        Parameters
        ----------
        weights
            Row weights.
        codes
            Codes of the rows (uint16), one line per conditioning feature.
        n_conditions
            Number of candidate conditions on every conditioning feature.
        ordered
            Whether they are thresholds (condition t holds for codes <= t) or single levels (== t).
        min_samples_leaf
            Rows that must remain on each side.
        n_jobs
            Threads; the result does not depend on it.
        """
        centred = self._centred(weights)  # sums of squares far from zero would cancel
        gains = self._gains(
            centred, weights, codes, n_conditions, ordered, min_samples_leaf, n_jobs
        )
        return _sum_of_squares(centred, weights), gains


def _sum_of_squares(centred: np.ndarray, weights: np.ndarray) -> float:
    table = centred.reshape(len(centred), -1)
    return float((weights * np.einsum("km,km->k", table, table)).sum())


@dataclass(frozen=True, eq=False)
class CurveEffects(LocalEffects):
    """One curve per row.

    Attributes
    ----------
    grid : (M,) array of encoded values; NaN is the missing value
    weights : (M,) array, sum 1
    curves : (n, M) array
    """

    grid: np.ndarray
    weights: np.ndarray
    curves: np.ndarray

    def __len__(self) -> int:
        return len(self.curves)

    def take(self, rows: np.ndarray) -> CurveEffects:  # noqa: D102
        return replace(self, curves=self.curves[rows])

    def _centred(self, weights: np.ndarray) -> np.ndarray:
        centred = self.curves - np.einsum("k,km->m", weights, self.curves) / weights.sum()
        centred *= np.sqrt(self.weights)
        return centred

    def _gains(self, centred: np.ndarray, weights: np.ndarray, *conditions: Any) -> np.ndarray:
        return _kernels.curve_split_gains(centred, weights, *conditions)


@dataclass(frozen=True, eq=False)
class PointEffects(LocalEffects):
    """One number per row, to be compared with those in the same bin of the feature.

    Attributes
    ----------
    effects : (n,) array
    bins : (n,) array of uint16
    n_bins : int
    """

    effects: np.ndarray
    bins: np.ndarray
    n_bins: int

    def __len__(self) -> int:
        return len(self.effects)

    def take(self, rows: np.ndarray) -> PointEffects:  # noqa: D102
        return replace(self, effects=self.effects[rows], bins=self.bins[rows])

    def _centred(self, weights: np.ndarray) -> np.ndarray:
        in_bin = np.bincount(self.bins, weights, self.n_bins)
        sums = np.bincount(self.bins, weights * self.effects, self.n_bins)
        means = np.divide(sums, in_bin, out=np.zeros(self.n_bins), where=in_bin > 0)
        return self.effects - means[self.bins]

    def _gains(self, centred: np.ndarray, weights: np.ndarray, *conditions: Any) -> np.ndarray:
        return _kernels.point_split_gains(centred, self.bins, self.n_bins, weights, *conditions)
