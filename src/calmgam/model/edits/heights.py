"""Edits of heights: flatten, clamp, make monotone, smooth, round.

Heights change in a range (`low`, `high`) or at some `levels`, in all curves of a feature or in
those of regions inside `where`. Flattening to the mean, monotone and smooth curves keep the
mean of every curve over its training rows, so that what a height means stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.edits.edit import (
    Edit,
    as_intercept,
    check_range,
    is_finite,
    leaves_in,
    refined,
    slots_between,
    term_called,
    with_terms,
    with_values,
)
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Mask
from calmgam.model.shapes import ShapeFunction

SIDES = ("mean", "left", "right")
DIRECTIONS = ("increasing", "decreasing")


@dataclass(frozen=True)
class Range(Edit):
    """Base of edits of a range: some values of a feature, in some regions.

    Parameters
    ----------
    feature : str
    low, high : float, optional
        Only low < x <= high of a number; None: no end. Both become edges of the curves.
    levels : sequence of str, optional
        Only these levels.
    where : str, optional
        Only curves of regions inside this one, such as "hour <= 7".
    """

    feature: str
    low: float | None = None
    high: float | None = None
    levels: tuple[str, ...] | None = None
    where: str | None = None

    def __post_init__(self) -> None:
        check_range(self.low, self.high)

    def chosen(self, model: Model) -> tuple[Term, list[int], Mask]:
        """Return the term with the ends as edges, its chosen leaves and its chosen slots."""
        term = term_called(model, self.feature)
        is_range = self.low is not None or self.high is not None
        if not term.feature.is_numeric:
            if is_range:
                raise ValueError(f"low and high must be of numbers; {self.feature!r} has levels")
            mask = level_slots(term, self.levels)
        else:
            if self.levels is not None:
                raise ValueError(
                    f"levels must be of a feature with levels; {self.feature!r} has none"
                )
            term = refined(term, (self.low, self.high))
            mask = slots_between(term, self.low, self.high)
        return term, leaves_in(model, term, self.where), mask


@dataclass(frozen=True)
class Flatten(Range):
    """Give a range one height: the mean of its rows, that on its left or right, or a number.

    Parameters
    ----------
    feature, low, high, levels, where
        As in `Range`.
    to : {"mean", "left", "right"} or float
        "left" and "right": the height just outside of the range, or at its end if it has no
        outside there.
    """

    name = "flatten"

    to: str | float = "mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.to not in SIDES and not is_finite(self.to):
            raise ValueError(f"to must be one of {SIDES} or a number; got {self.to!r}")

    def apply(self, model: Model) -> Model:
        """Return the model with the range flat."""
        term, leaves, mask = self.chosen(model)
        if self.to in ("left", "right") and not term.feature.is_numeric:
            raise ValueError(f'to must be "mean" or a number for levels; got {self.to!r}')

        def flat(shape: ShapeFunction) -> FloatArray:
            values = shape.values.copy()
            values[mask] = self._height(shape, mask)
            return values

        return with_terms(model, with_values(term, flat, leaves))

    def _height(self, shape: ShapeFunction, mask: Mask) -> Any:
        if self.to == "mean":
            return mean_height(shape.values[mask], shape.counts[mask])
        slots = np.flatnonzero(mask)
        if self.to == "left":
            return shape.values[max(slots[0] - 1, 0)]
        if self.to == "right":
            return shape.values[min(slots[-1] + 1, shape.n_slots - 2)]
        return self.to


@dataclass(frozen=True)
class Clamp(Range):
    """Keep the heights of a range between two numbers.

    Parameters
    ----------
    feature, low, high, levels, where
        As in `Range`.
    lowest, highest : float, optional
        The heights' bounds; None: no bound.
    """

    name = "clamp"

    lowest: float | None = None
    highest: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lowest is None and self.highest is None:
            raise ValueError("lowest or highest must be given; got neither")
        for name in ("lowest", "highest"):
            if getattr(self, name) is not None and not is_finite(getattr(self, name)):
                raise ValueError(f"{name} must be a number or None; got {getattr(self, name)!r}")
        if None not in (self.lowest, self.highest) and self.lowest > self.highest:  # type: ignore[operator]
            raise ValueError(
                f"lowest must not exceed highest; got {self.lowest} and {self.highest}"
            )

    def apply(self, model: Model) -> Model:
        """Return the model with bounded heights."""
        term, leaves, mask = self.chosen(model)

        def bounded(shape: ShapeFunction) -> FloatArray:
            values = shape.values.copy()
            values[mask] = np.clip(values[mask], self.lowest, self.highest)
            return values

        return with_terms(model, with_values(term, bounded, leaves))


@dataclass(frozen=True)
class Monotone(Range):
    """Make curves monotone: the nearest such heights, by isotonic regression over the rows.

    The curves then never turn; whether the score is monotone depends on hidden jumps, too, which
    `monotonicity` proves or refutes.

    Parameters
    ----------
    feature, low, high, where
        As in `Range`.
    direction : {"increasing", "decreasing"}
    """

    name = "monotone"

    direction: str = "increasing"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {DIRECTIONS}; got {self.direction!r}")

    def apply(self, model: Model) -> Model:
        """Return the model with monotone curves."""
        term, leaves, mask = self.chosen(model)
        check_order(term, self)
        sign = 1.0 if self.direction == "increasing" else -1.0

        def monotone(shape: ShapeFunction) -> FloatArray:
            values = shape.values.copy()
            values[mask] = sign * isotonic(sign * values[mask], shape.counts[mask])
            return values

        return with_terms(model, with_values(term, monotone, leaves))


@dataclass(frozen=True)
class Smooth(Range):
    """Smooth curves: penalised second differences, weighted by rows; straight parts stay.

    Parameters
    ----------
    feature, low, high, where
        As in `Range`.
    span : float
        Waves shorter than this share of the range's bins go.
    """

    name = "smooth"

    span: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_finite(self.span) or not 0 < self.span <= 1:
            raise ValueError(f"span must be in (0, 1]; got {self.span!r}")

    def apply(self, model: Model) -> Model:
        """Return the model with smooth curves."""
        term, leaves, mask = self.chosen(model)
        check_order(term, self)

        def smooth(shape: ShapeFunction) -> FloatArray:
            values = shape.values.copy()
            values[mask] = smoothed(values[mask], shape.counts[mask], self.span)
            return values

        return with_terms(model, with_values(term, smooth, leaves))


@dataclass(frozen=True)
class Round(Edit):
    """Round heights to multiples of a number.

    Parameters
    ----------
    step : float
    feature : str, optional
        Only its curves; None: all curves, and the intercept.
    """

    name = "round"

    step: float = 0.01
    feature: str | None = None

    def __post_init__(self) -> None:
        if not is_finite(self.step) or self.step <= 0:
            raise ValueError(f"step must be a number above 0; got {self.step!r}")

    def apply(self, model: Model) -> Model:
        """Return the model with round heights."""
        terms = model.terms if self.feature is None else [term_called(model, self.feature)]
        changed = [
            with_values(term, lambda shape: self._rounded(shape.values), range(len(term.shapes)))
            for term in terms
        ]
        edited = with_terms(model, *changed)
        if self.feature is not None:
            return edited
        return replace(edited, intercept=as_intercept(self._rounded(np.array(model.intercept))))

    def _rounded(self, values: FloatArray) -> FloatArray:
        parts = np.rint(1 / self.step) if self.step <= 1 else 0.0
        if parts and abs(parts * self.step - 1) < 1e-9:  # 0.57, not 57 * 0.01
            return np.asarray(np.rint(values * parts) / parts + 0.0)
        return np.asarray(np.rint(values / self.step) * self.step + 0.0)


def level_slots(term: Term, levels: Sequence[str] | None) -> Mask:
    """Return the mask of some levels, or of all."""
    feature = term.feature
    unknown = [level for level in levels or () if level not in feature.code_of]
    if unknown:
        raise ValueError(
            f"levels of {feature.name!r} must be among {list(feature.levels[:20])}; "
            f"got {unknown[0]!r}"
        )
    mask = np.zeros(term.n_slots, dtype=bool)
    codes = range(feature.n_levels) if levels is None else [feature.code_of[one] for one in levels]
    mask[list(codes)] = True
    return mask


def check_order(term: Term, edit: Range) -> None:
    """Refuse levels without order, and some of the levels only."""
    if not term.feature.has_order or edit.levels is not None:
        raise ValueError(
            f"{edit.name} must be of numbers or of ordered levels, all of them; "
            f"got {term.feature.kind} feature {term.feature.name!r}"
        )


def mean_height(values: FloatArray, counts: FloatArray) -> Any:
    """Return the mean over the rows; without rows that over the slots."""
    return np.average(values, axis=0, weights=counts if counts.any() else None)


def isotonic(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the nearest non-decreasing values, weighted by rows (pool adjacent violators)."""
    if values.ndim > 1:  # class by class
        return np.stack([isotonic(column, counts) for column in values.T], axis=1)
    weights = np.maximum(counts, 1e-9 * max(counts.max(initial=0.0), 1.0))
    blocks: list[list[float]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            last, before = blocks.pop(), blocks.pop()
            total = before[1] + last[1]
            mean = (before[0] * before[1] + last[0] * last[1]) / total
            blocks.append([mean, total, before[2] + last[2]])
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])


def smoothed(values: FloatArray, counts: FloatArray, span: float) -> FloatArray:
    """Return values with penalised second differences (Whittaker); the weighted mean stays."""
    n_bins = len(values)
    if n_bins < 3:
        return values
    if values.ndim > 1:  # class by class
        return np.stack([smoothed(column, counts, span) for column in values.T], axis=1)
    weights = counts / counts.mean() if counts.any() else np.ones(n_bins)
    second = np.diff(np.eye(n_bins), 2, axis=0)
    strength = (span * n_bins / (2 * np.pi)) ** 4
    matrix = np.diag(np.maximum(weights, 1e-9)) + strength * second.T @ second
    result: FloatArray = np.linalg.solve(matrix, np.maximum(weights, 1e-9) * values)
    return result
