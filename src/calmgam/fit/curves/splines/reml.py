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
from calmgam.fit.support.progress import Progress
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
    search = RowSearch(design, data, weights, start)
    search.run(limits, data.progress)
    if any(run is not Run.free for run in data.binned.runs):
        search.constrain()
    return search.estimate


class Search:
    """What moves while penalties are looked for, given normal equations.

    Parameters
    ----------
    design : Design
    total, squares : float
        Sum of the weights, and of weight times y squared.
    start : Estimate, optional

    Attributes
    ----------
    is_linear : bool
        Whether the normal equations stay as they are.
    """

    is_linear = True

    def __init__(
        self, design: Design, total: float, squares: float, start: Estimate | None
    ) -> None:
        self.design, self.total, self.squares = design, total, squares
        self.group_of = design.group_of
        self.sizes = self.over_groups(np.ones(len(self.group_of)))
        self.freedom, self.scale = self.sizes, 1.0
        self.penalties: FloatArray | None = None
        if start:
            self.freedom, self.penalties = start.freedom, start.penalties

    def run(self, limits: tuple[int, float], progress: Progress | None) -> None:
        """Take steps until neither freedom nor scores move."""
        max_steps, tolerance = limits
        for step in range(max_steps):
            if step == 0 or not self.is_linear:
                self.expand()
            change = max(self.solve(), self.follow())
            is_late = progress is not None and progress(step + 1, max_steps)
            if change < tolerance or is_late:
                break
            self.adapt_penalties()

    def expand(self) -> None:
        """Give `set_equations` the normal equations."""
        raise NotImplementedError

    def follow(self) -> float:
        """Look at what the new coefficients mean; return by how much scores have moved."""
        self.scale = self._residual_variance()
        return 0.0

    def set_equations(self, gram: FloatArray, right: FloatArray) -> None:
        """Take X'WX and X'r."""
        self.gram, self.right = gram, right
        information = self.over_groups(np.diag(self.gram)) / self.sizes
        information[information <= NEGLIGIBLE * information.max()] = 1.0
        self.information = information

    def over_groups(self, summands: FloatArray) -> Any:
        """Sum over the coefficients of every group; the intercept is in none."""
        return np.bincount(self.group_of[1:], summands[1:], int(self.group_of.max()) + 1)

    def solve(self) -> float:
        """Find the coefficients for the present penalties; return how freedom has changed."""
        if self.penalties is None:
            self.penalties = self.information
        bounds = LEAST * self.information, MOST * self.information
        self.penalties = np.clip(self.penalties, *bounds)
        system = self.gram + np.diag(np.append(self.penalties, 0.0)[self.group_of])
        self.root = inverse_root(system)
        self.coefficients = self.root @ (self.root.T @ self.right)
        before = self.freedom
        self.freedom = self.sizes - self.penalties * self.over_groups((self.root**2).sum(axis=1))
        return float(np.abs(self.freedom - before).max())

    def _residual_variance(self) -> float:
        fitted = self.coefficients @ (2 * self.right - self.gram @ self.coefficients)
        residual = max(self.squares - fitted, LEAST * self.total)
        return float(residual / max(self.total - 1 - self.freedom.sum(), 1.0))

    def adapt_penalties(self) -> None:
        """Move every penalty towards what the coefficients of its group ask for."""
        assert self.penalties is not None
        squares = self.over_groups(self.coefficients**2)
        wanted = self.scale * np.maximum(self.freedom, 1e-12) / np.maximum(squares, 1e-100)
        self.penalties = self.penalties * (wanted / self.penalties) ** RELAXATION

    @property
    def estimate(self) -> Estimate:
        """What the search has come to."""
        assert self.penalties is not None
        root = np.sqrt(self.scale) * self.root
        return Estimate(self.coefficients, root, self.penalties, self.freedom)


class RowSearch(Search):
    """The search of rows, whose normal equations follow the scores."""

    def __init__(
        self, design: Design, data: CurveData, weights: FloatArray, start: Estimate | None
    ) -> None:
        squares = float(weights @ data.target.values**2)
        super().__init__(design, weights.sum(), squares, start)
        self.data, self.weights, self.loss = data, weights, data.target.loss
        self.is_linear, self.scores = self.loss.is_quadratic, np.zeros(len(weights))
        if self.loss.has_scale and not self.is_linear:
            self.scores += data.target.best_constant()
        if start and not self.is_linear:
            self.scores = self.scores_of(start.coefficients)

    def scores_of(self, coefficients: FloatArray) -> FloatArray:
        """Return the scores of all rows."""
        return self.design.curves(coefficients[:, None]).scores(self.data.cells)

    def expand(self) -> None:
        """Replace the loss by least squares around the present scores."""
        target = self.data.target
        scores = target.scores(self.scores)
        rows = target.values, scores, self.weights
        gradient, hessian = self.loss.derivatives_given(*rows)
        if self.loss.has_scale and not self.is_linear:
            summands = gradient**2, hessian, self.loss.hessian_given(*rows)
            self._set_scale(*(float(self.weights @ each) for each in summands))
        curvature = self.weights * np.maximum(hessian, MIN_HESSIAN)
        response = curvature * self.scores + self.weights * gradient
        self.set_equations(
            *self.design.normal_equations(self.data.cells, curvature, response, self.data.n_jobs)
        )

    def follow(self) -> float:
        """Move the scores to those of the coefficients, not too far at once."""
        if self.is_linear:
            return super().follow()
        moved = self.scores_of(self.coefficients) - self.scores
        moved = np.clip(moved, -self.loss.max_step, self.loss.max_step)
        self.scores = self.scores + moved
        return float(np.sqrt(np.average(moved**2, weights=self.weights)))

    def _set_scale(self, squares: float, curvature: float, hessian: float) -> None:
        """Estimate how large the noise is, for a curvature that may be larger than the hessian."""
        scale = squares * curvature / max(hessian, 1e-3 * curvature) ** 2
        freedom = min(self.freedom.sum(), 0.9 * self.total) if self.penalties is not None else 0.0
        self.scale = float(max(scale, LEAST) * self.total / max(self.total - 1 - freedom, 1.0))

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


def inverse_root(system: FloatArray) -> FloatArray:
    """Return R with R R' = system^-1, from the Cholesky factor."""
    inverse, _ = lapack.dtrtri(np.linalg.cholesky(system), lower=1)
    return inverse.T
