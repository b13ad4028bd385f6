"""Monotonicity: proof that the score never falls (or rises) as a feature grows, or two rows.

With all other features fixed the score is a step function, so neighbouring points decide. Where no
condition lies between them only the feature's own reachable curves count, all at once; where one
does, the exact range of the change does. Steps of the size of rounding errors count as equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calmgam.model.exact.changes import Move, extremes, taking_part
from calmgam.model.exact.inputs import Given, Inputs, curves, rounding
from calmgam.model.glassbox import Model
from calmgam.read.findings import Pair, Report, change_text, make_pair


@dataclass(frozen=True, repr=False)
class Monotonicity(Report):
    """Whether the score rises or falls with a feature, all else equal.

    Attributes
    ----------
    feature : str
    direction : {"increasing", "decreasing", "constant", "neither"}
        Equal steps are allowed: "increasing" means never decreasing.
    proved : bool
        False only if the work limit was hit and no counterexample was found either.
    rise, fall : Pair or None
        The largest step up and down between neighbouring values: `fall` refutes "increasing",
        `rise` refutes "decreasing".
    """

    feature: str
    direction: str
    proved: bool
    rise: Pair | None
    fall: Pair | None

    def __str__(self) -> str:
        steps = [
            f"  {change_text(pair.change)} for {pair}"
            for pair in (self.rise, self.fall)
            if pair is not None and self.direction == "neither"
        ]
        verdict = f"{self.feature}: {self.direction} ({'' if self.proved else 'not '}proved)"
        return "\n".join([verdict, *steps])


def monotonicity(model: Model, feature: str, given: Given = None) -> Monotonicity:
    """Prove in which direction a feature moves the score, or find counterexamples.

    Parameters
    ----------
    model : Model
    feature : str
        Levels are taken in the order of ``feature.levels``; missing has no place in the order.
    given : mapping, Region or str, optional
        Only inputs that agree: ``{"workingday": "yes"}`` or ``"hour <= 7"``.

    Returns
    -------
    Monotonicity
    """
    inputs, moved = Inputs.of(model, given), model.schema[feature]
    tolerance = rounding(model)
    lowest, highest = 0.0, 0.0
    pairs: dict[str, Pair | None] = {"rise": None, "fall": None}
    for move in _decisive_moves(inputs, moved.index):
        terms = taking_part(inputs, move)
        low, high = extremes(inputs, move, terms)
        lowest, highest = min(lowest, low.bound), max(highest, high.bound)
        for name, extreme, sign in (("rise", high, 1), ("fall", low, -1)):
            best = pairs[name]
            if sign * extreme.attained > max(tolerance, sign * best.change if best else 0.0):
                pairs[name] = make_pair(model, moved, extreme, terms)
    rises, falls = pairs["rise"] is not None, pairs["fall"] is not None
    direction = {
        (True, True): "neither",
        (True, False): "increasing",
        (False, True): "decreasing",
        (False, False): "constant",
    }[rises, falls]
    proved = (falls or lowest >= -tolerance) and (rises or highest <= tolerance)
    return Monotonicity(feature, direction, proved, **pairs)


def _decisive_moves(inputs: Inputs, index: int) -> list[Move]:
    """Return the steps across conditions, and the extreme ones among all others."""
    term = inputs.model.terms[index]
    present = ~np.isnan(inputs.points[index])
    cells, slots = inputs.cell_of_point[index][present], inputs.slots[index][present]
    steps = np.diff(curves(term)[inputs.reachable(term)][:, slots], axis=1)
    crosses = cells[1:] != cells[:-1]
    decisive = set(np.flatnonzero(crosses).tolist())
    inner = np.flatnonzero(~crosses)
    if len(inner):
        decisive |= {
            int(inner[steps[:, inner].min(axis=0).argmin()]),
            int(inner[steps[:, inner].max(axis=0).argmax()]),
        }
    return [Move(index, start, start + 1) for start in sorted(decisive)]
