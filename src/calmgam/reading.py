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
from calmgam.model.ledger import Ledger, PathSplit
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
    def ledger_(self) -> Ledger:
        """Every split considered, kept or refused, and why."""
        return self.model_.ledger

    @property
    def path_(self) -> tuple[PathSplit, ...]:
        """Joint growth: the splits in order of merit."""
        return self.model_.path

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

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        n_features: int | None = 12,
        *,
        sample_weight: Any = None,
        offset: Any = None,
    ) -> str:
        """Describe the model on one screen: size, errors, features, hidden jumps and trees.

        Parameters
        ----------
        X : data frame or array, optional
        y : array, optional
            With X: measure the model on these rows too.
        n_features : int or None
            How many features to list; None: all of them, with every jump and every tree.
        sample_weight, offset : array, optional
            Of the rows of X.
        """
        from calmgam.read.texts.summary import summary

        model = self._fitted_model()
        return summary(model, X, y, n_features, sample_weight=sample_weight, offset=offset)

    def explain(self, row: Any, between: Any = None, offset: float = 0.0) -> str:
        """Write one prediction as a ledger whose lines add up to the score.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        between : (label, label), optional
            The score is the log-odds of one class against another; with many classes by default of
            the most probable one against the next.
        offset : float
            Added to the score.
        """
        from calmgam.read.texts.summary import explain

        return explain(self._fitted_model(), row, between, offset)

    def jumps(self, feature: str, between: Any = None) -> audit.Jumps:
        """Find where moving a feature switches the curves of others, and what that changes.

        Parameters
        ----------
        feature : str
        between : (label, label), optional
            The score is the log-odds of one class against another; needed if there are many.
        """
        from calmgam.read.audit import jumps

        return jumps(self._fitted_model(), feature, between and tuple(between))

    def sensitivity(
        self,
        feature: str,
        start: Any,
        stop: Any,
        given: Any = None,
        over: Any = "all",
        between: Any = None,
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
        between : (label, label), optional
            The score is the log-odds of one class against another; needed if there are many.
        """
        from calmgam.read.audit import sensitivity

        return sensitivity(self._fitted_model(), feature, start, stop, given, over, between)

    def monotonicity(
        self, feature: str, given: Any = None, tolerance: float = 0.0, between: Any = None
    ) -> audit.Monotonicity:
        """Prove in which direction a feature moves the score, or find counterexamples.

        Parameters
        ----------
        feature : str
        given : mapping, Region or str, optional
            Only inputs that agree.
        tolerance : float
            Total rises and falls of at most this size do not count against a direction.
        between : (label, label), optional
            The score is the log-odds of one class against another; needed if there are many.
        """
        from calmgam.read.audit import monotonicity

        return monotonicity(self._fitted_model(), feature, given, tolerance, between)

    def score_range(self, given: Any = None, between: Any = None) -> audit.ScoreRange:
        """Find the smallest and the largest score over all inputs, exactly.

        Parameters
        ----------
        given : mapping, Region or str, optional
            Only inputs that agree.
        between : (label, label), optional
            The score is the log-odds of one class against another; needed if there are many.
        """
        from calmgam.read.audit import score_range

        return score_range(self._fitted_model(), given, between)

    def compare(
        self,
        other: Any,
        data: Any = None,
        threshold: float = 0.0,
        given: Any = None,
        between: Any = None,
    ) -> audit.Comparison:
        """Find how far the score can move from this model to another, over all inputs, exactly.

        Parameters
        ----------
        other : Model or fitted estimator
        data : data frame or array, optional
            Rows of which is said how many move.
        threshold : float
            Count the rows whose score moves by more than this.
        given : mapping, Region or str, optional
            Only inputs (and rows) that agree.
        between : (label, label), optional
            The score is the log-odds of one class against another; needed if there are many.
        """
        from calmgam.read.audit import compare

        model = getattr(other, "model_", other)
        return compare(self._fitted_model(), model, data, threshold, given, between)

    def certify(self, path: Any, claims: Any) -> Path:
        """Prove claims about the model, and write proofs that others can check.

        Parameters
        ----------
        path : path
            The JSON file to write; it is about the file that ``model_.save`` writes.
        claims : iterable of Monotone, Range, AtMost and NoInfluence
        """
        from calmgam.read.audit import certify

        return certify(self._fitted_model(), path, claims)

    def counterfactual(
        self,
        row: Any,
        target: Any = None,
        mutable: Any = None,
        n_features: int = 1,
        probability: float | None = None,
        between: Any = None,
    ) -> audit.Counterfactual:
        """Find the smallest change of a row that reaches a score or flips the decision.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        target : float, "flip" or label
            A score (of a classifier: log-odds); "flip" changes a classifier's decision; with many
            classes the label of the one that is to become the most probable.
        mutable : sequence of str, optional
            The features that may change; all by default.
        n_features : {1, 2}
            How many may change at once.
        probability : float, optional
            Instead of `target`: the probability of a classifier's second class to be reached; with
            many classes beside it, that of the target class.
        between : (label, label), optional
            Look at the log-odds of one class against another, as if there were no other.
        """
        from calmgam.read.audit import counterfactual

        model = self._fitted_model()
        return counterfactual(model, row, target, mutable, n_features, probability, between)

    def reasons(
        self,
        row: Any,
        n: int = 4,
        sign: str = "both",
        between: Any = None,
        offset: float = 0.0,
    ) -> audit.Reasons:
        """Rank what contributed to a row's score, with the rules that selected the curves.

        Parameters
        ----------
        row : mapping, sequence or one-row table
        n : int
            How many reasons at most.
        sign : {"both", "negative", "positive"}
            Which contributions may be reasons.
        between : (label, label), optional
            The score is the log-odds of one class against another; with many classes by default of
            the most probable one against the next.
        offset : float
            Added to the score.
        """
        from calmgam.read.audit import reasons

        return reasons(self._fitted_model(), row, n, sign, between, offset)

    def report(
        self,
        path: Any,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        offset: Any = None,
        sample: Any = None,
        title: str | None = None,
        target: str | None = None,
        origin: str | None = None,
    ) -> Path:
        """Write one self-contained HTML page that shows, audits and runs the model.

        Parameters
        ----------
        path : path
            The file to write.
        X, y : data frame or array and its target, optional
            Rows on which the model is measured. They do not enter the page: it holds sums over at
            least five of them.
        sample_weight, offset : array, optional
            Of these rows.
        sample : data frame or array, optional
            Rows that enter the page, to start a what-if from; whoever has the page can read them.
        title : str, optional
        target : str, optional
            Name of the target; by default that of y, or of the fit.
        origin : str, optional
            What X is, such as "held-out rows of 2025".

        Returns
        -------
        Path
            Of the file.
        """
        from calmgam.read.report import report

        return report(
            self._fitted_model(),
            path,
            X=X,
            y=y,
            sample_weight=sample_weight,
            offset=offset,
            sample=sample,
            title=title,
            target=target,
            origin=origin,
        )

    @property
    def _repr_html_(self) -> Any:
        inherited = super()._repr_html_  # AttributeError where scikit-learn is to display text
        return self._card if hasattr(self, "model_") else inherited

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_()} if "text/html" in bundle else bundle

    def _card(self) -> str:
        from calmgam.read.texts.card import card

        return card(self.model_, type(self).__name__)
