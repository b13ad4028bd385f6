"""Reasons: the largest contributions to one score, each with the rule that selected its curve.

Contributions of a fitted model are differences from the average row, so the negative ones are what
an adverse-action notice has to name where a high score is good for the person, and the positive
ones where it is bad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calmgam.model.exact.rows import read_row
from calmgam.model.glassbox import Model
from calmgam.read.findings import Report, change_text, value_text
from calmgam.read.numbers import number_texts, signed_texts
from calmgam.read.outputs import Between, pair_of_row
from calmgam.read.wording import shown, shown_name

SIGNS = {"both": (1, -1), "negative": (-1,), "positive": (1,)}


@dataclass(frozen=True, repr=False)
class Reason(Report):
    """What one feature adds to a score: its value, and the region that selected its curve.

    `mark` says if training did not see the value's level.
    """

    feature: str
    value: Any
    contribution: float
    region: str
    mark: str = ""

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
    """

    score: float
    intercept: float
    reasons: tuple[Reason, ...]
    rest: float
    classes: tuple[Any, ...] = ()
    offset: float = 0.0

    def __str__(self) -> str:
        score, average = number_texts([self.score, self.intercept], 4)
        added = [self.offset] if self.offset else []
        changes = [*(reason.contribution for reason in self.reasons), self.rest, *added]
        numbers = signed_texts(changes, 4, beside=max(abs(self.score), abs(self.intercept)))
        labels = [*(reason.label for reason in self.reasons), "all other features"]
        labels += ["offset"] * len(added)
        width = max(map(len, numbers))
        lines = (
            f"{number:>{width}}  {label}" for number, label in zip(numbers, labels, strict=True)
        )
        what = f"score {score}{against_text(self.classes)}"
        return "\n  ".join([f"{what}, where the average is {average}:", *lines])


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
    classes = model.classes if is_pair else ()
    return Reasons(score + offset, model.intercept, tuple(ranked), rest, classes, float(offset))


def against_text(classes: tuple[Any, ...]) -> str:
    """Say which class is compared with which; nothing if there are no such classes."""
    return f" (log-odds of {classes[1]} against {classes[0]})" if classes else ""
