"""Tables, targets and weights as users bring them.

In: any data frame or array, y, sample weights. Out: checked arrays, or an error that names the
thing and the rule; and the ways back: encoded rows as the user's kind of table, results as frames.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from calmgam.fit.data.bags import BAGS
from calmgam.fit.data.target import Target
from calmgam.model.columns import is_missing, number_of
from calmgam.model.fields import as_numbers, checked_weights
from calmgam.model.pages import see
from calmgam.model.schema import Feature, FloatArray, Schema

MIN_ROWS_OF_IDENTIFIERS = 50  # fewer rows are too few to warn of anything
FEW_EVENTS = 10  # of a class
MAX_TARGET = 1e300  # sums over rows overflow soon after
MAX_SPACING = 20  # of identifiers: they are dense
MIN_DECIMALS = 20  # levels of a column of text that is taken for numbers: codes have no decimals
MAX_OTHERS = 0.1  # of its levels are no numbers: blanks, "unknown"


@dataclass(frozen=True, eq=False)
class Given:
    """A training table that has been checked.

    Attributes
    ----------
    X : data frame or array
        The rows that count.
    target : Target
        Of these rows.
    n_rows : int
        Rows that were given, those of weight 0 included.
    is_weighted : bool
        Whether sample weights were given.
    digest : callable
        Returns the SHA-256 of what was given.
    target_name : str
        Of the target's column, if it has one.
    """

    X: Any
    target: Target
    n_rows: int
    is_weighted: bool
    digest: Callable[[], str]
    target_name: str = ""


def is_frame(X: Any) -> bool:
    """Whether X is a data frame (of pandas, polars, pyarrow, ...)."""
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def frame_like(X: Any, names: tuple[str, ...], values: FloatArray) -> Any:
    """Return values as a frame of the kind of X, with its index; as they are if X is an array."""
    if not is_frame(X):
        return values
    frame = nw.from_native(X, eager_only=True)
    columns = (
        nw.new_series(name, column, backend=frame.implementation)
        for name, column in zip(names, values.T, strict=True)
    )
    return frame.with_columns(*columns).select(*names).to_native()


def match_columns(X: Any, names: tuple[str, ...], *, by_name: bool) -> Any:
    """Return a frame's columns in the order of training, without others.

    If one is absent, columns go by position where training had no names, and are left as they are
    where it had.
    """
    if not is_frame(X):
        return X
    frame = nw.from_native(X, eager_only=True)
    given = {str(name): name for name in frame.columns}
    if list(given) == list(names):
        return X
    if given.keys() >= set(names):
        return frame.select(nw.col(*(given[name] for name in names))).to_native()
    if by_name:
        return X
    return frame.rename(dict(zip(frame.columns, names, strict=False))).to_native()


def idle_rows(sample_weight: Any, n_rows: int) -> NDArray[np.bool_]:
    """Return which rows have weight 0: whatever their target and offset are, they are left out."""
    if sample_weight is None:
        return np.zeros(n_rows, dtype=bool)
    return checked_weights(sample_weight, n_rows) == 0


def check_target(
    y: Any, n_rows: int, *, is_number: bool = False, idle: NDArray[np.bool_] | None = None
) -> Any:
    """Return y as a one-dimensional array without missing values.

    Idle rows get the target of another one, so that nothing is said of theirs.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    series = nw.from_native(y, series_only=True, pass_through=True)
    y = series.to_numpy() if isinstance(series, nw.Series) else y  # nullable types keep their kind
    y = column_or_1d(y, warn=True)
    if len(y) != n_rows:
        raise ValueError(f"X and y must have the same number of rows; got {n_rows} and {len(y)}")
    if idle is not None and idle.any():
        counted = np.flatnonzero(~idle)  # errors name the first of equal ones
        y = y[counted[np.searchsorted(counted, np.arange(n_rows), side="right") - 1]]
    _refuse_missing(y)
    y = _target_numbers(y) if is_number else y
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y)))
        what = "infinity or a value too large for dtype('float64')"
        raise ValueError(f"Input y contains {what}. y must be finite; got {y[row]} in row {row}")
    if is_number and len(y) and np.abs(y).max() > MAX_TARGET:
        row = int(np.argmax(np.abs(y) > MAX_TARGET))
        raise ValueError(
            f"y must lie between -{MAX_TARGET:g} and {MAX_TARGET:g}; got {y[row]:g} in row {row}"
        )
    return y


def _target_numbers(y: NDArray[Any]) -> FloatArray:
    """Return a regressor's target as numbers; text and dates are refused with the way out."""
    try:
        return as_numbers("y", y)
    except ValueError as error:
        dates = "make numbers of dates, such as days since one of them"
        way_out = dates if y.dtype.kind in "mM" else "for classes there is CALMClassifier"
        raise ValueError(f"{error}; {way_out}") from None


def _refuse_missing(y: NDArray[Any]) -> None:
    missing = np.isnan(y) if y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
    if y.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in y.tolist()], dtype=bool)
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(
            f"Input y contains NaN. Every row must have a target; got {y[row]!r} in row {row}"
        )


def check_labels(y: Any) -> Any:
    """Return labels as an array of text, numbers or booleans; what is no label is refused."""
    if y.dtype.kind in "OmM" and len(y):
        kinds = [_kind_of_label(label) for label in y.tolist()]
        row = next((k for k, kind in enumerate(kinds) if kind != kinds[0]), 0)
        if row or kinds[0] == "other":
            raise ValueError(
                "y must be labels of one kind: text, whole numbers or booleans; "
                f"got {y[0]!r} in row 0 and {y[row]!r} in row {row}: turn them into text"
            )
        y = y if kinds[0] == "text" else np.array(y.tolist())
    check_classification_targets(y)
    return y


def _kind_of_label(label: Any) -> str:
    kinds = {"text": str, "boolean": bool | np.bool_, "number": Number}
    return next((kind for kind, of in kinds.items() if isinstance(label, of)), "other")


def weigh_rows(
    X: Any, y: Any, sample_weight: Any, offset: FloatArray | None = None
) -> tuple[Any, Any, FloatArray, FloatArray | None]:
    """Return the rows that count, their targets, weights and offsets.

    Rows of weight 0 are left out. In a table that is small even so, whole numbers are taken at
    their word: a row of weight 2 is two rows.
    """
    if sample_weight is None:
        return X, y, np.ones(len(y)), offset
    weights = checked_weights(sample_weight, len(y))
    repeats = (weights > 0).astype(np.intp)
    if weights.sum() < BAGS.min_rows and np.array_equal(weights, np.round(weights)):
        repeats, weights = weights.astype(np.intp), np.ones(len(weights))
    if not np.all(repeats == 1):
        rows = np.repeat(np.arange(len(y)), repeats)
        X = nw.from_native(X, eager_only=True)[rows].to_native() if is_frame(X) else X[rows]
        y, weights = y[rows], weights[rows]
        offset = None if offset is None else offset[rows]
    return X, y, weights, offset


def warn_of_columns(X: FloatArray, schema: Schema, said: Collection[str] = ()) -> None:
    """Warn of columns that are numbers written as text, and of those that number or name the rows.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Encoded.
    schema : Schema
    said : collection of str
        Names of columns of which users say what they are.
    """
    if len(X) < MIN_ROWS_OF_IDENTIFIERS:
        return
    for feature in schema.features:
        text = "" if feature.name in said else _numbers_in_text(feature)
        if text:
            warnings.warn(text + see("data#what-columns-are"), stacklevel=6)
            continue
        column = X[:, feature.index]
        identifies = _numbers_rows if feature.is_numeric else _names_rows
        if identifies(column, feature):
            warnings.warn(
                f"column {feature.name!r} looks like an identifier (nearly every row has its own "
                "value): a model can only memorise it; consider dropping it"
                + see("data#columns-to-leave-out"),
                stacklevel=6,
            )


def warn_of_rare_classes(target: Target) -> None:
    """Warn of a class with so few rows that curves can hardly learn from it."""
    if target.n_rows < MIN_ROWS_OF_IDENTIFIERS:
        return
    n_of_class = {c: len(rows) for c, rows in zip(target.classes, target.strata, strict=False)}
    rare = sorted(
        (label for label, n in n_of_class.items() if n < FEW_EVENTS), key=n_of_class.__getitem__
    )
    if rare:
        first = f"class {rare[0]!r} has {n_of_class[rare[0]]} of {target.n_rows} rows"
        more = f", {len(rare) - 1} more have few, too" if len(rare) > 1 else ""
        warnings.warn(
            f"{first}{more}: with fewer than {FEW_EVENTS} events a model learns little more than "
            "how rare they are" + see("data#targets"),
            stacklevel=6,
        )


def _numbers_in_text(feature: Feature) -> str:
    """Say that a column of text is nearly all numbers with decimals; nothing if it is not."""
    numbers = {text: number_of(text) for text in feature.levels}
    with_decimals = [text for text, number in numbers.items() if number and number % 1]
    others = [text for text, number in numbers.items() if number is None]
    is_strange = len(with_decimals) >= MIN_DECIMALS and len(others) <= MAX_OTHERS * len(numbers)
    if not is_strange:
        return ""
    but = f" (but {others[0]!r} is none)" if others else ""
    return (
        f"column {feature.name!r} is read as {feature.n_levels} levels, yet they are numbers, "
        f"such as {with_decimals[0]!r}{but}: make it a column of numbers, or say "
        f'feature_types={{{feature.name!r}: "nominal"}}'
    )


def _numbers_rows(column: FloatArray, feature: Feature) -> bool:
    """Tell whether all rows have different whole numbers from a range so short: no accident."""
    # n draws from a range of n * spacing numbers meet about n / (2 * spacing) times
    spacing = min(MAX_SPACING, len(column) / 20)
    return bool(
        feature.high - feature.low <= spacing * len(column)
        and np.array_equal(column, np.round(column))
        and len(np.unique(column)) == len(column)
    )


def _names_rows(column: FloatArray, feature: Feature) -> bool:
    """Tell whether there are nearly as many levels as rows."""
    codes = column[~np.isnan(column)].astype(np.intp)
    *counts, n_rare = np.bincount(codes, minlength=feature.n_levels + 1).tolist()
    n_levels = feature.n_levels + n_rare / max(min(counts), 1)  # no rare level is more frequent
    return bool(n_levels > 0.9 * len(column))


def decoder(X: Any, X_encoded: FloatArray, schema: Schema) -> Callable[[FloatArray], Any] | None:
    """Make the function that undoes ``schema.encode``; None where there is nothing to undo.

    Levels come back as they stood in the training table X, with their data type; numbers as floats.
    """
    if not is_frame(X) and all(feature.is_numeric for feature in schema.features):
        return None
    lookup = {
        feature.index: _originals(_column(X, feature.index), X_encoded[:, feature.index], feature)
        for feature in schema.features
        if not feature.is_numeric
    }

    def decode(rows: FloatArray) -> Any:
        columns = []
        for index, column in enumerate(rows.T):
            if index in lookup:
                originals, position_of_code = lookup[index]
                codes = np.where(np.isnan(column), -1, column).astype(np.intp)
                column = originals[position_of_code[codes]]
            columns.append(column)
        if not is_frame(X):
            return np.column_stack([column.astype(object) for column in columns])
        frame = nw.from_native(X, eager_only=True)
        series = (
            nw.maybe_reset_index(column)
            if isinstance(column, nw.Series)
            else nw.new_series(name, column, backend=frame.implementation)
            for name, column in zip(frame.columns, columns, strict=True)
        )
        return nw.concat([one.to_frame() for one in series], how="horizontal").to_native()

    return decode


def _column(X: Any, index: int) -> Any:
    if not is_frame(X):
        return X[:, index]
    return list(nw.from_native(X, eager_only=True).iter_columns())[index]


def _originals(source: Any, column: FloatArray, feature: Feature) -> tuple[Any, NDArray[np.intp]]:
    """Return one value of every code, and the position of each code's value; -1 is missing."""
    codes, first_rows = np.unique(column, return_index=True)
    position_of_code = np.zeros(feature.n_levels + 2, dtype=np.intp)
    position_of_code[np.where(np.isnan(codes), -1, codes).astype(np.intp)] = np.arange(len(codes))
    return source[first_rows], position_of_code
