"""What all audit reports share: plain values, short text, and pairs of rows as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from calmgam.model.exact.changes import Extreme
from calmgam.model.exact.inputs import Row, decode_row, rounding
from calmgam.model.glassbox import Model, Term
from calmgam.model.schema import Feature, FloatArray


class Report:
    """A frozen dataclass that prints as text and turns into plain values."""

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, repr=False)
class Pair(Report):
    """Two rows that differ in one feature alone, as evidence of a change.

    Attributes
    ----------
    feature : str
        The feature that differs.
    before, after : dict
        Values by feature name: a number, a level's label, or None for missing.
    change : float
        Change of the score (of a jump: of the terms that switch) from `before` to `after`.
    supported : bool
        Every region that chose a curve for one of the rows holds training rows.
    probabilities : (float, float) or None
        Of the second class, for both rows, if the model is a classifier.
    depends_on : tuple of str
        The other features that the change depends on.
    """

    feature: str
    before: Row
    after: Row
    change: float
    supported: bool
    probabilities: tuple[float, float] | None
    depends_on: tuple[str, ...]

    def __str__(self) -> str:
        start, stop = (value_text(row[self.feature]) for row in (self.before, self.after))
        context = ", ".join(f"{name} = {value_text(self.before[name])}" for name in self.depends_on)
        parts = [f"{self.feature}: {start} → {stop}", f" where {context}" if context else ""]
        if self.probabilities:
            parts.append(" (probability {:.3f} → {:.3f})".format(*self.probabilities))
        return "".join(parts) + ("" if self.supported else " [no training rows]")


@dataclass(frozen=True, repr=False)
class Range(Report):
    """The exact smallest and largest change, with rows that attain them.

    Attributes
    ----------
    low, high : float
        If not exact: sound bounds that are perhaps not attained.
    exact : bool
        The rows attain both.
    low_pair, high_pair : Pair
    """

    low: float
    high: float
    exact: bool
    low_pair: Pair
    high_pair: Pair

    @property
    def low_row(self) -> Row:
        """The row before the smallest change."""
        return self.low_pair.before

    @property
    def high_row(self) -> Row:
        """The row before the largest change."""
        return self.high_pair.before

    @property
    def supported(self) -> bool:
        """Both pairs lie in regions that hold training rows."""
        return self.low_pair.supported and self.high_pair.supported

    @property
    def range_text(self) -> str:
        """The range, or the one change that there is."""
        low, high = change_text(self.low), change_text(self.high)
        text = low if low == high else f"[{low}, {high}]"
        return text if self.exact else f"within {text}"


def is_supported(model: Model, rows: FloatArray) -> bool:
    """Tell whether every region that chooses a curve for the rows holds training rows."""
    return all(
        term.shapes[leaf].counts.any() for term in model.terms for leaf in term.tree.leaf_of(rows)
    )


def make_pair(model: Model, feature: Feature, extreme: Extreme, terms: Sequence[Term]) -> Pair:
    """Return an extreme as evidence."""
    rows = np.array([extreme.before, extreme.after])
    involved = {term.feature.index for term in terms}.union(*(t.conditioned_on for t in terms))
    names = tuple(model.schema.names[k] for k in sorted(involved - {feature.index}))
    before, after = (decode_row(model.schema, row) for row in rows)
    probabilities = None
    if model.link == "logit":
        table = np.array([list(row.values()) for row in (before, after)], dtype=object)
        first, second = model.predict(table).tolist()
        probabilities = first, second
    return Pair(
        feature.name,
        before,
        after,
        extreme.attained,
        is_supported(model, rows),
        probabilities,
        names,
    )


def make_range(
    model: Model, feature: Feature, low: Extreme, high: Extreme, terms: Sequence[Term]
) -> Range:
    """Return both extremes as evidence; a bound that its rows attain is the change itself."""
    low_pair, high_pair = (make_pair(model, feature, extreme, terms) for extreme in (low, high))
    if max(low.attained - low.bound, high.bound - high.attained) <= rounding(model):
        return Range(low.attained, high.attained, True, low_pair, high_pair)
    return Range(low.bound, high.bound, False, low_pair, high_pair)


def value_text(value: Any) -> str:
    """Return a value of a feature as text."""
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def change_text(change: float) -> str:
    """Return a change with its sign and four digits."""
    return f"{change:+.4g}"
