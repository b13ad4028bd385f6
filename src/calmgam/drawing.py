"""Pictures of a fitted estimator: methods that hand its model to `calmgam.read`.

matplotlib is imported when a picture is asked for.
"""

from __future__ import annotations

from typing import Any

from calmgam.reading import Reading


class Drawing(Reading):
    """Pictures of ``model_``."""

    def plot_feature(
        self,
        feature: str,
        ax: Any = None,
        n_levels: int | None = 24,
        of_class: Any = None,
        between: Any = None,
    ) -> Any:
        """Draw all curves of a feature; returns the matplotlib axes, of many classes one for each.

        Parameters
        ----------
        feature : str
        ax : matplotlib axes, optional
        n_levels : int or None
            How many levels to draw, the most frequent ones; None: all.
        of_class, between
            With many classes: the label of the one to draw, or two whose log-odds are drawn.
        """
        from calmgam.read.plots import plot_feature

        return plot_feature(self._fitted_model(), feature, ax, n_levels, of_class, between)

    def plot_model(
        self,
        n_features: int | None = None,
        n_columns: int = 3,
        of_class: Any = None,
        between: Any = None,
    ) -> Any:
        """Draw every feature, the most important one first; returns the matplotlib figure.

        Parameters
        ----------
        n_features : int, optional
            Draw only this many; by default all, without those of no effect if they are more than
            five.
        n_columns : int
        of_class, between
            With many classes: the label of the one to draw, or two whose log-odds are drawn.
        """
        from calmgam.read.plots import plot_model

        return plot_model(self._fitted_model(), n_features, n_columns, of_class, between)

    def plot_importance(self, n_features: int = 20, ax: Any = None) -> Any:
        """Draw mean absolute contributions, split by region; returns the matplotlib axes.

        Parameters
        ----------
        n_features : int
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_importance

        return plot_importance(self._fitted_model(), n_features, ax)

    def plot_prediction(
        self, row: Any, n_features: int = 12, ax: Any = None, between: Any = None
    ) -> Any:
        """Draw one prediction as steps from intercept to score; returns the matplotlib axes.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        n_features : int
            The largest contributions; the others are drawn as one.
        ax : matplotlib axes, optional
        between : (label, label), optional
            The score is the log-odds of one class against another; with many classes by default of
            the most probable one against the next.
        """
        from calmgam.read.plots import plot_prediction

        return plot_prediction(self._fitted_model(), row, n_features, ax, between)

    def plot_sensitivity(
        self,
        feature: str,
        start: Any,
        stop: Any,
        given: Any = None,
        over: Any = "all",
        ax: Any = None,
        between: Any = None,
    ) -> Any:
        """Draw what a change of one feature does to the score; returns the matplotlib axes.

        Parameters
        ----------
        feature, start, stop, given, over, between
            As in `sensitivity`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_sensitivity

        model = self._fitted_model()
        return plot_sensitivity(model, feature, start, stop, given, over, ax, between)

    def plot_comparison(
        self, other: Any, data: Any, threshold: float = 0.0, given: Any = None, ax: Any = None
    ) -> Any:
        """Draw how the scores of rows move from this model to another; returns the axes.

        Parameters
        ----------
        other, data, threshold, given
            As in `compare`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_comparison

        model = getattr(other, "model_", other)
        return plot_comparison(self._fitted_model(), model, data, threshold, given, ax)

    def plot_trees(self, ax: Any = None) -> Any:
        """Draw the conditions that choose the curves; returns the matplotlib axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_trees

        return plot_trees(self._fitted_model(), ax)

    def plot_path(self, ax: Any = None) -> Any:
        """Draw the cross-validated error after the numbers of splits that were tried.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        from calmgam.read.plots import plot_path

        return plot_path(self._fitted_model(), ax)
