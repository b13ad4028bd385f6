"""A fitted black box, and what it is asked.

Whatever the reference is (a library by name, any estimator, a function), `Reference.score` speaks
one language: the standardised target for regression, the log-odds of the second class for
classification. Where the library is known its trees are there too (`Reference.ensemble`), which
makes local effects exact and fast.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from calmgam.fit.data.losses import Loss
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.fit.references.class_trees import ClassTrees
from calmgam.fit.references.ensembles import TreeEnsemble, library_of
from calmgam.fit.references.network import Network
from calmgam.fit.support.threads import openmp_threads

LEAST_MEAN = 1e-6  # of what has a log link; others may predict 0 or less


@dataclass(frozen=True, eq=False)
class Reference:
    """A fitted black box that scores encoded rows on the link scale of the standardised target.

    Attributes
    ----------
    estimator : fitted estimator or callable
    loss : Loss
        On whose link scale scores are.
    slope, intercept : float
        The score is ``intercept + slope * (what the estimator says)``.
    min_probability : float
        Probabilities are clipped to [min_probability, 1 - min_probability] before the logit.
    decode : callable or None
        From the encoded matrix to the data the estimator knows; None: the matrix itself.
    ensemble : TreeEnsemble or None
        The trees, if the library is known.
    n_jobs : int
    class_order : tuple of int, optional
        Of many classes: the code of every class that the estimator knows.
    """

    estimator: Any
    loss: Loss
    slope: float = 1.0
    intercept: float = 0.0
    min_probability: float = 1e-6
    decode: Callable[[np.ndarray], Any] | None = None
    ensemble: TreeEnsemble | None = None
    n_jobs: int = 1
    class_order: tuple[int, ...] | None = None

    def data(self, X: np.ndarray) -> Any:
        """Return encoded rows as the estimator knows them."""
        return X if self.decode is None else self.decode(X)

    def score(self, X: np.ndarray) -> np.ndarray:
        """Score of every row of the encoded matrix."""
        with threads_of(self.estimator, self.n_jobs):
            raw = np.asarray(self._raw_score(self.data(X)), dtype=np.float64)
        n_classes = self.loss.n_outputs
        if raw.shape not in ([(len(X), n_classes)] if n_classes else ((len(X),), (len(X), 1))):
            what = f"{n_classes} scores" if n_classes else "one score"
            raise ValueError(
                f"the reference must give {what} per row; {len(X)} rows gave shape {raw.shape}"
            )
        if not np.isfinite(raw).all():
            raise ValueError(
                f"the reference must give finite scores; got {raw[~np.isfinite(raw)][0]}"
            )
        if n_classes:
            return raw - raw.mean(axis=1, keepdims=True)
        return self.intercept + self.slope * raw.ravel()

    def score_on_grid(self, X: np.ndarray, feature: int, grid: np.ndarray) -> np.ndarray:
        """Score of every row with one feature set to every grid value, (n_rows, n_values).

        An estimator may offer a faster way as ``score_on_grid(data, feature, grid)``.
        """
        if hasattr(self.estimator, "score_on_grid"):
            raw = self.estimator.score_on_grid(self.data(X), feature, grid)
            return self.intercept + self.slope * raw
        repeated = np.repeat(X, len(grid), axis=0)
        repeated[:, feature] = np.tile(grid, len(X))
        return self.score(repeated).reshape(len(X), len(grid))

    def gradient(
        self, X: np.ndarray, feature: int, effect_scale: str = "link"
    ) -> np.ndarray | None:
        """Exact derivative of every row's score with respect to one feature, if it can be had.

        An estimator or function offers it as a method ``gradient(data, feature)``.
        """
        if not hasattr(self.estimator, "gradient"):
            return None
        slopes = self.slope * np.asarray(self.estimator.gradient(self.data(X), feature))
        if self.is_response(effect_scale):
            slopes = slopes * self.loss.response_slope(self.score(X))
        return slopes

    def is_response(self, effect_scale: str) -> bool:
        """Whether effects are those of the mean response, which is not the score."""
        return effect_scale == "response" and self.loss.link != "identity"

    def on_scale(self, scores: np.ndarray, effect_scale: str) -> np.ndarray:
        """Scores on the scale of the effects."""
        return self.loss.response(scores) if self.is_response(effect_scale) else scores

    def score_of_sums(self, sums: np.ndarray) -> np.ndarray:
        """Score from the ensemble's base + sums of leaf values."""
        assert self.ensemble is not None
        raw = self._log_odds(sums) if self.ensemble.probability else sums
        return self.intercept + self.slope * raw

    def _raw_score(self, data: Any) -> np.ndarray:
        model = self.estimator
        if not hasattr(model, "predict"):
            answers = np.asarray(model(data))
            return self._of_predictions(answers) if self.loss.task == "regression" else answers
        if self.loss.task == "regression":
            return self._of_predictions(model.predict(data))
        if self.loss.n_outputs:
            return self._class_scores(data)
        library = library_of(model)
        if library == "hist_gradient_boosting" or isinstance(model, (BoostedTrees, Network)):
            return model.decision_function(data)
        if library == "xgboost" and model.objective == "binary:logistic":
            return model.predict(data, output_margin=True)
        if library == "lightgbm" and model.objective_ == "binary":
            return model.get_params().get("sigmoid", 1.0) * model.predict(data, raw_score=True)
        return self._log_odds(model.predict_proba(data)[:, 1])

    def _class_scores(self, data: Any) -> np.ndarray:
        """Logarithms of the probabilities of many classes, in the target's order."""
        if isinstance(self.estimator, ClassTrees):
            return self.estimator.decision_function(data)
        probabilities = np.asarray(self.estimator.predict_proba(data), dtype=np.float64)
        if self.class_order is not None:
            known = np.full((len(probabilities), self.loss.n_outputs), self.min_probability)
            known[:, self.class_order] = probabilities
            probabilities = known
        return np.log(np.maximum(probabilities, self.min_probability))

    def _of_predictions(self, predictions: np.ndarray) -> np.ndarray:
        """Bring predictions to the link scale, where our own trees are already."""
        if self.loss.link != "log" or isinstance(self.estimator, BoostedTrees):
            return predictions
        return np.log(np.maximum(predictions, LEAST_MEAN))

    def _log_odds(self, probability: np.ndarray) -> np.ndarray:
        return logit(np.clip(probability, self.min_probability, 1.0 - self.min_probability))


def threads_of(model: Any, n_threads: int) -> AbstractContextManager[Any]:
    """Context in which a model uses at most so many threads; our own trees count by themselves."""
    return nullcontext() if isinstance(model, BoostedTrees) else openmp_threads(n_threads)
