"""The scikit-learn face: flat parameters, input checks, and `fit`, which reads like the method.

table -> schema, cuts -> reference -> trees, ledger -> curves -> model
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from calmgam.fit.assembling import assemble
from calmgam.fit.binning import bin_table
from calmgam.fit.boosting import BoostingSettings, boost, content_order, draw_bags
from calmgam.fit.growing import GrowthSettings, grow_all
from calmgam.fit.inputs import (
    check_target,
    decoder,
    frame_like,
    is_frame,
    match_columns,
    warn_of_identifiers,
    weigh_rows,
)
from calmgam.fit.ledger import Ledger
from calmgam.fit.losses import Target
from calmgam.fit.partitions import Partition, given_trees
from calmgam.fit.progress import stage
from calmgam.fit.reference import ReferenceLearner
from calmgam.fit.settings import check_in, check_integer
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.tree import PartitionTree

PAPER = {
    "reference": "xgboost",
    "growth": "heterogeneity",
    "effect": "pdp",
    "grid": "uniform",
    "grid_size": 20,
    "thresholds": "uniform",
    "n_thresholds": 19,
    "equal_up_to": 10,
    "n_background": None,
    "min_drop": 0.2,
    "max_depth": 2,
    "max_splits": None,
    "min_samples_leaf": 10,
    "min_heterogeneity": 1e-3,
    "rank": "relative",
    "curves": "boosting",
}

PARAMETERS = """
    Parameters
    ----------
    reference : str, estimator or callable, default="hist_gradient_boosting"
        The black box in which interactions are looked for: ``"hist_gradient_boosting"``,
        ``"xgboost"``, ``"lightgbm"``, ``"random_forest"``, any scikit-learn-style estimator
        (fitted or not), or a function of the data. It is dropped after fitting.
    keep_reference : bool, default=False
        Keep the fitted reference as ``reference_``.
    growth : {"heterogeneity"}, default="heterogeneity"
        How regions are found: where a feature's local effects differ between rows.
    effect : {"pdp"}, default="pdp"
        The local effects that are compared: centred ICE curves of the reference.
    effect_scale : {"link", "response"}, default="link"
        Scale of the effects of a classifier: log-odds or probabilities.
    grid : {"quantile", "uniform"}, default="quantile"
        Where along a feature its effect is evaluated.
    grid_size : int, default=20
        Number of grid values.
    thresholds : {"quantile", "uniform", "all"}, default="quantile"
        Which cuts of a numeric feature are tried as conditions.
    n_thresholds : int, default=31
        How many of them.
    equal_up_to : int, default=0
        Numeric features with at most this many distinct values get conditions ``= value``.
    n_background : int or None, default=10_000
        Rows whose effects are compared; None takes all training rows.
    min_drop : float, default=0.2
        A split must remove more than this share of its region's heterogeneity.
    max_depth : int, default=2
        Most conditions in a region; 0 gives a plain GAM and needs no reference.
    max_splits : int or None, default=None
        Most splits over all features.
    min_samples_leaf : int, default=10
        Fewest training rows in a region.
    min_heterogeneity : float, default=1e-3
        Regions whose heterogeneity is below this share of the target's variance are left whole.
    rank : {"absolute", "relative"}, default="absolute"
        Which splits `max_splits` prefers: the largest drops in absolute terms, or relative ones.
    split_features : list of str or int, optional
        Features that may get several curves; default all.
    condition_features : list of str or int, optional
        Features that conditions may be about; default all.
    partitions : dict, optional
        Regions given by you, such as ``{"temp": ["season = winter", "season != winter"]}``;
        nothing is searched then.
    curves : {"boosting"}, default="boosting"
        How curves are learned.
    max_bins : int, default=1024
        Most bins of a numeric feature.
    n_bags : int, default=16
        Models fitted on different training rows and averaged; their spread gives the bands.
    learning_rate : float, default=0.02
        Shrinkage of every boosting step.
    max_rounds : int, default=5000
        Most boosting rounds.
    patience : int, default=70
        Rounds without a better validation loss before a bag stops.
    max_leaves : {2, 3}, default=3
        Leaves of the small tree that one boosting step adds to a curve.
    random_state : int, RandomState or None, default=None
        Same seed, same model, for any `n_jobs`.
    n_jobs : int or None, default=-1
        Threads; -1 uses all cores, None means 1.
    verbose : bool, default=False
        Show the progress of every stage.
"""

ATTRIBUTES = """
    Attributes
    ----------
    model_ : Model
        The fitted model: intercept, terms, link; saves itself as JSON.
    ledger_ : Ledger
        Every split considered, kept or refused, and why; ``ledger_.to_frame()`` is the table.
    feature_importances_ : array
        Mean absolute contributions, scaled to sum to 1.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_splits_, n_curves_ : int
        Size of the model; curves = features + splits.
    n_interactions_ : int
        Number of (feature, conditioning feature) pairs.
    n_pairs_ : int
        Number of unordered pairs of features that interact.
    reference_ : fitted estimator
        With ``keep_reference=True``.
"""


SUMMARY = """Conditionally additive local model for {task}.

    Every feature has a few one-dimensional curves; plain conditions on other features say which one
    is active. The score of a row is the intercept plus one curve value per feature{link}.
"""


def _all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Let `fit` start without fitted attributes, and take them back if it fails or is stopped."""

    @wraps(fit)
    def safe_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        for name in before:
            if name.endswith("_"):
                delattr(self, name)
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return safe_fit


class _CALM(BaseEstimator):
    def __init__(
        self,
        *,
        reference: Any = "hist_gradient_boosting",
        keep_reference: bool = False,
        growth: str = "heterogeneity",
        effect: str = "pdp",
        effect_scale: str = "link",
        grid: str = "quantile",
        grid_size: int = 20,
        thresholds: str = "quantile",
        n_thresholds: int = 31,
        equal_up_to: int = 0,
        n_background: int | None = 10_000,
        min_drop: float = 0.2,
        max_depth: int = 2,
        max_splits: int | None = None,
        min_samples_leaf: int = 10,
        min_heterogeneity: float = 1e-3,
        rank: str = "absolute",
        split_features: Iterable[str | int] | None = None,
        condition_features: Iterable[str | int] | None = None,
        partitions: Mapping[str, Partition] | None = None,
        curves: str = "boosting",
        max_bins: int = 1024,
        n_bags: int = 16,
        learning_rate: float = 0.02,
        max_rounds: int = 5000,
        patience: int = 70,
        max_leaves: int = 3,
        random_state: Any = None,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> None:
        self.reference = reference
        self.keep_reference = keep_reference
        self.growth = growth
        self.effect = effect
        self.effect_scale = effect_scale
        self.grid = grid
        self.grid_size = grid_size
        self.thresholds = thresholds
        self.n_thresholds = n_thresholds
        self.equal_up_to = equal_up_to
        self.n_background = n_background
        self.min_drop = min_drop
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.min_heterogeneity = min_heterogeneity
        self.rank = rank
        self.split_features = split_features
        self.condition_features = condition_features
        self.partitions = partitions
        self.curves = curves
        self.max_bins = max_bins
        self.n_bags = n_bags
        self.learning_rate = learning_rate
        self.max_rounds = max_rounds
        self.patience = patience
        self.max_leaves = max_leaves
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def paper(cls, **overrides: Any) -> Any:
        """Return an estimator with the settings of the paper.

        Parameters
        ----------
        **overrides
            Parameters that differ from the paper's.
        """
        return cls(**{**PAPER, **overrides})

    def _fit(self, X: Any, target: Target, classes: tuple[Any, ...] = ()) -> Any:
        growth, boosting = self._settings()
        n_jobs = effective_n_jobs(self.n_jobs)
        seed = int(check_random_state(self.random_state).randint(2**31))
        bag_rng, background_rng = np.random.default_rng(seed).spawn(2)

        schema = Schema.learn(X)
        X_encoded = schema.encode(X)
        warn_of_identifiers(X_encoded, schema)
        binned = bin_table(X_encoded, schema, self.max_bins)
        roles = draw_bags(target, self.n_bags, bag_rng)
        trees, ledger = (PartitionTree.trivial(),) * schema.n_features, Ledger(schema.n_features)
        errors: dict[str, Any] = {"metric": target.metric}

        if self.partitions is not None:
            trees = given_trees(self.partitions, schema, binned.edges, X_encoded)
        elif self.max_depth > 0:
            learner = ReferenceLearner(
                self.reference, schema, target, classes, decoder(X, X_encoded, schema), seed, n_jobs
            )
            with stage("reference", self.verbose):
                reference = learner.fit(X_encoded)
                errors["reference"] = learner.validation_error(X_encoded, roles[:, 0])
            with stage("regions", self.verbose) as progress:
                trees, ledger = grow_all(
                    reference,
                    X_encoded,
                    binned,
                    schema,
                    growth,
                    rng=background_rng,
                    split_features=self.split_features,
                    condition_features=self.condition_features,
                    weights=target.uneven_weights,
                    n_jobs=n_jobs,
                    progress=progress,
                )
            if self.keep_reference:
                self.reference_ = reference.estimator

        with stage("curves", self.verbose) as progress:
            order = content_order(binned)
            options = {"seed": seed, "order": order, "n_jobs": n_jobs, "progress": progress}
            cells = binned.cells(trees, X_encoded)
            n_leaves = [tree.n_leaves for tree in trees]
            curves = boost(cells, binned, n_leaves, target, roles, boosting, **options)
            gam = curves
            if any(tree.n_splits for tree in trees):
                one_each, one_bag = [1] * schema.n_features, roles[:, :1]
                gam = boost(binned.codes, binned, one_each, target, one_bag, boosting, **options)
        errors["calm"] = target.error_of_loss(curves.losses[0])
        errors["gam"] = target.error_of_loss(gam.losses[0])

        self.ledger_ = ledger
        self.model_ = assemble(schema, binned, trees, cells, curves, target, classes, errors)
        return self

    def _settings(self) -> tuple[GrowthSettings, BoostingSettings]:
        check_in("growth", self.growth, ("heterogeneity",))
        check_in("curves", self.curves, ("boosting",))
        check_integer("max_bins", self.max_bins, low=2)
        growth = {field.name: getattr(self, field.name) for field in fields(GrowthSettings)}
        boosting = ("n_bags", "learning_rate", "max_rounds", "patience", "max_leaves")
        return (
            GrowthSettings(**growth),
            BoostingSettings(**{name: getattr(self, name) for name in boosting}),
        )

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check a table as scikit-learn does; frames stay frames."""
        if not reset:
            check_is_fitted(self)
        if not is_frame(X):
            array = check_array(X, dtype=None, ensure_all_finite=False, estimator=self)
            # rows of numbers and text: numbers stay numbers
            X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
        elif len(X) == 0:
            raise ValueError("X must have at least one row; got 0")
        if not reset:
            has_names = hasattr(self, "feature_names_in_")
            X = match_columns(X, self.model_.schema.names, by_name=has_names)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _score(self, X: Any) -> FloatArray:
        X = self._checked(X, reset=False)
        return self.model_.score(X)

    def contributions(self, X: Any) -> Any:
        """Return what every feature contributes to every row's score.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        data frame or array of shape (n_rows, n_features)
            A frame of the same kind as X, or an array. Rows add up to the score minus the
            intercept.
        """
        X = self._checked(X, reset=False)
        contributions = self.model_.contributions(X)
        return frame_like(X, self.model_.schema.names, contributions)

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class CALMRegressor(RegressorMixin, _CALM):  # noqa: D101
    __doc__ = SUMMARY.format(task="a number", link="") + PARAMETERS + ATTRIBUTES

    @_all_or_nothing
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
        X = self._checked(X, reset=True)
        y = check_target(y, len(X), dtype=np.float64)
        X, y, weights = weigh_rows(X, y, sample_weight)
        return self._fit(X, Target.regression(y, weights))

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


class CALMClassifier(ClassifierMixin, _CALM):  # noqa: D101
    __doc__ = (
        SUMMARY.format(task="two classes", link=", and is the\n    log-odds of the second class")
        + PARAMETERS
        + ATTRIBUTES
        + "    classes_ : array\n        The two labels; scores are log-odds of the second.\n"
    )

    @_all_or_nothing
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
        X = self._checked(X, reset=True)
        y = check_target(y, len(X))
        check_classification_targets(y)
        X, y, weights = weigh_rows(X, y, sample_weight)
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
        self.classes_ = labels
        classes = tuple(label.item() if hasattr(label, "item") else label for label in labels)
        return self._fit(X, Target.classification(codes.astype(np.float64), weights), classes)

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
        score = self._score(X)
        return self.classes_[(score > 0).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
