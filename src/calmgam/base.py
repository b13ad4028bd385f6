"""What both estimators share: parameters, checks of tables, fitting."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

import calmgam
from calmgam.exporting import Exporting
from calmgam.fit.curves.by_name import LEARNERS
from calmgam.fit.curves.contract import CurveLearner
from calmgam.fit.data.checks import (
    Given,
    frame_like,
    idle_rows,
    is_frame,
    match_columns,
    weigh_rows,
)
from calmgam.fit.pipeline import (
    Plan,
    find_regions,
    is_large,
    learn_curves,
    learn_curves_of_all,
    prepare,
    prepare_large,
)
from calmgam.fit.regions.given import Partition
from calmgam.fit.regions.growth import Growth
from calmgam.fit.regions.search import GROWTHS
from calmgam.fit.scale.rows import Roles
from calmgam.fit.support.parts import Part, part_of
from calmgam.fit.support.progress import Callback, Watch
from calmgam.fit.support.threads import effective_n_jobs
from calmgam.large_tables import read_dataset
from calmgam.loading import Loading
from calmgam.measuring import Measuring
from calmgam.model.columns import as_table, series_name
from calmgam.model.fields import checked_offset
from calmgam.model.glassbox import Model
from calmgam.model.pages import see
from calmgam.model.provenance import Provenance, table_digest, utc_now
from calmgam.model.schema import FloatArray, Schema
from calmgam.parameters import paper_parameters

Interactions = Iterable[Iterable[str | int]] | Mapping[str, Iterable[Iterable[str | int]]]
PARTS: dict[str, Mapping[str, type[Any]]] = {"growth": GROWTHS, "curves": LEARNERS}


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Let `fit` work on a copy without fitted attributes, which is taken over when it is done.

    What fails or is stopped changes nothing; there is no moment at which half a model is there.
    """

    @wraps(fit)
    def safe_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        trial = copy(self)
        for name in [name for name in vars(trial) if name.endswith("_")]:
            delattr(trial, name)
        fit(trial, *args, **kwargs)
        self.__dict__ = vars(trial)
        return self

    return safe_fit


def names_of(features: Iterable[int], schema: Schema) -> tuple[str, ...]:
    """Return the names of some features, in the order of the table."""
    return tuple(schema.names[i] for i in sorted(features))


class BaseCALM(Loading, Measuring, Exporting):
    """What `CALMRegressor` and `CALMClassifier` share: all but how y is read, and predictions."""

    def __init__(
        self,
        *,
        reference: Any = "boosted_trees",
        growth: str | Growth | Mapping[str, Partition] = "joint",
        max_depth: int = 3,
        max_splits: int | str | None = "auto",
        condition_features: Iterable[str | int] | None = None,
        never_condition_on: Iterable[str | int] | None = None,
        interactions: Interactions | None = None,
        monotone: Mapping[str | int, str] | None = None,
        curves: str | CurveLearner = "boosting",
        max_bins: int = 1024,
        feature_types: Mapping[str | int, str | Sequence[Any]] | None = None,
        random_state: Any = None,
        n_jobs: int | None = -1,
        max_seconds: float | None = None,
        verbose: bool | Callback | Sequence[Callback] = False,
    ) -> None:
        self.reference = reference
        self.growth = growth
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.condition_features = condition_features
        self.never_condition_on = never_condition_on
        self.interactions = interactions
        self.monotone = monotone
        self.curves = curves
        self.max_bins = max_bins
        self.feature_types = feature_types
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_seconds = max_seconds
        self.verbose = verbose

    @classmethod
    def paper(cls, **overrides: Any) -> Any:
        """Return an estimator with the settings of the paper.

        Parameters
        ----------
        **overrides
            Parameters that differ from the paper's, as `set_params` takes them:
            ``growth__effect="ale"``.
        """
        return cls(**paper_parameters()).set_params(**overrides)

    def set_params(self, **params: Any) -> Any:
        """Set parameters, those of parts included: ``growth__min_drop=0.1``.

        Parameters
        ----------
        **params
            A part that is given by its word gets a setting, too: ``growth="heterogeneity"`` then
            becomes ``growth=Heterogeneity(min_drop=0.1)``.

        Returns
        -------
        self
        """
        for name, parts in PARTS.items():
            value = params.get(name, getattr(self, name))
            is_asked = any(key.startswith(f"{name}__") for key in params)
            if is_asked and not isinstance(value, Part):
                params = {**params, name: part_of(name, value, parts)}
        return super().set_params(**params)

    def _growth_part(self) -> Any:
        """Return the way of growing that is asked for."""
        regions = 'regions of your own, such as {"temp": ["hour <= 7", "hour > 7"]}'
        return part_of("growth", self.growth, GROWTHS, also=regions)

    def _plan(self, **changes: Any) -> Plan:
        """Return what the parameters ask for."""
        asked = {
            "growth": self.growth if isinstance(self.growth, Mapping) else self._growth_part(),
            "curves": part_of("curves", self.curves, LEARNERS),
            "reference": self.reference,
            "max_depth": self.max_depth,
            "max_splits": self.max_splits,
            "condition_features": self.condition_features,
            "never_condition_on": self.never_condition_on,
            "interactions": self.interactions,
            "monotone": self.monotone,
            "max_bins": self.max_bins,
            "feature_types": self.feature_types,
            "seed": int(check_random_state(self.random_state).randint(2**31)),
            "n_jobs": effective_n_jobs(self.n_jobs),
            "watch": Watch(self.verbose, self.max_seconds),
        }
        return Plan(**(asked | changes))

    def _fit(self, X: Any, y: Any, sample_weight: Any, offset: Any) -> Any:
        plan, large = self._plan(), None
        if isinstance(y, str):
            given, large = read_dataset(self, X, Roles.read(y, sample_weight, offset), plan)
        else:
            given = self._read(X, y, sample_weight, offset, reset=True)
            if is_large(given.target, plan):
                large = prepare_large(given.X, given.target, plan)
        prepared = large.prepared if large else prepare(given.X, given.target, plan)
        regions = find_regions(prepared, plan)
        if large:
            model = learn_curves_of_all(large, regions, plan)
        else:
            model = learn_curves(prepared, regions, plan)
        self.flat_features_ = names_of(regions.flat, prepared.schema)
        return self._take(model, given, plan, stacklevel=5)

    def _take(
        self, model: Model, given: Given, plan: Plan, *, stacklevel: int = 3, **kept: Any
    ) -> Any:
        """Take a model that was fitted now; say where it comes from, and whether it was stopped."""
        stopped, origin = plan.watch.stopped, self._provenance(given, plan)
        ledger = replace(model.ledger, stopped=stopped)
        origin = replace(origin, settings={**origin.settings, **kept})
        self.model_ = replace(model, ledger=ledger, provenance=origin)
        if stopped:
            warnings.warn(
                f"the fit was stopped {stopped}: the model is the best found so far"
                + see("scale#a-fit-that-must-end"),
                stacklevel=stacklevel,
            )
        return self

    def _provenance(self, given: Given, plan: Plan) -> Provenance:
        """Say where a model comes from that is fitted now."""
        return Provenance(
            library_version=calmgam.__version__,
            settings={
                "estimator": type(self).__name__,
                "parameters": self.get_params(deep=False),
                **({"target": given.target_name} if given.target_name else {}),
            },
            seed=plan.seed,
            n_rows=given.n_rows,
            weighted=given.is_weighted,
            date=utc_now(),
            table_sha256=given.digest(),
        )

    def _read(self, X: Any, y: Any, sample_weight: Any, offset: Any, *, reset: bool) -> Given:
        """Check a table, its target, its weights and its offset."""
        if isinstance(y, str):
            raise ValueError(f"y must be an array: fit alone takes a dataset; got {y!r}")
        X = self._checked(X, reset=reset)
        name = series_name(y)
        idle = idle_rows(sample_weight, len(X))
        own_y = y  # what idle rows hold counts in the digest of the table
        y = self._check_y(y, len(X), idle)
        own_y = own_y if idle.any() and np.ndim(own_y) == 1 else y
        if offset is not None:
            offset = np.where(idle, 0.0, offset) if idle.any() else offset
            offset = checked_offset(offset, len(X))
        digest = partial(table_digest, X, own_y, sample_weight, offset)
        n_rows = len(X)
        X, y, weights, offset = weigh_rows(X, y, sample_weight, offset)
        target = self._target(y, weights, offset)
        return Given(X, target, n_rows, sample_weight is not None, digest, name)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check a table as scikit-learn does; frames stay frames."""
        if not reset:
            check_is_fitted(self)
        X = as_table(X)
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

    def _score(self, X: Any, offset: Any) -> FloatArray:
        X = self._checked(X, reset=False)
        return self.model_.score(X, offset)

    def predict_interval(self, X: Any, coverage: float = 0.9, offset: Any = None) -> FloatArray:
        """Return an interval for every row that holds new outcomes this often.

        Whatever the noise, if new rows are like the training rows. A classifier has probabilities
        instead.

        Parameters
        ----------
        X : data frame or array
        coverage : float
            Between 0.01 and 0.99.
        offset : array of shape (n_rows,) or number, optional
            What is added to the score.

        Returns
        -------
        array of shape (n_rows, 2)
            Lower and upper ends.
        """
        return self._fitted_model().predict_interval(X, coverage, offset)

    def contributions(self, X: Any) -> Any:
        """Return what every feature contributes to every row's score.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        data frame or array of shape (n_rows, n_features)
            A frame of the same kind as X, or an array. Rows add up to the score minus the
            intercept. With three classes or more an array, of which the last axis is the class.
        """
        X = self._checked(X, reset=False)
        contributions = self.model_.contributions(X)
        if contributions.ndim == 3:
            return contributions
        return frame_like(X, self.model_.schema.names, contributions)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
