"""Predictions of datasets: the same function on every part of them, where the part is.

In: a dataset and a function of a table. Out: of files an array, of a Dask data frame a series, of a
Spark data frame the frame with one more column, both lazy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from calmgam.model.datasets import batches_of, open_files, path_of

Predict = Callable[[Any], Any]

PREDICTION = "prediction"
ROWS_PER_BATCH = 1 << 17


def is_dataset(X: Any) -> bool:
    """Tell whether X is a path, an Arrow dataset, a Dask or a Spark data frame."""
    kind = type(X).__module__.partition(".")[0]
    return (
        kind in ("dask", "pyspark")
        or isinstance(X, str | os.PathLike)
        or hasattr(X, "get_fragments")
    )


def predict_dataset(predict: Callable[..., Any], dataset: Any, offset: Any = None) -> Any:
    """Predict all rows of a dataset; an offset is the name of a column, or one number for all."""
    if isinstance(offset, str):
        predict = partial(_with_column, predict, offset)
    elif offset is not None:
        if np.ndim(offset):
            raise TypeError(
                "offset must be the name of a column of the dataset, or a number; "
                f"got {type(offset).__name__}"
            )
        predict = partial(predict, offset=offset)
    kind = type(dataset).__module__.partition(".")[0]
    if kind == "dask":
        return dataset.map_partitions(
            partial(_series, predict), meta=_series(predict, dataset._meta)
        )
    if kind == "pyspark":
        return _of_spark(predict, dataset)
    parts = [predict(table) for _, table in tables_of(dataset)]
    if not parts:
        raise ValueError("the dataset must have at least one row; got 0")
    return np.concatenate(parts)


def _with_column(predict: Callable[..., Any], name: str, part: Any) -> Any:
    """Predict a part of a dataset, with a column of it as offset."""
    columns = getattr(part, "column_names", None) or list(part.columns)
    if name not in columns:
        raise ValueError(f"offset must be a column of the dataset: {columns}; got {name!r}")
    return predict(part, offset=np.asarray(part[name], dtype=np.float64))


def tables_of(dataset: Any) -> Iterator[tuple[Path, Any]]:
    """Yield Arrow tables of a bounded number of rows, each with the file that it comes from."""
    import pyarrow as pa

    if isinstance(dataset, str | os.PathLike):
        dataset = open_files(Path(dataset))
    for fragment in dataset.get_fragments():
        for batch in batches_of(dataset, fragment, None, ROWS_PER_BATCH):
            if batch.num_rows:
                yield Path(path_of(fragment)), pa.Table.from_batches([batch])


def _series(predict: Predict, frame: Any) -> Any:
    import pandas as pd

    values = predict(frame) if len(frame) else np.empty(0)
    return pd.Series(values, index=frame.index, name=PREDICTION)


def _of_spark(predict: Predict, frame: Any) -> Any:
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    sample = frame.limit(1).toPandas()
    is_number = len(sample) == 0 or np.asarray(predict(sample)).dtype.kind in "fiu"
    kind: Any = DoubleType() if is_number else StringType()
    schema = StructType([*frame.schema.fields, StructField(PREDICTION, kind)])
    return frame.mapInArrow(partial(_with_prediction, predict, is_number), schema)


def _with_prediction(predict: Predict, is_number: bool, batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows == 0:
            continue
        values = np.asarray(predict(pa.Table.from_batches([batch])))
        column = pa.array(values.astype(float)) if is_number else pa.array(map(str, values))
        yield pa.RecordBatch.from_arrays(
            [*batch.columns, column], names=[*batch.schema.names, PREDICTION]
        )
