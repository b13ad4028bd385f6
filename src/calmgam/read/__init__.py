"""How a model is read: every function takes a `Model`; nothing here fits anything.

All that a fitted estimator tells about itself is here under the same name: ``calm.summary()`` is
``calmgam.read.summary(calm.model_)``, and works as well on what `calmgam.load` gives back.

summary, explain                                 texts
jumps, sensitivity, monotonicity, score_range    exact statements over all inputs
compare                                          what changed from one model to another
certify                                          proofs that others can check
counterfactual, reasons                          one row
performance, calibration, residuals, roc, …      measures on given rows, in total and by slice
model_view, feature_view, prediction_view        plain numbers behind all of them
report                                           one HTML page
to_python, to_sql, to_table, …                   the model in other languages
to_shap, to_interpret, to_mlflow                 the model for other libraries
plot_feature, plot_model, plot_importance, …     pictures; they are imported when asked for, so
                                                 that only they need matplotlib
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# `report` is the name of a room, too: here it means the function.
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
from calmgam.read.measures.calibration import calibration
from calmgam.read.measures.correlation import correlated_features
from calmgam.read.measures.performance import performance
from calmgam.read.measures.residuals import residuals
from calmgam.read.measures.roc import confusion, roc
from calmgam.read.measures.slices import slices
from calmgam.read.report import report
from calmgam.read.texts.summary import explain, summary
from calmgam.read.views import feature_view, model_view, prediction_view

if TYPE_CHECKING:
    from calmgam.read.plots import (
        plot_calibration,
        plot_comparison,
        plot_feature,
        plot_importance,
        plot_model,
        plot_path,
        plot_prediction,
        plot_residuals,
        plot_roc,
        plot_sensitivity,
        plot_slices,
        plot_trees,
    )

__all__ = [
    "AtMost",
    "Monotone",
    "NoInfluence",
    "Range",
    "calibration",
    "certify",
    "compare",
    "confusion",
    "correlated_features",
    "counterfactual",
    "explain",
    "feature_view",
    "jumps",
    "model_view",
    "monotonicity",
    "performance",
    "plot_calibration",
    "plot_comparison",
    "plot_feature",
    "plot_importance",
    "plot_model",
    "plot_path",
    "plot_prediction",
    "plot_residuals",
    "plot_roc",
    "plot_sensitivity",
    "plot_slices",
    "plot_trees",
    "prediction_view",
    "reasons",
    "report",
    "residuals",
    "roc",
    "score_range",
    "sensitivity",
    "slices",
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
    if name.startswith("plot_") and name in __all__:
        return getattr(import_module("calmgam.read.plots"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
