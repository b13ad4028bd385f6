"""Conditionally Additive Local Models: a few 1-D curves per feature, chosen by plain conditions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from calmgam.model.glassbox import Model
from calmgam.model.serialize import load

if TYPE_CHECKING:
    from calmgam.estimators import CALMClassifier, CALMRegressor

__all__ = ["CALMClassifier", "CALMRegressor", "Model", "load"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Only who fits loads scikit-learn and compiled code: a saved model is read without them.
    if name in ("CALMClassifier", "CALMRegressor"):
        return getattr(import_module("calmgam.estimators"), name)
    raise AttributeError(f"module 'calmgam' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
