"""What both estimators share: parameters, checks of tables, and `_fit`, which is the whole method.

table -> schema, cuts -> reference -> trees, ledger -> curves -> model
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import partial, wraps
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from calmgam.fit.curves.by_name import LEARNERS, Learn, fit_curves
from calmgam.fit.curves.contract import draw_bags
from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.checks import (
    decoder,
    frame_like,
    is_frame,
    match_columns,
    warn_of_identifiers,
)
from calmgam.fit.data.target import Target
from calmgam.fit.references.reference import ReferenceLearner
from calmgam.fit.regions.given import Partition, given_trees
from calmgam.fit.regions.heterogeneity.growing import GrowthSettings
from calmgam.fit.regions.joint.path import trees_after
from calmgam.fit.regions.search import Search, search_regions
from calmgam.fit.regions.stability import COLUMNS as STABILITY_COLUMNS
from calmgam.fit.regions.stability import stability_of
from calmgam.fit.support.progress import stage
from calmgam.fit.support.settings import check_in, check_integer
from calmgam.fit.support.threads import effective_n_jobs
from calmgam.model.glassbox import Model
from calmgam.model.ledger import frame_of
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.tree import PartitionTree
from calmgam.parameters import PAPER
from calmgam.reading import Reading


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
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


class BaseCALM(Reading):
    """Regressor or classifier; which one says how y is read and scores are predictions."""

    def __init__(
        self,
        *,
        reference: Any = "boosted_trees",
        keep_reference: bool = False,
        growth: str = "joint",
        effect: str = "pdp",
        effect_scale: str = "link",
        grid: str = "quantile",
        grid_size: int = 20,
        thresholds: str = "quantile",
        n_thresholds: int = 31,
        equal_up_to: int = 0,
        n_background: int | None = 50_000,
        min_drop: float = 0.2,
        drop_scale: str = "variance",
        max_depth: int = 3,
        max_splits: int | str | None = "auto",
        sparsity: float = 1.0,
        min_samples_leaf: int = 10,
        min_heterogeneity: float = 1e-3,
        rank: str = "absolute",
        split_features: Iterable[str | int] | None = None,
        condition_features: Iterable[str | int] | None = None,
        partitions: Mapping[str, Partition] | None = None,
        curves: str = "boosting",
        max_bins: int = 1024,
        n_bags: int = 16,
        learning_rate: float = 0.025,
        max_rounds: int = 5000,
        patience: int = 50,
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
        self.drop_scale = drop_scale
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.sparsity = sparsity
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
        growth, learn = self._settings(target.task)
        seed = int(check_random_state(self.random_state).randint(2**31))
        bag_rng, search_rng = np.random.default_rng(seed).spawn(2)

        schema = Schema.learn(X)
        X_encoded = schema.encode(X)
        warn_of_identifiers(X_encoded, schema)
        binned = bin_table(X_encoded, schema, self.max_bins)
        roles = draw_bags(target, self.n_bags, bag_rng)
        if self.partitions is not None:
            found = Search(given_trees(self.partitions, schema, binned.edges, X_encoded))
        elif self.max_depth == 0:
            found = Search((PartitionTree.trivial(),) * schema.n_features)
        else:
            decode = decoder(X, X_encoded, schema)
            n_jobs = effective_n_jobs(self.n_jobs)
            learner = ReferenceLearner(
                self.reference, schema, target, classes, decode, seed, n_jobs
            )
            with stage("regions", self.verbose) as progress:
                found = self._search(growth)(
                    learner,
                    X_encoded,
                    binned,
                    roles=roles[:, 0],
                    rng=search_rng,
                    n_jobs=n_jobs,
                    progress=progress,
                )
        self.ledger_, self.path_ = found.ledger, found.path
        if self.keep_reference and found.reference:
            self.reference_ = found.reference.estimator
        self.model_ = self._curves(
            learn, schema, X_encoded, binned, found, target, classes, roles, seed=seed
        )
        return self

    def _search(self, settings: GrowthSettings) -> Callable[..., Search]:
        """Return `search_regions` as the parameters say."""
        return partial(
            search_regions,
            self.growth,
            settings=settings,
            split_features=self.split_features,
            condition_features=self.condition_features,
        )

    def _curves(self, *inputs: Any, seed: int) -> Model:
        """Return `fit_curves` of the inputs."""
        with stage("curves", self.verbose) as progress:
            n_jobs = effective_n_jobs(self.n_jobs)
            return fit_curves(*inputs, seed=seed, n_jobs=n_jobs, progress=progress)

    def refit_splits(self, n_splits: int, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the curves again with another number of splits of the path found by `fit`.

        Parameters
        ----------
        n_splits : int
            How many splits of ``path_``, which joint growth leaves, to make; ``ledger_.path``
            shows what they are worth.
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        n_path = len(self.path_)
        check_integer("n_splits", n_splits, low=0)
        if n_splits > n_path:
            only = "" if self.growth == "joint" else ", which growth='joint' alone makes"
            raise ValueError(
                f"n_splits must be in 0..{n_path}, the length of the path{only}; got {n_splits}"
            )
        X, target, classes = self._read(X, y, sample_weight, reset=False)
        _, learn = self._settings(target.task)
        seed = int(check_random_state(self.random_state).randint(2**31))
        bag_rng, _ = np.random.default_rng(seed).spawn(2)
        schema = self.model_.schema
        X_encoded = schema.encode(X)
        binned = bin_table(X_encoded, schema, self.max_bins)
        partitions = dict(
            zip(schema.names, trees_after(self.path_[:n_splits], schema.n_features), strict=True)
        )
        trees = given_trees(partitions, schema, binned.edges, X_encoded)
        roles = draw_bags(target, self.n_bags, bag_rng)
        self.model_ = self._curves(
            learn, schema, X_encoded, binned, Search(trees), target, classes, roles, seed=seed
        )
        self.ledger_ = self.ledger_.keeping(n_splits)
        return self

    def stability(self, X: Any, y: Any, n_boot: int = 20, sample_weight: Any = None) -> Any:
        """Count how often the model's splits come back when the rows are drawn again.

        Every bootstrap refit repeats reference and growth, with as many splits as the model has.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        n_boot : int
            Number of refits.

        Returns
        -------
        pandas data frame, or list of dict where there is no pandas
            One row per split. ``frequency`` is the share of refits with the same feature, the same
            conditioning feature and the same threshold (give or take one of the ``n_thresholds``
            steps) or set of levels, in any region; ``pair_frequency`` that of refits in which the
            feature is conditioned on that feature at all.
        """
        check_is_fitted(self)
        check_integer("n_boot", n_boot, low=1)
        X, target, classes = self._read(X, y, sample_weight, reset=False)
        settings = replace(self._settings(target.task)[0], max_splits=self.n_splits_)
        seed = int(check_random_state(self.random_state).randint(2**31))
        *_, rng = np.random.default_rng(seed).spawn(3)  # two are for `fit`
        schema = self.model_.schema
        X_encoded = schema.encode(X)
        decode = decoder(X, X_encoded, schema)
        with stage("stability", self.verbose) as progress:
            rows = stability_of(
                self.ledger_.accepted,
                self._search(settings),
                ReferenceLearner(self.reference, schema, target, classes, decode, seed, 1),
                X_encoded,
                bin_table(X_encoded, schema, self.max_bins),
                tolerance=1 / (self.n_thresholds + 1),
                n_boot=n_boot,
                rng=rng,
                n_jobs=effective_n_jobs(self.n_jobs),
                progress=progress,
            )
        return frame_of(rows, STABILITY_COLUMNS)

    def _settings(self, task: str) -> tuple[GrowthSettings, Learn]:
        check_in("growth", self.growth, ("joint", "heterogeneity"))
        check_in("curves", self.curves, tuple(LEARNERS))
        check_integer("max_bins", self.max_bins, low=2)
        check_integer("n_bags", self.n_bags, low=1)
        growth = {field.name: getattr(self, field.name) for field in fields(GrowthSettings)}
        return GrowthSettings(**growth), LEARNERS[self.curves].configured(self, task)

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
