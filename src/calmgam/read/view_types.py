"""What a renderer gets to see: frozen dataclasses of plain numbers and strings.

`calmgam.read.views` makes them from a model; `to_dict` gives values for JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from calmgam.read.words.numbers import range_text
from calmgam.read.words.wording import value_text

FloatTuple = tuple[float, ...]
FEW_FLAT = 5  # as many features without effect are shown


@dataclass(frozen=True)
class View:
    """Base of all views."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


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
        The region in words, thresholds rounded.
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
        `edges[k]` to `edges[k + 1]`. The 90 % band is value ± spread.
    points : tuple of PointView
        Levels, then "other" and "missing", as far as the region has rows there.
    density : tuple of float
        Rows in each display bin of a numeric feature.
    """

    edges: FloatTuple
    values: FloatTuple
    spreads: FloatTuple
    points: tuple[PointView, ...]
    density: FloatTuple


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
    place : str
        Threshold or levels in words.
    low, high : float
        Range of the change of the score over all inputs.
    arrow : {"↑", "↓", "↕", "="}
    exact : bool
        Some inputs attain both ends; otherwise they are bounds.
    """

    terms: tuple[str, ...]
    threshold: float | None
    levels: tuple[str, ...]
    place: str
    low: float
    high: float
    arrow: str
    exact: bool

    def __str__(self) -> str:
        change = range_text(self.low, self.high)
        return f"at {self.place}: {self.arrow} {change} from {', '.join(self.terms)}"


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
    output : str
        Of a model of many classes: the class, or the pair of classes, that is looked at.
    """

    name: str
    kind: str
    link: str
    conditioned_on: tuple[str, ...]
    importance: float
    regions: tuple[RegionView, ...]
    display_edges: FloatTuple
    labels: tuple[str, ...]
    n_levels: int
    log_from: float | None
    jumps: tuple[JumpView, ...]
    output: str = ""

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
    """A feature's importance, split by region, its partition, and the jumps it causes."""

    name: str
    conditioned_on: tuple[str, ...]
    importance: float
    parts: tuple[PartView, ...]
    partition: tuple[BranchView, ...]
    jumps: tuple[JumpView, ...]

    @property
    def title(self) -> str:
        """The feature and what it is conditioned on: `x1 | x3`."""
        return _title(self.name, self.conditioned_on)


@dataclass(frozen=True)
class CalibrationView(View):
    """Rows with similar predictions: what was predicted, and what was observed.

    Attributes
    ----------
    n_rows : int
    share : float
        Of all weight, or exposure.
    predicted, observed : float
        Means; or the quantile that the model predicts.
    """

    n_rows: int
    share: float
    predicted: float
    observed: float


@dataclass(frozen=True)
class ModelView(View):
    """The model at a glance.

    Attributes
    ----------
    link : str
    classes : tuple
    n_rows : float
        Training rows (sum of weights).
    n_features, n_splits, n_curves, n_pairs : int
    intercept : float, or tuple of one per class
    metric : str
        Name of the errors, on validation rows at fit time.
    gam, calm, reference : float or None
        Error of the same model without regions, of this model, of the black box.
    objective : str
        What was minimised.
    performance : mapping
        Measures on data, if some was given.
    calibration : tuple of CalibrationView
        Of the same data.
    features : tuple of ImportanceView
        The most important one first.
    """

    link: str
    classes: tuple[Any, ...]
    n_rows: float
    n_features: int
    n_splits: int
    n_curves: int
    n_pairs: int
    intercept: Any
    metric: str
    gam: float | None
    calm: float | None
    reference: float | None
    objective: str
    performance: Mapping[str, float]
    calibration: tuple[CalibrationView, ...]
    features: tuple[ImportanceView, ...]

    @property
    def moving(self) -> tuple[ImportanceView, ...]:
        """The features that are worth a look: all, but for many without effect."""
        n_moving = sum(feature.importance > 0 for feature in self.features)
        is_many = len(self.features) - n_moving > FEW_FLAT
        return self.features[: max(1, n_moving)] if is_many else self.features

    @property
    def standing(self) -> float | None:
        """Share of the way from the own GAM (0) to the reference (1); None if there is no way."""
        if self.gam is None or self.calm is None or self.reference is None:
            return None
        way = self.gam - self.reference
        return (self.gam - self.calm) / way if way > 0 else None


@dataclass(frozen=True)
class LineView(View):
    """One line of a prediction.

    Attributes
    ----------
    name : str
        The feature.
    value : float, str or None
        Its value: a number, a level, or None for missing.
    mark : str
        What is to be said beside the value: "", or that training did not see its level.
    rule : str
        Where the curve that was chosen holds; empty if the feature has one curve only.
    contribution : float
    """

    name: str
    value: float | str | None
    mark: str
    rule: str
    contribution: float

    @property
    def label(self) -> str:
        """`name = value`."""
        return f"{self.name} = {value_text(self.value, self.mark)}"


@dataclass(frozen=True)
class OthersView(LineView):
    """The sum of the lines that do not fit."""

    @property
    def label(self) -> str:
        """Say how many lines are left out."""
        return self.name


@dataclass(frozen=True)
class PredictionView(View):
    """One prediction: intercept + contributions, added in this order, are exactly the score.

    With many classes the score is the log-odds of `classes[1]` against `classes[0]`, `probability`
    is that of `classes[1]`, and `probabilities` are those of all, the highest first.
    An offset, if there is one, is added last. `mean` is the prediction of a log link.
    """

    intercept: float
    lines: tuple[LineView, ...]
    score: float
    probability: float | None
    classes: tuple[Any, ...]
    probabilities: tuple[tuple[Any, float], ...] = ()
    offset: float = 0.0
    mean: float | None = None

    def largest(self, n_lines: int) -> tuple[LineView, ...]:
        """At most `n_lines` lines by size; the last one sums up those that do not fit."""
        ranked = sorted(self.lines, key=lambda line: -abs(line.contribution))
        if len(ranked) <= n_lines:
            return tuple(ranked)
        n_moving = sum(line.contribution != 0 for line in ranked)
        n_shown = min(n_lines - 1, max(1, n_moving))
        others = ranked[n_shown:]
        total = math.fsum(line.contribution for line in others)
        return (*ranked[:n_shown], OthersView(f"{len(others)} others", None, "", "", total))


def joint_jumps(jumps: Iterable[JumpView]) -> list[JumpView]:
    """Keep one jump per place: the joint one, which comes last, if several terms switch there.

    Parameters
    ----------
    jumps : iterable of JumpView
    """
    groups = groupby(jumps, key=lambda jump: (jump.threshold, jump.levels))
    last = (list(group)[-1] for _, group in groups)
    return [jump for jump in last if jump.arrow != "="]


def _title(name: str, conditioned_on: tuple[str, ...]) -> str:
    return f"{name} | {', '.join(conditioned_on)}" if conditioned_on else name


def _plain(value: Any) -> Any:
    if isinstance(value, View):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value
