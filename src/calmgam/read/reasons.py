"""Reasons: the largest contributions to one score, each with the rule that selected its curve.

Contributions of a fitted model are differences from the average row, so the negative ones are what
an adverse-action notice has to name where a high score is good for the person, and the positive
ones where it is bad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calmgam.model.exact.inputs import decode_value, encode_row
from calmgam.model.glassbox import Model
from calmgam.read.findings import Report, change_text, value_text

SIGNS = {"both": (1, -1), "negative": (-1,), "positive": (1,)}


@dataclass(frozen=True, repr=False)
class Reason(Report):
    """What one feature adds to a score: its value, and the region that selected its curve."""

    feature: str
    value: Any
    contribution: float
    region: str

    def __str__(self) -> str:
        rule = "" if self.region == "everywhere" else f", since {self.region}"
        return f"{change_text(self.contribution)}  {self.feature} = {value_text(self.value)}{rule}"


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
    row : mapping by feature name, or table of one row
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
    encoded = encode_row(model.schema, row)[None]
    found = []
    for term in model.terms:
        feature = term.feature
        contribution = float(term.contribution(encoded)[0])
        region = term.tree.regions[term.tree.leaf_of(encoded)[0]]
        value = decode_value(feature, encoded[0, feature.index])
        found.append(Reason(feature.name, value, contribution, str(region)))
    wanted = [r for r in found if any(s * r.contribution > 0 for s in SIGNS[sign])]
    ranked = sorted(wanted, key=lambda reason: -abs(reason.contribution))[:n]
    score = float(model.score_encoded(encoded)[0])
    rest = score - model.intercept - sum(reason.contribution for reason in ranked)
    return Reasons(score, model.intercept, tuple(ranked), rest)
