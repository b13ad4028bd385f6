"""Folds: parts of the rows, each left out once while a search is repeated on the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.target import Target
from calmgam.fit.support.parts import NO_RECORD, tuned
from calmgam.fit.support.progress import Progress, stop_if
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray

Result = TypeVar("Result")


@dataclass(frozen=True)
class FoldSettings:
    """How many folds, and how many rows (of each class) a fold must have."""

    n_folds: int = tuned(4, "set by hand; more cost more and repeat the search on more rows")
    min_rows: int = tuned(10, NO_RECORD)


FOLDS = FoldSettings()


@dataclass(frozen=True)
class Folds:
    """Parts of the rows, each left out once.

    Attributes
    ----------
    parts : tuple of arrays
        The rows of every part.
    seeds : tuple of int
        One per part, for what is drawn while it is left out.
    """

    parts: tuple[NDArray[np.intp], ...]
    seeds: tuple[int, ...]

    @classmethod
    def draw(cls, target: Target, rng: np.random.Generator) -> Folds:
        """Draw parts of about the same size."""
        fold_of_row = draw_folds(target, FOLDS.n_folds, rng)
        seeds = rng.integers(2**31, size=FOLDS.n_folds).tolist()
        parts = (np.flatnonzero(fold_of_row == k) for k in range(FOLDS.n_folds))
        return cls(tuple(parts), tuple(seeds))

    def each(
        self,
        work: Callable[[int], Result],
        n_jobs: int,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Return the results of `work` on the number of every fold, side by side in threads."""
        results: list[Result] = []
        for result in parallel_map(work, range(len(self.parts)), n_jobs):
            results.append(result)
            if progress:
                stop_if(progress(len(results), len(self.parts)))
        return results

    def row_by_row(self, values: Sequence[FloatArray]) -> FloatArray:
        """Join what every fold says of its rows (last axis), in the order of the rows."""
        order = np.argsort(np.concatenate(self.parts))
        return np.concatenate(values, axis=-1)[..., order]


def draw_folds(target: Target, n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw the fold of every row; classes keep their shares."""
    fold_of_row = np.empty(len(target.values), dtype=np.intp)
    for rows in target.strata:
        fold_of_row[rng.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold_of_row


def enough_rows(target: Target) -> bool:
    """Whether every fold would hold enough rows: with events, or of at least two classes."""
    sizes = sorted(map(len, target.loss.events(target.values)))
    return sizes[max(0, len(sizes) - 2)] >= FOLDS.n_folds * FOLDS.min_rows
