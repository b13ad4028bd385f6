"""The range of the score: its smallest and largest value over all inputs, and rows as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calmgam.model.exact.inputs import Given, Inputs, decode_input, rounding
from calmgam.model.exact.rows import Row
from calmgam.model.exact.scores import Attained, score_extremes
from calmgam.model.glassbox import Model
from calmgam.model.links import SCALES, probability_of
from calmgam.read.audit.findings import Report, evidence_text, is_supported
from calmgam.read.outputs import Between, pair_of
from calmgam.read.words.numbers import number_texts
from calmgam.read.words.wording import value_text

N_SHOWN = 8  # features of a row in a text


@dataclass(frozen=True, repr=False)
class ScoredRow(Report):
    """A row as evidence of a score.

    Attributes
    ----------
    row : dict
        Values by feature name: a number, a level's label, or None for missing.
    score : float
    probability : float or None
        Of the second class, if the model is a classifier.
    supported : bool
        Every region that chose a curve for the row holds training rows.
    contributions : dict
        Contribution to the score by feature name.
    """

    row: Row
    score: float
    probability: float | None
    supported: bool
    contributions: dict[str, float]

    def __str__(self) -> str:
        names = sorted(self.contributions, key=lambda name: -abs(self.contributions[name]))
        probabilities = None if self.probability is None else [self.probability]
        return evidence_text(row_text(self.row, names), probabilities, self.supported)


@dataclass(frozen=True, repr=False)
class ScoreRange(Report):
    """The smallest and the largest score over all inputs, with rows that attain them.

    Attributes
    ----------
    low, high : float
        On the link scale. If not exact: sound bounds that are perhaps not attained.
    exact : bool
        The rows attain both.
    lowest, highest : ScoredRow
    """

    low: float
    high: float
    exact: bool
    lowest: ScoredRow
    highest: ScoredRow

    def __str__(self) -> str:
        low, high = number_texts([self.low, self.high], 4)
        where = "in" if self.exact else "within"
        scale = "" if self.lowest.probability is None else SCALES["logit"]
        return "\n".join(
            [
                f"the score{scale} lies {where} [{low}, {high}]",
                f"  lowest for {self.lowest}",
                f"  highest for {self.highest}",
            ]
        )


def score_range(model: Model, given: Given = None, between: Between = None) -> ScoreRange:
    """Find the smallest and the largest score over all inputs, exactly.

    Parameters
    ----------
    model : Model
    given : mapping, Region or str, optional
        Only inputs that agree: ``{"workingday": "yes"}`` or ``"hour <= 7 and workingday = yes"``.
    between : (label, label), optional
        The score is the log-odds of one class against another; needed if there are many.

    Returns
    -------
    ScoreRange
    """
    model = pair_of(model, between)
    low, high = score_extremes(Inputs.of(model, given))
    rows = _scored(model, low), _scored(model, high)
    if max(low.attained - low.bound, high.bound - high.attained) <= rounding(model):
        return ScoreRange(low.attained, high.attained, True, *rows)
    return ScoreRange(low.bound, high.bound, False, *rows)


def _scored(model: Model, found: Attained) -> ScoredRow:
    parts = model.contributions_encoded(found.row[None])[0].tolist()
    probability = None
    if model.link == "logit":
        probability = float(probability_of(np.array(found.attained)))
    return ScoredRow(
        decode_input(model, found.row),
        found.attained,
        probability,
        is_supported(model, found.row[None]),
        dict(zip(model.schema.names, parts, strict=True)),
    )


def row_text(row: Row, names: Iterable[str]) -> str:
    """Return the values of a row by name, the first few of these names."""
    names = list(names)
    shown = ", ".join(f"{name} = {value_text(row[name])}" for name in names[:N_SHOWN])
    more = len(names) - N_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown or "every row"
