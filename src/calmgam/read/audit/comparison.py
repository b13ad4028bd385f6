"""What changed from one model to another: the largest change of the score over all inputs.

The difference of two models is a model, so its exact range answers, in total and feature by
feature, with rows as evidence. Rows of a table say how many of them move, and by how much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.columns import as_table, read_table
from calmgam.model.exact.difference import difference
from calmgam.model.exact.inputs import Given, Inputs, agrees, decode_input, rounding
from calmgam.model.exact.rows import Row
from calmgam.model.exact.scores import Attained, score_extremes, term_extremes
from calmgam.model.glassbox import Model, Term
from calmgam.model.links import probability_of
from calmgam.model.schema import FloatArray
from calmgam.read.audit.findings import (
    ChangeRange,
    Report,
    change_text,
    evidence_text,
    is_supported,
    names_behind,
)
from calmgam.read.audit.score_range import row_text
from calmgam.read.outputs import Between, pair_of
from calmgam.read.words.numbers import brief_number

N_FEATURES_SHOWN = 12


@dataclass(frozen=True, repr=False)
class ComparedRow(Report):
    """A row as evidence of a change from one model to another.

    Attributes
    ----------
    row : dict
        Values by feature name, of the features of either model.
    scores : (float, float)
        Of the first and of the second model.
    change : float
        What the second model's score (or contribution of a feature) is above the first one's.
    probabilities : (float, float) or None
        Of the second class, if the models are classifiers.
    supported : bool
        In both models every region that chose a curve for the row holds training rows.
    depends_on : tuple of str
        The features that the change depends on.
    """

    row: Row
    scores: tuple[float, float]
    change: float
    probabilities: tuple[float, float] | None
    supported: bool
    depends_on: tuple[str, ...]

    def __str__(self) -> str:
        text = row_text(self.row, self.depends_on)
        return evidence_text(text, self.probabilities, self.supported)


@dataclass(frozen=True, repr=False)
class ModelChange(ChangeRange):
    """The smallest and the largest change from one model to another, and rows that attain them.

    Attributes
    ----------
    low, high, exact
        As in `ChangeRange`.
    lowest, highest : ComparedRow
    """

    lowest: ComparedRow
    highest: ComparedRow


@dataclass(frozen=True, repr=False)
class FeatureChange(ModelChange):
    """How far a feature's contribution moves; `where`: in which models the feature is."""

    feature: str
    where: str

    def __str__(self) -> str:
        note = "" if self.where == "both" else f" (only in the {self.where} model)"
        return f"{self.feature}{note}: {self.range_text}"


@dataclass(frozen=True, repr=False, eq=False)
class RowChanges(Report):
    """How the scores of given rows move.

    Attributes
    ----------
    changes : array of float
        One per row that agrees with `given`.
    threshold : float
    """

    changes: FloatArray
    threshold: float

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return len(self.changes)

    @property
    def share(self) -> float:
        """Share of the rows whose score moves by more than the threshold, up or down."""
        return float((np.abs(self.changes) > self.threshold).mean())

    @property
    def mean(self) -> float:
        """Mean change."""
        return float(self.changes.mean())

    @property
    def largest(self) -> float:
        """Largest change in either direction, with its sign."""
        return float(self.changes[np.abs(self.changes).argmax()])

    def __str__(self) -> str:
        moved = f"by more than {brief_number(self.threshold, 4)}" if self.threshold else "at all"
        return (
            f"{100 * self.share:.3g} % of {self.n_rows:,} rows move {moved}; on average by "
            f"{change_text(self.mean)}, at most by {change_text(self.largest)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the single changes are left out."""
        names = ("n_rows", "threshold", "share", "mean", "largest")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, repr=False)
class Comparison(ModelChange):
    """What changes from one model to another, over all inputs and over given rows.

    Attributes
    ----------
    features : tuple of FeatureChange
        The largest change first; features of which nothing changes are left out.
    rows : RowChanges or None
    """

    features: tuple[FeatureChange, ...]
    rows: RowChanges | None

    def __str__(self) -> str:
        if not self.features and not self.size:
            return "the score is the same for every input"
        features = [f"  {feature}" for feature in self.features[:N_FEATURES_SHOWN]]
        more = len(self.features) - N_FEATURES_SHOWN
        ends = [f"  lowest for {self.lowest}", f"  highest for {self.highest}"]
        return "\n".join(
            [
                f"the score changes by {self.range_text}",
                *ends,
                *([f"  {self.rows}"] if self.rows is not None else ()),
                *(["contributions change by"] if features else ()),
                *features,
                *([f"  and {more} more features"] if more > 0 else ()),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {name: value for name, value in vars(self).items() if name not in ("rows",)}
        plain |= {name: plain[name].to_dict() for name in ("lowest", "highest")}
        plain["features"] = [feature.to_dict() for feature in self.features]
        return plain | {"rows": None if self.rows is None else self.rows.to_dict()}


def compare(
    model_a: Model,
    model_b: Model,
    data: Any = None,
    threshold: float = 0.0,
    given: Given = None,
    between: Between = None,
) -> Comparison:
    """Find how far the score can move from one model to another, over all inputs, exactly.

    Parameters
    ----------
    model_a, model_b : Model
        Of the same link and classes; trees, edges, levels and features may differ. A feature that
        one does not have contributes nothing there.
    data : data frame or array, optional
        Rows of which is said how many move. An array has the columns of both models.
    threshold : float
        Count the rows whose score moves by more than this.
    given : mapping, Region or str, optional
        Only inputs (and rows) that agree: ``{"workingday": "yes"}`` or ``"hour <= 7"``.
    between : (label, label), optional
        The score is the log-odds of one class against another; needed if there are many.

    Returns
    -------
    Comparison
    """
    if not 0 <= threshold < math.inf:
        raise ValueError(f"threshold must be a finite number of at least 0; got {threshold}")
    model_a, model_b = pair_of(model_a, between), pair_of(model_b, between)
    models = _Models(model_a, model_b, difference(model_a, model_b))
    inputs, tie = Inputs.of(models.change, given), rounding(model_a) + rounding(model_b)
    features = []
    for term in models.change.terms:
        low, high = term_extremes(inputs, term)
        if max(-low.bound, high.bound) > tie:
            rows = models.row(low, [term]), models.row(high, [term])
            name = term.feature.name
            features.append(
                FeatureChange(low.bound, high.bound, True, *rows, name, models.where(name))
            )
    low, high = score_extremes(inputs)
    moving = [term for term in models.change.terms if any(s.values.any() for s in term.shapes)]
    ends = models.row(low, moving, True), models.row(high, moving, True)
    exact = max(low.attained - low.bound, high.bound - high.attained) <= tie
    bounds = (ends[0].change, ends[1].change) if exact else (low.bound, high.bound)
    return Comparison(
        *bounds,
        exact,
        *ends,
        features=tuple(sorted(features, key=lambda feature: -feature.size)),
        rows=None if data is None else _row_changes(models, data, threshold, given),
    )


@dataclass(frozen=True, eq=False)
class _Models:
    """Two models and their difference."""

    a: Model
    b: Model
    change: Model

    def where(self, name: str) -> str:
        """Say which of the models have a feature."""
        has = name in self.a.schema.by_name, name in self.b.schema.by_name
        return {(True, True): "both", (True, False): "first"}.get(has, "second")

    def row(self, found: Attained, terms: Sequence[Term], is_total: bool = False) -> ComparedRow:
        """Return a row as evidence: of the score, or of what a term contributes."""
        values = decode_input(self.change, found.row)
        rows = [(model, _encoded(model, values)) for model in (self.a, self.b)]
        before, after = (float(model.score_encoded(row)[0]) for model, row in rows)
        probabilities = None
        if self.a.link == "logit":
            first, second = probability_of(np.array([before, after])).tolist()
            probabilities = first, second
        return ComparedRow(
            values,
            (before, after),
            after - before if is_total else found.attained,
            probabilities,
            all(is_supported(model, row) for model, row in rows),
            names_behind(self.change, terms),
        )


def _encoded(model: Model, values: Row) -> FloatArray:
    """Encode the values that a model knows; a level of the other model alone is an unseen one."""
    row = [
        f.code(values[f.name]) if not f.is_numeric or values[f.name] is None else values[f.name]
        for f in model.schema.features
    ]
    return np.array([row], dtype=np.float64)


def _row_changes(models: _Models, data: Any, threshold: float, given: Given) -> RowChanges:
    """Return how the rows that agree with `given` move."""
    data = as_table(data)
    if models.a.schema.names != models.b.schema.names and not read_table(data)[1]:
        raise ValueError("data must have names of columns: the models have different features")
    changes = models.b.score(data) - models.a.score(data)
    if given is not None:
        changes = changes[agrees(models.change, models.change.schema.encode(data), given)]
    if not len(changes):
        raise ValueError(f"some row must agree with given; none does: {given}")
    return RowChanges(changes, float(threshold))
