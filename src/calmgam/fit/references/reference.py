"""Step 1: a table and its target come in, a strong black box that scores rows goes out.

The reference only serves to find interactions. Whatever it is (a library by name, any estimator,
a function), `Reference.score` speaks one language: the standardised target for regression, the
log-odds of the second class for classification. Where the library is known its trees are read
too (`Reference.ensemble`), which makes local effects exact and fast.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.contract import draw_bags
from calmgam.fit.data.target import Target
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.fit.references.by_name import NAMES, listed, named_reference
from calmgam.fit.references.ensembles import TreeEnsemble, library_of, read_trees
from calmgam.fit.references.network import Network
from calmgam.fit.references.torch_module import TorchFunction, is_torch_module
from calmgam.fit.support.threads import openmp_threads
from calmgam.model.schema import Schema

ROWS_PER_THREAD = 50_000  # boosting a smaller table is slower on more threads


@dataclass(frozen=True, eq=False)
class Reference:
    """A fitted black box that scores encoded rows on the link scale of the standardised target.

    Attributes
    ----------
    estimator : fitted estimator or callable
    task : {"regression", "classification"}
    slope, intercept : float
        The score is ``intercept + slope * (what the estimator says)``.
    min_probability : float
        Probabilities are clipped to [min_probability, 1 - min_probability] before the logit.
    decode : callable or None
        From the encoded matrix to the data the estimator knows; None: the matrix itself.
    ensemble : TreeEnsemble or None
        The trees, if the library is known.
    n_jobs : int
    """

    estimator: Any
    task: str
    slope: float = 1.0
    intercept: float = 0.0
    min_probability: float = 1e-6
    decode: Callable[[np.ndarray], Any] | None = None
    ensemble: TreeEnsemble | None = None
    n_jobs: int = 1

    def data(self, X: np.ndarray) -> Any:
        """Return encoded rows as the estimator knows them."""
        return X if self.decode is None else self.decode(X)

    def score(self, X: np.ndarray) -> np.ndarray:
        """Score of every row of the encoded matrix."""
        with _threads_of(self.estimator, self.n_jobs):
            raw = np.asarray(self._raw_score(self.data(X)), dtype=np.float64)
        if raw.shape not in ((len(X),), (len(X), 1)):
            raise ValueError(
                f"the reference must give one score per row; {len(X)} rows gave shape {raw.shape}"
            )
        if not np.isfinite(raw).all():
            raise ValueError(
                f"the reference must give finite scores; got {raw[~np.isfinite(raw)][0]}"
            )
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
            probability = expit(self.score(X))
            slopes = slopes * probability * (1.0 - probability)
        return slopes

    def is_response(self, effect_scale: str) -> bool:
        """Whether effects are those of a classifier's probability."""
        return effect_scale == "response" and self.task == "classification"

    def on_scale(self, scores: np.ndarray, effect_scale: str) -> np.ndarray:
        """Scores on the scale of the effects."""
        return expit(scores) if self.is_response(effect_scale) else scores

    def score_of_sums(self, sums: np.ndarray) -> np.ndarray:
        """Score from the ensemble's base + sums of leaf values."""
        assert self.ensemble is not None
        raw = self._log_odds(sums) if self.ensemble.probability else sums
        return self.intercept + self.slope * raw

    def _raw_score(self, data: Any) -> np.ndarray:
        model = self.estimator
        if not hasattr(model, "predict"):
            return model(data)
        if self.task == "regression":
            return model.predict(data)
        library = library_of(model)
        if library == "hist_gradient_boosting" or isinstance(model, (BoostedTrees, Network)):
            return model.decision_function(data)
        if library == "xgboost" and model.objective == "binary:logistic":
            return model.predict(data, output_margin=True)
        if library == "lightgbm" and model.objective_ == "binary":
            return model.get_params().get("sigmoid", 1.0) * model.predict(data, raw_score=True)
        return self._log_odds(model.predict_proba(data)[:, 1])

    def _log_odds(self, probability: np.ndarray) -> np.ndarray:
        return logit(np.clip(probability, self.min_probability, 1.0 - self.min_probability))


def fit_reference(
    reference: Any,
    X: np.ndarray,
    y: np.ndarray,
    schema: Schema,
    *,
    task: str,
    weights: np.ndarray | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
    with_trees: bool = True,
    decode: Callable[[np.ndarray], Any] | None = None,
    y_mean: float = 0.0,
    y_scale: float = 1.0,
    classes: Sequence[Any] = (0, 1),
    edges: Sequence[np.ndarray] | None = None,
) -> Reference:
    """Make the reference.

    Parameters
    ----------
    reference : str, estimator or callable
        A name of `NAMES`; a scikit-learn-style estimator (an unfitted one is cloned and fitted, a
        fitted one used as it is); or a function of the data, a torch module included, that returns
        predictions in the units of the target (regression) or log-odds of the second class
        (classification).
    X : (n, d) encoded matrix
    y : (n,) array
        The standardised target, or 0/1.
    schema : Schema
    task : {"regression", "classification"}
    weights : (n,) array or None
    random_state, n_jobs : int
    with_trees : bool
        Read the trees too, if the library is known.
    decode : callable or None
        From encoded rows to the data as the user knows them, which is what foreign estimators and
        functions are given; None if the encoded matrix is the data.
    y_mean, y_scale : float
        Of the original target: a fitted regressor and a function predict in its units.
    classes : pair
        The two labels of the original target.
    edges : sequence of arrays, optional
        Cuts of numbers that are known already.

    Returns
    -------
    Reference
    """
    if is_torch_module(reference):
        reference = TorchFunction(reference)
    if isinstance(reference, type) or not (
        isinstance(reference, str) or hasattr(reference, "predict") or callable(reference)
    ):
        raise TypeError(
            f"reference must be one of {listed(NAMES)}, an estimator or a function; "
            f"got {reference!r}"
        )
    n_threads = max(1, min(n_jobs, len(X) // ROWS_PER_THREAD))
    n_codes = [
        feature.n_levels + 1 if feature.kind == "categorical" else 0 for feature in schema.features
    ]
    model, given_fitted = reference, False
    if isinstance(reference, str):
        model, decode = (
            named_reference(
                reference,
                schema,
                task,
                edges=edges,
                random_state=random_state,
                n_threads=n_threads,
                n_jobs=n_jobs,
            ),
            None,
        )
    elif not (given_fitted := _is_fitted(reference)):
        model = _with_random_state(clone(reference), random_state)
        if library_of(model) and any(n_codes):
            decode = None  # we can tell these libraries which columns are categories
    if given_fitted:
        _check_columns(model, X if decode is None else decode(X[:1]), X.shape[1])
    else:
        target = Target(task, y, np.ones(len(y)) if weights is None else weights)
        _train(model, X, target, decode, n_codes, n_threads, random_state)

    slope, intercept = 1.0, 0.0
    if task == "regression" and given_fitted:
        slope, intercept = 1.0 / y_scale, -y_mean / y_scale
    elif task == "classification" and hasattr(model, "predict"):
        slope = _direction(model, classes)
    fitted = Reference(model, task, slope, intercept, 0.5 / len(X), decode, n_jobs=n_jobs)
    if decode is not None and any(n_codes):
        return fitted  # the estimator sees categories in its own way
    return _with_trees(fitted, X, n_codes) if with_trees else fitted


def _train(
    model: Any,
    X: np.ndarray,
    target: Target,
    decode: Callable[[np.ndarray], Any] | None,
    n_codes: Sequence[int],
    n_threads: int,
    random_state: int,
) -> None:
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
        (roles,) = draw_bags(target, 1, np.random.default_rng(random_state)).T
        rows, held_out = np.flatnonzero(roles & TRAINS), np.flatnonzero(roles & VALIDATES)
        data = X[held_out] if decode is None else decode(X[held_out])
        arguments |= _held_out(model, library, data, target.take(held_out))
    if weighs and has_fit_parameter(model, "sample_weight"):
        arguments["sample_weight"] = target.weights[rows]
    elif weighs:
        warnings.warn(
            f"the reference {type(model).__name__} takes no sample_weight and is fitted without it",
            stacklevel=3,
        )
    with _threads_of(model, n_threads):
        data = X[rows] if decode is None else decode(X[rows])
        model.fit(data, target.values[rows], **arguments)
    if library == "random_forest":
        model.set_params(n_jobs=1)  # when predicting, threads add up trees in any order


def _threads_of(model: Any, n_threads: int) -> AbstractContextManager[Any]:
    """Context in which a model uses at most so many threads; our own trees count by themselves."""
    return nullcontext() if isinstance(model, BoostedTrees) else openmp_threads(n_threads)


def _stops_early(model: Any) -> bool:
    """Whether boosting is to stop on rows that we hold out."""
    parameters = model.get_params()
    names = ("early_stopping_rounds", "early_stopping_round")
    return any(parameters.get(name) for name in names)


def _held_out(model: Any, library: str, data: Any, target: Target) -> dict[str, Any]:
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


def _direction(model: Any, classes: Sequence[Any]) -> float:
    """1 if the model's second class is the target's second class, -1 if it is the first."""
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"a classifier's reference needs predict_proba, which {type(model).__name__} does not "
            "have; wrap it in sklearn.calibration.CalibratedClassifierCV or give another"
        )
    labels = np.asarray(model.classes_).tolist()
    if len(labels) != 2:
        raise ValueError(f"the reference must know two classes; it knows {len(labels)}: {labels}")
    if labels == list(classes)[::-1]:
        return -1.0
    if labels in (list(classes), [0, 1]):
        return 1.0
    raise ValueError(
        f"the reference knows the classes {listed(labels)}, the target has {listed(classes)}"
    )


@dataclass(frozen=True, eq=False)
class ReferenceLearner:
    """Everything `fit_reference` needs but the rows."""

    reference: Any
    schema: Schema
    target: Target
    classes: tuple[Any, ...]
    decode: Callable[[np.ndarray], Any] | None
    random_state: int
    n_jobs: int
    edges: tuple[np.ndarray, ...] | None = None

    def fit(
        self,
        X: np.ndarray,
        rows: Any = slice(None),
        *,
        n_jobs: int | None = None,
        with_trees: bool = False,
    ) -> Reference:
        """Fit the reference on some rows of the encoded training table."""
        weights = self.target.uneven_weights
        return fit_reference(
            self.reference,
            X[rows],
            self.target.values[rows],
            self.schema,
            task=self.target.task,
            weights=None if weights is None else weights[rows],
            random_state=self.random_state,
            n_jobs=self.n_jobs if n_jobs is None else n_jobs,
            with_trees=with_trees,
            decode=self.decode,
            y_mean=self.target.mean,
            y_scale=self.target.scale,
            classes=self.classes or (0, 1),
            edges=self.edges,
        )

    def validation_error(self, X: np.ndarray, roles: np.ndarray) -> float:
        """Error on a bag's validation rows of a reference that has not seen them."""
        validation = np.flatnonzero(roles & VALIDATES)
        reference = self.fit(X, np.flatnonzero(roles & TRAINS))
        return self.target.error(reference.score(X[validation]), validation)
