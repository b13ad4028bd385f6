"""Models become estimators again: fitted, with the parameters that their files tell.

In: a `Model`. Out: an estimator that predicts, reads, exports and can be fitted again.
"""

from __future__ import annotations

import ast
import warnings
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from calmgam.fit.curves.by_name import LEARNERS
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.objectives import LOSSES
from calmgam.fit.regions.search import GROWTHS
from calmgam.model.glassbox import Model

PARTS_BY_NAME = {part.__name__: part for part in (*GROWTHS.values(), *LEARNERS.values())}


class Loading(BaseEstimator):
    """Estimators made of models."""

    @classmethod
    def from_model(cls, model: Model) -> Any:
        """Return a fitted estimator of a model, such as `calmgam.load` gives back.

        It predicts, reads and exports as the one that was saved, and can be fitted again: its
        parameters are those of the fit, as far as the model's file can tell them.

        Parameters
        ----------
        model : Model
            Of classes for the classifier, of numbers for the regressor.

        Returns
        -------
        CALMRegressor or CALMClassifier
        """
        check_kind(cls, model)
        estimator = cls(**known_parameters(cls, model))
        names = model.schema.names
        if names != tuple(f"x{k}" for k in range(len(names))):  # an array has no names
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator.n_features_in_ = len(names)
        is_flat = [not any(np.any(s.values) for s in term.shapes) for term in model.terms]
        estimator.flat_features_ = tuple(n for n, flat in zip(names, is_flat, strict=True) if flat)
        estimator.model_ = model
        return estimator


def check_kind(estimator: Any, model: Any) -> None:
    """Refuse what is no model, and a model of the other kind."""
    if not isinstance(model, Model):
        raise TypeError(
            f"from_model needs a Model, which calmgam.load reads from a file; "
            f"got {type(model).__name__}"
        )
    wants_classes = is_classifier(estimator())
    if wants_classes and not model.classes:
        raise ValueError(
            f"{estimator.__name__}.from_model needs a model of classes; got one of numbers, with "
            f"the link {model.link!r}: use CALMRegressor.from_model"
        )
    if model.classes and not wants_classes:
        raise ValueError(
            f"{estimator.__name__}.from_model needs a model of numbers; got one of the classes "
            f"{model.classes[:10]}: use CALMClassifier.from_model"
        )


def known_parameters(estimator: type, model: Model) -> dict[str, Any]:
    """Return the parameters that a model was fitted with, as its provenance tells them.

    Parts and losses are kept as their texts, such as ``Boosting(n_bags=2)``, and made again. What
    no text can tell (a fitted reference, a function) is left at its default, with a warning.

    Parameters
    ----------
    estimator : type
    model : Model
    """
    accepted = signature(estimator.__init__).parameters  # type: ignore[misc]
    found: dict[str, Any] = {}
    if "objective" in accepted and model.objective.is_known:
        found["objective"] = _made_again(LOSSES[model.objective.name], model.objective.parameter)
    if model.provenance is None:
        return found
    lost = []
    for name, value in (model.provenance.settings.get("parameters") or {}).items():
        default = accepted[name].default if name in accepted else None
        if name not in accepted or name in found or value == default:
            continue
        try:
            found[name] = _read_setting(value)
        except ValueError:
            lost.append(f"{name} (it was {value})")
    if lost:
        warnings.warn(
            f"parameters that a file cannot tell are at their defaults: {', '.join(lost)}",
            stacklevel=3,
        )
    return found


def _made_again(loss: type[Loss], parameter: float | None) -> Any:
    """Return an objective: its name if that says all."""
    return loss.name if parameter is None else loss(parameter)  # type: ignore[call-arg]


def _read_setting(value: Any) -> Any:
    """Return what a setting was; a text may be a word, or a part with its settings."""
    if not isinstance(value, str) or value.isidentifier():
        return value
    try:
        call = ast.parse(value, mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            part = PARTS_BY_NAME[call.func.id]
            return part(**{str(k.arg): ast.literal_eval(k.value) for k in call.keywords})
    except (SyntaxError, ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"a setting must be a word or a part with its settings; got {value!r}")
