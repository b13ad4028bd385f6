"""Edits that leave every score as it is, or scale all of them: names, references, calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calmgam.model.edits.edit import Edit, as_intercept, is_finite, term_called, with_terms
from calmgam.model.edits.heights import mean_height
from calmgam.model.exact.rows import encode_value
from calmgam.model.glassbox import Model
from calmgam.model.shapes import slot_codes


@dataclass(frozen=True)
class SetReference(Edit):
    """Let a feature contribute 0 at one of its values; the intercept takes the difference.

    Where the feature has several curves, their mean over the training rows is 0 there.

    Parameters
    ----------
    feature : str
    value : float, str or None
        A number, a level, or None for missing.
    """

    name = "set_reference"
    keeps_score = True

    feature: str
    value: Any

    def apply(self, model: Model) -> Model:
        """Return the same scores from other heights."""
        term = term_called(model, self.feature)
        code = encode_value(term.feature, self.value)
        slot = int(slot_codes(term.feature, term.edges, np.array([code]))[0])
        heights = np.array([shape.values[slot] for shape in term.shapes])
        rows = np.array([shape.counts[slot] for shape in term.shapes])
        if not rows.any():
            rows = np.array([shape.counts.sum() for shape in term.shapes])
        height = mean_height(heights, rows) if len(heights) > 1 else heights[0]
        shapes = tuple(replace(shape, values=shape.values - height) for shape in term.shapes)
        return with_terms(model, replace(term, shapes=shapes), shift=height)


@dataclass(frozen=True)
class RenameLevels(Edit):
    """Call levels of a feature otherwise; tables must then use the new names.

    Parameters
    ----------
    feature : str
    names : sequence of (old, new)
    """

    name = "rename_levels"
    keeps_score = True

    feature: str
    names: tuple[tuple[str, str], ...]

    def apply(self, model: Model) -> Model:
        """Return the model with new names."""
        feature = term_called(model, self.feature).feature
        names = dict(self.names)
        unknown = [old for old in names if old not in feature.levels]
        if unknown or feature.kind != "categorical":
            raise ValueError(
                f"names must rename levels of a categorical feature; {self.feature!r} is "
                f"{feature.kind} with levels {list(feature.levels[:20])}, got {unknown}"
            )
        new = [names.get(level, level) for level in feature.levels]
        if len(set(new)) < len(new):
            raise ValueError(f"levels of {self.feature!r} must stay distinct; got {new}")
        document = model.to_dict()
        renamed = {
            key: part if key in ("provenance", "trail") else _renamed(part, self.feature, names)
            for key, part in document.items()
        }
        for plain in renamed["schema"]["features"]:
            if plain["name"] == self.feature:
                plain["levels"] = new
        return Model.from_dict(renamed)


@dataclass(frozen=True)
class Rescale(Edit):
    """Multiply every score and add a constant: what calibration of probabilities does.

    Parameters
    ----------
    slope, shift : float
        The new score is slope * score + shift.
    """

    name = "rescale"

    slope: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        if not is_finite(self.slope) or self.slope <= 0 or not is_finite(self.shift):
            raise ValueError(
                f"slope must be a number above 0, shift a number; got {self.slope}, {self.shift}"
            )

    def apply(self, model: Model) -> Model:
        """Return the model with other scores."""
        terms = tuple(
            replace(
                term,
                shapes=tuple(
                    replace(
                        shape, values=self.slope * shape.values, spreads=self.slope * shape.spreads
                    )
                    for shape in term.shapes
                ),
            )
            for term in model.terms
        )
        intercept = as_intercept(self.slope * np.array(model.intercept) + self.shift)
        return replace(model, intercept=intercept, terms=terms)


def _renamed(part: Any, feature: str, names: Mapping[str, str]) -> Any:
    """Return a part of a document in which conditions on the feature name the new levels."""
    if isinstance(part, Mapping):
        renamed = {key: _renamed(value, feature, names) for key, value in part.items()}
        if part.keys() >= {"feature", "operator", "value"} and part["feature"] == feature:
            renamed["value"] = [names.get(level, level) for level in part["value"]]
        return renamed
    return [_renamed(one, feature, names) for one in part] if isinstance(part, list) else part
