"""Losses by name: what `objective` may be."""

from __future__ import annotations

from typing import Any

from calmgam.fit.data.log_losses import Gamma, Poisson, Tweedie
from calmgam.fit.data.losses import Loss, SquaredError
from calmgam.fit.data.robust_losses import AbsoluteError, Huber, Quantile

LOSSES: dict[str, type[Loss]] = {
    loss.name: loss
    for loss in (SquaredError, AbsoluteError, Huber, Quantile, Poisson, Gamma, Tweedie)
}


def loss_of(objective: Any) -> Loss:
    """Return the loss that `objective` names, or is."""
    if isinstance(objective, Loss):
        return objective
    if isinstance(objective, str) and objective in LOSSES:
        return LOSSES[objective]()
    names = ", ".join(map(repr, LOSSES))
    raise ValueError(f"objective must be one of {names}, or a Loss; got {objective!r}")
