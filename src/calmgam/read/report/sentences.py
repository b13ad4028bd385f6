"""The audit in sentences that a person can check: directions, typical changes, hidden jumps."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.model.exact.inputs import all_inputs, rows_per_slot
from calmgam.model.exact.rows import decode_value
from calmgam.model.glassbox import Model
from calmgam.model.links import probability_of
from calmgam.model.schema import Feature
from calmgam.read.audit import Monotonicity, ScoreRange, sensitivity
from calmgam.read.view_types import JumpView
from calmgam.read.words.numbers import brief_number, number_texts
from calmgam.read.words.wording import listed, value_text

MAX_LEVELS = 8
VERDICTS = {
    "increasing": "All else equal, the score never falls",
    "decreasing": "All else equal, the score never rises",
    "constant": "All else equal, the score does not change",
    "neither": "The score can both rise and fall",
}


def verdict_sentence(feature: Feature, verdict: Monotonicity) -> str:
    """Say in which direction a feature moves the score.

    Parameters
    ----------
    feature : Feature
    verdict : Monotonicity
    """
    if verdict.direction == "unordered":
        size = brief_number(verdict.max_rise)
        change = "never changes" if size == "0" else f"changes by up to {size}"
        sentence = (
            f"The levels of {feature.name} have no order, so there is no direction; "
            f"from one level to another the score {change}."
        )
    else:
        sentence = f"{VERDICTS[verdict.direction]} {_growth(feature)}."
    if verdict.proved:
        return sentence
    return f"{sentence} Not proved: the work limit was reached before all inputs were compared."


def _growth(feature: Feature) -> str:
    """Say what it means that a feature grows."""
    if feature.is_numeric:
        return f"as {feature.name} grows"
    if feature.n_levels == 2:
        return f"when {feature.name} turns from {feature.levels[0]} to {feature.levels[1]}"
    return f"as {feature.name} goes up through its levels"


def range_sentences(found: ScoreRange) -> list[str]:
    """Say between what the scores of all inputs lie, and for which rows.

    Parameters
    ----------
    found : ScoreRange
    """
    low, high = number_texts([found.low, found.high])
    bounds = "" if found.exact else " (bounds; the work limit was reached)"
    if found.lowest.probability is not None:
        ends = (float(probability_of(score)) for score in (found.low, found.high))
        bounds += " (log-odds: probabilities of {:.3f} to {:.3f})".format(*ends)
    return [
        f"Every score lies between {low} and {high}{bounds}.",
        f"Lowest for {found.lowest}.",
        f"Highest for {found.highest}.",
    ]


def evidence(verdict: Monotonicity) -> list[str]:
    """Show the rows that refute both directions, or the largest change between levels.

    Parameters
    ----------
    verdict : Monotonicity
    """
    found = {
        "neither": (("fall", verdict.fall), ("rise", verdict.rise)),
        "unordered": (("change", verdict.rise),),
    }
    return [
        f"Largest {what}: {_signed(pair.change)} for {pair}."
        for what, pair in found.get(verdict.direction, ())
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
    axis = all_inputs(model).axes[feature.index]
    rows = rows_per_slot(axis.term)
    if feature.is_numeric:
        cumulated = np.cumsum(rows[:-1])
        ends = np.searchsorted(cumulated, np.array([0.25, 0.75]) * cumulated[-1])
    elif feature.kind == "boolean":
        ends = np.array([0, 1])
    else:
        ends = np.argsort(-rows[: feature.n_levels], kind="stable")[:2]
    if len(set(ends.tolist())) < 2:
        return None
    start, stop = (decode_value(feature, axis.points[np.argmax(axis.slots == end)]) for end in ends)
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
