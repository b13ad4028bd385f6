"""The scikit-learn face: a regressor and a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score

from calmgam.base import BaseCALM, all_or_nothing
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.data.bags import BAGS
from calmgam.fit.data.checks import check_labels, check_target
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.objectives import loss_of
from calmgam.fit.data.target import Target
from calmgam.model.fields import checked_offset, checked_weights
from calmgam.model.links import response, softmax
from calmgam.model.objectives import explained_share
from calmgam.model.schema import FloatArray
from calmgam.parameters import (
    ATTRIBUTES,
    OBJECTIVE,
    PARAMETERS,
    SUMMARY,
    joined_signature,
)
from calmgam.read.predictions import is_dataset, predict_dataset
from calmgam.refitting import Refitting


class CALMRegressor(RegressorMixin, Refitting):  # noqa: D101
    __doc__ = SUMMARY.format(task="a number", link="") + PARAMETERS + OBJECTIVE + ATTRIBUTES

    def __init__(self, *, objective: str | Loss = "squared_error", **parameters: Any) -> None:
        super().__init__(**parameters)
        self.objective = objective

    # the parameters of both estimators, with their defaults, are written once
    __init__.__signature__ = joined_signature(__init__, BaseCALM.__init__)  # type: ignore[attr-defined]

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> CALMRegressor:
        """Fit the model.

        Parameters
        ----------
        X : data frame, array of shape (n_rows, n_features) or dataset
            Numbers, booleans, text or categories, with missing values. A dataset is a path of
            Parquet, Feather or CSV files, a ``pyarrow.dataset.Dataset``, record batches, a Dask
            or a Spark data frame: it is never held in memory.
        y : array of shape (n_rows,)
            The name of a column, if X is a dataset; so are weights and offset.
        sample_weight : array of shape (n_rows,), optional
            Relative weights >= 0; rows of weight 0 are left out.
        offset : array of shape (n_rows,), optional
            What is added to every row's score; for counts the logarithm of the exposure.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, offset)

    def _check_y(self, y: Any, n_rows: int, idle: Any = None) -> Any:
        y = check_target(y, n_rows, is_number=True, idle=idle)
        self._loss().check(y)
        return y

    def _loss(self) -> Loss:
        return loss_of(self.objective)

    def _target(self, y: Any, weights: FloatArray, offset: FloatArray | None) -> Target:
        return Target.regression(y, weights, self._loss(), offset)

    def predict(self, X: Any, offset: Any = None) -> Any:
        """Return the prediction of every row: its mean, or the quantile that was asked for.

        Parameters
        ----------
        X : data frame, array or dataset
        offset : array of shape (n_rows,) or number, optional
            What is added to every row's score; the name of a column, if X is a dataset.

        Returns
        -------
        array of shape (n_rows,)
            Of a Dask data frame a series, of a Spark data frame the frame with a column
            ``prediction``, both lazy.
        """
        if is_dataset(X):
            return predict_dataset(self.predict, X, offset)
        score = self._score(X, offset)  # checks that there is a model
        return response(self.model_.link, score)

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """Return the share of the loss of the best constant that the model explains.

        Parameters
        ----------
        X : data frame or array
        y : array of shape (n_rows,)
        sample_weight, offset : array of shape (n_rows,), optional

        Returns
        -------
        float
            R² for squared error, D² of deviance, absolute error or pinball loss for the others.
        """
        score = self._score(X, offset)  # checks that there is a model
        objective, prediction = self.model_.objective, response(self.model_.link, score)
        if objective.name == "squared_error" and offset is None:
            return float(r2_score(y, prediction, sample_weight=sample_weight))
        y = self._check_y(y, len(prediction))
        weights = checked_weights(sample_weight, len(y))
        added = None if offset is None else checked_offset(offset, len(y))
        if objective.is_known:
            return objective.explained(y, prediction, weights, added)
        loss = loss_of(self.objective)
        constant = np.full(len(y), loss.best_constant(y, weights, added))
        constant = constant if added is None else constant + added
        return explained_share(loss.losses(y, score), loss.losses(y, constant), weights)


class CALMClassifier(ClassifierMixin, Refitting):  # noqa: D101
    __doc__ = (
        SUMMARY.format(
            task="classes",
            link=", and is the\n    log-odds of the second of two classes. "
            "With more there is a score for each, in the same regions",
        )
        + PARAMETERS
        + ATTRIBUTES
        + "    classes_ : array\n        The labels; of two, scores are log-odds of the second.\n"
    )

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> CALMClassifier:
        """Fit the model.

        Parameters
        ----------
        X : data frame, array of shape (n_rows, n_features) or dataset
            Numbers, booleans, text or categories, with missing values. A dataset is a path of
            Parquet, Feather or CSV files, a ``pyarrow.dataset.Dataset``, record batches, a Dask
            or a Spark data frame: it is never held in memory.
        y : array of shape (n_rows,)
            Two or more classes, of any type. The name of a column, if X is a dataset; so are
            weights and offset.
        sample_weight : array of shape (n_rows,), optional
            Relative weights >= 0; rows of weight 0 are left out.
        offset : array of shape (n_rows,), optional
            Log-odds that are added to every row's score.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, offset)

    def _check_y(self, y: Any, n_rows: int, idle: Any = None) -> Any:
        return check_labels(check_target(y, n_rows, idle=idle))

    def _loss(self) -> None:
        """Return nothing: how many classes there are says what is minimised."""

    def _target(self, y: Any, weights: FloatArray, offset: FloatArray | None) -> Target:
        labels, codes = np.unique(y, return_inverse=True)
        if len(labels) > 2 and offset is not None:
            raise ValueError(f"offset must be None with three classes or more; got {len(labels)}")
        if len(labels) < 2:
            raise ValueError(
                "y must have two or more classes, each with a row of sample_weight > 0; "
                f"got one class only: {labels.tolist()}"
            )
        if len(labels) == len(y) >= BAGS.min_rows:
            raise ValueError(
                f"y must have a class with two rows or more; got {len(y)} classes in {len(y)} "
                "rows: for numbers there is CALMRegressor"
            )
        classes = tuple(label.item() if hasattr(label, "item") else label for label in labels)
        return Target.classification(codes.astype(np.float64), weights, classes, offset)

    @property
    def classes_(self) -> Any:
        """The labels; of two, scores are log-odds of the second."""
        return np.array(self.model_.classes)

    def decision_function(self, X: Any, offset: Any = None) -> FloatArray:
        """Return the score of every row: log-odds of ``classes_[1]``, or one score per class.

        Parameters
        ----------
        X : data frame or array
        offset : array of shape (n_rows,) or number, optional
            Log-odds that are added to every row's score.

        Returns
        -------
        array of shape (n_rows,), or (n_rows, n_classes) if there are three classes or more
            Intercept + sum of contributions.
        """
        return self._score(X, offset)

    def predict_proba(self, X: Any, offset: Any = None) -> FloatArray:
        """Return the probability of every class for every row.

        Parameters
        ----------
        X : data frame or array
        offset : array of shape (n_rows,) or number, optional
            Log-odds that are added to every row's score.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Columns in the order of ``classes_``.
        """
        score = self._score(X, offset)
        if score.ndim == 2:
            return softmax(score)
        positive = expit(score)
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: Any, offset: Any = None) -> Any:
        """Return the most probable class of every row.

        Parameters
        ----------
        X : data frame, array or dataset
        offset : array of shape (n_rows,) or number, optional
            Log-odds that are added to every row's score; the name of a column, if X is a dataset.

        Returns
        -------
        array of shape (n_rows,)
            Of a Dask data frame a series, of a Spark data frame the frame with a column
            ``prediction``, both lazy.
        """
        if is_dataset(X):
            return predict_dataset(self.predict, X, offset)
        score = self._score(X, offset)  # checks that there is a model
        return self.model_.classify(score)

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """Return the share of rows whose class is predicted.

        Parameters
        ----------
        X : data frame or array
        y : array of shape (n_rows,)
        sample_weight, offset : array of shape (n_rows,), optional
        """
        predicted = self.predict(X, offset)
        y = self._check_y(y, len(predicted))
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.curves == "boosting" or isinstance(
            self.curves, Boosting
        )
        return tags
