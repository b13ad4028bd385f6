"""The bundled files: a table is read from, or written to, a gzipped CSV beside this module.

    python -m calmgam.datasets

writes them again. They are files since numpy promises no one the same random numbers for ever.
"""

from __future__ import annotations

import gzip
from importlib.resources import files
from pathlib import Path
from typing import Any


def needed_pandas() -> Any:
    """Return the module pandas, or say how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("calmgam.datasets needs pandas: pip install pandas") from error
    return pandas


def read_table(name: str) -> Any:
    """Return a bundled table as a pandas data frame."""
    pandas = needed_pandas()
    with (files("calmgam.datasets") / f"{name}.csv.gz").open("rb") as file:
        return pandas.read_csv(file, compression="gzip")


def write_table(frame: Any, name: str, folder: Path) -> None:
    """Write a table so that the same table gives the same bytes."""
    text = frame.to_csv(index=False, lineterminator="\n")
    (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
