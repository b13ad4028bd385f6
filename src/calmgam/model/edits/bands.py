"""Bands: values of a feature that share a height, the mean of their training rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.edits.edit import (
    Edit,
    is_finite,
    leaves_in,
    refined,
    slots_between,
    term_called,
    with_terms,
    with_values,
)
from calmgam.model.edits.heights import level_slots, mean_height
from calmgam.model.glassbox import Model, Term
from calmgam.model.shapes import ShapeFunction


@dataclass(frozen=True)
class Bands(Edit):
    """Join the values of a feature into bands with one height each: the mean of their rows.

    Parameters
    ----------
    feature : str
    cuts : sequence of float
        Where bands of a number end: low < x <= cut. Without cuts the curve is flat.
    groups : sequence of sequences of str
        Levels that share a height; others keep theirs.
    where : str, optional
        Only curves of regions inside this one.
    """

    name = "bands"

    feature: str
    cuts: tuple[float, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    where: str | None = None

    def __post_init__(self) -> None:
        if not all(map(is_finite, self.cuts)) or not (np.diff(self.cuts) > 0).all():
            raise ValueError(f"cuts must be numbers in increasing order; got {self.cuts}")

    def apply(self, model: Model) -> Model:
        """Return the model with these bands."""
        term = term_called(model, self.feature)
        if term.feature.is_numeric == bool(self.groups):
            raise ValueError(
                f"numbers have cuts, levels have groups; {self.feature!r} is {term.feature.kind}"
            )
        if term.feature.is_numeric:
            term = refined(term, self.cuts)
            ends = (None, *self.cuts, None)
            masks = [slots_between(term, *pair) for pair in pairwise(ends)]
        else:
            masks = [level_slots(term, group) for group in self.groups]

        def banded(shape: ShapeFunction) -> FloatArray:
            values = shape.values.copy()
            for mask in masks:
                values[mask] = mean_height(shape.values[mask], shape.counts[mask])
            return values

        leaves = leaves_in(model, term, self.where)
        return with_terms(model, without_idle_edges(model, with_values(term, banded, leaves)))


def without_idle_edges(model: Model, term: Term) -> Term:
    """Return the term without the edges at which no curve changes, but with all thresholds."""
    if not term.feature.is_numeric:
        return term
    index = term.feature.index
    thresholds = {
        edge
        for other in model.terms
        for node in other.tree.nodes
        if node.condition is not None and node.condition.feature.index == index
        for edge in node.condition.edges
    }
    values = np.array([shape.values[:-1] for shape in term.shapes])
    steps = values[:, 1:] != values[:, :-1]
    kept = steps.any(axis=(0, *range(2, steps.ndim)))
    kept |= np.isin(term.edges, sorted(thresholds))
    starts = np.concatenate([[0], np.flatnonzero(kept) + 1])
    bins = np.append(starts, len(term.edges) + 1)  # first slot of every band, then missing
    shapes = tuple(
        ShapeFunction(
            term.feature,
            shape.edges[kept],
            shape.values[bins],
            np.append(np.add.reduceat(shape.counts[:-1], starts), shape.counts[-1]),
            np.concatenate([np.maximum.reduceat(shape.spreads[:-1], starts), shape.spreads[-1:]]),
        )
        for shape in term.shapes
    )
    return Term(term.feature, term.tree, shapes)
