"""Plain numbers and strings that every renderer draws.

A `Model` comes in; frozen dataclasses with `to_dict` (JSON-ready) go out: one feature's curves,
the model at a glance, one prediction. A curve reaches only as far as its region has rows, parts
of an importance add up to the whole, and the lines of a prediction add up to its score.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.exact.rows import UserRow, read_row
from calmgam.model.glassbox import Model, Term
from calmgam.model.links import probability_of, response, softmax
from calmgam.model.regions import Region
from calmgam.model.schema import Feature
from calmgam.model.shapes import ShapeFunction
from calmgam.model.tree import PartitionTree
from calmgam.read.audit import Jump, jumps
from calmgam.read.measures.performance import Measured, measure
from calmgam.read.outputs import Between, output_of, pair_of_row
from calmgam.read.view_types import (
    BranchView,
    FeatureView,
    FloatTuple,
    ImportanceView,
    JumpView,
    LineView,
    ModelView,
    PartView,
    PointView,
    PredictionView,
    RegionView,
)
from calmgam.read.words.wording import rule_text, threshold_text

MAX_DISPLAY_BINS = 40


def feature_view(
    model: Model, feature: str, of_class: Any = None, between: Between = None
) -> FeatureView:
    """Look at one feature of a model; of many classes, at one or at a pair.

    Parameters
    ----------
    model : Model
    feature : str
        Its name.
    of_class, between
        Label of a class, or of two whose log-odds are looked at.
    """
    model = output_of(model, of_class, between)
    term = model.terms[model.schema.index(feature)]
    edges, slots = _bin_edges(term), _seen_slots(term)
    log_from = _log_from(edges)
    display_edges = _display_edges(edges, log_from)
    regions = tuple(
        RegionView(
            **vars(part),
            **_steps(shape, edges),
            points=_points(shape, slots),
            density=_density(shape, edges, display_edges),
        )
        for part, shape in zip(_parts(term), term.shapes, strict=True)
    )
    return FeatureView(
        name=feature,
        kind=term.feature.kind,
        link=model.link,
        conditioned_on=_conditioned_on(model, term),
        importance=term.importance,
        regions=regions,
        display_edges=_floats(display_edges),
        labels=tuple(_slot_label(term.feature, slot) for slot in slots),
        n_levels=sum(slot < term.feature.n_levels for slot in slots),
        log_from=log_from,
        jumps=_jump_views(model, term.feature),
        output=_output_text(of_class, between),
    )


def _output_text(of_class: Any, between: Between) -> str:
    if between is not None:
        return f"{between[0]} against {between[1]}"
    return "" if of_class is None else str(of_class)


def model_view(
    model: Model, X: Any = None, y: Any = None, sample_weight: Any = None, offset: Any = None
) -> ModelView:
    """Look at a model as a whole; with data, at its errors on them too.

    Parameters
    ----------
    model : Model
    X : data frame or array, optional
    y : array, optional
        The target of X: numbers, or labels of a classifier's classes.
    sample_weight, offset : array, optional
        Of the rows of X.
    """
    known = Measured({}, ()) if X is None else measure(model, X, y, sample_weight, offset)
    terms = sorted(model.terms, key=lambda term: -term.importance)
    errors = model.errors
    return ModelView(
        link=model.link,
        classes=model.classes,
        n_rows=_n_rows(model.terms[0]),
        n_features=len(model.terms),
        n_splits=model.n_splits,
        n_curves=model.n_curves,
        n_pairs=model.n_pairs,
        intercept=model.intercept,
        metric=errors.get("metric", "error"),
        gam=errors.get("gam"),
        calm=errors.get("calm"),
        reference=errors.get("reference"),
        objective=model.objective.text,
        performance=known.measures,
        calibration=known.calibration,
        features=tuple(_importance_view(model, term) for term in terms),
    )


def prediction_view(
    model: Model, row: Any, between: Between = None, offset: float = 0.0
) -> PredictionView:
    """Look at one prediction; of many classes, at the most probable one against the next.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    between : (label, label), optional
        The score is the log-odds of one class against another.
    offset : float
        Added to the score.
    """
    user_row = read_row(model.schema, row)
    X = user_row.encoded[np.newaxis]
    probabilities = _probabilities(model, X)
    has_many = model.link == "softmax"
    model = pair_of_row(model, user_row.encoded, between)
    score = float(model.score_encoded(X)[0]) + float(offset)
    mean = float(response(model.link, np.array(score))) if model.link == "log" else None
    probability = None
    if model.link == "logit":
        odds = float(probability_of(score))
        probability = dict(probabilities)[model.classes[1]] if has_many else odds
    lines = tuple(_line_view(term, user_row) for term in model.terms)
    return PredictionView(
        model.intercept,
        lines,
        score,
        probability,
        model.classes,
        probabilities,
        float(offset),
        mean,
    )


def _probabilities(model: Model, X: FloatArray) -> tuple[tuple[Any, float], ...]:
    """Return the probabilities of many classes, the highest first; nothing of other models."""
    if model.link != "softmax":
        return ()
    probabilities = softmax(model.score_encoded(X)[0]).tolist()
    both = zip(model.classes, probabilities, strict=True)
    return tuple(sorted(both, key=lambda one: -one[1]))


def _line_view(term: Term, row: UserRow) -> LineView:
    X, index = row.encoded[np.newaxis], term.feature.index
    region = term.tree.regions[term.tree.leaf_of(X)[0]]
    return LineView(
        name=term.feature.name,
        value=row.value(index),
        mark=row.mark(index),
        rule=rule_text(region) if term.conditioned_on else "",
        contribution=float(term.contribution(X)[0]),
    )


def _jump_views(model: Model, feature: Feature) -> tuple[JumpView, ...]:
    if model.link == "softmax":  # every pair of classes has its own
        return ()
    return tuple(_jump_view(feature, jump) for jump in jumps(model, feature.name).jumps)


def _jump_view(feature: Feature, jump: Jump) -> JumpView:
    levels = jump.at if isinstance(jump.at, tuple) else ()
    threshold = None if isinstance(jump.at, tuple) else jump.at
    return JumpView(
        terms=jump.terms,
        threshold=threshold,
        levels=levels,
        place=", ".join(levels) if threshold is None else threshold_text(feature, threshold),
        low=jump.low,
        high=jump.high,
        arrow=jump.arrow,
        exact=jump.exact,
    )


def _importance_view(model: Model, term: Term) -> ImportanceView:
    return ImportanceView(
        name=term.feature.name,
        conditioned_on=_conditioned_on(model, term),
        importance=term.importance,
        parts=_parts(term),
        partition=tuple(_branches(term.tree, 0, 0)),
        jumps=_jump_views(model, term.feature),
    )


def _parts(term: Term) -> tuple[PartView, ...]:
    n_rows = _n_rows(term)
    return tuple(
        PartView(
            rule=rule_text(region),
            n_rows=float(shape.counts.sum()),
            share=_ratio(shape.counts.sum(), n_rows),
            importance=_ratio(np.mean(np.abs(shape.values).T @ shape.counts), n_rows),
        )
        for region, shape in zip(term.tree.regions, term.shapes, strict=True)
    )


def _branches(tree: PartitionTree, index: int, depth: int) -> Iterator[BranchView]:
    node = tree.nodes[index]
    if node.condition is None:
        return
    for condition, child in ((node.condition, node.left), (node.condition.negate(), node.right)):
        leaf = tree.nodes[child].leaf
        yield BranchView(depth, rule_text(Region((condition,))), leaf if leaf >= 0 else None)
        yield from _branches(tree, child, depth + 1)


def _bin_edges(term: Term) -> FloatArray:
    """Edges of a numeric feature's bins, the outer ones at the ends of the training range."""
    low = np.fmin.reduce([term.feature.low, *term.edges])
    high = np.fmax.reduce([term.feature.high, *term.edges])
    is_known = term.feature.is_numeric and math.isfinite(low)
    return np.array([low, *term.edges, high]) if is_known else np.empty(0)


def _log_from(edges: FloatArray) -> float | None:
    """Where a logarithmic axis may start, if most bins of positive numbers crowd together."""
    is_crowded = len(edges) > 8 and np.median(edges) - edges[0] < 0.05 * (edges[-1] - edges[0])
    return float(edges[1]) if is_crowded and edges[0] >= 0 else None


def _display_edges(edges: FloatArray, log_from: float | None) -> FloatArray:
    """Return the bins' own edges if they are few, else edges at equal distances on the axis."""
    if len(edges) <= MAX_DISPLAY_BINS + 1:
        return edges
    if log_from is None:
        return np.linspace(edges[0], edges[-1], MAX_DISPLAY_BINS + 1)
    return np.array([edges[0], *np.geomspace(log_from, edges[-1], MAX_DISPLAY_BINS)])


def _steps(shape: ShapeFunction, edges: FloatArray) -> dict[str, Any]:
    """Edges, values and spreads from the first to the last bin with rows; none for levels."""
    filled = np.flatnonzero(shape.counts[: max(len(edges) - 1, 0)])
    first, end = (filled[0], filled[-1] + 1) if len(filled) else (0, 0)
    return {
        "edges": _floats(edges[first : end + 1]) if end else (),
        "values": _floats(shape.values[first:end]),
        "spreads": _floats(shape.spreads[first:end]),
    }


def _density(shape: ShapeFunction, edges: FloatArray, display_edges: FloatArray) -> FloatTuple:
    """Rows per display bin, a curve bin's rows spread evenly over it; they add up."""
    if not len(edges):
        return ()
    below = np.concatenate([[0.0], np.cumsum(shape.counts[: len(edges) - 1])])
    return _floats(np.diff(np.interp(display_edges, edges, below)))


def _seen_slots(term: Term) -> list[int]:
    """Slots with training rows that are not bins: levels, rare levels, missing."""
    first = term.n_slots - 1 if term.feature.is_numeric else 0
    return [s for s in range(first, term.n_slots) if any(c.counts[s] > 0 for c in term.shapes)]


def _slot_label(feature: Feature, slot: int) -> str:
    """Text of a level, or of what stands beside levels, in brackets if a level is called so."""
    if not feature.is_numeric and slot < feature.n_levels:
        return feature.levels[slot]
    text = "other" if not feature.is_numeric and slot == feature.n_levels else "missing"
    return f"({text})" if text in feature.levels else text


def _points(shape: ShapeFunction, slots: list[int]) -> tuple[PointView, ...]:
    return tuple(
        PointView(
            position=position,
            label=_slot_label(shape.feature, slot),
            value=float(shape.values[slot]),
            spread=float(shape.spreads[slot]),
            n_rows=float(shape.counts[slot]),
        )
        for position, slot in enumerate(slots)
        if shape.counts[slot] > 0
    )


def _conditioned_on(model: Model, term: Term) -> tuple[str, ...]:
    return tuple(model.schema.names[index] for index in term.conditioned_on)


def _n_rows(term: Term) -> float:
    return float(sum(shape.counts.sum() for shape in term.shapes))


def _ratio(part: Any, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0


def _floats(array: FloatArray) -> FloatTuple:
    return tuple(array.tolist())
