"""How much each group of coefficients may vary: REML, by Fellner and Schall's fixed-point steps.

In: the design, y and row weights. Out: an `Estimate`. With A = X'WX + diag(penalty of each
coefficient's group) and b the coefficients, a step is

    b       = A^-1 X'Wz
    freedom = n_g - penalty_g * sum of diag(A^-1) over the group
    penalty = scale * freedom / sum of b^2 over the group

where z is the working response: y itself for squared error, that of iteratively reweighted least
squares for other losses. The scale is the residual variance; of other losses what plays its part,
the variance of gradients over the hessian; 1 where the loss says how large the noise is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from calmgam.fit.curves.contract import CurveData
from calmgam.fit.curves.splines.constrained import differences, nearest
from calmgam.fit.curves.splines.design import Design
from calmgam.fit.data.runs import Run
from calmgam.model.schema import FloatArray

# Bounds of a group's penalty, relative to what the rows know of its coefficients.
LEAST, MOST = 1e-8, 1e8
NEGLIGIBLE = 1e-16  # of the largest: rounding, where a feature is constant in a region
MIN_HESSIAN = 1e-5  # of a row's loss
RELAXATION = 1.5  # of steps in the logarithm of the penalties: plain ones are slow


@dataclass(frozen=True)
class Estimate:
    """Coefficients and what is known about them.

    Attributes
    ----------
    coefficients : (n_columns,) array
    root : (n_columns, n_columns) array
        root @ root.T is their posterior covariance.
    penalties, freedom : (n_groups,) arrays
        Of every group; freedom is the effective degrees of it.
    """

    coefficients: FloatArray
    root: FloatArray
    penalties: FloatArray
    freedom: FloatArray


def estimate(
    design: Design,
    data: CurveData,
    weights: FloatArray,
    limits: tuple[int, float],
    start: Estimate | None = None,
) -> Estimate:
    """Estimate coefficients and penalties, from a guess at them or from nothing.

    Parameters
    ----------
    design : Design
    data : CurveData
    weights : (n_rows,) array
        Of the rows to fit.
    limits : int and float
        Most steps, and the change of freedom or scores below which they end.
    start : Estimate, optional
    """
    max_steps, tolerance = limits
    search = _Search(design, data, weights, start)
    for step in range(max_steps):
        if step == 0 or not data.target.loss.is_quadratic:
            search.expand()
        change = search.solve()
        is_late = data.progress is not None and data.progress(step + 1, max_steps)
        if change < tolerance or is_late:
            break
        search.adapt_penalties()
    if any(run is not Run.free for run in data.binned.runs):
        search.constrain()
    return search.estimate


class _Search:
    """What moves while penalties are looked for."""

    def __init__(
        self, design: Design, data: CurveData, weights: FloatArray, start: Estimate | None
    ) -> None:
        self.design, self.data, self.weights = design, data, weights
        self.group_of = design.group_of
        self.sizes = self.over_groups(np.ones(len(self.group_of)))
        self.freedom, self.scores = self.sizes, np.zeros(len(weights))
        self.penalties, self.scale = None, 1.0
        self.loss = data.target.loss
        if self.loss.has_scale and not self.loss.is_quadratic:
            self.scores += data.target.best_constant()
        if start:
            self.freedom, self.penalties = start.freedom, start.penalties
            if not self.loss.is_quadratic:
                self.scores = self.scores_of(start.coefficients)

    def over_groups(self, summands: FloatArray) -> Any:
        """Sum over the coefficients of every group; the intercept is in none."""
        return np.bincount(self.group_of[1:], summands[1:], int(self.group_of.max()) + 1)

    def scores_of(self, coefficients: FloatArray) -> FloatArray:
        return self.design.curves(coefficients[:, None]).scores(self.data.cells)

    def expand(self) -> None:
        """Replace the loss by least squares around the present scores."""
        target = self.data.target
        scores = target.scores(self.scores)
        gradient, hessian = self.loss.derivatives(target.values, scores)
        if self.loss.has_scale and not self.loss.is_quadratic:
            summands = gradient**2, hessian, self.loss.hessian(target.values, scores)
            self._set_scale(*(float(self.weights @ each) for each in summands))
        curvature = self.weights * np.maximum(hessian, MIN_HESSIAN)
        response = curvature * self.scores + self.weights * gradient
        self.gram, self.right = self.design.normal_equations(curvature, response, self.data.n_jobs)
        information = self.over_groups(np.diag(self.gram)) / self.sizes
        information[information <= NEGLIGIBLE * information.max()] = 1.0
        self.information = information

    def solve(self) -> float:
        """Find the coefficients for the present penalties; return the largest change."""
        if self.penalties is None:
            self.penalties = self.information
        bounds = LEAST * self.information, MOST * self.information
        self.penalties = np.clip(self.penalties, *bounds)
        system = self.gram + np.diag(np.append(self.penalties, 0.0)[self.group_of])
        self.root = inverse_root(system)
        self.coefficients = self.root @ (self.root.T @ self.right)
        before = self.freedom
        self.freedom = self.sizes - self.penalties * self.over_groups((self.root**2).sum(axis=1))
        change = float(np.abs(self.freedom - before).max())
        if self.loss.is_quadratic:
            self.scale = self._residual_variance()
            return change
        moved = self.scores_of(self.coefficients) - self.scores
        moved = np.clip(moved, -self.loss.max_step, self.loss.max_step)
        self.scores = self.scores + moved
        return max(change, float(np.sqrt(np.average(moved**2, weights=self.weights))))

    def _residual_variance(self) -> float:
        total, values = self.weights.sum(), self.data.target.values
        fitted = self.coefficients @ (2 * self.right - self.gram @ self.coefficients)
        residual = max(self.weights @ values**2 - fitted, LEAST * total)
        return float(residual / max(total - 1 - self.freedom.sum(), 1.0))

    def _set_scale(self, squares: float, curvature: float, hessian: float) -> None:
        """Estimate how large the noise is, for a curvature that may be larger than the hessian."""
        total = self.weights.sum()
        scale = squares * curvature / max(hessian, 1e-3 * curvature) ** 2
        freedom = min(self.freedom.sum(), 0.9 * total) if self.penalties is not None else 0.0
        self.scale = float(max(scale, LEAST) * total / max(total - 1 - freedom, 1.0))

    def adapt_penalties(self) -> None:
        """Move every penalty towards what the coefficients of its group ask for."""
        assert self.penalties is not None
        squares = self.over_groups(self.coefficients**2)
        wanted = self.scale * np.maximum(self.freedom, 1e-12) / np.maximum(squares, 1e-100)
        self.penalties = self.penalties * (wanted / self.penalties) ** RELAXATION

    def constrain(self) -> None:
        """Move the coefficients to the nearest whose curves run as they must."""
        held = differences(self.design, self.data.binned)
        loss = self.data.target.loss
        for step in range(loss.n_newton_steps):
            if step > 0:  # the expansion at the curves that run as they must
                self.scores = self.scores_of(self.coefficients)
                self.expand()
                self.solve()
            self.coefficients = nearest(self.coefficients, self.root, held)

    @property
    def estimate(self) -> Estimate:
        assert self.penalties is not None
        root = np.sqrt(self.scale) * self.root
        return Estimate(self.coefficients, root, self.penalties, self.freedom)


def inverse_root(system: FloatArray) -> FloatArray:
    """Return R with R R' = system^-1, from the Cholesky factor."""
    inverse, _ = lapack.dtrtri(np.linalg.cholesky(system), lower=1)
    return inverse.T
