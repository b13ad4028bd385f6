"""What the stages share: the training table, prepared, and the limits that the user has set."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.bags import Bags, training_rows, validation_rows
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.fit.policies import Policy
from calmgam.fit.references.fitting import ReferenceLearner
from calmgam.fit.references.reference import Reference
from calmgam.fit.support.progress import Progress
from calmgam.fit.support.settings import check_integer
from calmgam.model.partition import MAX_DEPTH
from calmgam.model.schema import FloatArray, Schema


@dataclass(frozen=True)
class Limits:
    """How large a model may become, whatever way regions are found.

    Attributes
    ----------
    split_features : tuple of int
        Features that may get several curves.
    policy : Policy
        Which features may stand together.
    max_depth : int
        Most conditions in a region.
    max_splits : int, "auto" or None
        Splits over all features; "auto": as many as cross-validation supports; None: no limit.
    """

    split_features: tuple[int, ...]
    policy: Policy
    max_depth: int = 3
    max_splits: int | str | None = "auto"

    def splitting(self, features: Container[int]) -> Limits:
        """Return limits by which these features alone may get several curves."""
        return replace(self, split_features=tuple(i for i in self.split_features if i in features))

    def __post_init__(self) -> None:
        check_integer("max_depth", self.max_depth, low=0, high=MAX_DEPTH)
        number = self.max_splits
        is_number = isinstance(number, Integral) and not isinstance(number, bool)
        if number not in ("auto", None) and not (is_number and int(number) >= 0):
            raise ValueError(
                f'max_splits must be an integer >= 0, "auto" or None; got {self.max_splits!r}'
            )


@dataclass(frozen=True, eq=False)
class Prepared:
    """The training table as all stages see it.

    Attributes
    ----------
    X : (n_rows, n_features) array
        Encoded rows, for references; everything else looks at `binned`.
    binned : Binned
        The same rows in bins, whose cuts are all thresholds there are.
    target : Target
    references : ReferenceLearner
    limits : Limits
    bags : (n_rows, n_bags) array
        Who trains and who validates; without a bag nothing is judged on validation rows.
    seed : int
        Of everything that is drawn; stages draw from `rng`.
    rng : numpy Generator
    n_jobs : int
        Threads; no result depends on it.
    progress : callable, optional
        Called with (steps done, steps).
    """

    X: FloatArray
    binned: Binned
    target: Target
    references: ReferenceLearner
    limits: Limits
    bags: Bags
    seed: int
    rng: np.random.Generator
    n_jobs: int = 1
    progress: Progress | None = None

    @property
    def schema(self) -> Schema:
        """The features."""
        return self.references.schema

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.X)

    @property
    def has_validation_rows(self) -> bool:
        """Whether there are bags, so that a reference can be judged."""
        return self.bags.shape[1] > 0

    def take(self, rows: NDArray[np.intp], **changes: Any) -> Prepared:
        """Return some of the rows, and other fields as given."""
        return replace(
            self,
            X=np.asfortranarray(self.X[rows]),
            binned=self.binned.take(rows),
            target=self.target.take(rows),
            bags=self.bags[rows],
            **changes,
        )

    def fit_reference(
        self, rows: Any = slice(None), *, n_jobs: int | None = None, with_trees: bool = False
    ) -> Reference:
        """Fit the reference on some rows."""
        target = self.target.take(rows)
        n_jobs = self.n_jobs if n_jobs is None else n_jobs
        return self.references.fit(self.X[rows], target, n_jobs=n_jobs, with_trees=with_trees)

    def reference_error(self, n_jobs: int | None = None) -> float:
        """Error on the first bag's validation rows of a reference that has not seen them."""
        validation = validation_rows(self.bags)
        reference = self.fit_reference(training_rows(self.bags), n_jobs=n_jobs)
        return self.target.error(reference.score(self.X[validation]), validation)
