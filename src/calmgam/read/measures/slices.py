"""Slices: how well a model does on parts of the rows, such as the levels or bands of a feature.

In: a model, rows with their target, and what to slice by. Out: rows, mean observed, mean predicted
and error of every slice; of a quantile, which is no mean of quantiles, how many rows lie below it.
Slices with too few rows are joined (and, if these are still too few, with the next smallest), so
that none can be told from the others and their sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import (
    Column,
    FloatArray,
    read_column,
    read_table,
    series_name,
    sorted_labels,
)
from calmgam.model.glassbox import Model
from calmgam.model.rounding import roundest
from calmgam.read.measures.outcomes import MIN_ROWS, Outcomes, level_of, outcomes
from calmgam.read.measures.performance import root_mean_square
from calmgam.read.view_types import View
from calmgam.read.words.numbers import data_number, scale_of
from calmgam.read.words.table import text_table
from calmgam.read.words.wording import shown_name

N_BANDS = 8
MAX_LEVELS = 24
N_NAMED = 3  # groups that are named where they are joined
Group = tuple[str, NDArray[np.intp]]


@dataclass(frozen=True)
class SliceView(View):
    """Some rows: how many, and how they compare.

    Attributes
    ----------
    values : str
        A level, or a band of numbers.
    n_rows : int
    share : float
        Of all weight, or exposure.
    observed, predicted : float
        Means; of a quantile the share of rows up to their prediction, and the level.
    error : float
    """

    values: str
    n_rows: int
    share: float
    observed: float
    predicted: float
    error: float


@dataclass(frozen=True, repr=False)
class Slices(View):
    """A model's measures by slice.

    Attributes
    ----------
    by : str
        What the rows are sliced by.
    n_rows : int
        All rows.
    error_name : str
        What `error` is, such as "RMSE" or "log loss".
    slices : tuple of SliceView
        Every row is in one of them; none if there are too few rows to make a slice.
    level : float or None
        Of the quantile that the model predicts, if it does.
    """

    by: str
    n_rows: int
    error_name: str
    slices: tuple[SliceView, ...]
    level: float | None = None

    def __str__(self) -> str:
        head = f"{self.n_rows:,} rows by {shown_name(self.by)}"
        if self.level is not None:
            head += "; observed: the share of rows up to their predicted quantile"
        if not self.slices:
            return f"{head}: too few for a slice"
        means = scale_of([n for one in self.slices for n in (one.observed, one.predicted)])
        errors = scale_of([one.error for one in self.slices])
        rows = [
            [
                shown_name(one.values),
                f"{one.n_rows:,}",
                means.text(one.observed),
                means.text(one.predicted),
                errors.text(one.error),
            ]
            for one in self.slices
        ]
        header = ["", "rows", "observed", "predicted", self.error_name]
        return f"{head}\n{text_table(header, rows)}"

    __repr__ = __str__

    @property
    def worst(self) -> SliceView:
        """The slice with the largest error."""
        return max(self.slices, key=lambda one: one.error)


def slices(
    model: Model,
    X: Any,
    y: Any,
    by: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    of_class: Any = None,
    min_rows: int = MIN_ROWS,
) -> Slices:
    """Measure a model on the levels or bands of a feature, or of any other column.

    Parameters
    ----------
    model : Model
    X : data frame or array
    y : array
        Numbers, or labels of the classes.
    by : str or array
        A column of X, be it a feature of the model or not; or one value per row.
    sample_weight, offset : array, optional
        Of a log link the offset is the logarithm of the exposure, per which means are counted.
    of_class
        With many classes: the label of the one whose share is observed and predicted.
    min_rows : int
        Slices of fewer rows are joined.

    Returns
    -------
    Slices
    """
    if isinstance(min_rows, bool) or not isinstance(min_rows, int) or min_rows < 1:
        raise ValueError(f"min_rows must be an integer of at least 1; got {min_rows!r}")
    rows = outcomes(model, X, y, sample_weight, offset, of_class)
    name, groups = _groups(model, X, by, rows.n_rows)
    return sliced(model, rows, name, groups, min_rows)


def feature_slices(model: Model, X: Any, rows: Outcomes) -> Iterator[Slices]:
    """Slice by every feature of a model.

    Parameters
    ----------
    model : Model
    X : data frame or array
    rows : Outcomes
        Of X.
    """
    encoded = model.schema.encode(X)
    for name in model.schema.names:
        yield sliced(model, rows, name, _feature_groups(model, name, encoded), MIN_ROWS)


def sliced(model: Model, rows: Outcomes, by: str, groups: Sequence[Group], min_rows: int) -> Slices:
    """Measure groups of rows; small ones are joined."""
    counted = [(name, at[rows.row_weights[at] > 0]) for name, at in groups]
    joined = _joined([(name, at) for name, at in counted if len(at)], min_rows)
    found = (_slice(model, rows, name, at) for name, at in joined)
    return Slices(by, rows.n_rows, error_name(model), tuple(found), level_of(model))


def error_name(model: Model) -> str:
    """Return what the error of a slice is called."""
    if model.classes:
        return "log loss"
    return model.objective.measure if model.objective.is_known else "RMSE"


def _slice(model: Model, rows: Outcomes, name: str, at: NDArray[np.intp]) -> SliceView:
    weights, level = rows.weights[at], level_of(model)
    observed, predicted = rows.observed[at], rows.predicted[at]
    if level is not None:
        observed, predicted = (observed <= predicted).astype(np.float64), np.full(len(at), level)
    if error_name(model) == "RMSE":
        error = root_mean_square(rows.observed[at], -rows.predicted[at], weights)
    else:
        error = float(np.average(rows.losses[at], weights=rows.row_weights[at]))
    return SliceView(
        values=name,
        n_rows=len(at),
        share=float(weights.sum() / rows.weights.sum()),
        observed=float(np.average(observed, weights=weights)),
        predicted=float(np.average(predicted, weights=weights)),
        error=error,
    )


def _joined(groups: list[Group], min_rows: int) -> list[Group]:
    """Join groups of too few rows, and levels beyond the most frequent; the last one holds them."""
    by_size = sorted(range(len(groups)), key=lambda k: (-len(groups[k][1]), k))
    kept = [k for k in by_size if len(groups[k][1]) >= min_rows]
    if len(kept) > MAX_LEVELS:
        kept = kept[: MAX_LEVELS - 1]
    rest = [k for k in range(len(groups)) if k not in set(kept)]
    while rest and kept and sum(len(groups[k][1]) for k in rest) < min_rows:
        rest.append(kept.pop())
    found = [groups[k] for k in sorted(kept)]
    together = np.concatenate([groups[k][1] for k in rest]) if rest else np.empty(0, dtype=np.intp)
    if rest and len(together) >= min_rows:
        names = [groups[k][0] for k in sorted(rest)]
        name = " or ".join(names) if len(names) <= N_NAMED else f"{len(names)} others together"
        found.append((name, together))
    return found


def _groups(model: Model, X: Any, by: Any, n_rows: int) -> tuple[str, list[Group]]:
    """Return what the rows are sliced by, and which rows have which value."""
    if isinstance(by, str):
        if by in model.schema.names:
            return by, _feature_groups(model, by, model.schema.encode(X))
        columns = {column.name: column for column in read_table(X)[0]}
        if by not in columns:
            raise ValueError(f"by must be a column of X; got {by!r}")
        return by, _column_groups(columns[by])
    column = read_column(by, series_name(by) or "groups")
    if len(column.values) != n_rows:
        raise ValueError(f"by must have one value per row, {n_rows}; got {len(column.values)}")
    return column.name, _column_groups(column)


def _feature_groups(model: Model, name: str, encoded: FloatArray) -> list[Group]:
    feature = model.schema[name]
    values = encoded[:, feature.index]
    if feature.is_numeric:
        return _bands(name, values)
    return _levels(values, [*feature.levels, "other"])


def _column_groups(column: Column) -> list[Group]:
    if column.holds_numbers():
        return _bands(column.name, column.floats())
    labels = sorted_labels(column.labels())
    return _levels(column.codes({text: code for code, text in enumerate(labels)}, -1), labels)


def _levels(codes: FloatArray, labels: Sequence[str]) -> list[Group]:
    groups = [(text, np.flatnonzero(codes == code)) for code, text in enumerate(labels)]
    return [*groups, ("missing", np.flatnonzero(np.isnan(codes)))]


def _bands(name: str, values: FloatArray) -> list[Group]:
    """Cut numbers into bands of about as many rows; few different ones are bands of their own."""
    known = values[~np.isnan(values)]
    distinct, counts = np.unique(known, return_counts=True)
    missing = ("missing", np.flatnonzero(np.isnan(values)))
    if not len(distinct):
        return [missing]
    if len(distinct) <= N_BANDS:
        singles = [(f"{data_number(float(v))}", np.flatnonzero(values == v)) for v in distinct]
        return [*singles, missing]
    ends = np.searchsorted(np.cumsum(counts), len(known) * np.arange(1, N_BANDS) / N_BANDS)
    ends = np.unique(ends[ends < len(distinct) - 1])
    is_whole = bool(np.all(distinct == np.round(distinct)))
    cuts = distinct[ends] if is_whole else roundest(distinct[ends], distinct[ends + 1])
    band = np.searchsorted(cuts, values)  # NaN comes last
    band[np.isnan(values)] = -1
    texts = [data_number(float(cut)) for cut in cuts]
    names = [
        f"{name} <= {texts[0]}",
        *(f"{low} < {name} <= {high}" for low, high in pairwise(texts)),
        f"{name} > {texts[-1]}",
    ]
    return [*((text, np.flatnonzero(band == k)) for k, text in enumerate(names)), missing]
