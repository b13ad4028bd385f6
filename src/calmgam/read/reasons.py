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
        rule = "" if self.region == "everywhere" else f", since {self.region}"
        value = value_text(self.value, self.mark)
        return f"{change_text(self.contribution)}  {self.feature} = {value}{rule}"


@dataclass(frozen=True, repr=False)
class Reasons(Report):
    """The largest contributions to a score: intercept + contributions + rest = score."""

    score: float
    intercept: float
    reasons: tuple[Reason, ...]
    rest: float

    def __str__(self) -> str:
        head = f"score {self.score:.4g}, where the average is {self.intercept:.4g}:"
        lines = [*map(str, self.reasons), f"{change_text(self.rest)}  all other features"]
        widths = [line.index("  ") for line in lines]  # of the numbers
        aligned = [" " * (max(widths) - n) + line for n, line in zip(widths, lines, strict=True)]
        return "\n  ".join([head, *aligned])


def reasons(model: Model, row: Any, n: int = 4, sign: str = "both") -> Reasons:
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

    Returns
    -------
    Reasons
    """
    if sign not in SIGNS:
        raise ValueError(f"sign must be one of {tuple(SIGNS)}; got {sign!r}")
    user_row = read_row(model.schema, row)
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
    return Reasons(score, model.intercept, tuple(ranked), rest)
