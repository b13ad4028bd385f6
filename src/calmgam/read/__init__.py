"""How a model is read: every function takes a `Model`; nothing here fits anything.

summary, explain                                 texts
jumps, sensitivity, monotonicity                 exact statements over all inputs
counterfactual, reasons                          one row
model_view, feature_view, prediction_view        plain numbers behind all of them
report                                           one HTML page
plot_feature, plot_model, plot_importance, …     pictures; they are imported when asked for, so
                                                 that only they need matplotlib
"""

from importlib import import_module
from typing import Any

# Several functions have the name of their module: here the name means the function.
from calmgam.read.audit import counterfactual, jumps, monotonicity, reasons, sensitivity
from calmgam.read.report import report
from calmgam.read.text import explain, summary
from calmgam.read.views import feature_view, model_view, prediction_view

PICTURES = {
    "plot_feature": "calmgam.read.plots",
    "plot_importance": "calmgam.read.plots",
    "plot_model": "calmgam.read.plots",
    "plot_path": "calmgam.read.path_plots",
    "plot_prediction": "calmgam.read.plots",
    "plot_sensitivity": "calmgam.read.plots",
    "plot_trees": "calmgam.read.plots",
}

__all__ = [
    "counterfactual",
    "explain",
    "feature_view",
    "jumps",
    "model_view",
    "monotonicity",
    "plot_feature",
    "plot_importance",
    "plot_model",
    "plot_path",
    "plot_prediction",
    "plot_sensitivity",
    "plot_trees",
    "prediction_view",
    "reasons",
    "report",
    "sensitivity",
    "summary",
]


def __getattr__(name: str) -> Any:
    if name in PICTURES:
        return getattr(import_module(PICTURES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
