"""The best split of one node: the condition that takes away most of its heterogeneity.

In: the local effects of the node's rows and their candidate codes. Out: the node's heterogeneity H,
the condition that leaves least of it, and the drop:

    drop = 1 - (|L|/|I| H(L) + |R|/|I| H(R)) / H(I)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calmgam.fit.effects.local_effects import LocalEffects
from calmgam.fit.regions.candidates import Candidates
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


def best_split(
    effects: LocalEffects,
    weights: np.ndarray,
    codes: np.ndarray,
    candidates: Sequence[Candidates],
    min_samples_leaf: int,
    n_jobs: int = 1,
) -> tuple[float, Split | None]:
    """Heterogeneity of a node and its best split.

    Parameters
    ----------
    effects
        Local effects on the node's rows.
    weights, codes, candidates, min_samples_leaf, n_jobs
        As in `LocalEffects.score_splits`.

    Returns
    -------
    The node's H, and the split that takes most of it away, None if no condition leaves enough rows
    on both sides. Of equal ones the first feature's first condition wins.
    """
    total, gains = effects.score_splits(
        weights,
        codes,
        [one.n_conditions for one in candidates],
        [one.kind == "order" for one in candidates],
        min_samples_leaf,
        n_jobs,
    )
    gains = gains.ravel()  # candidate by candidate, "is not missing" last: missing right, left
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
