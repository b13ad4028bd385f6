"""What the page says of given rows: calibration, residuals or ROC, slices, correlated features.

Only sums over at least five rows enter the page, rounded to six digits. A class of many has
calibration, ROC and slices of its own. Rows are called training rows if they are the very table of
the fit, which its SHA-256 tells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.model.provenance import table_digest
from calmgam.read.measures.calibration import calibration
from calmgam.read.measures.correlation import correlated_features
from calmgam.read.measures.coverage import coverage_views
from calmgam.read.measures.outcomes import MIN_ROWS, outcomes
from calmgam.read.measures.performance import performance
from calmgam.read.measures.residuals import residuals
from calmgam.read.measures.roc import confusion, roc
from calmgam.read.measures.slices import feature_slices

COVERAGE = 0.9  # of the intervals that are measured
N_DIGITS = 6
MAX_SLICED = 200  # features, the most important ones
MAX_CLASSES = 30  # with measures of their own


def page_measures(
    model: Model,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    origin: str | None = None,
) -> dict[str, Any] | None:
    """Return what the page says of given rows; nothing if there are none.

    Parameters
    ----------
    model : Model
    X, y, sample_weight, offset, origin
        As in `report`.
    """
    if X is None:
        return None
    given = {"sample_weight": sample_weight, "offset": offset}
    is_training = _is_training(model, X, y, sample_weight, offset)
    has_many = model.link == "softmax"
    labels = model.classes[:MAX_CLASSES] if has_many else (None,)
    found = {
        "origin": "training rows" if is_training else origin or "given rows",
        "is_training": is_training,
        "is_weighted": sample_weight is not None,
        "is_rate": offset is not None and model.link == "log",
        "n_rows": len(outcomes(model, X, y, of_class=labels[0], **given).observed),
        "performance": performance(model, X, y, sample_weight, offset),
        "outputs": [_output(model, X, y, given, label) for label in labels],
        "residuals": None if model.classes else residuals(model, X, y, **given).to_dict(),
        "confusion": confusion(model, X, y, **given).to_dict() if model.classes else None,
        "correlations": correlated_features(model, X).to_dict(),
        "coverage": _coverage(model, X, y, offset),
    }
    rounded: dict[str, Any] = _rounded(found)
    return rounded


def _output(model: Model, X: Any, y: Any, given: dict[str, Any], label: Any) -> dict[str, Any]:
    """Return the measures of one score: of numbers, of two classes, or of one of many."""
    options = {**given, "of_class": label}
    rows = outcomes(model, X, y, **options)
    sliced = {one.by: one for one in feature_slices(model, X, rows) if one.slices}
    important = sorted(model.terms, key=lambda term: -term.importance)[:MAX_SLICED]
    names = [term.feature.name for term in important if term.feature.name in sliced]
    groups = calibration(model, X, y, **options, min_rows=MIN_ROWS).groups
    return {
        "calibration": [group.to_dict() for group in groups],
        "roc": roc(model, X, y, **options).to_dict() if model.classes else None,
        "slices": [sliced[name].to_dict() for name in names],
    }


def _is_training(model: Model, X: Any, y: Any, sample_weight: Any, offset: Any) -> bool:
    """Tell whether rows are the table that the model was fitted to."""
    if model.provenance is None:
        return False
    return model.provenance.table_sha256 == table_digest(X, y, sample_weight, offset)


def _coverage(model: Model, X: Any, y: Any, offset: Any) -> list[dict[str, Any]]:
    if model.intervals is None:
        return []
    views = coverage_views(model, X, y, COVERAGE, offset)
    return [view.to_dict() for view in views if view.n_rows >= MIN_ROWS]


def _rounded(value: Any) -> Any:
    """Round all numbers: more digits say more about rows than about the model."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{N_DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    return value
