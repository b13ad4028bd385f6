"""Blocks of rows as Arrow record batches: which columns there are, and their values as numbers.

In: a record batch. Out: an `ArrowBatch`. Numbers without missing values are not copied; text and
categories are looked up once per distinct value. A fault of a partition (a column that is absent or
of another kind, values that no target may have) is told by a sentence that names the column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.losses import Loss
from calmgam.model.columns import PANDAS_INDEX, is_missing, label, unreadable
from calmgam.model.feature_types import CONTINUOUS, Asked, read_feature_types
from calmgam.model.schema import Feature, FloatArray

NUMERIC, BOOLEAN, CATEGORICAL, NOTHING = "numeric", "boolean", "categorical", "missing"


@dataclass(frozen=True)
class Columns:
    """Which columns of a dataset are what.

    Attributes
    ----------
    kinds : mapping from str to str
        Of all features: "numeric", "boolean" or "categorical"; "missing", if no type is known.
    target : str
    weight, offset : str or None
    classes : tuple
        Labels of a target of classes; empty for a number.
    asked : mapping from str to str or tuple
        What users say of columns (`feature_types`).
    loss : Loss, optional
        What is minimised: it says which numbers y may be, and what an offset does.
    target_kind : str
        What the target is in the dataset's schema.
    """

    kinds: Mapping[str, str]
    target: str
    weight: str | None = None
    offset: str | None = None
    classes: tuple[Any, ...] = ()
    asked: Mapping[str, Asked] = field(default_factory=dict)
    loss: Loss | None = None
    target_kind: str = NOTHING

    @classmethod
    def of(
        cls,
        schema: Any,
        target: str,
        weight: str | None = None,
        offset: str | None = None,
        feature_types: Any = None,
        loss: Loss | None = None,
    ) -> Columns:
        """Read the columns off an Arrow schema; all that have no other role are features.

        The row numbers that pandas writes into files are none. Without a loss y are classes.
        """
        names = list(schema.names)
        roles = {"y": target, "sample_weight": weight, "offset": offset}
        check_roles({role: name for role, name in roles.items() if name is not None}, names)
        others = {*roles.values(), *filter(PANDAS_INDEX.fullmatch, names)}
        features = [one for one in schema if one.name not in others]
        if not features:
            raise ValueError(f"the dataset must have a column that no role takes; got {names}")
        asked = read_feature_types(feature_types, [one.name for one in features])
        kinds = {one.name: kind_of(one.type, one.name, asked.get(one.name)) for one in features}
        kind = kind_of(schema.field(target).type, target)
        if loss is not None and kind == CATEGORICAL:
            raise ValueError(
                f"y must be numbers; column {target!r} holds {schema.field(target).type}"
            )
        return cls(kinds, target, weight, offset, asked=asked, loss=loss, target_kind=kind)

    def kind_in(self, schema: Any, name: str) -> str:
        """Return what a column of an Arrow schema is read as."""
        return kind_of(schema.field(name).type, name, self.asked.get(name))

    @property
    def names(self) -> list[str]:
        """All columns that are read."""
        more = (self.target, self.weight, self.offset)
        return [*self.kinds, *(name for name in more if name is not None)]

    @property
    def expected(self) -> dict[str, str]:
        """Kinds of all columns that are read, where only one will do."""
        numbers = dict.fromkeys(
            (name for name in (self.weight, self.offset) if name is not None), NUMERIC
        )
        return {**self.kinds, **numbers, self.target: self.target_kind}

    def faults(self, schema: Any) -> Iterator[str]:
        """Yield what is wrong with the columns of a partition."""
        types = dict(zip(schema.names, schema.types, strict=True))
        for name in self.names:
            if name not in types:
                yield f"column {name!r} is absent; there are {list(types)}"
                continue
            kind, expected = self.kind_in(schema, name), self.expected.get(name)
            if expected is not None and kind not in (expected, NOTHING) and expected != NOTHING:
                yield f"column {name!r} must be {expected} as in the dataset; got {types[name]}"


def check_roles(roles: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse roles of columns that are not there, and two roles of one."""
    for role, name in roles.items():
        if name not in names:
            raise ValueError(f"{role} must be a column of the dataset: {names}; got {name!r}")
        same = [one for one, other in roles.items() if other == name]
        if len(same) > 1:
            raise ValueError(f"{' and '.join(same)} must be different columns; both are {name!r}")


def kind_of(arrow_type: Any, name: str, asked: Asked | None = None) -> str:
    """Return what a column of an Arrow type can be, or what it is asked to be."""
    import pyarrow.types as types

    if types.is_temporal(arrow_type) or types.is_nested(arrow_type):
        raise unreadable(name, str(arrow_type))
    if asked is not None and not types.is_null(arrow_type):
        return NUMERIC if asked == CONTINUOUS else CATEGORICAL
    if types.is_boolean(arrow_type):
        return BOOLEAN
    if (
        types.is_integer(arrow_type)
        or types.is_floating(arrow_type)
        or types.is_decimal(arrow_type)
    ):
        return NUMERIC
    is_text = types.is_string(arrow_type) or types.is_large_string(arrow_type)
    if is_text or types.is_dictionary(arrow_type) or types.is_string_view(arrow_type):
        return CATEGORICAL
    if types.is_null(arrow_type):
        return NOTHING
    raise unreadable(name, str(arrow_type))


@dataclass(frozen=True, eq=False)
class ArrowBatch:
    """Rows of a record batch; those of weight 0 are left out by `read_batch`."""

    batch: Any
    columns: Columns

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.batch.num_rows)

    def numbers(self, name: str) -> NDArray[np.floating]:
        """Return a column of numbers; missing: NaN."""
        return numbers_of(self.batch.column(name))

    @cached_property
    def _levels(self) -> dict[str, tuple[NDArray[np.intp], list[str]]]:
        return {}

    def levels(self, name: str) -> tuple[NDArray[np.intp], list[str]]:
        """Return the position of every value among labels, and the labels; missing: -1."""
        if name not in self._levels:
            self._levels[name] = levels_of(self.batch.column(name))
        return self._levels[name]

    def encoded(self, feature: Feature) -> NDArray[np.floating]:
        """Return a column as `Schema.encode` does."""
        if feature.is_numeric:
            return self.numbers(feature.name)
        codes, labels = self.levels(feature.name)
        table = np.array([*(feature.code(text) for text in labels), np.nan], dtype=float)
        return table[codes]

    def hashed(self) -> Sequence[NDArray[np.floating]]:
        """Return numbers that stand for the values of all columns."""
        return [self._stand_ins(name) for name in self.columns.names]

    def _stand_ins(self, name: str) -> NDArray[np.floating]:
        if self.columns.kind_in(self.batch.schema, name) in (NUMERIC, NOTHING):
            return self.numbers(name)
        codes, labels = self.levels(name)
        return np.array([*map(hash_of_text, labels), np.nan], dtype=float)[codes]

    def target(self) -> tuple[FloatArray, FloatArray | None]:
        """Return y, and the sample weights, as they are without an offset where that can be."""
        y, weights, _ = self._learned
        return y, weights

    def offset(self) -> FloatArray | None:
        """Return what is added to scores all the same."""
        return self._learned[2]

    @cached_property
    def _learned(self) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
        columns = self.columns
        y = self._classes() if columns.classes else self.numbers(columns.target).astype(float)
        weights = None if columns.weight is None else self.numbers(columns.weight).astype(float)
        if columns.offset is None or columns.loss is None:
            return y, weights, None
        given = np.ones(len(y)) if weights is None else weights
        offset = self.numbers(columns.offset).astype(float)
        y, new, rest = columns.loss.without_offset(y, given, offset)
        return y, weights if new is given else new, rest

    def _classes(self) -> FloatArray:
        codes, labels = levels_of(self.batch.column(self.columns.target))
        known = {label(one): float(k) for k, one in enumerate(self.columns.classes)}
        strange = [text for text in labels if text not in known]
        if strange:
            raise ValueError(f"y must have the classes {list(known)}; got {strange[0]!r}, too")
        return np.array([known[text] for text in labels], dtype=float)[codes]


def read_batch(batch: Any, columns: Columns) -> ArrowBatch:
    """Return a record batch without rows of weight 0."""
    if columns.weight is not None and batch.num_rows:
        counts = numbers_of(batch.column(columns.weight)) != 0
        if not counts.all():
            batch = batch.filter(_arrow().array(counts))
    return ArrowBatch(batch, columns)


def numbers_of(array: Any) -> NDArray[np.floating]:
    """Return an Arrow array as floats; single precision stays so."""
    pa = _arrow()
    if not (pa.types.is_float32(array.type) or pa.types.is_float64(array.type)):
        array = array.cast(pa.float64(), safe=False)
    values = array.to_numpy(zero_copy_only=False)
    return np.require(values, requirements=["C", "ALIGNED"])  # buffers that came by wire may not be


def levels_of(array: Any) -> tuple[NDArray[np.intp], list[str]]:
    """Return the position of every value among labels, and the labels; missing: -1."""
    pa = _arrow()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    values = array.dictionary.to_pylist()
    missing = np.array([value is None or value != value for value in values], dtype=bool)
    if missing.any():
        codes = np.where(np.append(missing, True)[codes], -1, codes)
    return codes, [label(value) for value in values]


def order_of(array: Any) -> tuple[str, ...]:
    """Return the labels of an ordered dictionary in their order; of anything else nothing."""
    if not (_arrow().types.is_dictionary(array.type) and array.type.ordered):
        return ()
    return tuple(label(value) for value in array.dictionary.to_pylist() if not is_missing(value))


def hash_of_text(text: str) -> float:
    """Return a whole number below 2^52 that stands for a text."""
    digest = blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    return float(int.from_bytes(digest, "little") >> 12)


def _arrow() -> Any:
    import pyarrow

    return pyarrow
