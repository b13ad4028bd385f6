"""What an edit does: the largest change of the score over all inputs, the loss on given rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from calmgam.model.exact.difference import difference
from calmgam.model.exact.inputs import all_inputs, rounding
from calmgam.model.exact.scores import score_extremes
from calmgam.model.glassbox import Model
from calmgam.model.measures import checked_target, loss_name, losses_of
from calmgam.model.trail import Effect


def largest_change(before: Model, after: Model) -> tuple[float, bool]:
    """Return the largest absolute change of the score over all inputs, and whether it is exact.

    If it is not exact, no input exceeds it. Of many classes it is that of the log-odds of any two.
    """
    if before.link == "softmax":
        pairs = [
            largest_change(before.between(a, b), after.between(a, b))
            for a, b in combinations(before.classes, 2)
        ]
        return max(pairs)
    change = difference(before, after)
    low, high = score_extremes(all_inputs(change))
    bound = max(abs(low.bound), abs(high.bound))
    attained = max(abs(low.attained), abs(high.attained))
    slack = rounding(before) + rounding(after)
    return (attained, True) if bound - attained <= slack else (bound, False)


def effect_of(
    before: Model, after: Model, keeps_score: bool, rows: tuple[Any, Any, Any] | None
) -> Effect:
    """Return what an edit of a model did to its scores, on all inputs and on given rows."""
    largest, exact = (0.0, True) if keeps_score else largest_change(before, after)
    if rows is None:
        return Effect(largest, exact)
    X, y, offset = rows
    y = checked_target(y, len(X), before.classes)
    models = (before, before if keeps_score else after)
    first, second = (float(np.mean(losses_of(m, m.score_encoded(X) + offset, y))) for m in models)
    return Effect(largest, exact, loss_name(before), first, second, len(y))
