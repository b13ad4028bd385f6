"""Dates become numbers that people name: a frame comes in, its dates as columns of parts go out.

when -> when_year, when_month, when_day, when_weekday (1 is Monday), when_hour of times
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import narwhals as nw

OF_DATES: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    "year": lambda one: one.dt.year(),
    "month": lambda one: one.dt.month(),
    "day": lambda one: one.dt.day(),
    "weekday": lambda one: one.dt.weekday(),
}
OF_TIMES: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    **OF_DATES,
    "hour": lambda one: one.dt.hour(),
    "minute": lambda one: one.dt.minute(),
}
DEFAULT = ("year", "month", "day", "weekday", "hour")


def date_parts(X: Any, columns: Iterable[str] | None = None, parts: Iterable[str] = DEFAULT) -> Any:
    """Return a data frame whose dates are replaced by numbers: year, month, day, weekday, hour.

    Parts depend on the type of a column alone, so training rows and new rows get the same ones.

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
    dates = [name for name, dtype in frame.schema.items() if _parts_of(dtype)]
    chosen = dates if columns is None else list(columns)
    wanted = tuple(parts)
    for part in wanted:
        if part not in OF_TIMES:
            raise ValueError(f"parts must be among {list(OF_TIMES)}; got {part!r}")
    for name in chosen:
        if name not in dates:
            raise ValueError(f"columns must name columns of dates, which are {dates}; got {name!r}")
    return frame.select(
        *(
            one
            for name, dtype in frame.schema.items()
            for one in (_parts(name, dtype, wanted) if name in chosen else [nw.col(name)])
        )
    ).to_native()


def _parts_of(dtype: Any) -> dict[str, Callable[[nw.Expr], nw.Expr]]:
    if isinstance(dtype, nw.Datetime):
        return OF_TIMES
    return OF_DATES if isinstance(dtype, nw.Date) else {}


def _parts(name: str, dtype: Any, wanted: tuple[str, ...]) -> list[nw.Expr]:
    known = _parts_of(dtype)
    return [
        known[part](nw.col(name)).cast(nw.Float64).alias(f"{name}_{part}")
        for part in wanted
        if part in known
    ]
