"""Claims about a model that can be proved: what each one says, and the proof of it as plain values.

A claim turns into a mapping that `calmgam.verify` checks; one that does not hold is refused with
the evidence against it. Claims hold over all inputs that agree with `given`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.exact.changes import Move, extremes, taking_part
from calmgam.model.exact.inputs import Given, Inputs, read_given, rounding
from calmgam.model.exact.proofs import Proof, curve_bounds, prove_change, prove_score, sum_up
from calmgam.model.exact.rows import decode_row, decode_value, encode_value
from calmgam.model.exact.scores import score_extremes
from calmgam.model.glassbox import Model
from calmgam.model.regions import Condition, Region, number_text
from calmgam.model.schema import Feature, FloatArray
from calmgam.read.audit.monotonicity import monotonicity

Plain = dict[str, Any]


@dataclass(frozen=True)
class Range:
    """Every score lies in [low, high], on the link scale.

    Attributes
    ----------
    low, high : float, optional
        Without one: the smallest or largest score itself, as far as doubles can say it.
    given : mapping, Region or str, optional
        Only inputs that agree.
    """

    low: float | None = None
    high: float | None = None
    given: Given = None

    def proved(self, model: Model) -> Plain:
        """Return the claim with its proof, for JSON."""
        region = given_region(model, self.given)
        inputs = Inputs.of(model, region)
        found = score_extremes(inputs)
        proofs, limits = [], []
        for sign, limit, extreme in zip((-1, 1), (self.low, self.high), found, strict=True):
            proof = prove_score(inputs, sign)
            bound = sign * proof.bound
            limit = bound if limit is None else _finite("a bound of Range", limit)
            row = extreme.row[None]
            if sign * bound > sign * limit:
                raise _refusal(self, model, "scores reach", extreme.attained, bound, extreme.row)
            parts = [model.intercept, *model.contributions_encoded(row)[0].tolist()]
            attained = -sum_up([-sign * part for part in parts])
            proofs.append(_with_row(proof, model, extreme.row, attained))
            limits.append(limit)
        return _claim("range", region, proofs, low=limits[0], high=limits[1])


@dataclass(frozen=True)
class AtMost:
    """The score changes by at most `bound` when a feature goes from `start` to `stop`.

    The change is taken with its sign: the way back is a claim of its own.

    Attributes
    ----------
    feature : str
    start, stop : number, label or None
        None stands for missing.
    bound : float, optional
        Without one: the largest change itself, as far as doubles can say it.
    given : mapping, Region or str, optional
        Only inputs that agree; what it says about `feature` itself does not matter.
    """

    feature: str
    start: Any
    stop: Any
    bound: float | None = None
    given: Given = None

    def proved(self, model: Model) -> Plain:
        """Return the claim with its proof, for JSON."""
        feature = model.schema[self.feature]
        region = given_region(model, self.given, besides=feature)
        ends = np.array([_known_value(feature, value) for value in (self.start, self.stop)])
        inputs = Inputs.of(model, region, {feature.index: ends})
        move = Move.between(feature.index, 0, 1)
        proof, largest = (
            prove_change(inputs, move, 1),
            extremes(inputs, move, taking_part(inputs, move))[1],
        )
        bound = proof.bound if self.bound is None else _finite("the bound of AtMost", self.bound)
        if proof.bound > bound:
            what, size = "the change reaches", largest.attained
            raise _refusal(self, model, what, size, proof.bound, largest.before)
        row = {index: np.array([value]) for index, value in enumerate(largest.before)}
        at_row = Inputs.of(model, None, row | {feature.index: ends})
        attained = -prove_change(at_row, move, -1).bound
        start, stop = (decode_value(feature, end) for end in ends)
        return _claim(
            "at most",
            region,
            [_with_row(proof, model, largest.before, attained)],
            feature=self.feature,
            start=start,
            stop=stop,
            bound=bound,
        )


@dataclass(frozen=True)
class Monotone:
    """The score never falls ("increasing") or never rises ("decreasing") as a feature grows.

    Attributes
    ----------
    feature : str
        Numbers, booleans and ordered levels; missing has no place in the order.
    direction : {"increasing", "decreasing"}
    tolerance : float
        All steps the wrong way, from one end to the other, may add up to this.
    given : mapping, Region or str, optional
        Only inputs that agree.
    """

    feature: str
    direction: str = "increasing"
    tolerance: float = 0.0
    given: Given = None

    def proved(self, model: Model) -> Plain:
        """Return the claim with its proof, for JSON."""
        directions = {"increasing": -1, "decreasing": 1}
        if self.direction not in directions:
            raise ValueError(f"direction must be one of {list(directions)}; got {self.direction!r}")
        feature = model.schema[self.feature]
        if not feature.has_order:
            raise ValueError(f"levels of {self.feature!r} have no order, so no direction")
        region = given_region(model, self.given)
        proofs = _chain(self, model, region, [directions[self.direction]], with_missing=False)
        words = {"feature": self.feature, "direction": self.direction}
        return _claim("monotone", region, proofs, **words, tolerance=float(self.tolerance))


@dataclass(frozen=True)
class NoInfluence:
    """A feature does not change the score, whatever the others are.

    Attributes
    ----------
    feature : str
    tolerance : float
        All rises, and all falls, from the first of its values to the last may add up to this.
    given : mapping, Region or str, optional
        Only inputs that agree.
    """

    feature: str
    tolerance: float = 0.0
    given: Given = None

    def proved(self, model: Model) -> Plain:
        """Return the claim with its proof, for JSON."""
        region = given_region(model, self.given)
        proofs = _chain(self, model, region, [-1, 1], with_missing=True)
        words = {"feature": self.feature, "tolerance": float(self.tolerance)}
        return _claim("no influence", region, proofs, **words)


Claim = Range | AtMost | Monotone | NoInfluence


def given_region(model: Model, given: Given, besides: Feature | None = None) -> Region:
    """Return what `given` asks for as conditions, but for what it says about one feature.

    Values of a mapping become `=`.
    """
    values, region = read_given(model, given)
    pinned = (_equals(model.schema.features[index], value) for index, value in values.items())
    return Region(tuple(c for c in (*region.conditions, *pinned) if c.feature != besides))


def _equals(feature: Feature, value: float) -> Condition:
    if math.isnan(value):
        everything = Condition(feature, *(("<=", math.inf) if feature.is_numeric else ("!=", ())))
        return everything.negate()
    if not feature.is_numeric:
        return Condition(feature, "=", (int(value),))
    return Condition(feature, "=", value, bounds=(math.nextafter(value, -math.inf), value))


def _chain(
    claim: Monotone | NoInfluence,
    model: Model,
    region: Region,
    signs: Sequence[int],
    with_missing: bool,
) -> list[Plain]:
    """Prove that steps from each value to the next add up to at most the tolerance."""
    tolerance = _finite("tolerance", claim.tolerance)
    inputs, index = Inputs.of(model, region), model.schema.index(claim.feature)
    axis = inputs.axes[index]
    n_points = len(axis.points) - (bool(np.isnan(axis.points[-1])) and not with_missing)
    proofs = []
    for sign in signs:
        own, bounds = curve_bounds(inputs, index, sign), [0.0]
        for at in range(n_points - 1):
            bound = float(own[at])
            if axis.pieces[at] != axis.pieces[at + 1]:
                proof = prove_change(inputs, Move.between(index, at, at + 1), sign)
                proofs.append(_plain_proof(proof))
                bound = proof.bound
            bounds.append(max(bound, 0.0))
        if sum_up(bounds) > tolerance:
            found = monotonicity(model, claim.feature, region)
            raise ValueError(
                f"{claim} cannot be certified: steps the wrong way add up to "
                f"{number_text(sum_up(bounds))}; {found}"
            )
    return proofs


def _refusal(
    claim: Claim, model: Model, what: str, attained: float, bound: float, row: FloatArray
) -> ValueError:
    """Return the error about a claim whose bound was not proved: what a row attains."""
    exact = abs(bound - attained) <= rounding(model)
    proved = "" if exact else f" and no more than {number_text(bound)} was proved"
    evidence = f"{what} {number_text(attained)}{proved}, for {decode_row(model.schema, row)}"
    return ValueError(f"{claim} cannot be certified: {evidence}")


def _finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number; got {value}")
    return float(value)


def _known_value(feature: Feature, value: Any) -> float:
    code = encode_value(feature, value)
    if math.isnan(code) and not feature.has_missing:
        raise ValueError(f"training saw no missing value of {feature.name!r}; got {value!r}")
    return code


def _plain_proof(proof: Proof) -> Plain:
    steps = [[step.variable, list(step.taken), list(step.message)] for step in proof.steps]
    return {"steps": steps, "bound": proof.bound}


def _with_row(proof: Proof, model: Model, row: FloatArray, attained: float) -> Plain:
    return {**_plain_proof(proof), "row": decode_row(model.schema, row), "attained": attained}


def _claim(name: str, region: Region, proofs: list[Plain], **words: Any) -> Plain:
    given = [condition.to_dict() for condition in region.conditions]
    return {"claim": name, "given": given, "proofs": proofs, **words}
