"""What an engine is: someone who runs a statistic over all partitions of a table.

A statistic says how a record batch is added to what is known so far (`start`, `add`); what is known
is a value with ``+``, the same bits in any order and grouping. So an engine may divide the work as
it likes, and do a part of it again when a worker has died.
"""

from __future__ import annotations

from typing import Any, Protocol

from calmgam.fit.support.progress import Progress


class Statistic(Protocol):
    """Sums over rows; it is sent to workers, so it must be picklable."""

    def start(self) -> Any:
        """Return the sums of no rows."""

    def add(self, sums: Any, batch: Any, partition: str) -> Any:
        """Return the sums with a record batch of a partition added; `sums` may be changed."""


class Engine(Protocol):
    """Someone who runs through the rows."""

    @property
    def schema(self) -> Any:
        """The Arrow schema that all partitions should have."""

    def map_reduce(
        self, statistic: Statistic, names: list[str], progress: Progress | None = None
    ) -> Any:
        """Return the sums over all rows; `names` are the columns to read."""
