"""Do the splits come back? A rule that people read must not be an accident of the rows.

In: the splits of a model, and how its regions were searched. Out: one row per split with two
shares of bootstrap refits (resampled rows -> reference -> growth of as many splits): those that
make the split again, and those in which the feature is conditioned on that feature at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.growth import Growth
from calmgam.fit.regions.search import search_regions
from calmgam.fit.support.threads import parallel_map
from calmgam.model.ledger import SplitRecord
from calmgam.model.regions import Condition
from calmgam.model.schema import FloatArray

COLUMNS = ("feature", "region", "condition", "condition_feature", "frequency", "pair_frequency")


def stability_of(
    splits: Sequence[SplitRecord], growth: Growth, prepared: Prepared, n_boot: int
) -> list[dict[str, Any]]:
    """Count how often splits come back.

    Parameters
    ----------
    splits : sequence of SplitRecord
        The splits of the model.
    growth : Growth
        How its regions were found. Thresholds that are one of its steps apart are the same.
    prepared : Prepared
        The training rows; refits run side by side.
    n_boot : int
        Number of refits.

    Returns
    -------
    A dict of `COLUMNS` per split.
    """
    if not splits:
        return []
    target, X = prepared.target, prepared.X

    def refit(rng: np.random.Generator) -> dict[Any, list[Any]]:
        """Conditions that come out, by feature and conditioning feature."""
        rows = np.sort(np.concatenate([rng.choice(part, len(part)) for part in target.strata]))
        resampled = prepared.take(rows, rng=rng, n_jobs=1, progress=None)
        conditions = defaultdict(list)
        for record in search_regions(growth, resampled).ledger.accepted:
            conditions[record.feature, record.condition_feature].append(record.condition)
        return conditions

    refits = []
    for conditions in parallel_map(refit, prepared.rng.spawn(n_boot), prepared.n_jobs):
        refits.append(conditions)
        if prepared.progress:
            prepared.progress(len(refits), n_boot)

    def row(split: SplitRecord) -> dict[str, Any]:
        assert split.condition is not None
        column = X[:, split.condition.feature.index]
        tolerance = 1 / (growth.n_thresholds + 1)
        is_same = partial(same_split, split.condition, column=column, tolerance=tolerance)
        of_pair = [refit.get((split.feature, split.condition_feature), []) for refit in refits]
        plain = split.row()
        return {name: plain[name] for name in COLUMNS[:4]} | {
            "frequency": sum(any(map(is_same, others)) for others in of_pair) / n_boot,
            "pair_frequency": sum(map(bool, of_pair)) / n_boot,
        }

    return [row(split) for split in splits]


def same_split(first: Condition, second: Condition, column: FloatArray, tolerance: float) -> bool:
    """Whether two conditions on a feature divide its values in the same way.

    Thresholds are the same if at most a share `tolerance` of the column lies between them, sets of
    levels if they or their complements are equal. Where missing values go does not matter.
    """
    feature = first.feature
    if not feature.is_numeric:
        levels = set(range(feature.n_levels))
        one, other = (c.support.codes(feature.n_levels) & levels for c in (first, second))
        return other in (one, levels - one)
    if first.operator != second.operator:
        return False
    low, high = sorted((first.threshold, second.threshold))
    if low == high or first.operator == "=" or high == np.inf:  # a value, or "is not missing"
        return low == high
    return float(np.mean((column > low) & (column <= high))) <= tolerance
