"""Goals of a counterfactual: a score, a probability, the other decision, or a class of many.

A goal says how far beyond it scores are (0 or more: reached, but for rounding), and tests exact
scores. With many classes a row has a score for each, in the last axis: the goal is that a class
has the highest one, or a probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.glassbox import Model
from calmgam.model.links import probability_of, softmax
from calmgam.model.outputs import class_index
from calmgam.model.schema import FloatArray

Target = Any


@dataclass(frozen=True)
class Goal:
    """What is to be reached.

    Attributes
    ----------
    target : float
        The score to come up (sign 1) or down (sign -1) to; of a class of many the log-odds against
        its strongest rival (or, for a probability, against all others together).
    sign : int
    is_reached : callable
        The test of an exact score, or of the scores of all classes.
    index : int or None
        Of a class of many.
    is_odds : bool
        Whether a class is compared with all others together.
    """

    target: float
    sign: int
    is_reached: Callable[[Any], bool]
    index: int | None = None
    is_odds: bool = False

    def beyond(self, scores: FloatArray) -> FloatArray:
        """Return how far beyond the goal scores are; below 0 they have not reached it."""
        return self.sign * (self.read(scores) - self.target)

    def read(self, scores: FloatArray) -> FloatArray:
        """Return the score that counts: a class's own against its rivals, if there are many."""
        if self.index is None:
            return scores
        others = np.delete(scores, self.index, axis=-1)
        highest = others.max(axis=-1)
        if self.is_odds:
            highest = highest + np.log(np.exp(others - highest[..., None]).sum(axis=-1))
        rivals: FloatArray = scores[..., self.index] - highest
        return rivals

    def probability(self, scores: Any) -> float:
        """Return the probability of the second class, or of the class that is the goal."""
        if self.index is None:
            return float(probability_of(scores))
        return float(softmax(np.asarray(scores))[self.index])


def goal_of(model: Model, score: Any, target: Target, probability: float | None) -> Goal:
    """Return what a user asks for.

    Parameters
    ----------
    model : Model
    score : float, or array of one per class
        The row's.
    target, probability
        As in `counterfactual`.
    """
    if model.link == "softmax":
        return _class_goal(model, score, target, probability)
    is_classifier = model.link == "logit"
    if (target is None) == (probability is None):
        raise ValueError("one of target and probability must be given")
    if probability is not None:
        wanted = _checked_probability(model, probability)
        odds = math.log(wanted) - math.log1p(-wanted)
        if probability_of(score) < wanted:
            return Goal(odds, 1, lambda s: bool(probability_of(s) >= wanted))
        return Goal(odds, -1, lambda s: bool(probability_of(s) <= wanted))
    if isinstance(target, str):
        if target != "flip" or not is_classifier:
            raise ValueError(f"target must be a score, or 'flip' for a classifier; got {target!r}")
        return Goal(0.0, -1, lambda s: s <= 0) if score > 0 else Goal(0.0, 1, lambda s: s > 0)
    aim = float(target)
    if not math.isfinite(aim):
        raise ValueError(f"target must be a finite score; got {aim}")
    if is_classifier and 0 < aim < 1:
        raise ValueError(
            f"target={aim:g} may be a probability or a score (log-odds): say probability={aim:g}, "
            f"or probability={probability_of(aim):.6g} for the log-odds {aim:g}"
        )
    return Goal(aim, 1, lambda s: s >= aim) if score < aim else Goal(aim, -1, lambda s: s <= aim)


def _class_goal(model: Model, score: Any, target: Any, probability: float | None) -> Goal:
    """Return the goal that a class is the most probable one, or has a probability."""
    if target is None or (target == "flip" and "flip" not in model.classes):
        raise ValueError(
            f"target must be one of the classes {model.classes[:30]}, as there are more than two; "
            f"got {target!r}"
        )
    index = class_index(model, target)
    if probability is None:
        return Goal(0.0, 1, lambda s: int(np.argmax(s)) == index, index)
    wanted = _checked_probability(model, probability)
    odds = math.log(wanted) - math.log1p(-wanted)
    if softmax(np.asarray(score))[index] < wanted:
        return Goal(odds, 1, lambda s: bool(softmax(s)[index] >= wanted), index, True)
    return Goal(odds, -1, lambda s: bool(softmax(s)[index] <= wanted), index, True)


def _checked_probability(model: Model, probability: float) -> float:
    if not model.classes or not 0 < probability < 1:
        raise ValueError(
            "probability must be between 0 and 1, and the model a classifier; "
            f"got {probability} and a model with the link {model.link!r}"
        )
    return probability
