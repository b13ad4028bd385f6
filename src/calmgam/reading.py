"""What a fitted estimator tells about itself: methods that hand its model to `calmgam.read`.

Nothing is computed here. What reads and draws is imported when it is asked for, so that pictures
need matplotlib only where they are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from calmgam.model.glassbox import Model
from calmgam.model.schema import FloatArray

if TYPE_CHECKING:
    from pathlib import Path

    from calmgam.read import audit


class Reading(BaseEstimator):
    """Sizes, texts, audits, pictures and a page about ``model_``."""

    def _fitted_model(self) -> Model:
        check_is_fitted(self)
        return self.model_

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean absolute contributions over the training rows, scaled to sum to 1."""
        check_is_fitted(self)
        importances = self.model_.importances
        return importances / max(importances.sum(), np.finfo(float).tiny)

    @property
    def n_splits_(self) -> int:
        """Number of splits of all features."""
        return self.model_.n_splits

    @property
    def n_curves_(self) -> int:
        """Number of curves: features + splits."""
        return self.model_.n_curves

    @property
    def n_interactions_(self) -> int:
        """Number of (feature, conditioning feature) pairs."""
        return self.model_.n_interactions

    @property
    def n_pairs_(self) -> int:
        """Number of unordered pairs of features that interact."""
        return self.model_.n_pairs

    def summary(self, X: Any = None, y: Any = None, n_features: int | None = 12) -> str:
        """Describe the model on one screen: size, errors, features, hidden jumps and trees.

        Parameters
        ----------
        X : data frame or array, optional
        y : array, optional
            With X: measure the model on these rows too.
        n_features : int or None
            How many features to list; None: all of them, with every jump and every tree.
        """
        from calmgam.read.text import summary

        return summary(self._fitted_model(), X, y, n_features)

    def explain(self, row: Any) -> str:
        """Write one prediction as a ledger whose lines add up to the score.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        """
        from calmgam.read.text import explain

        return explain(self._fitted_model(), row)

    def jumps(self, feature: str) -> audit.Jumps:
        """Find where moving a feature switches the curves of others, and what that changes.

        Parameters
        ----------
        feature : str
        """
        from calmgam.read.audit import jumps

        return jumps(self._fitted_model(), feature)

    def sensitivity(
        self, feature: str, start: Any, stop: Any, given: Any = None, over: Any = "all"
    ) -> audit.Sensitivity:
        """Bound the change of the score when one feature changes, exactly.

        Parameters
        ----------
        feature : str
        start, stop : number, label or None
            None stands for missing.
        given : mapping, Region or str, optional
            Only inputs that agree: ``{"workingday": "yes"}`` or ``"hour <= 7"``.
        over : "all" or table
            All inputs, or the rows of a data frame or array.
        """
        from calmgam.read.audit import sensitivity

        return sensitivity(self._fitted_model(), feature, start, stop, given, over)

    def monotonicity(
        self, feature: str, given: Any = None, tolerance: float = 0.0
    ) -> audit.Monotonicity:
        """Prove in which direction a feature moves the score, or find counterexamples.

        Parameters
        ----------
        feature : str
        given : mapping, Region or str, optional
            Only inputs that agree.
        tolerance : float
            Total rises and falls of at most this size do not count against a direction.
        """
        from calmgam.read.audit import monotonicity

        return monotonicity(self._fitted_model(), feature, given, tolerance)

    def counterfactual(
        self,
        row: Any,
        target: float | str | None = None,
        mutable: Any = None,
        n_features: int = 1,
        probability: float | None = None,
    ) -> audit.Counterfactual:
        """Find the smallest change of a row that reaches a score or flips the decision.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        target : float or "flip"
            A score (of a classifier: log-odds); "flip" changes a classifier's decision.
        mutable : sequence of str, optional
            The features that may change; all by default.
        n_features : {1, 2}
            How many may change at once.
        probability : float, optional
            Instead of `target`: the probability of a classifier's second class to be reached.
        """
        from calmgam.read.audit import counterfactual

        model = self._fitted_model()
        return counterfactual(model, row, target, mutable, n_features, probability)

    def reasons(self, row: Any, n: int = 4, sign: str = "both") -> audit.Reasons:
        """Rank what contributed to a row's score, with the rules that selected the curves.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        n : int
            How many reasons at most.
        sign : {"both", "negative", "positive"}
            Which contributions may be reasons.
        """
        from calmgam.read.audit import reasons

        return reasons(self._fitted_model(), row, n, sign)

    def plot_feature(self, feature: str, ax: Any = None, n_levels: int | None = 24) -> Any:
        """Draw all curves of a feature; returns the matplotlib axes.

        Parameters
        ----------
        feature : str
        ax : matplotlib axes, optional
        n_levels : int or None
            How many levels to draw, the most frequent ones; None: all.
        """
        from calmgam.read.plots import plot_feature

        return plot_feature(self._fitted_model(), feature, ax, n_levels)

    def plot_model(self, n_features: int | None = None, n_columns: int = 3) -> Any:
        """Draw every feature, the most important one first; returns the matplotlib figure.

        Parameters
        ----------
        n_features : int, optional
            Draw only this many.
        n_columns : int
        """
        from calmgam.read.plots import plot_model

        return plot_model(self._fitted_model(), n_features, n_columns)

    def plot_importance(self, n_features: int = 20, ax: Any = None) -> Any:
        """Draw mean absolute contributions, split by region; returns the matplotlib axes.

        Parameters
        ----------
        n_features : int
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_importance

        return plot_importance(self._fitted_model(), n_features, ax)

    def plot_prediction(self, row: Any, n_features: int = 12, ax: Any = None) -> Any:
        """Draw one prediction as steps from intercept to score; returns the matplotlib axes.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        n_features : int
            The largest contributions; the others are drawn as one.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_prediction

        return plot_prediction(self._fitted_model(), row, n_features, ax)

    def plot_sensitivity(
        self,
        feature: str,
        start: Any,
        stop: Any,
        given: Any = None,
        over: Any = "all",
        ax: Any = None,
    ) -> Any:
        """Draw what a change of one feature does to the score; returns the matplotlib axes.

        Parameters
        ----------
        feature, start, stop, given, over
            As in `sensitivity`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_sensitivity

        return plot_sensitivity(self.sensitivity(feature, start, stop, given, over), ax)

    def plot_trees(self, ax: Any = None) -> Any:
        """Draw the conditions that choose the curves; returns the matplotlib axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_trees

        return plot_trees(self._fitted_model(), ax)

    def report(
        self,
        path: Any,
        X: Any = None,
        y: Any = None,
        *,
        sample: Any = None,
        title: str | None = None,
    ) -> Path:
        """Write one self-contained HTML page that shows, audits and runs the model.

        Parameters
        ----------
        path : path
            The file to write.
        X, y : data frame or array and its target, optional
            Rows on which the model is measured; they do not enter the page.
        sample : data frame or array, optional
            Rows that enter the page, to start a what-if from; whoever has the page can read them.
        title : str, optional

        Returns
        -------
        Path
            Of the file.
        """
        from calmgam.read.report import report

        return report(self._fitted_model(), path, X=X, y=y, sample=sample, title=title)

    @property
    def _repr_html_(self) -> Any:
        inherited = super()._repr_html_  # AttributeError where scikit-learn is to display text
        return self._card if hasattr(self, "model_") else inherited

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_()} if "text/html" in bundle else bundle

    def _card(self) -> str:
        from calmgam.read.card import card

        return card(self.model_, type(self).__name__)

    def plot_path(self, ax: Any = None) -> Any:
        """Draw the cross-validated error after the numbers of splits that were tried.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        from calmgam.read.path_plots import plot_path

        check_is_fitted(self)
        return plot_path(self.model_.ledger, ax)
