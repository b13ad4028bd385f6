"""Step 3: all curves at once, by region-gated boosting over cells.

In: cells (leaf * n_slots + slot of every row in every term), y, trees. Out: `BoostedCurves`, the
heights of every curve in every bag. Round after round each feature's gradient histogram gets a tiny
tree per node of its tree, shrunk by the learning rate and carried on by momentum; every bag stops
on its own validation rows. Eight bags share one pass over the rows, groups of eight run in threads.
In the end what regions add is shrunk to its worth on the validation rows (`shrinking.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.contract import Curves, Progress, Roles
from calmgam.fit.curves.shrinking import shrink_regions
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.fit.support.settings import SMALL_TABLE, check_in, check_integer, check_number
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

ROUNDS_WITHOUT_VALIDATION = 95  # errs about as much as stopping on four or five rows
SMOOTHING_ROUNDS = 400  # more of them help small tables with smooth truths, and cost little there
SMOOTHING_ROUNDS_OF_SMALL = 1000
CELLS_PER_CALL = 2e7  # rows * features between two looks at the progress bar and Ctrl-C


@dataclass(frozen=True)
class BoostingSettings:
    """How the curves are boosted; checks itself."""

    learning_rate: float = 0.025
    max_rounds: int = 5000
    patience: int = 50
    max_leaves: int = 3
    min_samples_leaf: float = 4
    momentum: float = 0.9
    momentum_rounds: int = 20
    smoothing_rounds: int | None = None  # None: by the size of the table
    tolerance: float = 1e-5
    l2: float = 15.0
    level_smoothing: float = 50.0

    def __post_init__(self) -> None:
        check_number("learning_rate", self.learning_rate, above=0, high=1)
        check_integer("max_rounds", self.max_rounds, low=0)
        check_integer("patience", self.patience, low=1)
        check_in("max_leaves", self.max_leaves, (2, 3))
        check_number("min_samples_leaf", self.min_samples_leaf, low=0)
        check_number("momentum", self.momentum, low=0, below=1)
        check_integer("momentum_rounds", self.momentum_rounds, low=0)
        check_integer("smoothing_rounds", self.smoothing_rounds, low=0, or_none=True)
        check_number("l2", self.l2, low=0)
        check_number("level_smoothing", self.level_smoothing, low=0)


@dataclass(frozen=True)
class BoostedCurves(Curves):
    """Curves of every bag at its best round.

    Attributes
    ----------
    rounds : (n_bags,) array
        The best round of every bag.
    shared : dict from int to (n_bags, 1, n_slots) array
        Of split features, the part of `values` that all leaves share.
    """

    rounds: NDArray[np.int_]
    shared: dict[int, FloatArray]


def boost(
    cells: NDArray[np.uint16], *, target: Target, roles: Roles, **options: Any
) -> BoostedCurves:
    """Boost the curves of all features as `boost_bags` does, then shrink what regions add.

    The losses stay those before shrinking, which looks at the same rows.
    """
    curves = boost_bags(cells, target=target, roles=roles, **options)
    return replace(curves, values=shrink_regions(cells, curves, curves.shared, target, roles))


def boost_bags(
    cells: NDArray[np.uint16],
    binned: Binned,
    trees: Sequence[PartitionTree],
    target: Target,
    roles: Roles,
    settings: BoostingSettings,
    *,
    seed: int,
    order: Sequence[int] | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> BoostedCurves:
    """Boost the curves of all features in every bag.

    Parameters
    ----------
    cells : (n_features, n_rows) array of uint16
    binned : Binned
    trees : sequence of PartitionTree
        One per feature, with a curve for every leaf.
    target : Target
    roles : (n_rows, n_bags) array
        As `draw_bags` gives them.
    settings : BoostingSettings
    seed : int
    order : sequence of int, optional
        In which the features take turns; as they come, if not given.
    n_jobs : int
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with rounds done and the most rounds there can be.
    """
    if np.all(roles == TRAINS | VALIDATES):  # nothing says when to stop
        n_rounds = min(settings.max_rounds, ROUNDS_WITHOUT_VALIDATION)
        settings = replace(settings, max_rounds=n_rounds)
    if settings.smoothing_rounds is None:
        is_small = np.count_nonzero(target.weights) < SMALL_TABLE
        n_rounds = SMOOTHING_ROUNDS_OF_SMALL if is_small else SMOOTHING_ROUNDS
        settings = replace(settings, smoothing_rounds=n_rounds)
    turns = list(range(len(cells)) if order is None else order)
    n_slots = [binned.n_slots[i] for i in turns]
    turn_cells = np.ascontiguousarray(cells[turns])
    options = asdict(settings) | {"l2": settings.l2 * target.curvature}  # rows -> hessian
    seeds: list[int] = np.random.default_rng(seed).integers(2**63, size=(roles.shape[1],)).tolist()
    groups = [
        _kernels.BagGroup(
            turn_cells,
            [trees[i].parents for i in turns],
            n_slots,
            [binned.features[i].is_numeric for i in turns],
            target.values,
            target.weights,
            _lanes(roles[:, start : start + _kernels.LANES]),
            seeds[start : start + _kernels.LANES],
            logistic=target.is_classification,
            **options,
        )
        for start in range(0, roles.shape[1], _kernels.LANES)
    ]
    _run(groups, max(1, int(CELLS_PER_CALL / max(turn_cells.size, 1))), settings, n_jobs, progress)

    heights = np.concatenate([group.curves() for group in groups])
    sizes = [(2 * trees[i].n_splits + 1) * binned.n_slots[i] for i in turns]
    values, shared = {}, {}
    for i, part in zip(turns, np.split(heights, np.cumsum(sizes)[:-1], axis=1), strict=True):
        nodes = part.reshape(len(heights), -1, binned.n_slots[i])
        values[i] = nodes[:, trees[i].n_splits :]
        if trees[i].n_splits:
            shared[i] = nodes[:, :1]
    return BoostedCurves(
        intercepts=np.concatenate([group.intercepts for group in groups]),
        values=[values[i] for i in range(len(turns))],
        losses=np.concatenate([group.best_losses for group in groups]),
        rounds=np.concatenate([group.best_rounds for group in groups]),
        shared=shared,
    )


def _lanes(roles: Roles) -> Roles:
    """Pad a group of bags to the kernel's number of lanes."""
    return np.ascontiguousarray(np.pad(roles, [(0, 0), (0, _kernels.LANES - roles.shape[1])]))


def _run(
    groups: list[_kernels.BagGroup],
    rounds_per_call: int,
    settings: BoostingSettings,
    n_jobs: int,
    progress: Progress | None,
) -> None:
    """Advance all groups until every bag has stopped; in between Python sees Ctrl-C."""
    waiting = groups
    while waiting:
        finished = list(parallel_map(lambda group: group.advance(rounds_per_call), waiting, n_jobs))
        waiting = [group for group, done in zip(waiting, finished, strict=True) if not done]
        if progress:
            progress(max(group.round for group in groups), settings.max_rounds)
