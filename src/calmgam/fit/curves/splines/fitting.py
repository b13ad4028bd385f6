"""Penalised cubic splines: all curves of all features in one regression.

In: cells and y. Out: curves with their standard errors, as draws from the posterior. Every curve is
a P-spline written as a mixed model (a straight part, and deviations from it whose prior is that
second differences of the B-spline coefficients are independent), levels are random effects, and so
are the means of regions. Rows enter by their cells alone: `design.py` is the design, `reml.py`
finds how much each group of coefficients may vary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calmgam._kernels import TRAINS
from calmgam.fit.curves.contract import ANY_RUN, CurveData, Curves
from calmgam.fit.curves.splines.design import Design
from calmgam.fit.curves.splines.reml import Estimate, estimate
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.runs import Run
from calmgam.fit.support.parts import Part, tuned
from calmgam.fit.support.settings import check_integer, check_number
from calmgam.fit.support.threads import one_blas_thread
from calmgam.model.schema import FloatArray


@dataclass(repr=False)
class Splines(Part):
    """Smooth curves, as smooth as REML finds them, with standard errors.

    Parameters
    ----------
    max_steps : int
        Of the search for the penalties.
    tolerance : float
        The search ends when neither a group's degrees of freedom nor the scores of a classifier
        (root mean square) change by more.
    n_draws : int
        Pairs of draws from the posterior.
    """

    runs: ClassVar[tuple[Run, ...]] = ANY_RUN
    n_bags: ClassVar[int] = 1

    max_steps: int = 50
    tolerance: float = tuned(
        0.1,
        "set by hand; halved or doubled, two known truths stay within .0001 of R² and of a nat: "
        "see `settings`",
    )
    n_draws: int = 50

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_integer("max_steps", self.max_steps, low=1)
        check_number("tolerance", self.tolerance, low=0)
        check_integer("n_draws", self.n_draws, low=1)

    def cannot(self, loss: Loss) -> str:
        """Say why it cannot minimise a loss; nothing if it can."""
        return ""

    def learn(self, data: CurveData) -> Curves:
        """Fit curves to all rows.

        The bags are draws from the posterior in pairs that mirror each other, so that their mean is
        the estimate. The loss is that of a second fit, to the training rows of the first bag.
        """
        trains = data.bags[:, 0] & TRAINS != 0
        weights = np.where(trains, data.target.weights, 0.0)
        limits = self.max_steps, self.tolerance
        with one_blas_thread:  # on matrices of this size more of them wait for each other
            n_leaves = [tree.n_leaves for tree in data.trees]
            design = Design.of_rows(data.cells, data.binned, n_leaves)
            fitted = estimate(design, data, data.target.weights, limits)
            apart = estimate(design, replace(data, progress=None), weights, limits, start=fitted)
            draws = draw(fitted, self.n_draws, np.random.default_rng(data.seed))
        loss = design.curves(apart.coefficients[:, None]).validation_loss(data)
        return replace(design.curves(draws), losses=np.array([loss]))


def draw(fitted: Estimate, n_pairs: int, rng: np.random.Generator) -> FloatArray:
    """Draw coefficients from their posterior, (n_coefficients, 2 * n_pairs or fewer).

    Deviations point in orthogonal directions, so that as many pairs as coefficients have exactly
    the posterior's covariance, and fewer are nearer to it than independent ones.
    """
    size = fitted.root.shape[1]
    directions, _ = np.linalg.qr(rng.normal(size=(size, min(n_pairs, size))))
    deviations = np.sqrt(size) * fitted.root @ directions
    return fitted.coefficients[:, None] + np.hstack([deviations, -deviations])
