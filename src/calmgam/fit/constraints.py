"""Constraints: how the score must run along a feature, read and, at the end of a fit, proved.

In: ``monotone={"income": "increasing", "age": "decreasing", "dose": "concave"}``. Out: a direction
per feature for the learners of curves, which keep it at every step. A constrained feature keeps its
regions, but conditions are never about it: then a change of it moves its own curves alone, and the
model keeps the promise where each of them does. `prove` asks the exact algebra, which knows nothing
of how the model was made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calmgam.fit.data.binning import Binned
from calmgam.fit.data.runs import Run, centres_that_bend, chords
from calmgam.fit.support.settings import check_in
from calmgam.model.exact.changes import largest_change, moves_up
from calmgam.model.exact.inputs import Inputs, rounding
from calmgam.model.fields import name_of
from calmgam.model.glassbox import Model, Term
from calmgam.model.pages import see
from calmgam.model.schema import Feature, FloatArray, Schema

WORDS = tuple(run.value for run in Run if run is not Run.free)


@dataclass(frozen=True)
class Constraints:
    """How the score must run along some features.

    Attributes
    ----------
    runs : mapping from int to Run
        Of the constrained features.
    """

    runs: Mapping[int, Run] = field(default_factory=dict)

    @classmethod
    def read(cls, monotone: Mapping[str | int, str] | None, schema: Schema) -> Constraints:
        """Read what users write, features by name or position."""
        if monotone is None:
            return cls()
        if not isinstance(monotone, Mapping):
            raise ValueError(
                'monotone must map features to directions, such as {"income": "increasing"}; '
                f"got {monotone!r}"
            )
        rule = "monotone must name features"
        named = {name_of(one, schema.names, rule): word for one, word in monotone.items()}
        return cls({schema.index(name): _run(schema[name], word) for name, word in named.items()})

    def of(self, n_features: int) -> tuple[Run, ...]:
        """Return the run of every feature."""
        return tuple(self.runs.get(i, Run.free) for i in range(n_features))

    @property
    def whole(self) -> frozenset[int]:
        """Features that keep one curve: a sum of convex curves is convex, a choice is not."""
        return frozenset(i for i, run in self.runs.items() if run.is_bend)

    @classmethod
    def kept_by(cls, binned: Binned) -> Constraints:
        """Return what curves over these bins must keep."""
        return cls({i: run for i, run in enumerate(binned.runs) if run is not Run.free})

    def prove(
        self, model: Model, centres: Sequence[FloatArray], kept: Collection[int] = ()
    ) -> None:
        """Refuse a model that may break a promise, for any input.

        Parameters
        ----------
        model : Model
        centres : sequence of arrays
            Of the bins of every feature.
        kept : collection of int
            Features whose curves have bins of their own, of which the centres are not known: some
            points of the bins have to do.
        """
        tie = rounding(model)
        for i, run in self.runs.items():
            if run.is_bend:
                own = _own_centres(model.terms[i], run) if i in kept else centres[i]
                excess = _bend(model, i, run, own)
            else:
                excess = _fall(model, i, run)
            if excess > tie:
                name = model.schema.names[i]
                raise RuntimeError(
                    f"monotone: the model could not be proved {run.value} in {name!r}; "
                    f"it may fail by {excess:.3g} on the scale of the score{see('auditing')}"
                )


def _fall(model: Model, feature: int, run: Run) -> float:
    """Return a sound bound of the largest change against the direction, over all inputs."""
    inputs = Inputs.of(model)
    moves = list(moves_up(inputs.axes[feature]))
    if not moves:
        return 0.0
    found, _ = largest_change(inputs, moves, run.sign)
    return max(-run.sign * found.bound, 0.0)


def _own_centres(term: Term, run: Run) -> FloatArray:
    """Return points in the bins of a curve at which it bends one way, if there are some."""
    edges, feature = term.edges, term.feature
    if len(edges) < 2:
        return np.arange(len(edges) + 1.0)
    ends = min(feature.low, edges[0]), max(feature.high, edges[-1])
    found = centres_that_bend(
        run.sign * term.shapes[0].values[:-1], np.array([ends[0], *edges, ends[1]])
    )
    return np.array([]) if found is None else found


def _bend(model: Model, feature: int, run: Run, centres: FloatArray) -> float:
    """Return how far the feature's one curve is from bending one way; inf if it has several."""
    term = model.terms[feature]
    is_asked = any(feature in other.conditioned_on for other in model.terms)
    if is_asked or len(term.shapes) > 1 or term.n_slots != len(centres) + 1:
        return np.inf
    bends = chords(centres) @ term.shapes[0].values[: len(centres)]
    return max(-float((run.sign * bends).min(initial=0.0)), 0.0)


def _run(feature: Feature, word: Any) -> Run:
    """Read a direction; what has no order has none."""
    check_in(f"monotone[{feature.name!r}]", word, WORDS)
    run = Run(word)
    if not feature.has_order:
        raise ValueError(
            f"monotone[{feature.name!r}]: {word!r} needs a number, a boolean or ordered levels; "
            f"{feature.name!r} has levels without an order"
        )
    if run.is_bend and not feature.is_numeric:
        raise ValueError(f"monotone[{feature.name!r}]: {word!r} needs a number")
    return run
