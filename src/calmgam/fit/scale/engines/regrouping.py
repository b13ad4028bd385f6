"""Record batches of a size that is worth a pass: small ones joined, large ones cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from calmgam.fit.scale.batches import ROWS_PER_BATCH


def regrouped(batches: Iterable[Any], names: list[str]) -> Iterator[Any]:
    """Yield record batches of the named columns, at least one of them, if there is any batch."""
    waiting: list[Any] = []
    n_rows, is_first = 0, True
    for batch in batches:
        kept = batch.select([name for name in names if name in batch.schema.names])
        for start in range(0, kept.num_rows, ROWS_PER_BATCH):
            part = kept.slice(start, ROWS_PER_BATCH)
            if waiting and n_rows + part.num_rows > ROWS_PER_BATCH:
                yield joined(waiting)
                waiting, n_rows, is_first = [], 0, False
            waiting.append(part)
            n_rows += part.num_rows
        if kept.num_rows == 0 and is_first and not waiting:
            yield kept
            is_first = False
    if waiting:
        yield joined(waiting)


def joined(batches: list[Any]) -> Any:
    """Return record batches as one."""
    import pyarrow as pa

    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    (batch,) = table.to_batches()
    return batch
