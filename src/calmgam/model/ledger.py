"""Which splits were considered, kept and refused, and why.

In: one `SplitRecord` per node of every grown tree: the split that was made there or, at a leaf,
the best one that was refused. Out: `Ledger`, which derives from them every feature's heterogeneity
before and after (sum_r P_r H_r over its leaves) and the paper's bound on the CALM's squared
distance to the reference, d · sum_i sum_r P_ir H_ir.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import Any

from calmgam.model.plain import Document, Plain
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Schema


class _Record:
    """A value with plain floats in it, of which NaN equals NaN."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, float):
                object.__setattr__(self, name, float(value))  # numpy's are written otherwise

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return all(one == two or (one != one and two != two) for one, two in pairs)

    def __hash__(self) -> int:
        return hash(tuple(value for value in vars(self).values() if not isinstance(value, float)))


@dataclass(frozen=True, eq=False)
class SplitRecord(_Record):
    """The best split of one region of one feature, made or refused.

    Parameters
    ----------
    feature
        Name of the feature whose curves the split separates.
    region
        Where the split applies: the parent.
    condition
        What holds on the left; None if no condition could be tried.
    depth
        Number of splits above.
    n_rows, n_left, n_right
        Background rows in the region and on each side.
    share
        The region's share P_r of the background's weight.
    heterogeneity_before, drop
        H of the region, in squared units of the score (joint growth: of the standardised one),
        and the share of it that the split takes away.
    accepted, reason
        Whether the split was made; why not, if not.
    """

    feature: str
    region: Region
    condition: Condition | None
    depth: int
    n_rows: int
    n_left: int
    n_right: int
    share: float
    heterogeneity_before: float
    drop: float
    accepted: bool
    reason: str = ""

    @property
    def condition_feature(self) -> str | None:
        """Name of the feature that the condition is about."""
        return None if self.condition is None else self.condition.feature.name

    @property
    def heterogeneity_after(self) -> float:
        """Mean H of the two sides."""
        return self.heterogeneity_before * (1 - self.drop)

    @property
    def gain(self) -> float:
        """Absolute drop, as part of the whole background: comparable between features."""
        return self.share * self.heterogeneity_before * self.drop

    def row(self) -> dict[str, Any]:
        """One row of the ledger as people read it: texts and numbers."""
        return {
            "feature": self.feature,
            "region": str(self.region),
            "condition": None if self.condition is None else str(self.condition),
            "condition_feature": self.condition_feature,
            "accepted": self.accepted,
            "reason": self.reason,
            "drop": self.drop,
            "gain": self.gain,
            "heterogeneity_before": self.heterogeneity_before,
            "heterogeneity_after": self.heterogeneity_after,
            "depth": self.depth,
            "n_rows": self.n_rows,
            "n_left": self.n_left,
            "n_right": self.n_right,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        condition = None if self.condition is None else self.condition.to_dict()
        return dict(vars(self)) | {"region": self.region.to_dict(), "condition": condition}

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> SplitRecord:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*(field.name for field in fields(cls)))
        has_condition = plain["condition"].value is not None
        return cls(
            feature=plain["feature"].find(schema.by_name, "the name of a feature").name,
            region=Region.from_dict(plain["region"], schema),
            condition=Condition.from_dict(plain["condition"], schema) if has_condition else None,
            depth=plain["depth"].integer(),
            n_rows=plain["n_rows"].integer(),
            n_left=plain["n_left"].integer(),
            n_right=plain["n_right"].integer(),
            share=plain["share"].number(finite=False),
            heterogeneity_before=plain["heterogeneity_before"].number(finite=False),
            drop=plain["drop"].number(finite=False),
            accepted=plain["accepted"].flag(),
            reason=plain["reason"].text(),
        )


@dataclass(frozen=True)
class PathSplit:
    """One step of the path: which leaf of which feature's tree is split, and the split itself."""

    feature: int
    leaf: int
    record: SplitRecord

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the record names the feature."""
        return {"leaf": self.leaf, "record": self.record.to_dict()}

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> PathSplit:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("leaf", "record")
        record = SplitRecord.from_dict(plain["record"], schema)
        return cls(schema.index(record.feature), plain["leaf"].integer(), record)


def check_path(path: Sequence[PathSplit], schema: Schema) -> None:
    """Raise an error if the steps of a path cannot follow each other."""
    n_leaves = [1] * schema.n_features
    for position, step in enumerate(path):
        index = step.feature
        if not 0 <= index < schema.n_features or schema.names[index] != step.record.feature:
            raise ValueError(f"path[{position}] must split the feature of its record; got {step}")
        if step.record.condition is None or not 0 <= step.leaf < n_leaves[index]:
            raise ValueError(
                f"path[{position}] must split one of the {n_leaves[index]} leaves of "
                f"{step.record.feature!r} by a condition; got leaf {step.leaf}"
            )
        n_leaves[index] += 1


@dataclass(frozen=True, eq=False)
class PathPoint(_Record):
    """Cross-validated error after a number of splits.

    Parameters
    ----------
    n_splits
        Splits made so far.
    error, standard_error
        Held-out error in the units of y (RMSE or log loss), and the standard error of its paired
        difference to the best.
    chosen
        Whether cross-validation chose this many splits.
    """

    n_splits: int
    error: float
    standard_error: float
    chosen: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, plain: Document) -> PathPoint:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("n_splits", "error", "standard_error", "chosen")
        return cls(
            n_splits=plain["n_splits"].integer(),
            error=plain["error"].number(finite=False),
            standard_error=plain["standard_error"].number(finite=False),
            chosen=plain["chosen"].flag(),
        )


@dataclass(frozen=True)
class FeatureRecord:
    """A feature's heterogeneity before and after its splits."""

    feature: str
    heterogeneity_before: float
    heterogeneity_after: float
    n_leaves: int


@dataclass(frozen=True)
class Ledger:
    """All splits that were considered.

    Parameters
    ----------
    n_features
        Number of features of the model.
    splits
        The records: feature by feature, a region before its parts; with joint growth in the
        order in which they were made.
    path
        With `max_splits="auto"`: the error after every number of splits (joint growth), or after
        those that were tried (heterogeneity).
    is_joint
        Whether trees were grown jointly: heterogeneity then means the squared residual, and no
        feature's own is measured.
    effect
        The local effects whose heterogeneity was measured.
    stopped
        By what, and in which stage, the fit was stopped before its end; empty if it was not.
    """

    n_features: int = 0
    splits: tuple[SplitRecord, ...] = ()
    path: tuple[PathPoint, ...] = ()
    is_joint: bool = False
    effect: str = "pdp"
    stopped: str = ""

    def keeping(self, n_splits: int) -> Ledger:
        """Return the ledger of joint growth with another number of its splits kept."""
        reason = f"beyond the {n_splits} splits asked for"
        splits = tuple(
            replace(record, accepted=k < n_splits, reason="" if k < n_splits else reason)
            for k, record in enumerate(self.splits)
        )
        return replace(self, splits=splits)

    @property
    def accepted(self) -> tuple[SplitRecord, ...]:
        """The splits that were made."""
        return tuple(record for record in self.splits if record.accepted)

    @property
    def is_cross_validated(self) -> bool:
        """Whether cross-validation chose the number of splits that were made."""
        return any(point.chosen and point.n_splits == len(self.accepted) for point in self.path)

    @property
    def features(self) -> tuple[FeatureRecord, ...]:
        """Every searched feature's heterogeneity before and after; none with joint growth."""
        return () if self.is_joint else tuple(self._features())

    def _features(self) -> Iterator[FeatureRecord]:
        for feature, group in groupby(self.splits, key=lambda record: record.feature):
            records = list(group)
            leaves = [record for record in records if not record.accepted]
            after = sum(leaf.share * leaf.heterogeneity_before for leaf in leaves)
            yield FeatureRecord(feature, records[0].heterogeneity_before, after, len(leaves))

    @property
    def bound(self) -> float:
        """Bound on the distance of the best fit in these regions to the reference, in units of y.

        The root of d · sum_i sum_r P_ir H_ir bounds the root mean squared difference (tested
        with independent features); of a classifier, in log-odds (with
        ``effect_scale="response"``, in probability). NaN if some feature's PDP was not searched.
        """
        features = self.features
        if len(features) < self.n_features or self.effect != "pdp":
            return float("nan")
        total = sum(feature.heterogeneity_after for feature in features)
        return math.sqrt(self.n_features * max(total, 0.0))

    def rows(self) -> list[dict[str, Any]]:
        """Return the records in plain values, one dict per split."""
        return [record.row() for record in self.splits]

    def to_frame(self) -> Any:
        """Return the records as a pandas data frame; as `rows()` where there is no pandas."""
        return frame_of(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {
            "n_features": self.n_features,
            "is_joint": self.is_joint,
            "effect": self.effect,
            "splits": [record.to_dict() for record in self.splits],
            "path": [point.to_dict() for point in self.path],
        }
        return plain | ({"stopped": self.stopped} if self.stopped else {})

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> Ledger:
        """Inverse of `to_dict`."""
        names = ("n_features", "is_joint", "effect", "splits", "path")
        plain = Plain.of(plain).fields(*names, optional=("stopped",))
        return cls(
            n_features=plain["n_features"].integer(),
            splits=tuple(SplitRecord.from_dict(part, schema) for part in plain["splits"].items()),
            path=tuple(map(PathPoint.from_dict, plain["path"].items())),
            is_joint=plain["is_joint"].flag(),
            effect=plain["effect"].text(),
            stopped=plain["stopped"].text() if "stopped" in plain else "",
        )


def frame_of(rows: list[dict[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """Return rows as a pandas data frame; as they are where there is no pandas."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows, columns=columns)
