"""Step 1: a table and its target come in, a strong black box that scores rows goes out.

A reference is given by name, as an estimator (an unfitted one is cloned and fitted, a fitted one
used as it is), or as a function. It only serves to find interactions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calmgam.fit.data.bags import draw_bags, training_rows, validation_rows
from calmgam.fit.data.target import Target
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.fit.references.by_name import NAMES, listed, named_reference
from calmgam.fit.references.ensembles import library_of, read_trees
from calmgam.fit.references.reference import Reference, threads_of
from calmgam.fit.references.torch_module import TorchFunction, is_torch_module
from calmgam.model.schema import FloatArray, Schema

ROWS_PER_THREAD = 50_000  # boosting a smaller table is slower on more threads

Decode = Callable[[np.ndarray], Any]


@dataclass(frozen=True, eq=False)
class ReferenceLearner:
    """How references are made: everything but the rows.

    Attributes
    ----------
    reference : str, estimator or callable
        A name of `NAMES`; a scikit-learn-style estimator; or a function of the data, a torch module
        included, that returns predictions in the units of the target (regression) or log-odds of
        the second class (classification).
    schema : Schema
    decode : callable or None
        From encoded rows to the data as the user knows them, which is what foreign estimators and
        functions are given; None if the encoded matrix is the data.
    random_state : int
    edges : sequence of arrays, optional
        Cuts of numbers that are known already.
    """

    reference: Any
    schema: Schema
    decode: Decode | None = None
    random_state: int = 0
    edges: Sequence[FloatArray] | None = None

    def __post_init__(self) -> None:
        if is_torch_module(self.reference):
            object.__setattr__(self, "reference", TorchFunction(self.reference))
        reference = self.reference
        if isinstance(reference, type) or not (
            isinstance(reference, str) or hasattr(reference, "predict") or callable(reference)
        ):
            raise TypeError(
                f"reference must be one of {listed(NAMES)}, an estimator or a function; "
                f"got {reference!r}"
            )

    @property
    def n_codes(self) -> list[int]:
        """How many codes a categorical feature has, the unseen level's included; 0 for others."""
        return [f.n_levels + 1 if f.kind == "categorical" else 0 for f in self.schema.features]

    def fit(
        self, X: FloatArray, target: Target, *, n_jobs: int = 1, with_trees: bool = False
    ) -> Reference:
        """Make the reference.

        Parameters
        ----------
        X : (n, d) encoded matrix
        target : Target
            Of the same rows.
        n_jobs : int
        with_trees : bool
            Read the trees too, if the library is known.
        """
        n_threads = max(1, min(n_jobs, len(X) // ROWS_PER_THREAD))
        model, decode, is_given = self._estimator(target, n_threads, n_jobs)
        n_codes = self.n_codes
        self._check_range(model, X)
        if is_given:
            _check_columns(model, X if decode is None else decode(X[:1]), X.shape[1])
        else:
            _train(model, X, target, decode, n_codes, n_threads, self.random_state)
        slope, intercept, order = 1.0, 0.0, None
        if target.loss.task == "regression" and is_given:
            mean, scale = target.units
            slope, intercept = 1.0 / scale, -mean / scale
        elif target.loss.task == "classification" and hasattr(model, "predict"):
            if target.loss.n_outputs:
                order = _class_order(model, target.classes)
            else:
                slope = _direction(model, target.classes)
        fitted = Reference(
            model, target.loss, slope, intercept, 0.5 / len(X), decode, None, n_jobs, order
        )
        if decode is not None and any(n_codes):
            return fitted  # the estimator sees categories in its own way
        has_trees = with_trees and not target.loss.n_outputs
        return _with_trees(fitted, X, n_codes) if has_trees else fitted

    def _check_range(self, model: Any, X: FloatArray) -> None:
        """Refuse numbers that a library of single precision cannot hold."""
        if library_of(model) not in ("xgboost", "random_forest"):
            return
        largest = np.fmax.reduce(np.abs(X), axis=0)
        for feature, size in zip(self.schema.features, largest, strict=True):
            if size > np.finfo(np.float32).max:
                raise ValueError(
                    f"column {feature.name!r} must hold numbers up to 3.4e38, as the reference "
                    f"{type(model).__name__} has single precision; got {size:.3g}"
                )

    def _estimator(
        self, target: Target, n_threads: int, n_jobs: int
    ) -> tuple[Any, Decode | None, bool]:
        """Return the estimator, what it is to be given, and whether it is fitted already."""
        if isinstance(self.reference, str):
            model = named_reference(
                self.reference,
                self.schema,
                target.loss,
                edges=self.edges,
                random_state=self.random_state,
                n_threads=n_threads,
                n_jobs=n_jobs,
            )
            return model, None, False
        if _is_fitted(self.reference):
            return self.reference, self.decode, True
        model = _with_random_state(clone(self.reference), self.random_state)
        # we can tell known libraries which columns are categories
        known = library_of(model) and any(self.n_codes)
        return model, None if known else self.decode, False


def _train(
    model: Any,
    X: np.ndarray,
    target: Target,
    decode: Decode | None,
    n_codes: Sequence[int],
    n_threads: int,
    random_state: int,
) -> None:
    """Fit an estimator, with all that its library lets us say about the table."""
    arguments: dict[str, Any] = {}
    library = library_of(model)
    if library == "hist_gradient_boosting":  # it cannot bin a column without any value
        empty = np.isnan(np.fmin.reduce(X, axis=0))
        X = np.where(empty, 0.0, X) if empty.any() else X
    if decode is None and any(n_codes):
        categories = [n > 0 for n in n_codes]
        if library == "hist_gradient_boosting":
            model.set_params(categorical_features=[0 < n <= model.max_bins for n in n_codes])
        elif library == "xgboost":
            kinds = ["c" if category else "q" for category in categories]
            model.set_params(feature_types=kinds, enable_categorical=True)
        elif library == "lightgbm":
            arguments["categorical_feature"] = np.flatnonzero(categories).tolist()
    rows: Any = slice(None)
    weighs = target.uneven_weights is not None
    if library in ("xgboost", "lightgbm") and _stops_early(model):
        bags = draw_bags(target, 1, np.random.default_rng(random_state))
        rows, validation = training_rows(bags), validation_rows(bags)
        data = X[validation] if decode is None else decode(X[validation])
        arguments |= _validation_arguments(model, library, data, target.take(validation))
    if weighs and has_fit_parameter(model, "sample_weight"):
        arguments["sample_weight"] = target.weights[rows]
    elif weighs:
        warnings.warn(
            f"the reference {type(model).__name__} takes no sample_weight and is fitted without it",
            stacklevel=3,
        )
    if target.offset is not None:
        if not has_fit_parameter(model, "offset"):
            raise ValueError(
                f"the reference must take an offset, which {target.loss.name} cannot do without; "
                f'{type(model).__name__} takes none, "boosted_trees" does'
            )
        arguments["offset"] = target.offset[rows]
    with threads_of(model, n_threads):
        data = X[rows] if decode is None else decode(X[rows])
        model.fit(data, target.values[rows], **arguments)
    if library == "random_forest":
        model.set_params(n_jobs=1)  # when predicting, threads add up trees in any order


def _stops_early(model: Any) -> bool:
    """Whether boosting is to stop on rows that we hold out."""
    parameters = model.get_params()
    names = ("early_stopping_rounds", "early_stopping_round")
    return any(parameters.get(name) for name in names)


def _validation_arguments(model: Any, library: str, data: Any, target: Target) -> dict[str, Any]:
    """Return the rows to stop on, as arguments of `fit`."""
    weights = [target.weights] if target.uneven_weights is not None else None
    if library == "xgboost":
        rows = [(data, target.values)]
        return {"eval_set": rows, "sample_weight_eval_set": weights, "verbose": False}
    if has_fit_parameter(model, "eval_X"):  # LightGBM since 4.7
        return {"eval_X": data, "eval_y": target.values, "eval_sample_weight": weights}
    return {"eval_set": [(data, target.values)], "eval_sample_weight": weights}


def _with_trees(reference: Reference, X: np.ndarray, n_codes: Sequence[int]) -> Reference:
    """Add the trees, if they can be read and do reproduce the estimator's scores."""
    if isinstance(reference.estimator, BoostedTrees):
        return replace(reference, ensemble=reference.estimator.ensemble)
    ensemble = read_trees(reference.estimator, n_codes)
    if ensemble is None:
        return reference
    with_trees = replace(reference, ensemble=ensemble)
    # An objective with another link, or a column the trees see differently, shows here.
    some = X[np.linspace(0, len(X) - 1, min(len(X), 256)).astype(int)]
    scores = with_trees.score_of_sums(ensemble.score(some))
    agree = np.allclose(scores, reference.score(some), rtol=1e-3, atol=1e-3)
    return with_trees if agree else reference


def _is_fitted(model: Any) -> bool:
    if not hasattr(model, "fit"):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _check_columns(model: Any, data: Any, n_columns: int) -> None:
    """Refuse a fitted model of other columns, whose trees would be read on the wrong ones.

    Models whose trees cannot be read check this themselves.
    """
    if library_of(model) is None:
        return
    name = f"the fitted reference {type(model).__name__}"
    if model.n_features_in_ != n_columns:
        raise ValueError(
            f"{name} must know the columns of the table; it knows {model.n_features_in_}, "
            f"the table has {n_columns}"
        )
    known = [str(column) for column in getattr(model, "feature_names_in_", [])]
    made_up = [f"Column_{i}" for i in range(n_columns)]  # by LightGBM, for columns without names
    if not known or known == made_up or not hasattr(data, "columns"):
        return
    for column, own in zip(map(str, data.columns), known, strict=True):
        if column != own:
            raise ValueError(
                f"{name} must know the columns of the table in their order; where it has {own!r}, "
                f"the table has {column!r}"
            )


def _with_random_state(model: Any, random_state: int) -> Any:
    """Give the seed to every part of the estimator that has none."""
    unset = [
        name
        for name, value in model.get_params(deep=True).items()
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return model.set_params(**dict.fromkeys(unset, random_state))


def _class_order(model: Any, classes: Sequence[Any]) -> tuple[int, ...]:
    """Return the code of every class that the model knows; some may be absent from its rows."""
    labels = _labels(model)
    for known in (list(classes), list(range(len(classes)))):
        if set(labels) <= set(known):
            return tuple(known.index(label) for label in labels)
    raise ValueError(
        f"the reference knows the classes {listed(labels)}, the target has {listed(classes)}"
    )


def _labels(model: Any) -> list[Any]:
    """Return the classes that a model has probabilities of."""
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"a classifier's reference needs predict_proba, which {type(model).__name__} does not "
            "have; wrap it in sklearn.calibration.CalibratedClassifierCV or give another"
        )
    labels: list[Any] = np.asarray(model.classes_).tolist()
    return labels


def _direction(model: Any, classes: Sequence[Any]) -> float:
    """1 if the model's second class is the target's second class, -1 if it is the first."""
    labels = _labels(model)
    if len(labels) != 2:
        raise ValueError(f"the reference must know two classes; it knows {len(labels)}: {labels}")
    if labels == list(classes)[::-1]:
        return -1.0
    if labels in (list(classes), [0, 1]):
        return 1.0
    raise ValueError(
        f"the reference knows the classes {listed(labels)}, the target has {listed(classes)}"
    )
