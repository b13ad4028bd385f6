"""Dates become numbers that people name: a frame comes in, its dates as columns of parts go out.

when -> when_year, when_month, when_day, when_weekday (1 is Monday), when_hour of times
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from typing import Any

import narwhals as nw

from calmgam.model.columns import is_missing, is_period

Parts = dict[str, Callable[[nw.Expr], nw.Expr]]

OF_DATES: Parts = {
    "year": lambda one: one.dt.year(),
    "month": lambda one: one.dt.month(),
    "day": lambda one: one.dt.day(),
    "weekday": lambda one: one.dt.weekday(),
}
OF_TIMES: Parts = {
    **OF_DATES,
    "hour": lambda one: one.dt.hour(),
    "minute": lambda one: one.dt.minute(),
}
DEFAULT = ("year", "month", "day", "weekday", "hour")


def date_parts(X: Any, columns: Iterable[str] | None = None, parts: Iterable[str] = DEFAULT) -> Any:
    """Return a data frame whose dates are replaced by numbers: year, month, day, weekday, hour.

    Parts depend on the type of a column alone, so training rows and new rows get the same ones.
    Objects and categories that are dates count as dates, too, unless all of them are missing; a
    period of pandas as the time when it starts.

    Parameters
    ----------
    X : data frame
        Of pandas, polars or pyarrow.
    columns : iterable of str, optional
        Columns of dates, or of dates with times; default: all there are.
    parts : iterable of {"year", "month", "day", "weekday", "hour", "minute"}
        ``weekday`` is 1 on Mondays; dates without a time have no hour and minute.

    Returns
    -------
    data frame of the same kind
        A column ``when`` becomes ``when_year``, ``when_month`` and so on, in its place; the parts
        of a missing date are missing.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"when": pd.to_datetime(["2024-02-29 17:30"]), "price": [3.0]})
    >>> date_parts(X, parts=["month", "weekday", "hour"]).columns.tolist()
    ['when_month', 'when_weekday', 'when_hour', 'price']
    """
    frame = nw.from_native(X, eager_only=True)
    read = {series.name: _read(series) for series in frame.iter_columns()}
    dates = [name for name, (_, known) in read.items() if known]
    chosen = dates if columns is None else list(columns)
    wanted = tuple(parts)
    for part in wanted:
        if part not in OF_TIMES:
            raise ValueError(f"parts must be among {list(OF_TIMES)}; got {part!r}")
    for name in chosen:
        if name not in dates:
            raise ValueError(f"columns must name columns of dates, which are {dates}; got {name!r}")
    frame = frame.with_columns(*(read[name][0] for name in chosen))
    return frame.select(
        *(
            one
            for name, (_, known) in read.items()
            for one in (_parts(name, known, wanted) if name in chosen else [nw.col(name)])
        )
    ).to_native()


def _read(series: nw.Series[Any]) -> tuple[nw.Series[Any], Parts]:
    """Return a column's dates, and the parts that they have; no parts of what is no date."""
    if isinstance(series.dtype, nw.Datetime):
        return series, OF_TIMES
    if isinstance(series.dtype, nw.Date):
        return series, OF_DATES
    if not isinstance(series.dtype, nw.Object | nw.Unknown | nw.Categorical | nw.Enum):
        return series, {}
    values = [None if is_missing(value) else value for value in series.to_list()]
    present = [value for value in values if value is not None]
    if not present or not all(isinstance(v, datetime.date) or is_period(v) for v in present):
        return series, {}
    is_day = all(type(value) is datetime.date for value in present)
    times = [None if value is None else _time_of(value) for value in values]
    backend = series.implementation
    return (
        nw.new_series(series.name, times, nw.Datetime(), backend=backend),
        OF_DATES if is_day else OF_TIMES,
    )


def _time_of(value: Any) -> datetime.datetime:
    """Return a date, a time or a period's start as a time, as clocks show it."""
    start: Any = value.to_timestamp() if is_period(value) else value
    if isinstance(start, datetime.datetime):
        return start.replace(tzinfo=None)
    return datetime.datetime(start.year, start.month, start.day)


def _parts(name: str, known: Parts, wanted: tuple[str, ...]) -> list[nw.Expr]:
    return [
        known[part](nw.col(name)).cast(nw.Float64).alias(f"{name}_{part}")
        for part in wanted
        if part in known
    ]
