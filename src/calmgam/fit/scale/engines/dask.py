"""The engine of a Dask data frame: its partitions on the user's client, or on Dask's own threads.

Partitions are dealt out to as many chains as there are threads; a chain adds one partition after
the other, and the chains' sums are added in the end. What a lost worker had done is done again,
with the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from calmgam.fit.scale.engines.contract import Statistic
from calmgam.fit.scale.engines.regrouping import regrouped
from calmgam.fit.support.progress import Progress

RETRIES = 3  # of a task whose worker was lost


@dataclass(frozen=True, eq=False)
class DaskFrame:
    """A Dask data frame."""

    frame: Any

    @property
    def schema(self) -> Any:
        """The Arrow schema of the frame's own description."""
        import pyarrow as pa

        return pa.Schema.from_pandas(self.frame._meta, preserve_index=False)

    def map_reduce(
        self, statistic: Statistic, names: list[str], progress: Progress | None = None
    ) -> Any:
        """Return the sums over all partitions."""
        from dask import compute, delayed

        parts, client = self.frame.to_delayed(), _client()
        n_chains = sum(client.nthreads().values()) if client else 1
        shared = delayed(statistic)
        add = delayed(add_partition, pure=False)
        chains: list[Any] = []
        for first in range(min(n_chains, len(parts))):
            sums = None
            for k in range(first, len(parts), n_chains):
                sums = add(shared, sums, parts[k], names, f"{k}")
            chains.append(sums)
        if client is None:
            return _total(list(compute(*chains)))
        return _total(_gathered(client, chains, progress))


def add_partition(
    statistic: Statistic, sums: Any, frame: Any, names: list[str], partition: str
) -> Any:
    """Add a partition, a pandas data frame, to sums, which stay as they are."""
    own = statistic.start()
    for batch in regrouped(_batches(frame, names), names):
        own = statistic.add(own, batch, partition)
    return own if sums is None else sums + own


def _batches(frame: Any, names: list[str]) -> Iterator[Any]:
    import pyarrow as pa

    kept = [name for name in names if name in frame.columns]
    yield pa.RecordBatch.from_pandas(frame[kept], preserve_index=False)


def _gathered(client: Any, chains: list[Any], progress: Progress | None) -> Iterator[Any]:
    """Yield the sums of all chains; whatever happens, none is left running."""
    from distributed import as_completed

    futures = client.compute(chains, retries=RETRIES)
    try:
        for done, future in enumerate(as_completed(futures)):
            yield future.result()
            future.release()
            if progress:
                progress(done + 1, len(futures))
    finally:
        client.cancel(futures)


def _total(chains: Any) -> Any:
    total = None
    for sums in chains:
        total = sums if total is None else total + sums
    return total


def _client() -> Any:
    """Return the user's client, if there is one."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None
