"""Neural additive curves: one small network per curve, tabulated on the slots when it has learned.

In: cells and y. Out: heights of all cells, so a fitted model needs no torch. Every curve (feature x
region) is a network with ReLU layers of 100, 100 and 10 that sees the standardised centre of the
row's bin, or a vector learned for its level or missing value; all networks are one batched product,
and a row's score adds up those of its own regions. Adam, mini-batches of 32, ten epochs (more on
small tables); the epoch with the lowest loss on the first bag's validation rows is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.binning import Binned
from calmgam.fit.curves import Curves, Progress, Roles
from calmgam.fit.dense import DenseColumn
from calmgam.fit.losses import Target
from calmgam.model.schema import FloatArray

LAYERS = (100, 100, 10)


@dataclass(frozen=True)
class NamSettings:
    """How the networks are trained.

    Attributes
    ----------
    n_epochs : int
    min_steps : int
        Small tables are gone through more often than `n_epochs` times, up to so many steps.
    batch_size : int
    step_size : float
        Of Adam.
    patience : float
        Share of the epochs after which training ends if the validation loss has not fallen.
    """

    n_epochs: int = 10
    min_steps: int = 3000
    batch_size: int = 32
    step_size: float = 0.001
    patience: float = 0.5

    def epochs(self, n_rows: int) -> int:
        """Return how often a table is gone through."""
        steps = math.ceil(n_rows / self.batch_size)
        return max(self.n_epochs, math.ceil(self.min_steps / steps))


@dataclass(frozen=True, eq=False)
class CurveInputs:
    """What the networks see, one line per curve, in the order in which features take turns.

    Attributes
    ----------
    features, leaves : (n_curves,) arrays
    numbers : (n_curves, n_slots) array
        Standardised centre of every slot; beyond the region's own values the nearest of them.
    marks : (n_curves, n_slots) array
        Vector learned for a level or missing value, 1 .. n_marks; 0 for none.
    counts : (n_curves, n_slots) array
        Training rows.
    """

    features: np.ndarray
    leaves: np.ndarray
    numbers: np.ndarray
    marks: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(
        cls,
        cells: NDArray[np.uint16],
        binned: Binned,
        n_leaves: Sequence[int],
        weights: FloatArray,
        order: Sequence[int],
    ) -> CurveInputs:
        """Read them off the training rows."""
        curves = [(i, leaf) for i in order for leaf in range(n_leaves[i])]
        shape = len(curves), max(binned.n_slots)
        numbers, counts = np.zeros(shape, dtype=np.float32), np.zeros(shape)
        marks, n_marks = np.zeros(shape, dtype=np.int64), 0
        for c, (i, leaf) in enumerate(curves):
            n_slots, values = binned.n_slots[i], slot_values(binned, i)
            own = slice(leaf * n_slots, (leaf + 1) * n_slots)
            counts[c, :n_slots] = np.bincount(cells[i], weights, n_leaves[i] * n_slots)[own]
            dense = DenseColumn.learn(binned.features[i], values[binned.codes[i]])
            numbers[c, :n_slots] = _within(dense.scaled(values), counts[c, : n_slots - 1] > 0)
            mark = dense.marked(values)
            marks[c, :n_slots] = np.where((mark > 0) & (counts[c, :n_slots] > 0), n_marks + mark, 0)
            n_marks += len(dense.marks)
        features, leaves = np.array(curves).T
        return cls(features, leaves, numbers, marks, counts)

    def without_rows(self, binned: Binned) -> NDArray[np.bool_]:
        """Cells of levels and missing values of which nothing is known."""
        unseen = self.counts == 0
        for c, i in enumerate(self.features):
            if binned.features[i].is_numeric:
                unseen[c, : binned.n_slots[i] - 1] = False
        return unseen


def slot_values(binned: Binned, feature: int) -> FloatArray:
    """Return an encoded value for every slot: the centre of a bin, a level's code, NaN."""
    if binned.features[feature].is_numeric:
        return np.append(binned.centres[feature], np.nan)
    return np.append(np.arange(binned.n_slots[feature] - 1.0), np.nan)


def _within(numbers: FloatArray, seen: NDArray[np.bool_]) -> FloatArray:
    """Move bins outside the values of a region to its ends: no network looks further."""
    inside = numbers[:-1][seen]
    return np.clip(numbers, inside.min(), inside.max()) if len(inside) else numbers


def fit_networks(
    cells: NDArray[np.uint16],
    binned: Binned,
    n_leaves: Sequence[int],
    target: Target,
    roles: Roles,
    settings: NamSettings,
    *,
    seed: int,
    order: Sequence[int] | None = None,
    progress: Progress | None = None,
    **_: Any,
) -> Curves:
    """Train one network per curve, as every learner does (`fit/curves.py`).

    One set of networks is trained, with the roles of the first bag, and the curves have no bands.
    Nothing runs in threads.
    """
    torch = _torch()
    rng = np.random.default_rng(seed)
    order = range(len(cells)) if order is None else order
    trains, validates = (np.flatnonzero(roles[:, 0] & role) for role in (TRAINS, VALIDATES))
    weights = np.where(roles[:, 0] & TRAINS != 0, target.weights, 0.0)
    inputs = CurveInputs.of(cells, binned, n_leaves, weights, order)
    unseen = inputs.without_rows(binned)

    with _one_thread(torch):
        networks = _Networks(torch, inputs, _start(target, weights), rng)
        slots = np.array(binned.n_slots)[:, None]
        rows = _Rows(torch, inputs, cells // slots, cells % slots, target)
        optimiser = torch.optim.Adam(networks.parameters, lr=settings.step_size, fused=True)
        n_epochs = settings.epochs(len(trains))
        best, best_epoch = None, 0
        for epoch in range(n_epochs):
            for batch in _batches(rng.permutation(trains), settings.batch_size):
                optimiser.zero_grad()
                rows.loss(networks, torch.from_numpy(batch)).backward()
                optimiser.step()
            curves = networks.tabulated(inputs, unseen, binned, n_leaves)
            losses = target.losses(curves.scores(cells[:, validates]), validates)
            loss = np.average(losses, weights=target.weights[validates])
            if best is None or loss < best.losses[0]:
                best, best_epoch = Curves(curves.intercepts, curves.values, np.array([loss])), epoch
            if progress:
                progress(epoch + 1, n_epochs)
            if epoch - best_epoch >= settings.patience * n_epochs:
                break
    assert best is not None
    return best


class _Networks:
    """All networks at once: every layer is one tensor with a matrix per curve."""

    def __init__(
        self, torch: Any, inputs: CurveInputs, start: float, rng: np.random.Generator
    ) -> None:
        def parameter(*shape: int, bound: float) -> Any:
            values = rng.uniform(-bound, bound, shape).astype(np.float32)
            return torch.from_numpy(values).requires_grad_()

        n_curves = len(inputs.features)
        first, *rest = LAYERS
        self.torch = torch
        self.intercept = torch.tensor(start, dtype=torch.float32, requires_grad=True)
        self.marks = parameter(inputs.marks.max() + 1, first, bound=1.0)
        self.slopes = parameter(n_curves, 1, first, bound=1.0)
        self.biases = parameter(n_curves, 1, first, bound=1.0)
        self.layers = [
            (
                parameter(n_curves, n_in, n_out, bound=n_in**-0.5),
                parameter(n_curves, 1, n_out, bound=n_in**-0.5),
            )
            for n_in, n_out in zip(LAYERS, rest, strict=False)
        ]
        # All curves start at 0, so that what has no effect is not given one.
        self.heights = torch.zeros(n_curves, rest[-1], 1, requires_grad=True)
        layers = [tensor for layer in self.layers for tensor in layer]
        self.parameters = [
            self.intercept,
            self.marks,
            self.slopes,
            self.biases,
            *layers,
            self.heights,
        ]

    def __call__(self, numbers: Any, marks: Any) -> Any:
        """Height of every curve for every input, (n_curves, n)."""
        torch = self.torch
        mark = torch.nn.functional.embedding(marks, self.marks)
        hidden = torch.relu(numbers.unsqueeze(2) * self.slopes + self.biases + mark)
        for weight, bias in self.layers:
            hidden = torch.relu(torch.baddbmm(bias, hidden, weight))
        return torch.bmm(hidden, self.heights).squeeze(2)

    def tabulated(
        self,
        inputs: CurveInputs,
        unseen: NDArray[np.bool_],
        binned: Binned,
        n_leaves: Sequence[int],
    ) -> Curves:
        """Return the curves on the slots; slots of which nothing is known are 0."""
        torch = self.torch
        with torch.no_grad():
            heights = self(torch.from_numpy(inputs.numbers), torch.from_numpy(inputs.marks))
        heights = np.where(unseen, 0.0, heights.numpy().astype(np.float64))
        values = [np.zeros((1, *shape)) for shape in zip(n_leaves, binned.n_slots, strict=True)]
        for height, i, leaf in zip(heights, inputs.features, inputs.leaves, strict=True):
            values[i][0, leaf] = height[: binned.n_slots[i]]
        return Curves(np.array([self.intercept.item()]), values, np.empty(0))


class _Rows:
    """The rows as tensors, and the loss of some of them."""

    def __init__(
        self, torch: Any, inputs: CurveInputs, leaves: Any, slots: Any, target: Target
    ) -> None:
        def tensor(array: Any, kind: type) -> Any:
            return torch.from_numpy(np.ascontiguousarray(array, dtype=kind))

        self.torch = torch
        self.numbers, self.marks = (
            tensor(inputs.numbers, np.float32),
            tensor(inputs.marks, np.int64),
        )
        self.features = tensor(inputs.features, np.int64)
        self.leaf_of_curve = tensor(inputs.leaves[:, None], np.int32)
        self.leaves, self.slots = tensor(leaves.T, np.int32), tensor(slots.T, np.int32)
        self.y, self.weights = tensor(target.values, np.float32), tensor(target.weights, np.float32)
        self.is_classification = target.is_classification

    def loss(self, networks: _Networks, rows: Any) -> Any:
        """Mean loss: every row is scored by the curves of its own regions."""
        torch = self.torch
        slots = self.slots[rows].T.long()[self.features]
        inside = self.leaves[rows].T[self.features] == self.leaf_of_curve
        heights = networks(self.numbers.gather(1, slots), self.marks.gather(1, slots))
        scores = networks.intercept + (heights * inside).sum(dim=0)
        y, weights = self.y[rows], self.weights[rows]
        if self.is_classification:
            losses = torch.nn.functional.softplus(scores) - y * scores
        else:
            losses = (y - scores) ** 2
        return (weights * losses).mean()


def _start(target: Target, weights: FloatArray) -> float:
    """Return the best constant score."""
    mean = float(np.average(target.values, weights=weights))
    return math.log(mean / (1.0 - mean)) if target.is_classification else mean


def _batches(rows: NDArray[np.intp], size: int) -> Iterator[NDArray[np.intp]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """Compute in one thread: matrices are so small that others would mostly wait."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            'curves="nam" needs the torch package: pip install calmgam[nam]'
        ) from error
    return torch
