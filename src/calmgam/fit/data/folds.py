"""Folds: parts of the rows, each left out once while a search is repeated on the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.target import Target
from calmgam.fit.support.parts import tuned
from calmgam.fit.support.progress import Progress, stop_if
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray

Result = TypeVar("Result")


@dataclass(frozen=True)
class FoldSettings:
    """How many folds, and how many rows (of each class) a fold must have.

    A search that is repeated without a quarter of a few hundred rows finds less than the search
    on all of them. So small tables have more folds, as long as that costs little.
    """

    n_folds: int = tuned(4, "set by hand; more cost more and repeat the search on more rows")
    most_folds: int = tuned(8, "known splits in 500 rows and 20 features, seeds 2 and 3")
    affordable_rows: int = tuned(
        4_000, "halved, two of three known interactions are missed; doubled, none: see `constants`"
    )
    affordable_cells: int = tuned(200_000, "set by hand: the same, times features")
    min_rows: int = tuned(
        10,
        "set by hand; 30 and 60 events: known interactions found rise from 7 to 14 of 20 when "
        "it is halved, and fall to none when doubled; 30 numbers: mixed: see `settings`",
    )

    def of(self, target: Target, n_features: int) -> int:
        """Return how many folds a table has."""
        affordable = min(self.affordable_rows, self.affordable_cells // n_features)
        most = min(self.most_folds, affordable // target.n_rows)
        return max(self.n_folds, min(most, rows_of_a_class(target) // self.min_rows))


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
    def draw(cls, target: Target, n_features: int, rng: np.random.Generator) -> Folds:
        """Draw parts of about the same size."""
        n_folds = FOLDS.of(target, n_features)
        fold_of_row = draw_folds(target, n_folds, rng)
        seeds = rng.integers(2**31, size=n_folds).tolist()
        parts = (np.flatnonzero(fold_of_row == k) for k in range(n_folds))
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
    return rows_of_a_class(target) >= FOLDS.n_folds * FOLDS.min_rows


def rows_of_a_class(target: Target) -> int:
    """Return how many rows at least two classes have, or hold events; all, if there are none."""
    sizes = sorted(map(len, target.loss.events(target.values)))
    return sizes[max(0, len(sizes) - 2)]
