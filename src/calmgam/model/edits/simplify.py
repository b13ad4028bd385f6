"""As few bands as the loss allows, at round cuts, jointly over all curves.

Every curve is cut into bands at one common price per band (`segments.py`), so that steps stay where
they explain most; the highest price whose loss on given rows stays within the tolerance is taken.
A cut moves to a rounder number where that costs little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.edits.bands import Bands
from calmgam.model.edits.edit import Edit, is_finite, read_edit
from calmgam.model.edits.segments import Sequence as Heights
from calmgam.model.glassbox import Model
from calmgam.model.measures import checked_target, losses_of
from calmgam.model.rounding import roundest
from calmgam.model.shapes import ShapeFunction

PRICES = 10.0 ** np.arange(1, -10, -0.5)  # of a band, as part of the score's variance
N_HALVINGS = 4  # of the interval between two prices
ALLOWANCE = 0.25  # what a rounder cut may cost, as part of the price of a band
N_ERRORS = 2  # the fewest with which nine of ten tables keep the loss: benchmarks/simplify.py
FLOOR = 0.5  # rows that every bin counts at least, as part of the mean over bins


@dataclass(frozen=True)
class Simplify(Edit):
    """Join values into bands, in many curves at once; `simplify` finds such an edit.

    Parameters
    ----------
    bands : sequence of Bands
    tolerance : float
        How much the loss was allowed to grow, relatively, when they were chosen.
    """

    name = "simplify"

    bands: tuple[Bands, ...]
    tolerance: float = 0.005

    def __post_init__(self) -> None:
        bands = tuple(read_edit(b) if isinstance(b, Mapping) else b for b in self.bands)
        if not all(isinstance(band, Bands) for band in bands):
            raise ValueError("bands must be edits of the name 'bands'")
        object.__setattr__(self, "bands", bands)

    def apply(self, model: Model) -> Model:
        """Return the model with all bands."""
        for band in self.bands:
            model = band.apply(model)
        return model

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"edit": self.name, **plain, "bands": [band.to_dict() for band in self.bands]}

    def __str__(self) -> str:
        return f"simplify({len(self.bands)} curves, tolerance={self.tolerance})"


def find_bands(
    model: Model, X: FloatArray, y: Any, tolerance: float, offset: FloatArray | float = 0.0
) -> Simplify:
    """Return the edit that leaves the fewest bands whose loss stays within the tolerance.

    Parameters
    ----------
    model : Model
    X : (n, d) array
        Encoded rows, which the fit has not seen if possible.
    y : (n,) array
    tolerance : float
        How much the mean loss may grow, relatively.
    offset : (n,) array or number
        What is added to scores.
    """
    if not is_finite(tolerance) or tolerance < 0:
        raise ValueError(f"tolerance must be a number >= 0; got {tolerance!r}")
    if model.link == "softmax":
        raise ValueError("simplify is of models with one score; simplify between(a, b) of classes")
    rows = X, checked_target(y, len(X), model.classes), offset
    search = _Search(model, rows, tolerance)
    return search.edit(search.highest_price())


def count_steps(model: Model) -> int:
    """Count the different heights that follow each other along every curve, levels sorted."""
    return sum(_n_steps(shape) for term in model.terms for shape in term.shapes)


def _n_steps(shape: ShapeFunction) -> int:
    if not shape.feature.is_numeric:
        return len(np.unique(shape.values[: shape.feature.n_levels], axis=0))
    steps = shape.values[1:-1] != shape.values[:-2]
    return 1 + int(np.count_nonzero(steps.any(axis=tuple(range(1, steps.ndim)))))


class _Search:
    """A model, the rows that judge it, and its curves as sequences."""

    def __init__(self, model: Model, rows: tuple[FloatArray, Any, Any], tolerance: float) -> None:
        self.model, self.rows, self.tolerance = model, rows, tolerance
        self.losses = self.losses_with(model)
        self.most = tolerance * float(np.mean(self.losses))
        self.unit = float(np.var(model.score_encoded(rows[0]))) or 1.0
        n_rows = max(float(sum(s.counts.sum() for s in model.terms[0].shapes)), 1.0)
        self.curves = [
            _Curve(shape, str(region), n_rows)
            for term in model.terms
            for shape, region in zip(term.shapes, term.tree.regions, strict=True)
        ]

    def losses_with(self, model: Model) -> FloatArray:
        """Return the losses of a model on the rows."""
        X, y, offset = self.rows
        return losses_of(model, model.score_encoded(X) + offset, y)

    def edit(self, price: float) -> Simplify:
        """Return the bands at a common price."""
        bands = [curve.bands(price * self.unit) for curve in self.curves]
        return Simplify(tuple(band for band in bands if band is not None), self.tolerance)

    def is_allowed(self, price: float) -> bool:
        """Tell whether the loss, and two standard errors of its change, stay within the tolerance.

        Without the error few rows would allow whatever happens to suit them.
        """
        trial = self.edit(price).apply(self.model)
        changes = self.losses_with(trial) - self.losses
        error = float(np.std(changes)) / np.sqrt(len(changes))
        return bool(np.mean(changes) + N_ERRORS * error <= self.most)

    def highest_price(self) -> float:
        """Return the highest common price within the tolerance; 0 if there is none."""
        too_high = PRICES[0] * 10
        for price in PRICES:
            if self.is_allowed(price):
                break
            too_high = price
        else:
            return 0.0
        for _ in range(N_HALVINGS):
            middle = float(np.sqrt(price * too_high))
            if self.is_allowed(middle):
                price = middle
            else:
                too_high = middle
        return float(price)


class _Curve:
    """One curve as a sequence: the bins of a number, or levels by their height."""

    def __init__(self, shape: ShapeFunction, where: str, n_rows: float) -> None:
        self.shape, self.where = shape, None if where == "everywhere" else where
        n_slots = shape.n_slots - 1 if shape.feature.is_numeric else shape.feature.n_levels
        values = shape.values[:n_slots]
        self.order = np.arange(n_slots) if shape.feature.is_numeric else np.argsort(values)
        counts = shape.counts[:n_slots][self.order]
        weights = (counts + FLOOR * counts.mean()) / n_rows
        self.heights = Heights(values[self.order], weights)

    def bands(self, price: float) -> Bands | None:
        """Return the bands at a price; None if there is nothing to join."""
        feature = self.shape.feature
        parts = self.heights.cut(price)
        if feature.is_numeric:
            cuts = self._cuts(parts, price)
            return Bands(feature.name, tuple(cuts.tolist()), where=self.where)
        groups = np.split(self.order, self.heights.starts[parts])
        shared = [
            [feature.levels[code] for code in sorted(g.tolist())] for g in groups if len(g) > 1
        ]
        return (
            Bands(feature.name, groups=tuple(map(tuple, shared)), where=self.where)
            if shared
            else None
        )

    def _cuts(self, parts: Any, price: float) -> FloatArray:
        """Return the cuts in front of these parts, moved to rounder numbers where that is cheap."""
        starts, edges = self.heights.starts, self.shape.edges
        exact: FloatArray = edges[starts[parts] - 1]
        windows = edges[starts[self.heights.nearly_as_good(parts, ALLOWANCE * price)] - 1]
        is_wide = windows[:, 0] < windows[:, 1]
        cuts = exact.copy()
        cuts[is_wide] = roundest(windows[is_wide, 0], windows[is_wide, 1])
        longer = np.array([_n_digits(a) >= _n_digits(b) for a, b in zip(cuts, exact, strict=True)])
        return np.unique(np.where(longer, exact, cuts))


def _n_digits(value: float) -> int:
    return len(f"{abs(value):.15g}".replace(".", "").strip("0"))
