"""Plain numbers and strings that every renderer draws.

A `Model` comes in; frozen dataclasses with `to_dict` (JSON-ready) go out: one feature's curves,
the model at a glance, one prediction. A curve reaches only as far as its region has rows, parts
of an importance add up to the whole, and the lines of a prediction add up to its score.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Condition, Region, Support
from calmgam.model.schema import Feature
from calmgam.model.shapes import ShapeFunction
from calmgam.model.tree import PartitionTree
from calmgam.read.performance import performance

FloatTuple = tuple[float, ...]
MAX_DISPLAY_BINS = 40


class View:
    """Base of all views."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True)
class PointView(View):
    """One value that does not lie on a line: the feature's label at `position`."""

    position: int
    label: str
    value: float
    spread: float
    n_rows: float


@dataclass(frozen=True)
class PartView(View):
    """One region of a feature.

    Attributes
    ----------
    rule : str
        The region in words, thresholds rounded to six digits.
    n_rows, share : float
        Training rows in the region, and their share of all rows.
    importance : float
        The region's part of the feature's importance; the parts add up.
    """

    rule: str
    n_rows: float
    share: float
    importance: float


@dataclass(frozen=True)
class RegionView(PartView):
    """One region of a feature and its curve.

    Attributes
    ----------
    rule, n_rows, share, importance
        As in `PartView`.
    edges, values, spreads : tuple of float
        Steps of a numeric feature from the first to the last bin with rows: `values[k]` holds from
        `edges[k]` to `edges[k + 1]`. The band is value ± spread.
    points : tuple of PointView
        Levels, then "other" and "missing", as far as the region has rows there.
    density : tuple of float
        Rows in each display bin of a numeric feature.
    """

    edges: tuple[float, ...]
    values: tuple[float, ...]
    spreads: tuple[float, ...]
    points: tuple[PointView, ...]
    density: tuple[float, ...]


@dataclass(frozen=True)
class JumpView(View):
    """A hidden jump: where the feature is a condition of another feature's curves.

    Attributes
    ----------
    terms : tuple of str
        The features whose curves switch; several for the joint range of all that share the place.
    threshold : float or None
        Where the switch happens; None for levels.
    levels : tuple of str
        The levels that are switched to.
    low, high : float
        Range of the change of the score.
    arrow : {"↑", "↓", "↕"}
    """

    terms: tuple[str, ...]
    threshold: float | None
    levels: tuple[str, ...]
    low: float
    high: float
    arrow: str


@dataclass(frozen=True)
class FeatureView(View):
    """All that one feature does.

    Attributes
    ----------
    name, kind : str
    link : str
        Of the model: contributions are in units of the target, or log-odds.
    conditioned_on : tuple of str
        Features that choose between the curves.
    importance : float
        Mean absolute contribution over the training rows.
    regions : tuple of RegionView
    display_edges : tuple of float
        Edges of the display bins of a numeric feature.
    labels : tuple of str
        Values that do not lie on a line: levels, then "other" and "missing" if seen in training.
    n_levels : int
        How many of the labels are levels.
    log_from : float or None
        From here on the axis is better logarithmic: most bins lie in a small part of the range.
    jumps : tuple of JumpView
    """

    name: str
    kind: str
    link: str
    conditioned_on: tuple[str, ...]
    importance: float
    regions: tuple[RegionView, ...]
    display_edges: tuple[float, ...]
    labels: tuple[str, ...]
    n_levels: int
    log_from: float | None
    jumps: tuple[JumpView, ...]

    @property
    def title(self) -> str:
        """The feature and what it is conditioned on: `x1 | x3`."""
        return _title(self.name, self.conditioned_on)

    @property
    def is_numeric(self) -> bool:
        """Curves run along a line."""
        return self.kind == "numeric"


@dataclass(frozen=True)
class BranchView(View):
    """One line of a partition: a condition, `depth` conditions below the root.

    Attributes
    ----------
    depth : int
    rule : str
    leaf : int or None
        The region that is complete with this condition; None if others follow below.
    """

    depth: int
    rule: str
    leaf: int | None


@dataclass(frozen=True)
class ImportanceView(View):
    """A feature's importance, split by region, and its partition."""

    name: str
    conditioned_on: tuple[str, ...]
    importance: float
    parts: tuple[PartView, ...]
    partition: tuple[BranchView, ...]

    @property
    def title(self) -> str:
        """The feature and what it is conditioned on: `x1 | x3`."""
        return _title(self.name, self.conditioned_on)


@dataclass(frozen=True)
class ModelView(View):
    """The model at a glance.

    Attributes
    ----------
    link : str
    classes : tuple
    n_rows : float
        Training rows (sum of weights).
    n_features, n_splits, n_curves, n_interactions, n_pairs : int
    intercept : float
    metric : str
        Name of the errors, on validation rows at fit time.
    gam, calm, reference : float or None
        Error of the same model without regions, of this model, of the black box.
    performance : mapping
        Measures on data, if some was given.
    features : tuple of ImportanceView
        The most important one first.
    """

    link: str
    classes: tuple[Any, ...]
    n_rows: float
    n_features: int
    n_splits: int
    n_curves: int
    n_interactions: int
    n_pairs: int
    intercept: float
    metric: str
    gam: float | None
    calm: float | None
    reference: float | None
    performance: Mapping[str, float]
    features: tuple[ImportanceView, ...]

    @property
    def standing(self) -> float | None:
        """Share of the way from the own GAM (0) to the reference (1); None if there is no way."""
        if self.gam is None or self.calm is None or self.reference is None:
            return None
        way = self.gam - self.reference
        return (self.gam - self.calm) / way if way > 0 else None


@dataclass(frozen=True)
class LineView(View):
    """One line of a prediction: the feature's value, the rule that chose its curve, its part."""

    name: str
    value: str
    rule: str
    contribution: float


@dataclass(frozen=True)
class PredictionView(View):
    """One prediction: intercept + contributions, added in this order, are exactly the score."""

    intercept: float
    lines: tuple[LineView, ...]
    score: float
    probability: float | None
    classes: tuple[Any, ...]

    @property
    def ranked(self) -> tuple[LineView, ...]:
        """Lines by size of their contribution, the largest first."""
        return tuple(sorted(self.lines, key=lambda line: -abs(line.contribution)))


def feature_view(model: Model, feature: str) -> FeatureView:
    """Look at one feature of a model.

    Parameters
    ----------
    model : Model
    feature : str
        Its name.
    """
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
        jumps=_jumps(model, term.feature),
    )


def model_view(model: Model, X: Any = None, y: Any = None) -> ModelView:
    """Look at a model as a whole; with data, at its errors on them too.

    Parameters
    ----------
    model : Model
    X : data frame or array, optional
    y : array, optional
        The target of X: numbers, or labels of a classifier's two classes.
    """
    terms = sorted(model.terms, key=lambda term: -term.importance)
    errors = model.errors
    return ModelView(
        link=model.link,
        classes=model.classes,
        n_rows=_n_rows(model.terms[0]),
        n_features=len(model.terms),
        n_splits=model.n_splits,
        n_curves=model.n_curves,
        n_interactions=model.n_interactions,
        n_pairs=model.n_pairs,
        intercept=model.intercept,
        metric=errors.get("metric", "error"),
        gam=errors.get("gam"),
        calm=errors.get("calm"),
        reference=errors.get("reference"),
        performance={} if X is None else performance(model, X, y),
        features=tuple(_importance_view(model, term) for term in terms),
    )


def prediction_view(model: Model, row: Any) -> PredictionView:
    """Look at one prediction.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    """
    X = model.schema.encode(_as_table(model, row))
    if len(X) != 1:
        raise ValueError(f"row must be one row; got {len(X)}")
    lines = tuple(
        LineView(
            name=term.feature.name,
            value=value_text(term.feature, X[0, term.feature.index]),
            rule=rule_text(term.tree.regions[term.tree.leaf_of(X)[0]]),
            contribution=float(term.contribution(X)[0]),
        )
        for term in model.terms
    )
    score = float(model.score_encoded(X)[0])
    probability = 1.0 / (1.0 + math.exp(-score)) if model.link == "logit" else None
    return PredictionView(model.intercept, lines, score, probability, model.classes)


def rule_text(region: Region) -> str:
    """Region in words, thresholds rounded to six digits (and no coarser than 0.1).

    Parameters
    ----------
    region : Region
    """
    return str(Region(tuple(map(_rounded, region.conditions))))


def number_text(value: float, n_digits: int = 3) -> str:
    """Text of a number in a few significant digits, without exponent."""
    text = np.format_float_positional(value, n_digits, fractional=False, trim="-")
    return "0" if float(text) == 0 else text


def value_text(feature: Feature, code: float) -> str:
    """Text of a value of the feature's encoded column.

    Parameters
    ----------
    feature : Feature
    code : float
    """
    if math.isnan(code):
        return "missing"
    return f"{code:.6g}" if feature.is_numeric else feature.label(int(code))


def _importance_view(model: Model, term: Term) -> ImportanceView:
    return ImportanceView(
        name=term.feature.name,
        conditioned_on=_conditioned_on(model, term),
        importance=term.importance,
        parts=_parts(term),
        partition=tuple(_branches(term.tree, 0, 0)),
    )


def _parts(term: Term) -> tuple[PartView, ...]:
    n_rows = _n_rows(term)
    return tuple(
        PartView(
            rule=rule_text(region),
            n_rows=float(shape.counts.sum()),
            share=_ratio(shape.counts.sum(), n_rows),
            importance=_ratio(np.abs(shape.values) @ shape.counts, n_rows),
        )
        for region, shape in zip(term.tree.regions, term.shapes, strict=True)
    )


def _as_table(model: Model, row: Any) -> Any:
    """One row by name or by position as a table of one row."""
    if isinstance(row, Mapping) or (hasattr(row, "keys") and np.ndim(row) == 1):
        absent = [name for name in model.schema.names if name not in row]
        if absent:
            raise ValueError(f"row must have a value for every feature; missing: {absent}")
        row = [row[name] for name in model.schema.names]
    is_flat = isinstance(row, list | tuple | np.ndarray) and np.ndim(row) == 1
    return np.array([[*row]], dtype=object) if is_flat else row


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
    is_missing = feature.is_numeric or slot > feature.n_levels
    return "missing" if is_missing else feature.label(slot)


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


def _title(name: str, conditioned_on: tuple[str, ...]) -> str:
    return f"{name} | {', '.join(conditioned_on)}" if conditioned_on else name


def _n_rows(term: Term) -> float:
    return float(sum(shape.counts.sum() for shape in term.shapes))


def _ratio(part: Any, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0


def _rounded(condition: Condition) -> Condition:
    """Threshold of `<=` and `>` in six digits, but never to whole numbers: 2011.5 is not 2012."""
    if not condition.feature.is_numeric or condition.operator in ("=", "!="):
        return condition
    threshold = condition.threshold
    if not math.isfinite(threshold) or threshold == 0:
        return condition
    n_decimals = max(1, 5 - math.floor(math.log10(abs(threshold))))
    return replace(condition, value=round(threshold, n_decimals))


def _floats(array: FloatArray) -> FloatTuple:
    return tuple(array.tolist())


def _plain(value: Any) -> Any:
    if isinstance(value, View):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


# ---------------------------------------------------------------------------------------------
# The place of `calmgam.read.audit.jumps`: the exact ranges, once they are there.


def _jumps(model: Model, feature: Feature) -> tuple[JumpView, ...]:
    jumps = []
    for term in model.terms:
        conditions = {
            condition.value: condition
            for node in term.tree.nodes
            if (condition := node.condition) and condition.feature == feature
        }
        for condition in conditions.values():
            low, high = _jump_range(term, condition)
            arrow = "↑" if low >= 0 else "↓" if high <= 0 else "↕"
            threshold = condition.threshold if feature.is_numeric else None
            levels = () if feature.is_numeric else tuple(map(feature.label, condition.codes))
            jumps.append(JumpView((term.feature.name,), threshold, levels, low, high, arrow))
    return tuple(sorted(jumps, key=lambda jump: (jump.threshold or 0.0, jump.levels)))


def _jump_range(term: Term, condition: Condition) -> tuple[float, float]:
    """Range of the switch from one side to the other, over slots where both curves have rows."""
    index, sides = condition.feature.index, (condition.negate().support, condition.support)
    if condition.feature.is_numeric:
        at = condition.threshold
        below, above = math.nextafter(at, -math.inf), math.nextafter(at, math.inf)
        sides = Support(((below, at),), False), Support(((at, above),), False)
    differences = []
    for before_region, before in zip(term.tree.regions, term.shapes, strict=True):
        for after_region, after in zip(term.tree.regions, term.shapes, strict=True):
            elsewhere = [
                Region(tuple(c for c in region.conditions if c.feature.index != index))
                for region in (before_region, after_region)
            ]
            can_switch = not elsewhere[0].contradicts(elsewhere[1]) and all(
                side & region.supports.get(index, side)
                for side, region in zip(sides, (before_region, after_region), strict=True)
            )
            if can_switch:
                both = (before.counts > 0) & (after.counts > 0)
                difference = after.values - before.values
                differences.append(difference[both] if both.any() else difference)
    return float(np.concatenate(differences).min()), float(np.concatenate(differences).max())
