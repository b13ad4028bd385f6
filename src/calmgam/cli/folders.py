"""Predictions of rows; of a folder of files one file for each, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import typer

from calmgam.cli.options import wrongly_called
from calmgam.cli.rows import Added
from calmgam.model.files import new_file
from calmgam.model.glassbox import Model
from calmgam.read.predictions import tables_of


def predictions_of(
    model: Model, rows: Any, added: Added, interval: float | None
) -> dict[str, list[Any]]:
    """Return columns of predictions: a number and its interval, or a class and probabilities."""
    X, offset = rows.select(list(model.schema.names)), added.of(rows)
    mean = model.predict(X, offset)
    columns: dict[str, list[Any]] = {"prediction": mean.tolist()}
    if model.classes:
        columns["prediction"] = model.classify(model.score(X, offset)).tolist()
        shown = model.classes if model.link == "softmax" else model.classes[1:]
        for label, chances in zip(shown, np.atleast_2d(mean.T), strict=True):
            columns[f"probability_{label}"] = chances.tolist()
    if interval is not None:
        with wrongly_called():
            ends = model.predict_interval(X, interval, offset)
        columns |= {"low": ends[:, 0].tolist(), "high": ends[:, 1].tolist()}
    return columns


def predict_folder(
    model: Model,
    folder: Path,
    out: Path | None,
    keep: Iterable[str],
    added: Added,
    interval: float | None,
) -> None:
    """Write the predictions of every file of a folder as Parquet, under the same name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if out is None:
        raise typer.BadParameter(f"--out must name a folder for the predictions of {folder}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise typer.BadParameter(f"--out must name a new or empty folder; {out} holds something")
    out.mkdir(parents=True, exist_ok=True)
    needed = [*model.schema.names, *keep, *added.columns]

    def predicted(path: Path, table: Any) -> Any:
        absent = [name for name in needed if name not in table.column_names]
        if absent:
            raise typer.BadParameter(f"{path} must have the column {absent[0]!r}")
        kept = {name: table.column(name) for name in keep}
        return pa.table({**kept, **predictions_of(model, table, added, interval)})

    for path, parts in groupby(tables_of(folder), key=itemgetter(0)):
        target = out / path.relative_to(folder).with_suffix(".parquet")
        target.parent.mkdir(parents=True, exist_ok=True)
        tables = (predicted(path, table) for _, table in parts)
        first = next(tables)
        with new_file(target, "wb") as file, pq.ParquetWriter(file, first.schema) as writer:
            for table in chain([first], tables):
                writer.write_table(table)
