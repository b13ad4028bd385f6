"""Fields of a model: labels, errors, intercepts and offsets, checked and as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.plain import Plain


def checked_offset(offset: Any, n_rows: int) -> FloatArray:
    """Return what is added to scores: a finite number for every row, or one for all."""
    try:
        values = np.asarray(offset, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"offset must hold numbers: {error}") from None
    if values.shape not in ((), (n_rows,)):
        raise ValueError(f"offset must have {n_rows} values; got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"offset must be finite; got {values[~np.isfinite(values)][0]}")
    return np.broadcast_to(values, (n_rows,))


def plain_scalar(value: Any) -> Any:
    """Return a class label or error as a JSON scalar; a number that is not finite as None."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError(f"classes and errors must be text, numbers or booleans; got {value!r}")
    return None if isinstance(value, float) and not math.isfinite(value) else value


def checked_errors(errors: Mapping[str, Any]) -> dict[str, Any]:
    """Return errors as JSON scalars: the metric is text, the others are numbers or None."""
    plain = {name: plain_scalar(error) for name, error in errors.items()}
    for name, error in plain.items():
        is_number = isinstance(error, int | float) and not isinstance(error, bool)
        is_right = isinstance(error, str) if name == "metric" else error is None or is_number
        if not is_right:
            what = "text" if name == "metric" else "a number or None"
            raise ValueError(f"errors[{name!r}] must be {what}; got {error!r}")
    return plain


def plain_intercept(plain: Plain, link: Plain) -> Any:
    """Return the intercept of a document: a number, or one per class."""
    return tuple(plain.numbers()) if link.value == "softmax" else plain.number()
