"""The first pass: what a table is like, and a sample of its rows.

In: record batches of partitions. Out: a `Profile`: ranges and levels of all columns, the range of
y and weights, a sample, and the faults of partitions. All of it is counts, extremes and smallest
hashes, so profiles are added with ``+`` in any order and grouping, with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np

from calmgam.fit.scale.arrow import (
    BOOLEAN,
    CATEGORICAL,
    NOTHING,
    NUMERIC,
    ArrowBatch,
    Columns,
    order_of,
    read_batch,
)
from calmgam.fit.scale.batches import row_hashes
from calmgam.fit.scale.ranges import Range
from calmgam.fit.scale.sample import Sample
from calmgam.fit.support.threads import parallel_map
from calmgam.model.columns import label
from calmgam.model.schema import Schema

SAMPLE_ROWS = 200_000  # as many as reference and bins need
MAX_LABELS = 1_000_000  # more distinct texts are no levels
MAX_SHOWN_FAULTS = 5  # in an error


@dataclass(frozen=True, eq=False)
class ProfilePass:
    """How a profile is made of the batches of partitions."""

    columns: Columns
    sample_rows: int = SAMPLE_ROWS
    n_jobs: int = 1

    def start(self) -> Profile:
        """Return the profile of no rows."""
        return Profile(sample=Sample.start(self.sample_rows, None))

    def add(self, profile: Profile, batch: Any, partition: str) -> Profile:
        """Add a record batch of a partition."""
        faults = list(self.columns.faults(batch.schema))
        if faults:
            return profile + Profile(
                sample=self.start().sample, faults={partition: tuple(faults)}, partitions={}
            )
        rows = read_batch(batch, self.columns)
        found = parallel_map(partial(self._range, rows), self.columns.kinds, self.n_jobs)
        ranges = dict(zip(self.columns.kinds, found, strict=True))
        empty = {name for name, one in ranges.items() if one.is_empty} if rows.n_rows else ()
        hashes = row_hashes(rows, self.n_jobs)
        distinct, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        table = _table(rows.batch.select(self.columns.names))
        return Profile(
            profile.n_rows + rows.n_rows,
            _merged(profile.ranges, ranges),
            _merged(profile.roles, self._roles(rows)),
            profile.sample.joined(
                distinct, counts.astype(np.int64), _take(table, first), _take, _join
            ),
            profile.digest + int(np.add.reduce(hashes, dtype=np.uint64)) & (2**64 - 1),
            _joined(
                profile.partitions, {partition: (batch.num_rows, rows.n_rows, frozenset(empty))}
            ),
            _joined_faults(profile.faults, partition, self._value_faults(rows, ranges)),
        )

    def _range(self, rows: ArrowBatch, name: str) -> Range:
        kind = self.columns.kind_in(rows.batch.schema, name)
        if kind in (NUMERIC, NOTHING):
            return Range.of_numbers(rows.numbers(name))
        asked = name in self.columns.asked  # users have the last word
        return Range.of_levels(
            *rows.levels(name), () if asked else order_of(rows.batch.column(name))
        )

    def _roles(self, rows: ArrowBatch) -> dict[str, Range]:
        """Return the range of y, of weights and of the offset."""
        columns = self.columns
        if columns.classes == () and self._is_class(rows):
            roles = {"classes": Range.of_levels(*rows.levels(columns.target))}
        else:
            roles = {"y": Range.of_numbers(rows.numbers(columns.target))}
        for role, name in (("weights", columns.weight), ("offset", columns.offset)):
            if name is not None:
                roles[role] = Range.of_numbers(rows.numbers(name))
        return roles

    def _is_class(self, rows: ArrowBatch) -> bool:
        name = self.columns.target
        return self.columns.kind_in(rows.batch.schema, name) in (CATEGORICAL, BOOLEAN)

    def _value_faults(self, rows: ArrowBatch, ranges: Mapping[str, Range]) -> list[str]:
        """Return what is wrong with values: infinite ones, targets and weights that are missing."""
        faults = [
            f"column {name!r} must be finite or missing; got {value}"
            for name, one in ranges.items()
            for value in (one.low, one.high)
            if one.low <= one.high and math.isinf(value)
        ]
        columns = self.columns
        for name in (columns.target, columns.weight, columns.offset):
            if name is None:
                continue
            one = self._range(rows, name)
            if one.has_missing:
                faults.append(f"column {name!r} must have no missing values")
            elif one.low <= one.high and math.isinf(one.high - one.low):
                faults.append(f"column {name!r} must be finite")
            elif name == columns.target and (rule := self._rule_of_target(rows)):
                faults.append(rule)
            elif name == columns.weight and one.low < 0:
                faults.append(f"column {name!r} holds weights, which must be >= 0; got {one.low:g}")
        for name, one in ranges.items():
            if len(one.levels) > MAX_LABELS:
                faults.append(f"column {name!r} must have at most {MAX_LABELS} levels")
        return faults

    def _rule_of_target(self, rows: ArrowBatch) -> str:
        """Return which rule of the loss some y breaks; nothing if none does."""
        loss, name = self.columns.loss, self.columns.target
        if loss is None:
            return ""
        y = rows.numbers(name).astype(float)
        taken, rule = loss.takes(y)
        wrong = y[~taken]
        return f"column {name!r} {rule} for {loss.name}; got {wrong[0]:g}" if len(wrong) else ""


@dataclass(frozen=True, eq=False)
class Profile:
    """What a table is like.

    Attributes
    ----------
    n_rows : int
        Rows of weight > 0.
    ranges : dict from str to Range
        Of all features.
    roles : dict
        Range of "y", or its "classes", of "weights" and of "offset".
    sample : Sample
        With an Arrow table of its rows.
    digest : int
        Sum of all hashes.
    partitions : dict from str to (int, int, frozenset)
        Rows of every partition, those of weight > 0, and columns without any value in these.
    faults : dict from str to tuple of str
        What is wrong, by partition.
    """

    n_rows: int = 0
    ranges: dict[str, Range] = field(default_factory=dict)
    roles: dict[str, Range] = field(default_factory=dict)
    sample: Sample = field(default_factory=lambda: Sample.start(SAMPLE_ROWS, None))
    digest: int = 0
    partitions: dict[str, tuple[int, int, frozenset[str]]] = field(default_factory=dict)
    faults: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __add__(self, other: Profile) -> Profile:
        more = other.sample
        faults = dict(self.faults)
        for partition, texts in other.faults.items():
            faults = _joined_faults(faults, partition, texts)
        sample = self.sample
        if len(more.hashes):
            sample = sample.joined(more.hashes, more.counts, more.rows, _take, _join)
        return Profile(
            self.n_rows + other.n_rows,
            _merged(self.ranges, other.ranges),
            _merged(self.roles, other.roles),
            sample,
            self.digest + other.digest & (2**64 - 1),
            _joined(self.partitions, other.partitions),
            faults,
        )

    def check(self) -> None:
        """Refuse a table whose partitions have faults."""
        faults = {partition: list(texts) for partition, texts in self.faults.items()}
        for partition, (n_rows, _, empty) in self.partitions.items():
            texts = faults.setdefault(partition, [])
            if n_rows == 0 and not texts:
                texts.append("has no rows")
            elif not texts:
                texts += [
                    f"column {name!r} has only missing values there, and others elsewhere"
                    for name in sorted(empty)
                    if not self.ranges[name].is_empty
                ]
        found = [
            f"partition {name}: {text}" for name, texts in sorted(faults.items()) for text in texts
        ]
        if found:
            more = len(found) - MAX_SHOWN_FAULTS
            shown = "\n".join(found[:MAX_SHOWN_FAULTS])
            raise ValueError(shown + (f"\n… and {more} more" if more > 0 else ""))
        for name, one in self.ranges.items():
            one.check_order(name)
        if self.n_rows == 0:
            raise ValueError("the dataset must have at least one row of weight > 0; got 0")

    def check_classes(self, classes: tuple[Any, ...], columns: Columns) -> None:
        """Refuse labels of y that the sample has not seen: curves are learned of two classes."""
        known = {label(one) for one in classes}
        if "classes" in self.roles:
            others = sorted(self.roles["classes"].levels.keys() - known)
        else:
            y = self.roles["y"]
            others = [label(end) for end in (y.low, y.high) if end not in classes]
            if not others and not y.only_ends:
                others = ["numbers between them"]
        if others:
            raise ValueError(
                f"column {columns.target!r} must have two classes; got {sorted(known)} "
                f"and, in few rows, {', '.join(others)}"
            )

    def schema(self, columns: Columns) -> Schema:
        """Return the features, as `Schema.learn` does for a table in memory."""
        return Schema(
            tuple(
                self.ranges[name].feature(name, index, kind, columns.asked.get(name))
                for index, (name, kind) in enumerate(columns.kinds.items())
            )
        )

    def sampled(self) -> Any:
        """Return the rows of the sample, an Arrow table."""
        return _take(self.sample.rows, self.sample.positions())

    def table_sha256(self, columns: Columns) -> str:
        """Return a digest of the rows that does not depend on their order."""
        text = f"{columns.names} {self.n_rows} {self.digest}"
        return sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def _merged(one: Mapping[str, Range], other: Mapping[str, Range]) -> dict[str, Range]:
    nothing = Range()
    return {name: one.get(name, nothing) + other.get(name, nothing) for name in {**one, **other}}


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    joined = dict(one)
    for name, (n_rows, n_counting, empty) in other.items():
        n_before, n_counting_before, both = joined.get(name, (0, 0, empty))
        if n_counting and n_counting_before:  # of no rows no column has values
            both = both & empty
        elif n_counting:
            both = empty
        joined[name] = n_before + n_rows, n_counting_before + n_counting, both
    return joined


def _joined_faults(
    faults: Mapping[str, tuple[str, ...]], partition: str, texts: Any
) -> dict[str, tuple[str, ...]]:
    if not texts:
        return dict(faults)
    both = sorted({*faults.get(partition, ()), *texts})
    return {**faults, partition: tuple(both)}


def _table(batch: Any) -> Any:
    """Return a batch as a table whose columns any other partition's can be joined with."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch])
    plain = [
        one.with_type(one.type.value_type) if pa.types.is_dictionary(one.type) else one
        for one in table.schema
    ]
    return table.cast(pa.schema(plain)).replace_schema_metadata(None)


def _take(rows: Any, positions: Any) -> Any:
    return None if rows is None else rows.take(positions)


def _join(one: Any, other: Any) -> Any:
    import pyarrow as pa

    if one is None:
        return other
    return pa.concat_tables([one, other], promote_options="permissive").combine_chunks()
