"""Which engine goes through a dataset that a user brings.

In: a path, an Arrow dataset, record batches, a Dask or Spark data frame. Out: its `Engine`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from calmgam.fit.scale.engines.contract import Engine
from calmgam.fit.scale.engines.threads import Batches, Files
from calmgam.model.datasets import open_files


def engine_of(dataset: Any) -> Engine:
    """Return the engine of a dataset."""
    kind = type(dataset).__module__.partition(".")[0]
    if kind == "dask":
        from calmgam.fit.scale.engines.dask import DaskFrame

        return DaskFrame(dataset)
    if kind == "pyspark":
        from calmgam.fit.scale.engines.spark import SparkFrame

        return SparkFrame(dataset)
    if isinstance(dataset, str | os.PathLike):
        return Files(open_files(Path(dataset)))
    if hasattr(dataset, "get_fragments"):
        return Files(dataset)
    if isinstance(dataset, Iterable) and iter(dataset) is not dataset:
        first = next(iter(dataset), None)
        if first is None or hasattr(first, "schema"):
            return Batches(dataset)
    raise TypeError(
        "X must be a table and y its target, or X a dataset and y the name of its target column: "
        "a path of files, a pyarrow.dataset.Dataset, record batches that can be gone through more "
        f"than once, a Dask or Spark data frame; got {type(dataset).__name__} and a name"
    )
