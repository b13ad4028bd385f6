"""How a model is read: every function takes a `Model`; nothing here fits anything.

summary, explain                                 texts
jumps, sensitivity, monotonicity, score_range    exact statements over all inputs
compare                                          what changed from one model to another
certify                                          proofs that others can check
counterfactual, reasons                          one row
model_view, feature_view, prediction_view        plain numbers behind all of them
report                                           one HTML page
to_python, to_sql, to_table, …                   the model in other languages
to_shap, to_interpret, to_mlflow                 the model for other libraries
plot_feature, plot_model, plot_importance, …     pictures; they are imported when asked for, so
                                                 that only they need matplotlib
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Several functions have the name of their module: here the name means the function.
from calmgam.read.audit import (
    AtMost,
    Monotone,
    NoInfluence,
    Range,
    certify,
    compare,
    counterfactual,
    jumps,
    monotonicity,
    reasons,
    score_range,
    sensitivity,
)
from calmgam.read.bridges import to_interpret, to_mlflow, to_shap
from calmgam.read.export import (
    to_c,
    to_javascript,
    to_onnx,
    to_pmml,
    to_python,
    to_sql,
    to_table,
)
from calmgam.read.report import report
from calmgam.read.text import explain, summary
from calmgam.read.views import feature_view, model_view, prediction_view

if TYPE_CHECKING:
    from calmgam.read.comparison_plot import plot_comparison
    from calmgam.read.path_plots import plot_path
    from calmgam.read.plots import (
        plot_feature,
        plot_importance,
        plot_model,
        plot_prediction,
        plot_sensitivity,
        plot_trees,
    )

PICTURES = {
    "plot_comparison": "calmgam.read.comparison_plot",
    "plot_feature": "calmgam.read.plots",
    "plot_importance": "calmgam.read.plots",
    "plot_model": "calmgam.read.plots",
    "plot_path": "calmgam.read.path_plots",
    "plot_prediction": "calmgam.read.plots",
    "plot_sensitivity": "calmgam.read.plots",
    "plot_trees": "calmgam.read.plots",
}

__all__ = [
    "AtMost",
    "Monotone",
    "NoInfluence",
    "Range",
    "certify",
    "compare",
    "counterfactual",
    "explain",
    "feature_view",
    "jumps",
    "model_view",
    "monotonicity",
    "plot_comparison",
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
    "score_range",
    "sensitivity",
    "summary",
    "to_c",
    "to_interpret",
    "to_javascript",
    "to_mlflow",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_shap",
    "to_sql",
    "to_table",
]


def __getattr__(name: str) -> Any:
    if name in PICTURES:
        return getattr(import_module(PICTURES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
