"""The predicate algebra: conditions on one feature, and regions, their conjunctions.

A condition *is* a set of values of one feature, and so is a region's restriction to a feature. Both
are written as a `Support`: disjoint intervals (low, high] on the axis of the encoded column, where
the level with code c is (c - 1, c] and the unseen level is the last one, and whether missing values
belong to it. Masks, text, subset and disjointness all follow from that one form, exactly.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.plain import Document, Plain
from calmgam.model.schema import Feature, Schema
from calmgam.model.value_sets import EVERYTHING, Interval, Support, complement, merge

Mask = NDArray[np.bool_]
NEGATION = {"<=": ">", ">": "<=", "=": "!=", "!=": "="}
BARE_SIGNS = r"""[^\s"'{},<>=!]"""
KEYWORDS = {"and", "or", "in", "not", "is", "missing", "everywhere"}


@dataclass(frozen=True)
class Condition:
    """One plain statement about one feature, such as `hour <= 7 or missing`.

    Attributes
    ----------
    feature : Feature
    operator : {"<=", ">", "=", "!="}
        Levels know "=" and "!=" only.
    value : float or tuple of int
        Numeric: the threshold (infinity compares with every number, so that `<=` says "is not
        missing") or the value. Otherwise the sorted codes of the levels, "=" meaning one of them.
    missing : bool
        Whether a missing value satisfies the condition.
    bounds : (float, float)
        Numeric "=" and "!=" only: "= v" means low < x <= high, the curve bin of v.
    """

    feature: Feature
    operator: str
    value: float | tuple[int, ...]
    missing: bool = False
    bounds: Interval = EVERYTHING

    def __post_init__(self) -> None:
        self._normalise()
        feature, value = self.feature, self.value
        allowed = tuple(NEGATION) if feature.is_numeric else ("=", "!=")
        if self.operator not in allowed:
            raise ValueError(
                f"operator of a condition on {feature.kind} feature {feature.name!r} must be "
                f"one of {allowed}; got {self.operator!r}"
            )
        if feature.is_numeric:
            if isinstance(value, tuple) or math.isnan(value) or value == -math.inf:
                raise ValueError(f"threshold on {feature.name!r} must be a number; got {value}")
            low, high = self.bounds
            if self.operator in ("=", "!=") and not (low < value <= high and value < math.inf):
                raise ValueError(
                    f"bounds of a value of {feature.name!r} must hold it, low < value <= high; "
                    f"got {value} and {self.bounds}"
                )
        elif not isinstance(value, tuple) or list(value) != sorted(
            set(value) & set(range(feature.n_levels))
        ):
            raise ValueError(
                f"levels of {feature.name!r} must be sorted distinct codes below "
                f"{feature.n_levels}; got {value}"
            )
        if self.bounds != EVERYTHING and not (feature.is_numeric and self.operator in ("=", "!=")):
            raise ValueError(f"only '=' and '!=' on numbers have bounds; got {self.bounds}")

    def _normalise(self) -> None:
        """Python numbers instead of numpy's, so that text and JSON are plain."""
        value = tuple(map(int, self.value)) if isinstance(self.value, tuple) else float(self.value)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "missing", bool(self.missing))
        object.__setattr__(self, "bounds", (float(self.bounds[0]), float(self.bounds[1])))

    @cached_property
    def support(self) -> Support:
        """The values that satisfy the condition."""
        if not self.feature.is_numeric:
            inside = merge((code - 1.0, float(code)) for code in self.codes)
        elif self.operator in ("=", "!="):
            inside = (self.bounds,)
        else:
            inside = ((-math.inf, self.threshold),)
        if self.is_negative:
            inside = complement(inside, _axis(self.feature))
        return Support(inside, self.missing)

    @property
    def is_negative(self) -> bool:
        """The operator is the negation of a plain one: ">" or "!="."""
        return self.operator in (">", "!=")

    @property
    def threshold(self) -> float:
        """The number a numeric condition compares with."""
        assert not isinstance(self.value, tuple)
        return self.value

    @property
    def codes(self) -> tuple[int, ...]:
        """The codes of the levels a categorical condition names."""
        assert isinstance(self.value, tuple)
        return self.value

    @property
    def edges(self) -> tuple[float, ...]:
        """Numbers on the axis at which a numeric condition changes its mind."""
        if not self.feature.is_numeric:
            return ()
        ends = self.bounds if self.operator in ("=", "!=") else (self.threshold,)
        return tuple(end for end in ends if math.isfinite(end))

    def negate(self) -> Condition:
        """Return the condition satisfied by all other values, missing ones included."""
        return replace(self, operator=NEGATION[self.operator], missing=not self.missing)

    def holds(self, column: FloatArray) -> Mask:
        """Mask of the values of the feature's encoded column that satisfy the condition."""
        mask: Mask
        if not self.feature.is_numeric:
            mask = np.isin(column, self.codes) if len(self.codes) != 1 else column == self.codes[0]
        elif self.operator in ("=", "!="):
            low, high = self.bounds
            mask = (column > low) & (column <= high)
        else:
            mask = column <= self.threshold
        if self.is_negative:
            np.logical_not(mask, out=mask)
        if self.missing != self.is_negative:  # a NaN compares false, so it now holds is_negative
            mask[np.isnan(column)] = self.missing
        return mask

    def contains(self, X: FloatArray) -> Mask:
        """Mask of the rows of the encoded matrix that satisfy the condition."""
        return self.holds(X[:, self.feature.index])

    def implies(self, other: Condition) -> bool:
        """Every value that satisfies this condition satisfies the other one."""
        return self.feature.index == other.feature.index and self.support <= other.support

    def contradicts(self, other: Condition) -> bool:
        """No value satisfies both conditions."""
        return self.feature.index == other.feature.index and not self.support & other.support

    def __str__(self) -> str:
        return str(Region((self,)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; levels by label."""
        plain: dict[str, Any] = {
            "feature": self.feature.name,
            "operator": self.operator,
            "value": self.value
            if self.feature.is_numeric
            else [self.feature.levels[code] for code in self.codes],
            "missing": self.missing,
        }
        if self.bounds != EVERYTHING:
            plain["bounds"] = list(self.bounds)
        return plain

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> Condition:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain)
        plain.fields("feature", "operator", "value", "missing", optional=("bounds",))
        feature = plain["feature"].find(schema.by_name, "the name of a feature")
        value: float | tuple[int, ...]
        if feature.is_numeric:
            value = plain["value"].number(finite=False)
        else:
            what = f"a level of {feature.name!r}"
            value = tuple(sorted(one.find(feature.code_of, what) for one in plain["value"].items()))
        bounds = EVERYTHING
        if "bounds" in plain:
            ends = [end.number(finite=False) for end in plain["bounds"].items()]
            if len(ends) != 2:
                raise plain["bounds"].error("be two numbers")
            bounds = ends[0], ends[1]
        operator, missing = plain["operator"].choice(NEGATION), plain["missing"].flag()
        return plain.make(cls, feature, operator, value, missing, bounds)


@dataclass(frozen=True)
class Region:
    """A conjunction of conditions; the empty one holds everywhere."""

    conditions: tuple[Condition, ...] = ()

    @cached_property
    def supports(self) -> dict[int, Support]:
        """The values each restricted feature may have, by feature index."""
        supports: dict[int, Support] = {}
        for condition in self.conditions:
            supports = _narrowed(supports, condition)
        return supports

    @property
    def is_empty(self) -> bool:
        """No row can lie in the region."""
        return not all(self.supports.values())

    def contains(self, X: FloatArray) -> Mask:
        """Mask of the rows of the encoded matrix that lie in the region."""
        mask = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            mask &= condition.contains(X)
        return mask

    def with_condition(self, condition: Condition) -> Region:
        """Return the part of the region where the condition holds too."""
        part = Region((*self.conditions, condition))
        vars(part)["supports"] = _narrowed(self.supports, condition)  # need not be found again
        return part

    def __and__(self, other: Region) -> Region:
        return Region(self.conditions + other.conditions)

    def implies(self, other: Region | Condition) -> bool:
        """Every row in this region lies in the other one."""
        other = _as_region(other)
        return self.is_empty or all(
            index in self.supports and self.supports[index] <= support
            for index, support in other.supports.items()
        )

    def contradicts(self, other: Region | Condition) -> bool:
        """No row lies in both regions."""
        other = _as_region(other)
        shared = self.supports.keys() & other.supports.keys()
        return (
            self.is_empty
            or other.is_empty
            or any(not self.supports[index] & other.supports[index] for index in shared)
        )

    def __str__(self) -> str:
        return " and ".join(map(self._feature_text, self.supports)) or "everywhere"

    def _feature_text(self, index: int) -> str:
        """All that the region says about one feature."""
        conditions = [c for c in self.conditions if c.feature.index == index]
        feature, support = conditions[0].feature, self.supports[index]
        if not support and len(conditions) > 1:  # contradictory: say it all
            return " and ".join(map(str, conditions))
        name = quote(feature.name, is_name=True)
        if not support.intervals and support.missing:
            return f"{name} is missing"
        statements = (
            _number_statements(name, feature, conditions)
            if feature.is_numeric
            else _level_statements(name, feature, support)
        )
        suffix = " or missing" if support.missing and feature.has_missing else ""
        return " and ".join(s + suffix for s in statements) or f"{name} is not missing"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"conditions": [condition.to_dict() for condition in self.conditions]}

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> Region:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("conditions")
        return cls(tuple(Condition.from_dict(d, schema) for d in plain["conditions"].items()))


def number_text(value: float) -> str:
    """Shortest text that reads back as the same number: 7, not 7.0."""
    return repr(value).removesuffix(".0")


def quote(text: str, is_name: bool = False) -> str:
    """Text as `parse_region` reads it: quoted only if it would be misread bare."""
    words = text.split(" ")
    is_plain = all(
        re.fullmatch(f"{BARE_SIGNS}+", word) and word.lower() not in KEYWORDS for word in words
    )
    if is_plain and not (is_name and is_number(text)):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _number_statements(name: str, feature: Feature, conditions: list[Condition]) -> list[str]:
    low = max((c.threshold for c in conditions if c.operator == ">"), default=-math.inf)
    high = min((c.threshold for c in conditions if c.operator == "<="), default=math.inf)
    statements = [_value_statement(name, c) for c in conditions if c.operator in ("=", "!=")]
    return statements + ([] if low == -high == -math.inf else [between(feature, low, high)])


def _value_statement(name: str, condition: Condition) -> str:
    feature, value = condition.feature, condition.threshold
    ends = (feature.low, feature.high)
    if condition.operator == "!=" and feature.two_valued and value in ends:
        return f"{name} = {number_text(ends[value == feature.low])}"  # the other one
    return f"{name} {condition.operator} {number_text(value)}"


def between(feature: Feature, low: float, high: float) -> str:
    """Say that a number lies in (low, high], as people do who know its training values.

    Of whole numbers those up to 9.5 are `<= 9`; of two numbers, the lower is `= 0`.
    """
    name = quote(feature.name, is_name=True)
    if feature.two_valued:
        inside = [value for value in (feature.low, feature.high) if low < value <= high]
        if len(inside) == 1:
            return f"{name} = {number_text(inside[0])}"
    first, last = (number_text(spoken(feature, end)) for end in (low, high))
    if high == math.inf:
        return f"{name} > {first}"
    return f"{name} <= {last}" if low == -math.inf else f"{first} < {name} <= {last}"


def spoken(feature: Feature, threshold: float) -> float:
    """Return the number that stands for a threshold in words: of whole numbers the one below."""
    return float(math.floor(threshold)) if feature.whole and math.isfinite(threshold) else threshold


def _level_statements(name: str, feature: Feature, support: Support) -> list[str]:
    codes = support.codes(feature.n_levels)
    unseen = feature.n_levels in codes  # then name the levels outside, else those inside
    labels = [quote(text) for code, text in enumerate(feature.levels) if (code in codes) != unseen]
    if len(labels) == 1:
        return [f"{name} {'!=' if unseen else '='} {labels[0]}"]
    if unseen and not labels:
        return []
    return [f"{name} {'not in' if unseen else 'in'} {{{', '.join(labels)}}}"]


def is_number(text: str) -> bool:
    """Tell whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _axis(feature: Feature) -> Interval:
    """Return the interval of all values but missing."""
    return EVERYTHING if feature.is_numeric else (-1.0, float(feature.n_levels))


def _narrowed(supports: dict[int, Support], condition: Condition) -> dict[int, Support]:
    """Return what is left of the values that features may have if a condition holds, too."""
    index, support = condition.feature.index, condition.support
    if support == Support((_axis(condition.feature),), missing=True):
        return supports  # every value will do
    return supports | {index: supports[index] & support if index in supports else support}


def _as_region(predicate: Region | Condition) -> Region:
    return Region((predicate,)) if isinstance(predicate, Condition) else predicate
