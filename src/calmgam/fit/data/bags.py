"""Bags: who trains and who validates.

In: the target. Out: for every row and bag whether the row trains or validates there. Every bag has
validation rows of its own, on which it stops; bags are averaged, and their spread gives the bands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.data.target import Target
from calmgam.fit.support.parts import tuned

Bags = NDArray[np.uint8]  # TRAINS, VALIDATES or both, (n_rows, n_bags)


@dataclass(frozen=True)
class BagSettings:
    """How many rows of a bag validate, and how many rows there must be to spare some."""

    validation_share: float = tuned(
        0.15, "with the settings of boosting, on folds 1 and 2 of the paper's tables"
    )
    min_rows: int = tuned(
        30,
        "set by hand, and low for events: halved, those in 20 rows come out worse, doubled, "
        "those in 45 rows better; numbers are level: see `settings`",
    )


BAGS = BagSettings()


def draw_bags(target: Target, n_bags: int, rng: np.random.Generator) -> Bags:
    """Draw who trains and who validates in every bag, (n_rows, n_bags); classes keep their shares.

    Of a rare class at least one row validates, so that stopping sees events and not rows alone.
    Rows of weight 0 are never drawn. In a table too small to spare rows, all do both.
    """
    counts = target.weights > 0
    if counts.sum() < BAGS.min_rows:
        return np.full((len(counts), n_bags), TRAINS | VALIDATES, dtype=np.uint8)
    strata = [rows[counts[rows]] for rows in target.strata]
    bags = np.full((len(counts), n_bags), TRAINS, dtype=np.uint8)
    for bag in range(n_bags):
        for rows in strata:
            n_validation = max(round(BAGS.validation_share * len(rows)), int(len(rows) > 1))
            bags[rng.permutation(rows)[:n_validation], bag] = VALIDATES
    return bags


def can_stop(target: Target, bags: Bags) -> bool:
    """Whether every bag validates on events, or on two classes: else it cannot stop in time."""
    validates = bags & VALIDATES != 0
    events = target.loss.events(target.values)
    has_rows = [bool(validates[rows].any(axis=0).all()) for rows in events]
    return sum(has_rows) >= min(2, len(has_rows))


def training_rows(bags: Bags, bag: int = 0) -> NDArray[np.intp]:
    """Rows that train in a bag."""
    return np.flatnonzero(bags[:, bag] & TRAINS)


def validation_rows(bags: Bags, bag: int = 0) -> NDArray[np.intp]:
    """Rows that validate in a bag."""
    return np.flatnonzero(bags[:, bag] & VALIDATES)
