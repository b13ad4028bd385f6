"""Tables, targets and weights as users bring them.

In: any data frame or array, y, sample weights. Out: checked arrays, or an error that names the
thing and the rule; and the ways back: encoded rows as the user's kind of table, results as frames.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d

from calmgam.model.schema import FloatArray, Schema

MIN_ROWS_OF_IDENTIFIERS = 50
IDENTIFIER_SPACING = 20  # identifiers are dense: their range is at most so many times their number


def is_frame(X: Any) -> bool:
    """Whether X is a data frame (of pandas, polars, pyarrow, ...)."""
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def frame_like(X: Any, names: tuple[str, ...], values: FloatArray) -> Any:
    """Return values as a frame of the kind of X, with its index; as they are if X is an array."""
    if not is_frame(X):
        return values
    frame = nw.from_native(X, eager_only=True)
    columns = dict(zip(names, values.T, strict=True))
    result = nw.from_dict(columns, backend=frame.implementation)
    return nw.maybe_align_index(nw.maybe_reset_index(result), frame).to_native()


def check_target(y: Any, n_rows: int, dtype: Any = None) -> Any:
    """Return y as a one-dimensional array without missing values."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = column_or_1d(y, dtype=dtype, warn=True)
    if len(y) != n_rows:
        raise ValueError(f"X and y must have the same number of rows; got {n_rows} and {len(y)}")
    if y.dtype.kind == "O" and any(value is None or value != value for value in y.tolist()):
        raise ValueError("Input y contains NaN: every row must have a target")
    assert_all_finite(y, input_name="y")
    return y


def check_weights(sample_weight: Any, X: Any) -> FloatArray:
    """Return sample weights as an array: ones if there are none."""
    if sample_weight is None:
        return np.ones(len(X))
    weights = column_or_1d(sample_weight, dtype=np.float64)
    check_consistent_length(X, weights)
    assert_all_finite(weights, input_name="sample_weight")
    if weights.min() < 0 or not weights.any():
        raise ValueError(
            f"sample_weight must be >= 0 with a positive sum; its smallest is {weights.min():g}, "
            f"its sum {weights.sum():g}"
        )
    return weights


def warn_of_identifiers(X: FloatArray, schema: Schema) -> None:
    """Warn of columns that number or name the rows: they can only be memorised."""
    n_rows = len(X)
    if n_rows < MIN_ROWS_OF_IDENTIFIERS:
        return
    for feature in schema.features:
        column = X[:, feature.index]
        if feature.is_numeric:
            dense = feature.high - feature.low <= IDENTIFIER_SPACING * n_rows
            is_identifier = dense and np.array_equal(column, np.round(column))
        else:
            is_identifier = feature.n_levels > 0.9 * n_rows or feature.has_rare
        if is_identifier and (not feature.is_numeric or len(np.unique(column)) == n_rows):
            warnings.warn(
                f"column {feature.name!r} looks like an identifier (nearly every row has its own "
                "value): a model can only memorise it; consider dropping it",
                stacklevel=4,
            )


def decoder(X: Any, X_encoded: FloatArray, schema: Schema) -> Callable[[FloatArray], Any] | None:
    """Make the function that undoes ``schema.encode``."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    is_frame = isinstance(frame, nw.DataFrame)
    if not is_frame and all(feature.is_numeric for feature in schema.features):
        return None

    # the value of every code as it stood in the user's table; one more for missing
    originals = {}
    for feature in schema.features:
        if feature.is_numeric:
            continue
        column = X_encoded[:, feature.index]
        codes, first_rows = np.unique(column, return_index=True)
        values = np.full(feature.n_levels + 2, None, dtype=object)
        source = (
            frame[frame.columns[feature.index]] if is_frame else np.asarray(X)[:, feature.index]
        )
        for code, row in zip(codes, first_rows.tolist(), strict=True):
            values[-1 if np.isnan(code) else int(code)] = source[row]
        originals[feature.index] = values

    def decode(rows: FloatArray) -> Any:
        columns = []
        for feature in schema.features:
            column = rows[:, feature.index]
            if feature.index in originals:
                missing = np.isnan(column)
                codes = np.where(missing, feature.n_levels + 1, column).astype(np.intp)
                column = originals[feature.index][codes]
            columns.append(column)
        if not is_frame:
            return np.column_stack([np.asarray(column, dtype=object) for column in columns])
        series = [
            nw.new_series(name, list(values), _dtype(frame, name), backend=frame.implementation)
            if values.dtype == object
            else nw.new_series(name, values, backend=frame.implementation)
            for name, values in zip(frame.columns, columns, strict=True)
        ]
        return nw.concat([one.to_frame() for one in series], how="horizontal").to_native()

    return decode


def _dtype(frame: Any, name: str) -> Any:
    dtype = frame.schema[name]
    return None if dtype == nw.Object else dtype
