"""What all audit reports share: plain values, short text, and pairs of rows as evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from calmgam.model.exact.changes import Extreme
from calmgam.model.exact.inputs import all_inputs, decode_input, rounding, terms_asking
from calmgam.model.exact.kept import once_per_model
from calmgam.model.exact.rows import Row
from calmgam.model.glassbox import Model, Term
from calmgam.model.links import probability_of
from calmgam.model.schema import Feature, FloatArray
from calmgam.read.words.numbers import signed_number
from calmgam.read.words.wording import value_text


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
        text = f"{self.feature}: {start} → {stop}" + (f" where {context}" if context else "")
        return evidence_text(text, self.probabilities, self.supported)


@dataclass(frozen=True, repr=False)
class ChangeRange(Report):
    """The exact smallest and largest change of a score.

    Attributes
    ----------
    low, high : float
        If not exact: sound bounds that are perhaps not attained.
    exact : bool
        Rows attain both.
    """

    low: float
    high: float
    exact: bool

    @property
    def size(self) -> float:
        """The largest change in either direction."""
        return max(abs(self.low), abs(self.high))

    @property
    def range_text(self) -> str:
        """The range, or the one change that there is."""
        low, high = change_text(self.low), change_text(self.high)
        text = low if low == high else f"[{low}, {high}]"
        return text if self.exact else f"within {text}"


@dataclass(frozen=True, repr=False)
class Range(ChangeRange):
    """The smallest and the largest change, with rows that attain them.

    Attributes
    ----------
    low, high, exact
        As in `ChangeRange`.
    low_pair, high_pair : Pair
    """

    low_pair: Pair
    high_pair: Pair

    @property
    def supported(self) -> bool:
        """Both pairs lie in regions that hold training rows."""
        return self.low_pair.supported and self.high_pair.supported


def evidence_text(text: str, probabilities: Sequence[float] | None, has_rows: bool) -> str:
    """Return a text about rows with their probabilities, and a mark where no training rows are."""
    shown = " → ".join(f"{one:.3f}" for one in probabilities or ())
    text += f" (probability {shown})" if shown else ""
    return text + ("" if has_rows else " [no training rows]")


def names_behind(
    model: Model, terms: Sequence[Term], besides: int | None = None
) -> tuple[str, ...]:
    """Return the features that a sum of terms depends on, but for one."""
    involved = {term.feature.index for term in terms}.union(*(t.conditioned_on for t in terms))
    return tuple(model.schema.names[k] for k in sorted(involved - {besides}))


def is_supported(model: Model, rows: FloatArray) -> bool:
    """Tell whether every region that chooses a curve for the rows holds training rows."""
    return all(
        term.shapes[leaf].counts.any()
        for term in _terms_with_empty_regions(model)
        for leaf in term.tree.leaf_of(rows)
    )


@once_per_model
def _terms_with_empty_regions(model: Model) -> tuple[Term, ...]:
    return tuple(t for t in model.terms if not all(shape.counts.any() for shape in t.shapes))


@once_per_model
def _typical_contributions(model: Model) -> FloatArray:
    contributions: FloatArray = model.contributions_encoded(all_inputs(model).typical[None])[0]
    return contributions


def contributions_beside(
    model: Model, known: FloatArray, contributions: FloatArray, row: FloatArray
) -> FloatArray:
    """Return the contributions to a row that differs from a known one in a few features."""
    differs = ~np.equal(row, known) & ~(np.isnan(row) & np.isnan(known))
    found = contributions.copy()
    for term in affected(model, np.flatnonzero(differs).tolist()):
        found[term.feature.index] = term.contribution(row[None])[0]
    return found


def affected(model: Model, indexes: Iterable[int]) -> list[Term]:
    """Return the terms that depend on some of these features."""
    asking = terms_asking(model)
    found = {i for index in indexes for i in (index, *(_indexes(asking.get(index, ()))))}
    return [model.terms[i] for i in sorted(found)]


def total(model: Model, contributions: FloatArray) -> Any:
    """Return the score (or those of all classes): added in the model's order, to its very bits."""
    score = np.add.accumulate([model.intercept, *contributions])[-1]
    return float(score) if model.link != "softmax" else score


def make_pair(model: Model, feature: Feature, extreme: Extreme, terms: Sequence[Term]) -> Pair:
    """Return an extreme as evidence."""
    rows = np.array([extreme.before, extreme.after])
    before, after = (decode_input(model, row) for row in rows)
    for k, text in extreme.unseen.items():
        before[model.schema.names[k]] = after[model.schema.names[k]] = text
    probabilities = None
    if model.link == "logit":
        known = all_inputs(model).typical, _typical_contributions(model)
        scores = [total(model, contributions_beside(model, *known, row)) for row in rows]
        first, second = probability_of(np.array(scores)).tolist()
        probabilities = first, second
    return Pair(
        feature.name,
        before,
        after,
        extreme.attained,
        is_supported(model, rows),
        probabilities,
        names_behind(model, terms, feature.index),
    )


def _indexes(terms: Iterable[Term]) -> Iterator[int]:
    return (term.feature.index for term in terms)


def make_range(
    model: Model, feature: Feature, low: Extreme, high: Extreme, terms: Sequence[Term]
) -> Range:
    """Return both extremes as evidence; a bound that its rows attain is the change itself."""
    low_pair, high_pair = (make_pair(model, feature, extreme, terms) for extreme in (low, high))
    if max(low.attained - low.bound, high.bound - high.attained) <= rounding(model):
        return Range(low.attained, high.attained, True, low_pair, high_pair)
    return Range(low.bound, high.bound, False, low_pair, high_pair)


def change_text(change: float) -> str:
    """Return a change with its sign and four digits."""
    return signed_number(change, 4)
