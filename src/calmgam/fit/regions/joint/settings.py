"""Settings of joint growth, which its stages share."""

from __future__ import annotations

from dataclasses import dataclass

from calmgam.fit.prepared import Limits
from calmgam.fit.regions.growth import FOLDS_1_TO_4, Growth
from calmgam.fit.support.parts import tuned
from calmgam.fit.support.settings import SMALL_TABLE, check_integer, check_number

SMALL = "folds 1 to 4 of airfoil and sensory"
LARGE = "folds 1 to 4 of thirteen tables, with one or two seeds"
SAME = "set by hand; halved or doubled, three known truths give the same models: see `constants`"
NO_LIMIT = 2**31  # no path is so long


@dataclass(repr=False)
class JointSettings(Growth):
    """Settings of joint growth; documented where users meet them: `Joint`."""

    max_auto_splits: int = tuned(20, FOLDS_1_TO_4)
    max_bins: int = tuned(32, FOLDS_1_TO_4)
    ridge: float = tuned(5.0, FOLDS_1_TO_4)
    first_sweeps: int = tuned(30, FOLDS_1_TO_4)
    sweeps: int = tuned(5, FOLDS_1_TO_4)
    sweeps_of_small: int = tuned(20, SMALL)
    promising: float = tuned(0.3, SAME)
    refresh: int = tuned(5, SAME)
    few_rows: int = tuned(5_000, LARGE)
    share_per_row: float = tuned(1e-4, LARGE)
    max_share: float = tuned(0.75, LARGE)
    min_hessian: float = tuned(0.1, FOLDS_1_TO_4)
    max_directions: int = tuned(
        6,
        "halved, one of twelve known interactions of 12 classes is missed; doubled, the same "
        "models: see `settings`",
    )

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        for name in (
            "max_auto_splits",
            "first_sweeps",
            "sweeps",
            "sweeps_of_small",
            "max_directions",
        ):
            check_integer(name, getattr(self, name), low=1)
        check_integer("max_bins", self.max_bins, low=2)
        check_integer("refresh", self.refresh, low=1)
        check_integer("few_rows", self.few_rows, low=0)
        for name in ("ridge", "share_per_row"):
            check_number(name, getattr(self, name), low=0)
        for name in ("promising", "max_share", "min_hessian"):
            check_number(name, getattr(self, name), low=0, high=1)

    def path_length(self, limits: Limits) -> int:
        """Return the most splits that a path may have."""
        if limits.max_splits is None:
            return NO_LIMIT
        return self.max_auto_splits if limits.max_splits == "auto" else int(limits.max_splits)

    def n_sweeps(self, n_rows: int, is_crowded: bool) -> int:
        """Return how many sweeps of backfitting follow a split.

        Many features for the rows lean on one another by chance, and take as many as few rows.
        """
        return self.sweeps_of_small if n_rows < SMALL_TABLE or is_crowded else self.sweeps

    def share_of_y(self, n_rows: int) -> float:
        """Return how far the target of growth goes from the reference to y."""
        return min(self.share_per_row * max(n_rows - self.few_rows, 0), self.max_share)
