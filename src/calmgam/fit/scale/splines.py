"""Splines of squared error from `Moments`: their normal equations are sums over rows already.

In: moments, cells, the settings of splines. Out: `Curves` in the bins of the Gram matrix. With M
the coefficients' part in the height of every cell and G the Gram matrix of the cells' indicators,
X'WX = M'GM and X'Wy = M'(sums of y by cell); REML is that of `fit/curves/splines/reml.py`. An
expanded loss is squared error of its working response.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.contract import Curves
from calmgam.fit.curves.splines.design import Design
from calmgam.fit.curves.splines.fitting import Splines, draw
from calmgam.fit.curves.splines.reml import Estimate, Search
from calmgam.fit.data.losses import Loss
from calmgam.fit.scale.boosting import MomentData
from calmgam.fit.scale.lines import FoldSums, fold_sums, gram_of
from calmgam.fit.support.threads import one_blas_thread
from calmgam.model.schema import FloatArray


class SumSearch(Search):
    """The search of sums, whose normal equations stay as they are."""

    def __init__(
        self,
        design: Design,
        equations: tuple[FloatArray, FloatArray],
        totals: tuple[float, float],
        has_scale: bool,
        start: Estimate | None,
    ) -> None:
        super().__init__(design, *totals, start)
        self.equations, self.has_scale = equations, has_scale

    def expand(self) -> None:
        """Take the equations."""
        self.set_equations(*self.equations)

    def follow(self) -> float:
        """Estimate the noise, if the loss does not say how large it is."""
        return super().follow() if self.has_scale else 0.0


def total_of(sums: FoldSums, n_first: int) -> float:
    """Return the weight of all rows: each has one cell of the first feature."""
    return float(sums.weights[:n_first].sum())


def splines_of_moments(data: MomentData, settings: Splines, loss: Loss) -> Curves:
    """Fit curves to all folds; the loss is that of a second fit, to all folds but the first."""
    features, cells = sorted(data.turns), data.cells
    every = fold_sums(data.moments, data.fixed, slice(None))
    used = np.concatenate([np.arange(*cells.firsts[i : i + 2]) for i in features])
    shapes = [(cells.trees[i].n_leaves, cells.binned.n_slots[i]) for i in range(len(cells.trees))]
    seen = [
        part.reshape(shape) > 0
        for part, shape in zip(np.split(every.weights, cells.firsts[1:-1]), shapes, strict=True)
    ]
    design = Design([seen[i] for i in features], cells.binned.only(features))
    with one_blas_thread:  # fixed bits
        equations = _equations(data, design, used)
        fitted = _estimate(design, equations, range(data.n_folds), data, settings, loss)
        others, quiet = range(1, data.n_folds), replace(data, progress=None)
        apart = _estimate(design, equations, others, quiet, settings, loss, fitted)
        draws = draw(fitted, settings.n_draws, np.random.default_rng(data.seed))
        first, b = fold_sums(data.moments, data.fixed, 0), apart.coefficients
        gram, right = equations[0]
        square = max(first.square - float(b @ (2.0 * right - gram @ b)), 0.0)
        losses = np.array([square / max(total_of(first, cells.n_cells[0]), 1e-300)])
    return replace(design.curves(draws), losses=losses).among(features, shapes)


def _equations(
    data: MomentData, design: Design, used: NDArray[np.intp]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return X'WX and X'Wy of every fold."""
    of_cells, found = design.of_cells(), []
    for k in range(data.n_folds):
        gram = gram_of(data.moments, data.cells, data.fixed, k)[np.ix_(used, used)].astype(float)
        sums = fold_sums(data.moments, data.fixed, k).sums[used]
        found.append((of_cells.T @ (of_cells.T @ gram).T, of_cells.T @ sums))
    return found


def _estimate(
    design: Design,
    equations: list[tuple[FloatArray, FloatArray]],
    folds: range,
    data: MomentData,
    settings: Splines,
    loss: Loss,
    start: Estimate | None = None,
) -> Estimate:
    """Estimate coefficients and penalties from some folds."""
    grams, rights = zip(*(equations[k] for k in folds), strict=True)
    sums = fold_sums(data.moments, data.fixed, slice(folds.start, folds.stop))
    totals = total_of(sums, data.cells.n_cells[0]), sums.square
    search = SumSearch(design, (sum(grams), sum(rights)), totals, loss.has_scale, start)
    search.run((settings.max_steps, settings.tolerance), data.progress)
    return search.estimate
