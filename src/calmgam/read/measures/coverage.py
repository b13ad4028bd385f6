"""How often prediction intervals hold the truth on given rows: in total, and region by region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.glassbox import Model
from calmgam.model.measures import checked_target
from calmgam.read.view_types import View
from calmgam.read.words.wording import rule_text


@dataclass(frozen=True)
class CoverageView(View):
    """Coverage of the intervals on some rows.

    Attributes
    ----------
    feature, rule : str
        Whose region, and the region in words; empty for all rows.
    n_rows : int
    coverage : float
        Share of the rows whose outcome lies in its interval.
    width : float
        Mean width.
    """

    feature: str
    rule: str
    n_rows: int
    coverage: float
    width: float


def coverage_views(
    model: Model, X: Any, y: Any, coverage: float = 0.9, offset: Any = None
) -> tuple[CoverageView, ...]:
    """Measure intervals on given rows: all of them, then the regions of every feature.

    Parameters
    ----------
    model : Model
    X : data frame or array
    y : array
    coverage : float
        What the intervals promise.
    offset : array or number, optional
        What is added to the score.

    Returns
    -------
    tuple of CoverageView
        Regions without rows are left out.
    """
    ends = model.predict_interval(X, coverage, offset)
    y = checked_target(y, len(ends), model.classes)
    holds, widths = (ends[:, 0] <= y) & (y <= ends[:, 1]), ends[:, 1] - ends[:, 0]
    encoded = model.schema.encode(X)
    groups = [("", "", np.ones(len(y), dtype=bool))]
    for term in model.terms:
        if term.tree.n_splits:
            leaves = term.tree.leaf_of(encoded)
            groups += [
                (term.feature.name, rule_text(region), leaves == leaf)
                for leaf, region in enumerate(term.tree.regions)
            ]
    return tuple(
        CoverageView(
            name, rule, int(rows.sum()), float(holds[rows].mean()), float(widths[rows].mean())
        )
        for name, rule, rows in groups
        if rows.any()
    )
