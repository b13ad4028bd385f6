"""One output of a model with many classes: a pair of classes, or a single one.

The classes of a softmax model share their regions, so any weighted sum of their scores is a sum of
one curve per feature, in the same regions: a model. The log-odds of one class against another are
such a sum, and everything that is exact for a model of two classes is exact for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from calmgam.model.exact.kept import once_per_model
from calmgam.model.glassbox import Model, Term
from calmgam.model.schema import FloatArray


def class_index(model: Model, label: Any) -> int:
    """Return the position of a class; labels may also be given as their texts."""
    for labels in (list(model.classes), list(map(str, model.classes))):
        if label in labels:
            return labels.index(label)
    shown = ", ".join(map(repr, model.classes[:30]))
    raise ValueError(f"a class must be one of {shown}; got {label!r}")


@once_per_model
def between(model: Model, first: Any, second: Any) -> Model:
    """Return the log-odds of a class against another; of a model of two classes, those too.

    Parameters
    ----------
    model : Model
        Of two or more classes.
    first, second
        Labels; the score, that of `first` minus that of `second`, is above 0 where `first` is the
        more probable one. Spreads are added as if those of both classes were independent.
    """
    if not model.classes:
        raise ValueError(f"between needs a model of classes; got the link {model.link!r}")
    high, low = class_index(model, first), class_index(model, second)
    if high == low:
        raise ValueError(f"between must be two different classes; got {first!r} twice")
    classes = model.classes[low], model.classes[high]
    if model.link == "logit":
        if high == 1:
            return model
        return _reduced(model, lambda values: -values, lambda spreads: spreads, "logit", classes)
    return _reduced(
        model,
        lambda values: values[..., high] - values[..., low],
        lambda spreads: (spreads[..., high] ** 2 + spreads[..., low] ** 2) ** 0.5,
        "logit",
        classes,
    )


@once_per_model
def of_class(model: Model, label: Any) -> Model:
    """Return the score of one class of many, as a model of a number.

    In canonical form it is the logarithm of the class's probability beside the mean of all classes'
    logarithms.

    Parameters
    ----------
    model : Model
        With the link "softmax".
    label
        Its class.
    """
    if model.link != "softmax":
        raise ValueError(
            f"only a model of three or more classes has a score per class; got {model.link!r}"
        )
    index = class_index(model, label)
    return _reduced(
        model,
        lambda values: values[..., index],
        lambda spreads: spreads[..., index],
        "identity",
        (),
    )


def _reduced(
    model: Model,
    value: Callable[[FloatArray], FloatArray],
    spread: Callable[[FloatArray], FloatArray],
    link: str,
    classes: tuple[Any, ...],
) -> Model:
    """Return the model whose curves are a function of the classes' curves."""
    terms = tuple(
        Term(
            term.feature,
            term.tree,
            tuple(
                replace(shape, values=value(shape.values), spreads=spread(shape.spreads))
                for shape in term.shapes
            ),
        )
        for term in model.terms
    )
    intercept = float(value(np.array(model.intercept)))
    return replace(model, intercept=intercept, terms=terms, link=link, classes=classes, errors={})
