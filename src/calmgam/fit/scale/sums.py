"""What curves can be learned from sums over rows, and what needs the rows themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.contract import CurveLearner
from calmgam.fit.curves.splines.fitting import Splines
from calmgam.fit.data.log_losses import LogLinkLoss
from calmgam.fit.data.losses import LogLoss, SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.scale.profile import SAMPLE_ROWS

OBJECTIVES = "squared_error", "poisson", "gamma", "tweedie"


def why_no_sums(
    curves: CurveLearner, monotone: Mapping[Any, Any] | None, target: Target
) -> tuple[str, Any] | None:
    """Return the rule that sums over rows ask for and what breaks it; None if nothing does."""
    if not isinstance(curves, Boosting | Splines):
        return "curves must be Boosting(…) or Splines(…)", curves
    if isinstance(curves, Boosting) and not curves.sharing:
        return "curves must be Boosting(sharing=True)", curves
    if monotone:
        return "monotone must be None", dict(monotone)
    if target.loss.n_outputs:
        return "y must have two classes", list(target.classes)
    if not isinstance(target.loss, SquaredError | LogLoss | LogLinkLoss):
        return f"objective must be {' or '.join(map(repr, OBJECTIVES))}", target.loss.name
    return None


def check_sums(curves: CurveLearner, monotone: Mapping[Any, Any] | None, target: Target) -> None:
    """Refuse what a dataset of which only a sample is in memory cannot be fitted with."""
    if found := why_no_sums(curves, monotone, target):
        rule, value = found
        raise ValueError(f"{rule} for a dataset of more than {SAMPLE_ROWS} rows; got {value!r}")
