"""The audit in sentences that a person can check: directions, typical changes, hidden jumps."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.model.exact.inputs import Inputs, decode_value
from calmgam.model.glassbox import Model
from calmgam.model.schema import Feature
from calmgam.read.audit import Monotonicity, sensitivity
from calmgam.read.findings import value_text
from calmgam.read.view_types import JumpView
from calmgam.read.wording import brief_number, listed

MAX_LEVELS = 8
GROWTH = {
    "numeric": "as {} grows",
    "boolean": "when {} turns from False to True",
    "categorical": "as {} goes through its levels in their order",
}
VERDICTS = {
    "increasing": "All else equal, the score never falls {}.",
    "decreasing": "All else equal, the score never rises {}.",
    "constant": "All else equal, the score does not change {}.",
    "neither": "The score can both rise and fall {}.",
}


def verdict_sentence(feature: Feature, verdict: Monotonicity) -> str:
    """Say in which direction a feature moves the score.

    Parameters
    ----------
    feature : Feature
    verdict : Monotonicity
    """
    growth = GROWTH[feature.kind]
    if feature.n_levels == 2:
        growth = f"when {{}} turns from {feature.levels[0]} to {feature.levels[1]}"
    sentence = VERDICTS[verdict.direction].format(growth.format(feature.name))
    if verdict.proved:
        return sentence
    return f"{sentence} Not proved: the work limit was reached before all inputs were compared."


def evidence(verdict: Monotonicity) -> list[str]:
    """Show the steps that refute both directions.

    Parameters
    ----------
    verdict : Monotonicity
    """
    if verdict.direction != "neither":
        return []
    return [
        f"Largest step {way}: {_signed(pair.change)} for {pair}."
        for way, pair in (("up", verdict.rise), ("down", verdict.fall))
        if pair is not None
    ]


def move_sentence(model: Model, feature: Feature) -> str:
    """Say what a typical change does: between the quartiles, or the two most frequent levels.

    Parameters
    ----------
    model : Model
    feature : Feature
    """
    ends = typical_values(model, feature)
    if ends is None:
        return ""
    start, stop = ends
    change = sensitivity(model, feature.name, start, stop)
    what = (
        f"From its lower quartile {value_text(start)} to its upper quartile {value_text(stop)}"
        if feature.is_numeric
        else f"From {value_text(start)} to {value_text(stop)}"
    )
    return f"{what} the score changes by {_range(change.low, change.high, change.exact)}."


def jump_sentence(feature: Feature, jump: JumpView) -> str:
    """Say where a feature switches other features' curves, and what that does.

    Parameters
    ----------
    feature : Feature
    jump : JumpView
    """
    where = f"{feature.name} passes {jump.place}"
    if jump.levels:
        n_others = len(jump.levels) - MAX_LEVELS
        named = [*jump.levels[:MAX_LEVELS], *([f"{n_others} others"] if n_others > 0 else [])]
        where = f"{feature.name} becomes {' or '.join(named)}"
    what = f"the curve{'s' if len(jump.terms) > 1 else ''} of {listed(jump.terms)} may switch"
    if jump.arrow == "=":
        return f"Where {where}, {what}, which never changes the score."
    return (
        f"Where {where}, {what}; that alone changes the score by "
        f"{_range(jump.low, jump.high, jump.exact)}."
    )


def typical_values(model: Model, feature: Feature) -> tuple[Any, Any] | None:
    """Return the quartiles of a numeric feature, or the ends of the most usual change of level.

    None if there is but one value.

    Parameters
    ----------
    model : Model
    feature : Feature
    """
    inputs, term = Inputs.of(model), model.terms[feature.index]
    points, slots = inputs.points[feature.index], inputs.slots[feature.index]
    rows = np.sum([shape.counts for shape in term.shapes], axis=0)
    if feature.is_numeric:
        cumulated = np.cumsum(rows[:-1])
        ends = np.searchsorted(cumulated, np.array([0.25, 0.75]) * cumulated[-1])
    elif feature.kind == "boolean":
        ends = np.array([0, 1])
    else:
        ends = np.argsort(-rows[: feature.n_levels], kind="stable")[:2]
    if len(set(ends.tolist())) < 2:
        return None
    start, stop = (decode_value(feature, points[np.argmax(slots == end)]) for end in ends)
    return start, stop


def _range(low: float, high: float, exact: bool) -> str:
    first, last = _signed(low), _signed(high)
    if first == last:
        return f"{first} for every input"
    return f"{first} to {last}, depending on the other values" + ("" if exact else " (bounds)")


def _signed(value: float) -> str:
    text = brief_number(abs(value))
    if text == "0":
        return "0"
    return ("+" if value > 0 else "−") + text
