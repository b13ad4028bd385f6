"""Conditionally Additive Local Models: a few 1-D curves per feature, chosen by plain conditions."""

from typing import TYPE_CHECKING, Any

from calmgam.model.glassbox import Model
from calmgam.model.serialize import load

if TYPE_CHECKING:
    from calmgam.estimators import CALMClassifier, CALMRegressor
    from calmgam.fit.curves.backfitting import Backfitting
    from calmgam.fit.curves.boosting import Boosting
    from calmgam.fit.curves.networks import Networks
    from calmgam.fit.curves.splines.fitting import Splines
    from calmgam.fit.regions.heterogeneity.search import Heterogeneity
    from calmgam.fit.regions.joint.search import Joint

__all__ = [
    "Backfitting",
    "Boosting",
    "CALMClassifier",
    "CALMRegressor",
    "Heterogeneity",
    "Joint",
    "Model",
    "Networks",
    "Splines",
    "load",
]
__version__ = "0.1.0"

# Only who fits loads scikit-learn and compiled code: a saved model is read without them.
_HOMES = {
    "Backfitting": "calmgam.fit.curves.backfitting",
    "Boosting": "calmgam.fit.curves.boosting",
    "CALMClassifier": "calmgam.estimators",
    "CALMRegressor": "calmgam.estimators",
    "Heterogeneity": "calmgam.fit.regions.heterogeneity.search",
    "Joint": "calmgam.fit.regions.joint.search",
    "Networks": "calmgam.fit.curves.networks",
    "Splines": "calmgam.fit.curves.splines.fitting",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'calmgam' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
