"""Conditionally Additive Local Models: a few 1-D curves per feature, chosen by plain conditions."""

from typing import TYPE_CHECKING, Any

from calmgam.model.dates import date_parts
from calmgam.model.glassbox import Model
from calmgam.model.serialize import load

if TYPE_CHECKING:
    from calmgam import datasets
    from calmgam.estimators import CALMClassifier, CALMRegressor
    from calmgam.fit.curves.backfitting import Backfitting
    from calmgam.fit.curves.boosting import Boosting
    from calmgam.fit.curves.networks import Networks
    from calmgam.fit.curves.splines.fitting import Splines
    from calmgam.fit.data.log_losses import Gamma, Poisson, Tweedie
    from calmgam.fit.data.losses import Loss, SquaredError
    from calmgam.fit.data.robust_losses import AbsoluteError, Huber, Quantile
    from calmgam.fit.regions.heterogeneity.search import Heterogeneity
    from calmgam.fit.regions.joint.search import Joint

__all__ = [
    "AbsoluteError",
    "Backfitting",
    "Boosting",
    "CALMClassifier",
    "CALMRegressor",
    "Gamma",
    "Heterogeneity",
    "Huber",
    "Joint",
    "Loss",
    "Model",
    "Networks",
    "Poisson",
    "Quantile",
    "Splines",
    "SquaredError",
    "Tweedie",
    "datasets",
    "date_parts",
    "load",
]
__version__ = "0.1.0"

# Only who fits loads scikit-learn and compiled code: a saved model is read without them.
_HOMES = {
    "AbsoluteError": "calmgam.fit.data.robust_losses",
    "Backfitting": "calmgam.fit.curves.backfitting",
    "Boosting": "calmgam.fit.curves.boosting",
    "CALMClassifier": "calmgam.estimators",
    "CALMRegressor": "calmgam.estimators",
    "Gamma": "calmgam.fit.data.log_losses",
    "Heterogeneity": "calmgam.fit.regions.heterogeneity.search",
    "Huber": "calmgam.fit.data.robust_losses",
    "Joint": "calmgam.fit.regions.joint.search",
    "Loss": "calmgam.fit.data.losses",
    "Networks": "calmgam.fit.curves.networks",
    "Poisson": "calmgam.fit.data.log_losses",
    "Quantile": "calmgam.fit.data.robust_losses",
    "Splines": "calmgam.fit.curves.splines.fitting",
    "SquaredError": "calmgam.fit.data.losses",
    "Tweedie": "calmgam.fit.data.log_losses",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "datasets":
        return import_module("calmgam.datasets")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'calmgam' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
