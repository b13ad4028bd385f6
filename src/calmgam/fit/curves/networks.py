"""Neural additive curves: small networks, tabulated on the slots when they have learned.

In: cells and y. Out: heights of all cells, so a fitted model needs no torch. Every feature, and
every region of a split one, has a network with ReLU layers of 100, 100 and 10 that sees the
standardised centre of the row's bin, or a vector learned for its level or missing value. A row's
score adds up the networks of its features and of its regions; all are one batched product. Adam,
mini-batches of 32, ten epochs (more on small tables); the epoch with the lowest loss on the first
bag's validation rows is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import TRAINS
from calmgam.fit.curves.contract import NO_RUN, CurveData, Curves
from calmgam.fit.data.bags import training_rows
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.dense import DenseColumn
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.runs import Run
from calmgam.fit.support.parts import Part, tuned
from calmgam.fit.support.settings import check_integer, check_number
from calmgam.fit.support.threads import Shared
from calmgam.model.schema import FloatArray

LAYERS = (100, 100, 10)  # units of the hidden layers, as in the paper
WHOLE = -1  # the leaf of a network that sees all rows


@dataclass(repr=False)
class Networks(Part):
    """Curves that small neural networks learn; needs torch.

    Parameters
    ----------
    n_epochs : int
    min_steps : int
        Small tables are gone through more often than `n_epochs` times, up to so many steps.
    batch_size : int
    ridge : float
        Shrinks every network as so many rows of height 0 would: regions of few rows learn little.
    step_size : float
        Of Adam; falls to 0 along half a cosine.
    patience : float
        Share of the epochs after which training ends if the validation loss has not fallen.
    """

    runs: ClassVar[tuple[Run, ...]] = NO_RUN
    n_bags: ClassVar[int] = 1

    n_epochs: int = 10
    min_steps: int = tuned(
        3000,
        "set by hand; halved or doubled, two known truths stay within .006 of R², and half the "
        "steps take half the time: see `settings`",
    )
    batch_size: int = 32
    ridge: float = tuned(
        5.0,
        "set by hand; halved or doubled, two known truths stay within a standard error, .014 and "
        ".002 of R²: see `settings`",
    )
    step_size: float = 0.001
    patience: float = tuned(
        0.5,
        "set by hand; halved or doubled, two known truths give the same curves, halved in "
        "half the time: see `settings`",
    )

    def check(self) -> None:
        """Refuse settings that make no sense."""
        for name in ("n_epochs", "min_steps", "batch_size"):
            check_integer(name, getattr(self, name), low=1)
        check_number("ridge", self.ridge, low=0)
        check_number("step_size", self.step_size, above=0)
        check_number("patience", self.patience, above=0)

    def cannot(self, loss: Loss) -> str:
        """Say why it cannot minimise a loss; nothing if it can."""
        has_torch = type(loss).torch_losses is not Loss.torch_losses
        return "" if has_torch else "it has no torch_losses"

    def learn(self, data: CurveData) -> Curves:
        """Train one set of networks, with the roles of the first bag; their curves have no bands.

        Nothing runs in threads.
        """
        return train(data, self)

    def epochs(self, n_rows: int) -> int:
        """Return how often a table is gone through."""
        steps = math.ceil(n_rows / self.batch_size)
        return max(self.n_epochs, math.ceil(self.min_steps / steps))


@dataclass(frozen=True, eq=False)
class NetworkInputs:
    """What the networks see, a line for each.

    As in boosting, a split feature has a network that learns from all rows what its regions have in
    common, and one for what each region adds.

    Attributes
    ----------
    features, leaves : (n_networks,) arrays
    numbers : (n_networks, n_slots) array
        Standardised centre of every slot; beyond the region's own values the nearest of them.
    marks : (n_networks, n_slots) array
        Vector learned for a level or missing value, 1 .. n_marks; 0 for none.
    n_rows : (n_networks,) array
        Training rows of the network.
    silent : (n_networks, n_slots) array of bool
        Levels and missing values without rows, of which the network knows nothing.
    """

    features: np.ndarray
    leaves: np.ndarray
    numbers: np.ndarray
    marks: np.ndarray
    n_rows: np.ndarray
    silent: np.ndarray

    @classmethod
    def of(cls, data: CurveData) -> NetworkInputs:
        """Read off the training rows what every network sees."""
        cells, binned, trains = data.cells, data.binned, data.bags[:, 0] & TRAINS != 0
        n_leaves = [tree.n_leaves for tree in data.trees]
        lines = [
            (i, leaf)
            for i in binned.turns
            for leaf in (WHOLE, *(range(n_leaves[i]) if n_leaves[i] > 1 else ()))
        ]
        shape = len(lines), max(binned.n_slots)
        numbers, silent = np.zeros(shape, dtype=np.float32), np.ones(shape, dtype=bool)
        marks, n_marks = np.zeros(shape, dtype=np.int64), 0
        n_rows = np.zeros(len(lines))
        for line, (i, leaf) in enumerate(lines):
            feature, n_slots, values = binned.features[i], binned.n_slots[i], slot_values(binned, i)
            rows = trains & ((leaf == WHOLE) | (cells[i] // n_slots == leaf))
            seen = np.bincount(binned.codes[i, rows], minlength=n_slots) > 0
            dense = DenseColumn.learn(feature, values[binned.codes[i, trains]])
            known = dense.scaled(values)
            inside = known[:-1][seen[:-1]]
            if len(inside):  # no network looks further than its rows
                known = np.clip(known, inside.min(), inside.max())
            is_bin = feature.is_numeric & (np.arange(n_slots) < n_slots - 1)
            n_rows[line], numbers[line, :n_slots] = rows.sum(), known
            marks[line, :n_slots] = np.where(seen & ~is_bin, n_marks + dense.marked(values), 0)
            silent[line, :n_slots] = ~seen & ~is_bin
            n_marks += len(dense.marks)
        features, leaves = np.array(lines).T
        return cls(features, leaves, numbers, marks, n_rows, silent)


def slot_values(binned: Binned, feature: int) -> FloatArray:
    """Return an encoded value for every slot: the centre of a bin, a level's code, NaN."""
    if binned.features[feature].is_numeric:
        return np.append(binned.centres[feature], np.nan)
    return np.append(np.arange(binned.n_slots[feature] - 1.0), np.nan)


def train(data: CurveData, settings: Networks) -> Curves:
    """Train all networks; the epoch with the lowest validation loss is kept."""
    torch = _torch()
    rng = np.random.default_rng(data.seed)
    rows_to_train = training_rows(data.bags)
    inputs = NetworkInputs.of(data)
    n_epochs = settings.epochs(len(rows_to_train))
    n_steps = n_epochs * math.ceil(len(rows_to_train) / settings.batch_size)
    rows_target = data.target.take(rows_to_train)
    start = rows_target.best_constant()
    best, best_epoch = None, 0
    with one_torch_thread:
        networks = _Networks(torch, inputs, start, rng)
        rows = _Rows(torch, inputs, data, settings.ridge)
        optimiser = torch.optim.Adam(networks.parameters, lr=settings.step_size, fused=True)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, n_steps)
        for epoch in range(n_epochs):
            shuffled = rng.permutation(rows_to_train)
            for first in range(0, len(shuffled), settings.batch_size):
                optimiser.zero_grad()
                rows.loss(networks, shuffled[first : first + settings.batch_size]).backward()
                optimiser.step()
                schedule.step()
            curves = networks.tabulated(inputs, data)
            loss = curves.validation_loss(data)
            if best is None or loss < best.losses[0]:
                best, best_epoch = replace(curves, losses=np.array([loss])), epoch
            if data.progress and data.progress(epoch + 1, n_epochs):
                break
            if epoch - best_epoch >= settings.patience * n_epochs:
                break
    assert best is not None
    return best


class _Networks:
    """All networks at once: every layer is one tensor with a matrix for each."""

    def __init__(
        self, torch: Any, inputs: NetworkInputs, start: float, rng: np.random.Generator
    ) -> None:
        def parameter(*shape: int, bound: float) -> Any:
            values = rng.uniform(-bound, bound, shape).astype(np.float32)
            return torch.from_numpy(values).requires_grad_()

        n_networks = len(inputs.features)
        first, *rest = LAYERS
        self.torch = torch
        self.intercept = torch.tensor(start, dtype=torch.float32, requires_grad=True)
        self.marks = parameter(inputs.marks.max() + 1, first, bound=1.0)
        with torch.no_grad():
            self.marks[0] = 0.0  # of what has no mark; not learned
        self.slopes = parameter(n_networks, 1, first, bound=1.0)
        self.biases = parameter(n_networks, 1, first, bound=1.0)
        self.layers = [
            (
                parameter(n_networks, n_in, n_out, bound=n_in**-0.5),
                parameter(n_networks, 1, n_out, bound=n_in**-0.5),
            )
            for n_in, n_out in zip(LAYERS, rest, strict=False)
        ]
        # All curves start at 0, so that what has no effect is not given one.
        self.heights = torch.zeros(n_networks, rest[-1], 1, requires_grad=True)
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
        """Height that every network gives every input, (n_networks, n)."""
        torch = self.torch
        mark = torch.nn.functional.embedding(marks, self.marks, padding_idx=0)
        hidden = torch.relu(numbers.unsqueeze(2) * self.slopes + self.biases + mark)
        for weight, bias in self.layers:
            hidden = torch.relu(torch.baddbmm(bias, hidden, weight))
        return torch.bmm(hidden, self.heights).squeeze(2)

    def tabulated(self, inputs: NetworkInputs, data: CurveData) -> Curves:
        """Return the curves on the slots."""
        torch = self.torch
        with torch.no_grad():
            heights = self(torch.from_numpy(inputs.numbers), torch.from_numpy(inputs.marks))
        heights = np.where(inputs.silent, 0.0, heights.numpy().astype(np.float64))
        values = [np.zeros((1, *shape)) for shape in data.shapes]
        for height, i, leaf in zip(heights, inputs.features, inputs.leaves, strict=True):
            part = slice(None) if leaf == WHOLE else leaf
            values[i][0, part] += height[: data.binned.n_slots[i]]
        return Curves(np.array([self.intercept.item()]), values, np.empty(0))


class _Rows:
    """The rows as tensors, and the loss of some of them."""

    def __init__(self, torch: Any, inputs: NetworkInputs, data: CurveData, ridge: float) -> None:
        def tensor(array: Any, kind: type) -> Any:
            return torch.from_numpy(np.ascontiguousarray(array, dtype=kind))

        cells, target, n_slots = data.cells, data.target, np.array(data.binned.n_slots)[:, None]
        self.torch, self.of_target = torch, target.loss
        self.numbers, self.marks = (
            tensor(inputs.numbers, np.float32),
            tensor(inputs.marks, np.int64),
        )
        self.features = tensor(inputs.features, np.int64)
        self.leaf_of_network = tensor(inputs.leaves[:, None], np.int32)
        self.leaves = tensor((cells // n_slots).T, np.int32)
        self.slots = tensor((cells % n_slots).T, np.int32)
        self.y, self.weights = tensor(target.values, np.float32), tensor(target.weights, np.float32)
        self.offset = tensor(target.offsets, np.float32)
        ridge = ridge * target.loss.max_hessian  # rows -> hessian
        self.shrinkage = tensor(ridge / np.maximum(inputs.n_rows, 1.0), np.float32)

    def loss(self, networks: _Networks, rows: NDArray[np.intp]) -> Any:
        """Mean loss: every row is scored by the networks of its features and regions."""
        torch, some = self.torch, self.torch.from_numpy(rows)
        slots = self.slots[some].T[self.features].long()
        leaves = self.leaves[some].T[self.features]
        takes_part = (leaves == self.leaf_of_network) | (self.leaf_of_network == WHOLE)
        heights = networks(self.numbers.gather(1, slots), self.marks.gather(1, slots)) * takes_part
        scores = networks.intercept + heights.sum(dim=0) + self.offset[some]
        losses = self.of_target.torch_losses(torch, self.y[some], scores)
        losses = losses + self.shrinkage @ heights**2
        return (self.weights[some] * losses).mean()


@contextmanager
def _limited() -> Iterator[None]:
    torch = _torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


one_torch_thread = Shared(_limited)  # matrices are so small that more would mostly wait


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            'curves="networks" needs the torch package: pip install calmgam[networks]'
        ) from error
    return torch
