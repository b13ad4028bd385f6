"""Pictures of a model, with matplotlib, which is imported when the first one is drawn."""

from calmgam.read.plots.comparison import plot_comparison
from calmgam.read.plots.measures import plot_calibration, plot_residuals, plot_roc, plot_slices
from calmgam.read.plots.model import (
    plot_feature,
    plot_importance,
    plot_model,
    plot_prediction,
    plot_sensitivity,
    plot_trees,
)
from calmgam.read.plots.path import plot_path

__all__ = [
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
]
