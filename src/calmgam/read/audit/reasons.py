"""Reasons: the largest contributions to one score, each with the rule that selected its curve.

Contributions of a fitted model are differences from the average row, so the negative ones are what
an adverse-action notice has to name where a high score is good for the person, and the positive
ones where it is bad.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from calmgam.model.exact.rows import read_row
from calmgam.model.glassbox import Model
from calmgam.model.links import probability_of
from calmgam.read.audit.findings import Report, change_text
from calmgam.read.outputs import Between, pair_of_row
from calmgam.read.words.numbers import number_texts, signed_texts
from calmgam.read.words.wording import shown, shown_name, value_text

SIGNS = {"both": (1, -1), "negative": (-1,), "positive": (1,)}


@dataclass(frozen=True, repr=False)
class Reason(Report):
    """What one feature adds to a score: its value, and the region that selected its curve.

    `mark` says if training did not see the value's level. Of a classifier `probability_change` is
    how much lower the probability were without the contribution; these do not add up.
    """

    feature: str
    value: Any
    contribution: float
    region: str
    mark: str = ""
    probability_change: float | None = None

    def __str__(self) -> str:
        return f"{change_text(self.contribution)}  {self.label}"

    @property
    def label(self) -> str:
        """The feature, its value, and the rule that selected its curve."""
        rule = "" if self.region == "everywhere" else f", since {shown(self.region)}"
        return f"{shown_name(self.feature)} = {value_text(self.value, self.mark)}{rule}"


@dataclass(frozen=True, repr=False)
class Reasons(Report):
    """The largest contributions to a score: intercept + contributions + rest + offset = score.

    `classes`: the score is the log-odds of the second against the first; empty of a number.
    `probability` and `average_probability` are score and intercept on the scale of probabilities
    (of many classes: of the second of the two alone); None of a number.
    """

    score: float
    intercept: float
    reasons: tuple[Reason, ...]
    rest: float
    classes: tuple[Any, ...] = ()
    offset: float = 0.0
    probability: float | None = None
    average_probability: float | None = None

    def __str__(self) -> str:
        score, average = number_texts([self.score, self.intercept], 4)
        added = [self.offset] if self.offset else []
        changes = [*(reason.contribution for reason in self.reasons), self.rest, *added]
        numbers = signed_texts(changes, 4, beside=max(abs(self.score), abs(self.intercept)))
        labels = [*(reason.label for reason in self.reasons), "all other features"]
        labels += ["offset"] * len(added)
        width = max(map(len, numbers))
        shifts = [_points(reason.probability_change) for reason in self.reasons]
        shifts += [""] * (len(numbers) - len(shifts))
        room = max(map(len, shifts))
        lines = (
            f"{number:>{width}}  {shift:>{room}}{'  ' if room else ''}{label}"
            for number, shift, label in zip(numbers, shifts, labels, strict=True)
        )
        what = f"score {score}{against_text(self.classes)}{_percent(self.probability)}"
        usual = f"the average is {average}{_percent(self.average_probability)}"
        return "\n  ".join([f"{what}, where {usual}:", *lines])


def reasons(
    model: Model,
    row: Any,
    n: int = 4,
    sign: str = "both",
    between: Between = None,
    offset: float = 0.0,
) -> Reasons:
    """Rank what contributed to a row's score, with the rules that selected the curves.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    n : int
        How many reasons at most.
    sign : {"both", "negative", "positive"}
        Which contributions may be reasons.
    between : (label, label), optional
        The score is the log-odds of one class against another; if there are many, by default of the
        most probable one against the next.
    offset : float
        Added to the score.

    Returns
    -------
    Reasons
    """
    if sign not in SIGNS:
        raise ValueError(f"sign must be one of {tuple(SIGNS)}; got {sign!r}")
    user_row = read_row(model.schema, row)
    is_pair = model.link == "softmax"
    model = pair_of_row(model, user_row.encoded, between)
    encoded = user_row.encoded[None]
    contributions = model.contributions_encoded(encoded)[0].tolist()
    wanted = [k for k, part in enumerate(contributions) if any(s * part > 0 for s in SIGNS[sign])]
    ranked = []
    for k in sorted(wanted, key=lambda k: -abs(contributions[k]))[:n]:
        term = model.terms[k]
        region = str(term.tree.regions[term.tree.leaf_of(encoded)[0]])
        value, mark = user_row.value(k), user_row.mark(k)
        ranked.append(Reason(term.feature.name, value, contributions[k], region, mark))
    score = float(model.score_encoded(encoded)[0])
    rest = score - model.intercept - sum(reason.contribution for reason in ranked)
    total = score + float(offset)
    found = Reasons(
        total, model.intercept, tuple(ranked), rest, model.classes if is_pair else (), float(offset)
    )
    return _with_probabilities(found) if model.classes else found


def _with_probabilities(found: Reasons) -> Reasons:
    """Say the same on the scale of probabilities."""
    probability = float(probability_of(found.score))
    ranked = (
        replace(one, probability_change=probability - float(probability_of(found.score - part)))
        for one in found.reasons
        for part in (one.contribution,)
    )
    return replace(
        found,
        reasons=tuple(ranked),
        probability=probability,
        average_probability=float(probability_of(found.intercept)),
    )


def _percent(probability: float | None) -> str:
    return "" if probability is None else f" (probability {probability:.3f})"


def _points(change: float | None) -> str:
    """Write a change of a probability in percentage points."""
    return "" if change is None else f"{100 * change:+.1f} %"


def against_text(classes: tuple[Any, ...]) -> str:
    """Say which class is compared with which; nothing if there are no such classes."""
    return f" (log-odds of {classes[1]} against {classes[0]})" if classes else ""
