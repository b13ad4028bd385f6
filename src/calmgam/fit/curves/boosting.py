"""Step 3: all curves at once, by region-gated boosting over cells.

In: cells (leaf * n_slots + slot of every row in every term), y, trees. Out: `BoostedCurves`, the
heights of every curve in every bag. Round after round each feature's gradient histogram gets a tiny
tree per node of its tree, shrunk by the learning rate and carried on by momentum; every bag stops
on its own validation rows. Eight bags share one pass over the rows, groups of eight run in threads.
In the end curves, and what regions add to them, are shrunk to their worth on the validation rows
(`shrinking.py`). Without sharing, shrinking, momentum and smoothing it is the paper's Algorithm 4.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.contract import ANY_RUN, CurveData, Curves
from calmgam.fit.curves.shrinking import shrink
from calmgam.fit.data.bags import Bags, can_stop, training_rows
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.runs import Run
from calmgam.fit.support.parts import Part, tuned
from calmgam.fit.support.progress import Progress
from calmgam.fit.support.settings import SMALL_TABLE, check_in, check_integer, check_number
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

CELLS_PER_CALL = 2e7  # rows * features between two looks at the progress bar and Ctrl-C
MAX_ROUNDS = 2**31 - 1  # what the kernel counts with
FOLDS_1_2 = "folds 1 and 2 of the paper's tables, after earlier choices that looked at fold 0"


@dataclass(repr=False)
class Boosting(Part):
    """Curves by boosting: step functions, averaged over bags.

    Parameters
    ----------
    n_bags : int
        Models fitted on different training rows and averaged; their spread gives the bands.
    learning_rate : float
        Shrinkage of every step.
    max_rounds : int
        Most rounds.
    patience : int
        Rounds without a better validation loss before a bag stops.
    sharing : bool
        Whether the regions of a feature first learn together what they have in common; False: each
        learns from its own rows alone.
    shrinking : bool
        Whether curves, and what regions add to what they share, are in the end shrunk to what they
        are worth on validation rows.
    max_leaves : {2, 3}
        Leaves of the small tree that one step adds to a curve.
    min_samples_leaf : float
        Fewest rows on either side of a cut of that tree.
    momentum, momentum_rounds : float, int
        Share of the last step that the next one carries on, and rounds after which it is reached.
    smoothing_rounds : int or None
        First rounds, in which cuts are random; None: by the size of the table.
    tolerance : float
        Smallest relative fall of the validation loss that counts as better.
    ridge : float
        Pseudo-rows without gradient in every leaf.
    level_smoothing : float
        Pseudo-rows in every level while levels are put in order.
    """

    runs: ClassVar[tuple[Run, ...]] = ANY_RUN

    n_bags: int = tuned(16, FOLDS_1_2)
    learning_rate: float = tuned(0.025, FOLDS_1_2)
    max_rounds: int = 5000
    patience: int = tuned(50, "rows outside fold 0 of ten tables, folds 1 to 4 of eighteen")
    sharing: bool = True
    shrinking: bool = True
    max_leaves: int = tuned(3, FOLDS_1_2)
    min_samples_leaf: float = tuned(4, FOLDS_1_2)
    momentum: float = tuned(0.9, FOLDS_1_2)
    momentum_rounds: int = tuned(20, FOLDS_1_2)
    smoothing_rounds: int | None = None
    tolerance: float = tuned(1e-5, FOLDS_1_2)
    ridge: float = tuned(15.0, FOLDS_1_2)
    level_smoothing: float = tuned(50.0, FOLDS_1_2)

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_integer("n_bags", self.n_bags, low=1)
        check_number("learning_rate", self.learning_rate, above=0, high=1)
        check_integer("max_rounds", self.max_rounds, low=0, high=MAX_ROUNDS)
        check_integer("patience", self.patience, low=1, high=MAX_ROUNDS)
        check_in("sharing", self.sharing, (True, False))
        check_in("shrinking", self.shrinking, (True, False))
        check_in("max_leaves", self.max_leaves, (2, 3))
        check_number("min_samples_leaf", self.min_samples_leaf, low=0)
        check_number("momentum", self.momentum, low=0, below=1)
        check_integer("momentum_rounds", self.momentum_rounds, low=0, high=MAX_ROUNDS)
        check_integer(
            "smoothing_rounds", self.smoothing_rounds, low=0, high=MAX_ROUNDS, or_none=True
        )
        check_number("tolerance", self.tolerance, low=0)
        check_number("ridge", self.ridge, low=0)
        check_number("level_smoothing", self.level_smoothing, low=0)

    def cannot(self, loss: Loss) -> str:
        """Say why it cannot minimise a loss; nothing if it can."""
        return ""

    def learn(self, data: CurveData) -> BoostedCurves:
        """Boost the curves of all features in every bag, then shrink them.

        The losses stay those before shrinking, which looks at the same rows.
        """
        curves = boost(data, self)
        if not self.shrinking:
            return curves
        return replace(curves, values=shrink(data, curves, curves.shared))


@dataclass(frozen=True)
class Rounds:
    """How many rounds, where the size of the table decides."""

    without_validation: int = tuned(95, "errs about as much as stopping on four or five rows")
    smoothing: int = tuned(400, FOLDS_1_2)
    smoothing_of_small: int = tuned(1000, FOLDS_1_2)

    def of(self, data: CurveData, settings: Boosting) -> dict[str, int]:
        """Return the most rounds, and those of smoothing."""
        max_rounds, smoothing = settings.max_rounds, settings.smoothing_rounds
        if np.all(data.bags == TRAINS | VALIDATES):  # nothing says when to stop
            max_rounds = min(max_rounds, self.without_validation)
        elif not can_stop(data.target, data.bags):  # a single event could only be learned by heart
            max_rounds = 0
        if smoothing is None:
            is_small = np.count_nonzero(data.target.weights) < SMALL_TABLE
            smoothing = self.smoothing_of_small if is_small else self.smoothing
        return {"max_rounds": max_rounds, "smoothing_rounds": smoothing}


@dataclass(frozen=True)
class BagBands:
    """How wide a 90 % band is, in standard deviations over bags.

    Bags share most of their rows, so that they differ less than fits to new tables would: by theory
    (delete-d jackknife) a band has 1.645 * sqrt(0.85 / 0.15) = 3.9 of them, and less as bags are
    averaged; `benchmarks/bands.py` measures what it covers.
    """

    factor: float = tuned(3.2, "coverage of 0.9 in 12 simulated cases, three seeds each")


@dataclass(frozen=True)
class BoostedCurves(Curves):
    """Curves of every bag at its best round.

    Attributes
    ----------
    rounds : (n_bags,) array
        The best round of every bag.
    shared : dict from int to (n_bags, 1, n_slots) array
        Of split features, the part of `values` that all leaves share; empty without sharing.
    """

    rounds: NDArray[np.int_]
    shared: dict[int, FloatArray]

    def held_out_scores(self, data: CurveData) -> tuple[NDArray[np.intp], FloatArray]:
        """Return the rows that validate in some bag, and their mean scores in those bags."""
        validates = data.bags == VALIDATES
        rows = np.flatnonzero(validates.any(axis=1))
        if len(rows) == 0:
            return super().held_out_scores(data)
        n_classes = self.intercepts.shape[1:]  # () of one score
        scores = np.zeros((data.target.n_rows, *n_classes))
        for bag, intercept in enumerate(self.intercepts):
            mine = np.flatnonzero(validates[:, bag])
            scores[mine] += intercept
            for cells, values in zip(data.cells, self.values, strict=True):
                scores[mine] += values[bag].reshape(*n_classes, -1).T[cells[mine]]
        n_bags = validates[rows].sum(axis=1)
        return rows, (scores[rows].T / n_bags).T

    def out_of_bag(self, data: CurveData) -> FloatArray | None:
        """Score of every row by the bags that did not train on it; NaN where all did."""
        if not np.any(data.bags == VALIDATES):
            return None
        scores = np.full((data.target.n_rows, *self.intercepts.shape[1:]), np.nan)
        rows, held_out = self.held_out_scores(data)
        scores[rows] = held_out
        return scores


def boost(data: CurveData, settings: Boosting) -> BoostedCurves:
    """Boost the curves of all features in every bag; in every round all features take turns."""
    turns, n_slots = data.binned.turns, data.binned.n_slots
    cells = np.ascontiguousarray(data.cells[list(turns)])
    runs, centres = data.binned.runs, bent_at(data.binned)
    directions = [run.sign if at else run.direction for run, at in zip(runs, centres, strict=True)]
    options = kernel_options(data, settings)
    n_bags = data.bags.shape[1]
    seeds: list[int] = np.random.default_rng(data.seed).integers(2**63, size=(n_bags,)).tolist()
    intercepts = [
        data.target.take(training_rows(data.bags, bag)).best_constant() for bag in range(n_bags)
    ]
    groups = [
        _kernels.BagGroup(
            cells,
            [parents_of(data.trees[i], settings.sharing) for i in turns],
            [n_slots[i] for i in turns],
            [data.binned.features[i].is_numeric for i in turns],
            data.target.values,
            data.target.weights,
            data.target.offsets,
            _lanes(data.bags[:, start : start + _kernels.LANES]),
            seeds[start : start + _kernels.LANES],
            np.ravel(intercepts[start : start + _kernels.LANES]).tolist(),
            directions=[directions[i] for i in turns],
            centres=[centres[i] for i in turns],
            **options,
        )
        for start in range(0, n_bags, _kernels.LANES)
    ]
    rounds_per_call = max(1, int(CELLS_PER_CALL / max(cells.size, 1)))
    _run(groups, rounds_per_call, options["max_rounds"], data.n_jobs, data.progress)
    return _gathered(groups, data, settings.sharing)


def kernel_options(data: CurveData, settings: Boosting) -> dict[str, Any]:
    """Return the settings as the kernel takes them, rounds by the size of the table."""
    options = {one.name: getattr(settings, one.name) for one in fields(settings)}
    options |= Rounds().of(data, settings)
    loss = data.target.loss
    options["ridge"] *= loss.max_hessian  # rows -> hessian
    options |= {"loss": data.target.kernel_loss()}
    options |= {"max_step": loss.max_step, "least_news": loss.least_news}
    del options["n_bags"], options["sharing"], options["shrinking"]
    return options


def parents_of(tree: PartitionTree, sharing: bool) -> tuple[int, ...]:
    """Return the parent of every node that learns: conditions and leaves, or leaves alone."""
    return tree.parents if sharing else tuple(range(tree.n_leaves))


def bent_at(binned: Binned) -> list[list[float]]:
    """Return the centres of the bins, from 0 to 1, of features that bend one way; else nothing."""
    found: list[list[float]] = []
    for run, centres in zip(binned.runs, binned.centres, strict=True):
        if not run.is_bend or len(centres) < 3:
            found.append([])
            continue
        halves = centres / 2 - centres[0] / 2  # no overflow
        found.append((halves / halves[-1]).tolist())
    return found


def bend(values: FloatArray, run: Run, centres: list[float]) -> None:
    """Take the kernel's rounding, it computes in floats, off curves that bend one way already."""
    ones = [1.0] * len(centres)
    for at in np.ndindex(values.shape[:-1]):
        heights = (run.sign * values[at][:-1]).tolist()
        values[at][:-1] = run.sign * _kernels.nearest_convex(centres, heights, ones)


def _gathered(groups: list[_kernels.BagGroup], data: CurveData, sharing: bool) -> BoostedCurves:
    """Take the curves of all bags out of the kernel, feature by feature."""
    heights = np.concatenate([group.curves() for group in groups])
    if not data.target.loss.n_outputs:
        heights = heights[:, 0]
    turns, n_slots = data.binned.turns, data.binned.n_slots
    sizes = [len(parents_of(data.trees[i], sharing)) * n_slots[i] for i in turns]
    values, shared, centres = {}, {}, bent_at(data.binned)
    for i, part in zip(turns, np.split(heights, np.cumsum(sizes)[:-1], axis=-1), strict=True):
        nodes = part.reshape(*part.shape[:-1], -1, n_slots[i])
        values[i] = nodes[..., -data.trees[i].n_leaves :, :]
        if centres[i]:
            bend(values[i], data.binned.runs[i], centres[i])
        if sharing and data.trees[i].n_splits:
            shared[i] = nodes[..., :1, :]
    return BoostedCurves(
        intercepts=np.concatenate([_intercepts(group, data) for group in groups]),
        values=[values[i] for i in range(len(turns))],
        losses=np.concatenate([group.best_losses for group in groups]),
        rounds=np.concatenate([group.best_rounds for group in groups]),
        shared=shared,
        band=BagBands().factor,
    )


def _intercepts(group: _kernels.BagGroup, data: CurveData) -> FloatArray:
    """Return the intercepts of a group's bags, with an axis of classes if there are many."""
    by_output = np.array(group.intercepts)
    return by_output.T if data.target.loss.n_outputs else by_output[0]


def _lanes(bags: Bags) -> Bags:
    """Pad a group of bags to the kernel's number of lanes."""
    return np.ascontiguousarray(np.pad(bags, [(0, 0), (0, _kernels.LANES - bags.shape[1])]))


def _run(
    groups: list[_kernels.BagGroup],
    rounds_per_call: int,
    max_rounds: int,
    n_jobs: int,
    progress: Progress | None,
) -> None:
    """Advance all groups until every bag has stopped; in between Python sees Ctrl-C."""
    waiting = groups
    while waiting:
        finished = list(parallel_map(lambda group: group.advance(rounds_per_call), waiting, n_jobs))
        waiting = [group for group, done in zip(waiting, finished, strict=True) if not done]
        if progress and progress(max(group.round for group in groups), max_rounds):
            break  # every bag has the curves of its best round
