"""Penalised cubic splines: all curves of all features in one regression.

In: cells and y. Out: curves with their standard errors, as draws from the posterior. Every curve is
a P-spline written as a mixed model (a straight part, and deviations from it whose prior is that
second differences of the B-spline coefficients are independent), levels are random effects, and so
are the means of regions. How much each group of coefficients may vary is found by REML (the
fixed-point steps of Fellner and Schall), for log loss inside penalised iteratively reweighted least
squares. Rows enter by their cells alone: `fit/curves/splines/design.py` is the design.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.special import expit

from calmgam._kernels import TRAINS
from calmgam.fit.curves.contract import Curves, Progress, Roles
from calmgam.fit.curves.splines.design import Design
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.fit.support.threads import one_blas_thread
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

# Bounds of a group's penalty, relative to what the rows know of its coefficients.
LEAST, MOST = 1e-8, 1e8
NEGLIGIBLE = 1e-16  # of the largest: rounding, where a feature is constant in a region
MIN_CURVATURE = 1e-5  # of a row's log loss
RELAXATION = 1.5  # of steps in the logarithm of the penalties: plain ones are slow


@dataclass(frozen=True)
class SplineSettings:
    """How splines are fitted.

    Attributes
    ----------
    max_steps : int
        Of the search for the penalties.
    tolerance : float
        The search ends when neither a group's degrees of freedom nor the log-odds of a classifier
        (root mean square) change by more.
    n_draws : int
        Pairs of draws from the posterior.
    """

    max_steps: int = 50
    tolerance: float = 0.1
    n_draws: int = 50


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


def fit_splines(
    cells: NDArray[np.uint16],
    binned: Binned,
    trees: Sequence[PartitionTree],
    target: Target,
    roles: Roles,
    settings: SplineSettings,
    *,
    seed: int,
    n_jobs: int = 1,
    progress: Progress | None = None,
    **_: Any,
) -> Curves:
    """Fit curves to all rows, as every learner does (`fit/curves/contract.py`).

    The bags are draws from the posterior in pairs that mirror each other, so that their mean is the
    estimate. The loss is that of a second fit, to the training rows of the first bag.
    """
    weights = np.where(roles[:, 0] & TRAINS, target.weights, 0.0)
    with one_blas_thread:  # on matrices of this size more of them wait for each other
        design = Design(cells, binned, [tree.n_leaves for tree in trees])
        fitted = estimate(design, cells, target, target.weights, settings, n_jobs, progress)
        apart = estimate(design, cells, target, weights, settings, n_jobs, start=fitted)
        draws = draw(fitted, settings.n_draws, np.random.default_rng(seed))
    loss = design.curves(apart.coefficients[:, None]).validation_loss(cells, target, roles)
    return replace(design.curves(draws), losses=np.array([loss]))


def estimate(
    design: Design,
    cells: NDArray[np.uint16],
    target: Target,
    weights: FloatArray,
    settings: SplineSettings,
    n_jobs: int = 1,
    progress: Progress | None = None,
    start: Estimate | None = None,
) -> Estimate:
    """Estimate coefficients and penalties, from a guess at them or from nothing.

    With A = X'WX + diag(penalty of each coefficient's group) and b the coefficients, a step is

        b       = A^-1 X'Wz
        freedom = n_g - penalty_g * sum of diag(A^-1) over the group
        penalty = scale * freedom / sum of b^2 over the group

    where scale is the residual variance (1 for log loss) and z the working response.
    """
    group_of, n_groups = design.group_of, int(design.group_of.max()) + 1

    def over_groups(summands: FloatArray) -> Any:
        return np.bincount(group_of[1:], summands[1:], n_groups)

    sizes = over_groups(np.ones(len(group_of)))
    freedom, scores = sizes, np.zeros(len(weights))
    if start:
        freedom = start.freedom
        if target.is_classification:
            scores = design.curves(start.coefficients[:, None]).scores(cells)
    for step in range(settings.max_steps):
        if target.is_classification or step == 0:
            gram, right = design.normal_equations(*_working(target, weights, scores), n_jobs)
            information = over_groups(np.diag(gram)) / sizes
            information[information <= NEGLIGIBLE * information.max()] = 1.0
        if step == 0:
            penalties = start.penalties if start else information
        penalties = np.clip(penalties, LEAST * information, MOST * information)
        root = inverse_root(gram + np.diag(np.append(penalties, 0.0)[group_of]))
        coefficients = root @ (root.T @ right)
        before, freedom = freedom, sizes - penalties * over_groups((root**2).sum(axis=1))
        change = np.abs(freedom - before).max()
        scale = 1.0
        if target.is_classification:
            moved = design.curves(coefficients[:, None]).scores(cells) - scores
            change = max(change, np.sqrt(np.average(moved**2, weights=weights)))
            scores += moved
        else:
            fitted = coefficients @ (2 * right - gram @ coefficients)
            residual = max(weights @ target.values**2 - fitted, LEAST * weights.sum())
            scale = residual / max(weights.sum() - 1 - freedom.sum(), 1.0)
        if progress:
            progress(step + 1, settings.max_steps)
        if change < settings.tolerance:
            break
        squares = over_groups(coefficients**2)
        wanted = scale * np.maximum(freedom, 1e-12) / np.maximum(squares, 1e-100)
        penalties = penalties * (wanted / penalties) ** RELAXATION
    return Estimate(coefficients, np.sqrt(scale) * root, penalties, freedom)


def _working(
    target: Target, weights: FloatArray, scores: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weights and weighted responses of the least squares that a step solves."""
    if not target.is_classification:
        return weights, weights * target.values
    probability = expit(scores)
    curvature = weights * np.maximum(probability * (1 - probability), MIN_CURVATURE)
    return curvature, curvature * scores + weights * (target.values - probability)


def inverse_root(system: FloatArray) -> FloatArray:
    """Return R with R R' = system^-1, from the Cholesky factor."""
    inverse, _ = lapack.dtrtri(np.linalg.cholesky(system), lower=1)
    return inverse.T


def draw(fitted: Estimate, n_pairs: int, rng: np.random.Generator) -> FloatArray:
    """Draw coefficients from their posterior, (n_coefficients, 2 * n_pairs or fewer).

    Deviations point in orthogonal directions, so that as many pairs as coefficients have exactly
    the posterior's covariance, and fewer are nearer to it than independent ones.
    """
    size = fitted.root.shape[1]
    directions, _ = np.linalg.qr(rng.normal(size=(size, min(n_pairs, size))))
    deviations = np.sqrt(size) * fitted.root @ directions
    return fitted.coefficients[:, None] + np.hstack([deviations, -deviations])
