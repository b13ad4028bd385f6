"""The best split of one node: the condition that takes away most of its heterogeneity.

In: the node's curves h (rows x grid points) and candidate codes. Out: the node's heterogeneity and
the condition with the largest

    drop = (H(I) - |L|/|I| H(L) - |R|/|I| H(R)) / H(I),   H(I) = sum_m w_m Var_{k in I} h(g_m, x^k)

The grid weights w_m enter once, as sqrt(w_m) in the columns of h; row weights count in |.| and Var.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calmgam import _kernels
from calmgam.fit.candidates import Candidates
from calmgam.model.regions import Condition

# Gains closer than this are equal: the order of a sum must not choose between duplicated columns.
TIE = 1e-10


@dataclass(frozen=True, eq=False)
class Split:
    """The best split of a node.

    Parameters
    ----------
    condition
        What holds on the left, missing side included.
    drop
        Share of the node's heterogeneity that the split takes away.
    left
        Mask of the node's rows on the left.
    """

    condition: Condition
    drop: float
    left: np.ndarray


def heterogeneity(curves: np.ndarray, weights: np.ndarray) -> float:
    """H of some rows: variance over the rows, summed over the columns."""
    return _squares(_centred(curves, weights), weights) / float(weights.sum())


def best_split(
    curves: np.ndarray,
    weights: np.ndarray,
    codes: np.ndarray,
    candidates: Sequence[Candidates],
    min_samples_leaf: int,
    n_jobs: int = 1,
) -> tuple[float, Split | None]:
    """Heterogeneity of a node and its best split.

    Parameters
    ----------
    curves
        One row per row of the node, columns scaled by sqrt(grid weight).
    weights
        Row weights.
    codes
        Candidate codes (uint16), one line per conditioning feature.
    candidates
        The conditioning features, in the order of the lines of `codes`.
    min_samples_leaf
        Rows that must remain on each side.
    n_jobs
        Threads; the result does not depend on it.

    Returns
    -------
    The node's H, and the split with the largest drop, None if no condition leaves enough rows on
    both sides. Of equal drops the first feature's first condition wins.
    """
    centred = _centred(curves, weights)
    gains = _kernels.split_gains(
        centred,
        weights,
        codes,
        [one.n_conditions for one in candidates],
        [one.kind == "order" for one in candidates],
        min_samples_leaf,
        n_jobs,
    ).ravel()  # candidate by candidate, "is not missing" last: missing right, missing left
    total = _squares(centred, weights)
    node_heterogeneity = total / float(weights.sum())
    largest = gains.max(initial=-1.0)
    if largest < 0:
        return node_heterogeneity, None
    first = int(np.argmax(gains >= largest * (1 - TIE)))
    candidate, missing = divmod(first, 2)
    feature = 0
    while candidate > candidates[feature].n_conditions:
        candidate -= candidates[feature].n_conditions + 1
        feature += 1
    chosen, its_codes = candidates[feature], codes[feature]
    left = chosen.holds(its_codes, candidate, bool(missing))
    if not np.any(its_codes == chosen.missing_code):  # nothing to learn from: follow the majority
        missing = 2 * int(left.sum()) >= left.size
    drop = float(largest) / total if total > 0 else 0.0
    return node_heterogeneity, Split(chosen.condition(candidate, bool(missing)), drop, left)


def _centred(curves: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Curves minus their mean curve: sums of squares far from zero would cancel."""
    return curves - np.einsum("k,km->m", weights, curves) / weights.sum()


def _squares(centred: np.ndarray, weights: np.ndarray) -> float:
    return float((weights * np.einsum("km,km->k", centred, centred)).sum())
