"""Files of a dataset: which there are, and their rows as record batches, columns of folders too.

In: a path, or an Arrow dataset. Out: its fragments, one a file, and their batches. A folder named
``year=2024`` is a column `year` of the files in it, as pandas, Dask and Spark have it. Text files
say what is missing with the words that the command line knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?")
FORMATS = {
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".csv": "csv",
    ".orc": "orc",
}
CSV_BLOCK = 1 << 24  # bytes of text whose values tell the types of a file's columns


def open_files(path: Path) -> Any:
    """Open a file or a folder of files of one format."""
    import pyarrow.dataset

    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}")
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    kept = [p for p in files if p.suffix in FORMATS and not p.name.startswith(("_", "."))]
    formats = {FORMATS[p.suffix] for p in kept}
    if len(formats) != 1:
        raise ValueError(
            f"{str(path)!r} must hold files of one format, {', '.join(FORMATS)}; "
            f"got {', '.join(sorted(formats)) or 'none'}"
        )
    (kind,) = formats
    names = {p.parent for p in kept} if path.is_dir() else set()
    is_divided = any("=" in part for one in names for part in one.relative_to(path).parts)
    return pyarrow.dataset.dataset(
        [str(p) for p in kept],
        format=_csv_format() if kind == "csv" else kind,
        partitioning=pyarrow.dataset.partitioning(flavor="hive") if is_divided else None,
        partition_base_dir=str(path) if is_divided else None,
    )


def _csv_format() -> Any:
    import pyarrow.csv
    import pyarrow.dataset

    return pyarrow.dataset.CsvFileFormat(
        convert_options=pyarrow.csv.ConvertOptions(null_values=MISSING, strings_can_be_null=True),
        read_options=pyarrow.csv.ReadOptions(block_size=CSV_BLOCK),
    )


def path_of(fragment: Any, otherwise: str = ".") -> str:
    """Return the file that a fragment is; a table in memory is none."""
    return getattr(fragment, "path", "") or otherwise


def batches_of(
    dataset: Any, fragment: Any, names: Sequence[str] | None, n_rows: int, **options: Any
) -> Iterator[Any]:
    """Yield a fragment's rows as batches of the named columns, as far as they are there.

    First comes a batch of no rows, that of its schema. What a reader cannot read names its file.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    fragment : pyarrow.dataset.Fragment
    names : sequence of str, optional
        All columns if not given.
    n_rows : int
        Most rows of a batch.
    **options
        Of `pyarrow.dataset.Fragment.to_batches`.
    """
    import pyarrow as pa
    import pyarrow.dataset

    path = path_of(fragment)
    try:
        schema = fragment.physical_schema
        folders = pyarrow.dataset.get_partition_keys(fragment.partition_expression)
        for name in sorted(folders.keys() - set(schema.names)):
            schema = schema.append(dataset.schema.field(name))
        kept = [name for name in names or schema.names if name in schema.names]
        empty = pa.schema([schema.field(name) for name in kept])
        yield pa.RecordBatch.from_arrays([pa.array([], one.type) for one in empty], schema=empty)
        yield from fragment.to_batches(columns=kept, schema=schema, batch_size=n_rows, **options)
    except (pa.ArrowException, OSError) as error:
        hint = (
            ""
            if Path(path).suffix != ".csv"
            else (
                ": types are those of a file's first 16 MB; give pyarrow.dataset.dataset(…, "
                "format=pyarrow.dataset.CsvFileFormat(…)) for others, or write Parquet"
            )
        )
        kind = OSError if isinstance(error, OSError) else ValueError
        raise kind(f"cannot read {path}: {error}{hint}") from None
