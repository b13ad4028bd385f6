"""The engine of one machine: record batches of files, one after the other.

A file is never held whole: a thread reads ahead by a few batches, and the kernels share the work on
each batch. Whatever ends the pass, Ctrl-C included, ends the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, NamedTuple

from calmgam.fit.scale.batches import ROWS_PER_BATCH
from calmgam.fit.scale.engines.contract import Statistic
from calmgam.fit.support.progress import Progress
from calmgam.model.datasets import batches_of, path_of

BATCHES_AHEAD = 2  # read while one is worked on
PATIENCE = 0.1  # seconds between two looks at whether the pass has ended


class Part(NamedTuple):
    """A record batch, its partition, and how many partitions are behind it, of how many."""

    partition: str
    batch: Any
    n_done: int
    n_partitions: int


@dataclass(frozen=True, eq=False)
class Files:
    """Files of an Arrow dataset, each a partition."""

    dataset: Any

    @property
    def schema(self) -> Any:
        """The Arrow schema of the dataset."""
        return self.dataset.schema

    def map_reduce(
        self, statistic: Statistic, names: list[str], progress: Progress | None = None
    ) -> Any:
        """Return the sums over all files."""
        return _summed(statistic, self._parts(names), progress)

    def _parts(self, names: list[str]) -> Iterator[Part]:
        fragments = list(self.dataset.get_fragments())
        ahead = {"batch_readahead": 1, "fragment_readahead": 1}
        for k, fragment in enumerate(fragments):
            path = path_of(fragment, otherwise=f"{k}")
            for batch in batches_of(self.dataset, fragment, names, ROWS_PER_BATCH, **ahead):
                yield Part(path, batch, k, len(fragments))


@dataclass(frozen=True, eq=False)
class Batches:
    """Record batches, each a partition; they are gone through more than once."""

    batches: Iterable[Any]

    @property
    def schema(self) -> Any:
        """The Arrow schema of the first batch."""
        for batch in self.batches:
            return batch.schema
        raise ValueError("the dataset must have at least one record batch; got none")

    def map_reduce(
        self, statistic: Statistic, names: list[str], progress: Progress | None = None
    ) -> Any:
        """Return the sums over all batches."""
        n_batches = len(self.batches) if isinstance(self.batches, Sized) else 0
        parts = (Part(f"{k}", batch, k, n_batches) for k, batch in enumerate(self.batches))
        return _summed(statistic, parts, progress)


def _summed(statistic: Statistic, parts: Iterator[Part], progress: Progress | None) -> Any:
    sums, n_partitions = statistic.start(), 0
    for part in read_ahead(parts):
        sums = statistic.add(sums, part.batch, part.partition)
        n_partitions = max(part.n_partitions, part.n_done + 1)
        if progress:
            progress(part.n_done, n_partitions)
    if progress:
        progress(n_partitions, n_partitions)
    return sums


def read_ahead(parts: Iterator[Any]) -> Iterator[Any]:
    """Yield what an iterator gives, a few steps of which another thread makes in advance."""
    queue: Queue[tuple[bool, Any]] = Queue(BATCHES_AHEAD)
    ended = Event()

    def put(is_last: bool, item: Any) -> bool:
        while not ended.is_set():
            try:
                queue.put((is_last, item), timeout=PATIENCE)
                return True
            except Full:
                continue
        return False

    def read() -> None:
        try:
            if all(put(False, part) for part in parts):
                put(True, None)
        except BaseException as error:
            put(True, error)

    reader = Thread(target=read, name="calmgam-reader", daemon=True)
    reader.start()
    try:
        while True:
            try:
                is_last, item = queue.get(timeout=PATIENCE)
            except Empty:
                continue
            if is_last and item is not None:
                raise item
            if is_last:
                return
            yield item
    finally:
        ended.set()
        reader.join()
