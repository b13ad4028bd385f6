"""How well a fitted estimator does on given rows: methods that hand its model to `calmgam.read`.

Nothing is computed here; matplotlib is imported when a picture is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calmgam.reading import Reading

if TYPE_CHECKING:
    from calmgam.read.measures.calibration import Calibration
    from calmgam.read.measures.correlation import Correlations
    from calmgam.read.measures.residuals import Residuals
    from calmgam.read.measures.roc import Confusion, Roc
    from calmgam.read.measures.slices import Slices


class Measuring(Reading):
    """Measures of ``model_`` on rows with their outcomes.

    Options of these methods: ``sample_weight`` and ``offset`` of the rows, ``of_class`` (with many
    classes the label of the one that is looked at) and ``min_rows`` (groups of fewer are joined).
    """

    def performance(
        self, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None
    ) -> dict[str, float]:
        """Measure the model on data: R² and RMSE, AUC and log loss, or what its objective has.

        Parameters
        ----------
        X : data frame or array
        y : array
        sample_weight, offset : array, optional
        """
        from calmgam.read.measures.performance import performance

        return performance(self._fitted_model(), X, y, sample_weight, offset)

    def calibration(self, X: Any, y: Any, **options: Any) -> Calibration:
        """Compare predictions with what was observed, in tenths of the rows.

        Parameters
        ----------
        X : data frame or array
        y : array
        **options
            ``sample_weight``, ``offset``, ``of_class``, ``min_rows``.
        """
        from calmgam.read.measures.calibration import calibration

        return calibration(self._fitted_model(), X, y, **options)

    def residuals(self, X: Any, y: Any, **options: Any) -> Residuals:
        """Find how far observed numbers lie from predictions, along the predictions.

        Parameters
        ----------
        X : data frame or array
        y : array
        **options
            ``sample_weight``, ``offset``, ``min_rows``.
        """
        from calmgam.read.measures.residuals import residuals

        return residuals(self._fitted_model(), X, y, **options)

    def roc(self, X: Any, y: Any, **options: Any) -> Roc:
        """Find how well probabilities tell a class from the others.

        Parameters
        ----------
        X : data frame or array
        y : array
        **options
            ``sample_weight``, ``offset``, ``of_class``, ``min_rows``.
        """
        from calmgam.read.measures.roc import roc

        return roc(self._fitted_model(), X, y, **options)

    def confusion(
        self, X: Any, y: Any, threshold: float | None = None, **options: Any
    ) -> Confusion:
        """Count which class rows have, and which is predicted.

        Parameters
        ----------
        X : data frame or array
        y : array
        threshold : float, optional
            The second of two classes is predicted if its probability is above; default 0.5.
        **options
            ``sample_weight``, ``offset``.
        """
        from calmgam.read.measures.roc import confusion

        return confusion(self._fitted_model(), X, y, threshold, **options)

    def slices(self, X: Any, y: Any, by: Any, **options: Any) -> Slices:
        """Measure the model on the levels or bands of a feature, or of any other column.

        Parameters
        ----------
        X : data frame or array
        y : array
        by : str or array
            A column of X, be it a feature of the model or not; or one value per row.
        **options
            ``sample_weight``, ``offset``, ``of_class``, ``min_rows``.
        """
        from calmgam.read.measures.slices import slices

        return slices(self._fitted_model(), X, y, by, **options)

    def correlated_features(self, X: Any, threshold: float = 0.9) -> Correlations:
        """Find pairs of features that move together, and so share their effect.

        Parameters
        ----------
        X : data frame or array
        threshold : float
            Pairs whose rank correlation is beyond, in either direction, are named.
        """
        from calmgam.read.measures.correlation import correlated_features

        return correlated_features(self._fitted_model(), X, threshold)

    def plot_calibration(self, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Any:
        """Draw what was observed against what is predicted; returns the matplotlib axes.

        Parameters
        ----------
        X, y, **options
            As in `calibration`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_calibration

        return plot_calibration(self._fitted_model(), X, y, ax=ax, **options)

    def plot_residuals(self, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Any:
        """Draw residuals along the predictions; returns the matplotlib axes.

        Parameters
        ----------
        X, y, **options
            As in `residuals`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_residuals

        return plot_residuals(self._fitted_model(), X, y, ax=ax, **options)

    def plot_roc(self, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Any:
        """Draw the ROC curve; returns the matplotlib axes.

        Parameters
        ----------
        X, y, **options
            As in `roc`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_roc

        return plot_roc(self._fitted_model(), X, y, ax=ax, **options)

    def plot_slices(self, X: Any, y: Any, by: Any, *, ax: Any = None, **options: Any) -> Any:
        """Draw observed and predicted means of every slice; returns the matplotlib axes.

        Parameters
        ----------
        X, y, by, **options
            As in `slices`.
        ax : matplotlib axes, optional
        """
        from calmgam.read.plots import plot_slices

        return plot_slices(self._fitted_model(), X, y, by, ax=ax, **options)
