"""What every learner of curves takes and gives.

A learner is a part (`Boosting`, `Splines`, `Networks`, `Backfitting`) with a method
``learn(data) -> Curves``: the cells of all rows in, the heights of all curves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.bags import Bags, validation_rows
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.runs import Run
from calmgam.fit.data.target import Target
from calmgam.fit.support.progress import Progress
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

NORMAL_90 = 1.645  # standard errors of a 90 % band, where bags are draws from a posterior


@dataclass(frozen=True, eq=False)
class CurveData:
    """The training rows as learners of curves see them.

    Attributes
    ----------
    cells : (n_features, n_rows) array of uint16
        leaf * n_slots + slot
    binned : Binned
        The slots.
    trees : sequence of PartitionTree
        One per feature, with a curve for every leaf.
    target : Target
    bags : (n_rows, n_bags) array
        As `draw_bags` gives them.
    seed : int
    n_jobs : int
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with (steps done, steps).
    """

    cells: NDArray[np.uint16]
    binned: Binned
    trees: Sequence[PartitionTree]
    target: Target
    bags: Bags
    seed: int = 0
    n_jobs: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        n_rows = self.cells.shape[1]
        for name, length in (("target", self.target.n_rows), ("bags", len(self.bags))):
            if length != n_rows:
                raise ValueError(f"{name} must have {n_rows} rows, as cells have; got {length}")

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Number of curves, and of their slots, of every feature."""
        return [(tree.n_leaves, n) for tree, n in zip(self.trees, self.binned.n_slots, strict=True)]

    def only(self, features: Sequence[int]) -> CurveData:
        """Return some of the features."""
        return replace(
            self,
            cells=self.cells[list(features)],
            binned=self.binned.only(features),
            trees=[self.trees[i] for i in features],
        )


@dataclass(frozen=True)
class Curves:
    """Curves of every bag; their mean is the model, their spread gives its bands.

    A learner may give any number of bags, not only one for each column of `CurveData.bags`.

    Attributes
    ----------
    intercepts : (n_bags,) array
        Of many classes (n_bags, n_classes).
    values : list of (n_bags, n_leaves, n_slots) arrays
        One per feature, on the scale of the fit. Of many classes (n_bags, n_classes, n_leaves,
        n_slots).
    losses : array
        Mean loss on the validation rows of the first bag, and of others if they are fitted apart.
    band : float
        Half the width of a 90 % pointwise band, in standard deviations over bags.
    """

    intercepts: FloatArray
    values: list[FloatArray]
    losses: FloatArray
    band: float = field(default=NORMAL_90, kw_only=True)

    def scores(self, cells: NDArray[np.uint16]) -> FloatArray:
        """Mean score over bags of rows given by their cells; of many classes one for each."""
        if self.intercepts.ndim == 2:
            scores = np.tile(self.intercepts.mean(axis=0), (cells.shape[1], 1))
            for feature_cells, values in zip(cells, self.values, strict=True):
                heights = values.mean(axis=0)
                scores += heights.reshape(len(heights), -1).T[feature_cells]
            return scores
        scores = np.full(cells.shape[1], self.intercepts.mean())
        for feature_cells, values in zip(cells, self.values, strict=True):
            scores += values.mean(axis=0).ravel()[feature_cells]
        return scores

    def out_of_bag(self, data: CurveData) -> FloatArray | None:
        """Score of every row by the bags that did not train on it; NaN where all did.

        None if the curves do not belong to the bags of `CurveData`.
        """
        return None

    def among(self, features: Sequence[int], shapes: Sequence[tuple[int, int]]) -> Curves:
        """Return curves of all features: these are those of some, the others have flat ones."""
        values = [np.zeros((*self.intercepts.shape, *shape)) for shape in shapes]
        for i, own in zip(features, self.values, strict=True):
            values[i] = own
        return Curves(self.intercepts, values, self.losses, band=self.band)

    def shifted(self, shift: float) -> Curves:
        """Add a number to all scores."""
        return replace(self, intercepts=self.intercepts + shift)

    def held_out_scores(self, data: CurveData) -> tuple[NDArray[np.intp], FloatArray]:
        """Return rows and their scores, from curves that have not seen them if there are any."""
        return np.arange(data.target.n_rows), self.scores(data.cells)

    def validation_loss(self, data: CurveData) -> float:
        """Mean loss on the validation rows of the first bag."""
        rows = validation_rows(data.bags)
        losses = data.target.losses(self.scores(data.cells[:, rows]), rows)
        return float(np.average(losses, weights=data.target.weights[rows]))


class CurveLearner(Protocol):
    """A way to learn curves.

    Attributes
    ----------
    runs : tuple of Run
        Which constraints it keeps.
    n_bags : int
        How many bags it wants.
    """

    runs: ClassVar[tuple[Run, ...]]

    @property
    def n_bags(self) -> int:
        """How many bags it wants."""

    def check(self) -> None:
        """Refuse settings that make no sense."""

    def cannot(self, loss: Loss) -> str:
        """Say why it cannot minimise a loss; nothing if it can."""

    def learn(self, data: CurveData) -> Curves:
        """Learn all curves."""
        ...


NO_RUN, ANY_RUN = (), tuple(Run)
