"""Models for other libraries: SHAP's explanations, interpret's dashboard, MLflow's registry."""

from calmgam.read.bridges.interpret import to_interpret
from calmgam.read.bridges.mlflow import to_mlflow
from calmgam.read.bridges.shap import to_shap

__all__ = ["to_interpret", "to_mlflow", "to_shap"]
