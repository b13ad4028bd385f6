"""Conditionally Additive Local Models: a few 1-D curves per feature, chosen by plain conditions."""

from calmgam.estimators import CALMClassifier, CALMRegressor
from calmgam.model.glassbox import Model
from calmgam.model.serialize import load

__all__ = ["CALMClassifier", "CALMRegressor", "Model", "load"]
__version__ = "0.1.0"
