"""Fields of a model: labels, errors, intercepts and offsets, checked and as plain values."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.plain import Plain


def name_of(one: Any, names: Sequence[str], rule: str) -> str:
    """Return the name of a column that is given by name or position.

    A frame may call its columns by numbers: one that is a name and the position of another is
    refused. `rule` begins the message.
    """
    text = str(one)
    if isinstance(one, str) and one in names:
        return text
    is_position = isinstance(one, Integral) and not isinstance(one, bool)
    if is_position and -len(names) <= int(one) < len(names):
        found = names[int(one)]
        if text in names and found != text:
            raise ValueError(
                f"{rule}; {one} is the name of one and the position of another: write {text!r} or "
                f"{found!r}"
            )
        return found
    hint = f", whose name is {text!r}" if is_position and text in names else ""
    raise ValueError(f"{rule}; got {one!r}{hint}")


def checked_offset(offset: Any, n_rows: int) -> FloatArray:
    """Return what is added to scores: a finite number for every row, or one for all."""
    return _finite("offset", np.full(n_rows, offset) if np.ndim(offset) == 0 else offset, n_rows)


def added_to_scores(offset: Any, n_rows: int, link: str) -> FloatArray | float:
    """Return what an offset, if there is one, adds to the scores of a model."""
    if offset is None:
        return 0.0
    if link == "softmax":
        raise ValueError("offset must be None with three classes or more; got one")
    return checked_offset(offset, n_rows)


def checked_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return sample weights as numbers >= 0, not all of them 0; all 1 if there are none."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _finite("sample_weight", sample_weight, n_rows)
    if n_rows and (weights.min() < 0 or not weights.any()):
        raise ValueError(
            f"sample_weight must be >= 0 and not all zero; its smallest is {weights.min():g}, "
            f"its sum {weights.sum():g}"
        )
    return weights


def as_numbers(name: str, values: Any) -> FloatArray:
    """Return values as floats; an error says which row has none."""
    try:
        if np.asarray(values).dtype.kind not in "mM":  # a date is no number
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    for row, value in enumerate(np.asarray(values, dtype=object).ravel()):
        if not _is_number(value):
            raise ValueError(f"{name} must be numbers; got {reprlib.repr(value)} in row {row}")
    raise ValueError(f"{name} must be numbers, one for each row; got {type(values).__name__}")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, np.datetime64 | np.timedelta64)


def _finite(name: str, values: Any, n_rows: int) -> FloatArray:
    """Return a finite number for every row."""
    numbers = as_numbers(name, values)
    if numbers.shape == (n_rows, 1):  # a column of a table
        numbers = numbers[:, 0]
    if numbers.shape != (n_rows,):
        raise ValueError(f"{name} must have {n_rows} values; got shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(f"{name} must be finite; got {numbers[row]} in row {row}")
    return numbers


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
