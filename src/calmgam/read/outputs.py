"""Which score is read, where a model has one per class: that of a class, or of a pair of them.

A model of three or more classes has a score for each. Questions are asked about the log-odds of one
class against another (`between`), which are a model of two classes and answered as exactly; or of a
row about its most probable class against the next one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.model.glassbox import Model
from calmgam.model.outputs import class_index
from calmgam.model.schema import FloatArray

Between = tuple[Any, Any] | None


def pair_of(model: Model, between: Between = None) -> Model:
    """Return the model of a pair of classes; a model of one score as it is, if no pair is given.

    Parameters
    ----------
    model : Model
    between : (label, label), optional
        The score is the log-odds of the first class against the second.
    """
    if between is None:
        if model.link == "softmax":
            example = f"{model.classes[0]!r} and {model.classes[1]!r}"
            raise ValueError(
                f"between must name two of the {len(model.classes)} classes, such as {example}; "
                "got None"
            )
        return model
    labels = None if isinstance(between, str) else tuple(between)
    if labels is None or len(labels) != 2:
        raise ValueError(f"between must be a pair of classes; got {between!r}")
    return model.between(*labels)


def pair_of_row(model: Model, encoded: FloatArray, between: Between = None) -> Model:
    """Return the model of a pair, by default a row's most probable class against the next one.

    Parameters
    ----------
    model : Model
    encoded : (n_features,) array
        The row.
    between : (label, label), optional
    """
    if between is None and model.link == "softmax":
        scores = model.score_encoded(encoded[np.newaxis])[0]
        first, second = np.argsort(-scores, kind="stable")[:2]
        between = model.classes[first], model.classes[second]
    return pair_of(model, between)


def output_of(model: Model, of_class: Any = None, between: Between = None) -> Model:
    """Return the one score that is looked at: of a class, or of a pair of classes.

    Parameters
    ----------
    model : Model
    of_class
        Label of one of many classes.
    between : (label, label), optional
    """
    if of_class is None:
        return pair_of(model, between)
    if between is not None:
        raise ValueError(
            f"one of of_class and between may be given; got {of_class!r} and {between}"
        )
    class_index(model, of_class)
    return model.of_class(of_class)
