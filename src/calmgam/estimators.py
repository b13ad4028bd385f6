"""The scikit-learn face: a regressor and a classifier of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from calmgam.base import BaseCALM, all_or_nothing
from calmgam.fit.data.checks import check_target
from calmgam.fit.data.target import Target
from calmgam.model.schema import FloatArray
from calmgam.parameters import ATTRIBUTES, PARAMETERS, SUMMARY


class CALMRegressor(RegressorMixin, BaseCALM):  # noqa: D101
    __doc__ = SUMMARY.format(task="a number", link="") + PARAMETERS + ATTRIBUTES

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CALMRegressor:
        """Fit the model.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Numbers, booleans, text or categories, with missing values.
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            Relative weights >= 0; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _check_y(self, y: Any, n_rows: int) -> Any:
        return check_target(y, n_rows, dtype=np.float64)

    def _target(self, y: Any, weights: FloatArray) -> Target:
        return Target.regression(y, weights)

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted mean of every row.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        array of shape (n_rows,)
        """
        return self._score(X)


class CALMClassifier(ClassifierMixin, BaseCALM):  # noqa: D101
    __doc__ = (
        SUMMARY.format(task="two classes", link=", and is the\n    log-odds of the second class")
        + PARAMETERS
        + ATTRIBUTES
        + "    classes_ : array\n        The two labels; scores are log-odds of the second.\n"
    )

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CALMClassifier:
        """Fit the model.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Numbers, booleans, text or categories, with missing values.
        y : array of shape (n_rows,)
            Two classes, of any type.
        sample_weight : array of shape (n_rows,), optional
            Relative weights >= 0; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _check_y(self, y: Any, n_rows: int) -> Any:
        y = check_target(y, n_rows)
        check_classification_targets(y)
        return y

    def _target(self, y: Any, weights: FloatArray) -> Target:
        labels, codes = np.unique(y, return_inverse=True)
        if len(labels) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}; y has {len(labels)} classes"
            )
        if len(labels) < 2:
            raise ValueError(
                "y must have two classes, each with a row of sample_weight > 0; "
                f"got one class only: {labels.tolist()}"
            )
        classes = tuple(label.item() if hasattr(label, "item") else label for label in labels)
        return Target.classification(codes.astype(np.float64), weights, classes)

    @property
    def classes_(self) -> Any:
        """The two labels; scores are log-odds of the second."""
        return np.array(self.model_.classes)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of every row, log-odds of ``classes_[1]``.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        array of shape (n_rows,)
            Intercept + sum of contributions.
        """
        return self._score(X)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of both classes for every row.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        array of shape (n_rows, 2)
            Columns in the order of ``classes_``.
        """
        positive = expit(self._score(X))
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: Any) -> Any:
        """Return the more probable class of every row.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        array of shape (n_rows,)
        """
        score = self._score(X)  # checks that there is a model
        return self.model_.classify(score)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
