"""The engine of a Spark data frame: its partitions as Arrow batches, on the user's session.

Every task adds its partitions up in a Python worker (`mapInArrow`); the sums travel as bytes and
are added in a tree, a few at a time, until one is left. What a lost worker had done Spark does
again, with the same bits.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from calmgam.fit.scale.batches import ROWS_PER_BATCH
from calmgam.fit.scale.engines.contract import Statistic
from calmgam.fit.scale.engines.regrouping import regrouped
from calmgam.fit.support.progress import Progress

TASKS_PER_CORE = 4  # each with sums of its own
BRANCHES = 8  # sums that one task of the tree adds
PARTITION = "__calmgam_partition__"
SUMS = "place int, sums binary"


@dataclass(frozen=True, eq=False)
class SparkFrame:
    """A Spark data frame."""

    frame: Any

    @property
    def schema(self) -> Any:
        """The Arrow schema of the frame."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.frame.schema)

    def map_reduce(
        self, statistic: Statistic, names: list[str], progress: Progress | None = None
    ) -> Any:
        """Return the sums over all partitions."""
        from pyspark.sql import functions

        session = self.frame.sparkSession
        n_tasks = TASKS_PER_CORE * session.sparkContext.defaultParallelism
        frame = self.frame.select(*names).withColumn(PARTITION, functions.spark_partition_id())
        parts = frame.coalesce(n_tasks)
        n_sums = parts.rdd.getNumPartitions()
        sums = parts.mapInArrow(partial(_sums_of, statistic, names), SUMS)
        while n_sums > BRANCHES:
            n_sums = -(-n_sums // BRANCHES)
            group = (functions.col("place") % n_sums).alias("group")
            sums = sums.groupBy(group).applyInArrow(_added, SUMS)
        with _job(session.sparkContext, progress):
            blobs = [row.sums for row in sums.select("sums").toLocalIterator()]
        total = statistic.start()
        for blob in blobs:
            total = total + _unpacked(blob)
        return total


def _sums_of(statistic: Statistic, names: list[str], batches: Iterator[Any]) -> Iterator[Any]:
    """Add the batches of a task up, partition by partition."""
    sums, last = statistic.start(), 0
    for partition, batch in _by_partition(batches, names):
        sums, last = statistic.add(sums, batch, f"{partition}"), partition
    yield _packed(sums, last)


def _by_partition(batches: Iterator[Any], names: list[str]) -> Iterator[tuple[int, Any]]:
    """Yield the batches of one partition after the other, regrouped."""
    waiting: list[Any] = []
    now = -1
    for batch in batches:
        ids = batch.column(PARTITION)
        for partition in ids.unique().to_pylist():
            if partition != now or sum(one.num_rows for one in waiting) >= ROWS_PER_BATCH:
                yield from ((now, one) for one in regrouped(waiting, names))
                waiting = []
            now = partition
            waiting.append(batch.filter(_equals(ids, partition)))
    yield from ((now, one) for one in regrouped(waiting, names))


def _equals(values: Any, value: int) -> Any:
    import pyarrow.compute

    return pyarrow.compute.equal(values, value)


def _added(table: Any) -> Any:
    import pyarrow as pa

    total = None
    for blob in table.column("sums").to_pylist():
        sums = _unpacked(blob)
        total = sums if total is None else total + sums
    place = table.column("place").to_pylist()[0]
    return pa.Table.from_batches([_packed(total, place)])


def _packed(sums: Any, place: int) -> Any:
    import pyarrow as pa

    blob = zlib.compress(pickle.dumps(sums, protocol=5), 1)
    arrays = [pa.array([place], pa.int32()), pa.array([blob], pa.binary())]
    return pa.RecordBatch.from_arrays(arrays, ["place", "sums"])


def _unpacked(blob: Any) -> Any:
    return pickle.loads(zlib.decompress(blob))


class _job:
    """A group of jobs whose tasks are counted, and which Ctrl-C ends."""

    def __init__(self, context: Any, progress: Progress | None) -> None:
        self.context, self.progress = context, progress
        self.group, self.ended = f"calmgam-{uuid4()}", Event()
        self.watcher = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self.context.setJobGroup(self.group, "calmgam", interruptOnCancel=True)
        if self.progress:
            self.watcher.start()

    def __exit__(self, kind: Any, *_: object) -> None:
        self.ended.set()
        if kind is not None:
            self.context.cancelJobGroup(self.group)
        if self.progress:
            self.watcher.join()
        self.context.setLocalProperty("spark.jobGroup.id", None)

    def _watch(self) -> None:
        assert self.progress is not None
        tracker = self.context.statusTracker()
        while not self.ended.wait(0.2):
            stages = {s for j in tracker.getJobIdsForGroup(self.group) for s in _stages(tracker, j)}
            known = [one for one in map(tracker.getStageInfo, sorted(stages)) if one is not None]
            if known:
                done = sum(one.numCompletedTasks for one in known)
                self.progress(done, sum(one.numTasks for one in known))


def _stages(tracker: Any, job: int) -> Any:
    info = tracker.getJobInfo(job)
    return () if info is None else info.stageIds
