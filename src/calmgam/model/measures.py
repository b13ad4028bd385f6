"""Losses of a model on given rows, as it was fitted to minimise them."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model
from calmgam.model.links import response
from calmgam.model.objectives import Objective, class_losses


def losses_of(model: Model, score: FloatArray, y: NDArray[Any]) -> FloatArray:
    """Return the loss of every score; the target is checked."""
    if model.link == "logit":  # without overflow
        return np.logaddexp(0.0, np.where(y == model.classes[1], -score, score))
    if model.link == "softmax":
        codes = np.array([model.classes.index(label) for label in y.tolist()], dtype=np.intp)
        return class_losses(score, codes)
    objective = model.objective if model.objective.is_known else Objective()
    return objective.losses(y, response(model.link, score))


def loss_name(model: Model) -> str:
    """Return what `losses_of` measures."""
    if model.classes:
        return "log loss"
    return model.objective.name.replace("_", " ") if model.objective.is_known else "squared error"


def checked_target(y: Any, n_rows: int, classes: tuple[Any, ...]) -> NDArray[Any]:
    """Return y as an array of one value per row: a known class, or a number if there are none."""
    if y is None:
        raise ValueError("y must be given with X; got None")
    values: NDArray[Any] = np.asarray(y)
    if values.shape != (n_rows,):
        raise ValueError(f"y must have one value per row of X, {n_rows}; got {values.shape}")
    if n_rows == 0:
        raise ValueError("X must have rows to measure the model on; got none")
    if classes:
        odd, rule = [one for one in values.tolist() if one not in classes], f"the classes {classes}"
    else:
        odd = [
            one for one in values.tolist() if not isinstance(one, Real) or not math.isfinite(one)
        ]
        rule = "finite numbers"
    if odd:
        raise ValueError(f"y must hold {rule}; got {odd[0]!r}")
    return values if classes else values.astype(np.float64)
