"""Random fits with promises: some of the 200 of `benchmarks.promises`, as many as time allows."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.environments import ROOT
from benchmarks.promises import TARGETS, largest_fall, measure, random_table
from calmgam import Boosting, CALMRegressor

QUICK = Boosting(n_bags=2, max_rounds=60, learning_rate=0.1)


@pytest.mark.parametrize("first", range(0, 36, 6))
def test_promises_hold_in_random_fits(first):
    """Proved by the fit, certified without tolerance, verified, and tried by brute force."""
    for seed in range(first, first + 6):
        found = measure(seed, with_free=False)
        assert found["asked"] == 0 and found["verified"] == 2
        assert found["largest_fall"] < 1e-12


def test_brute_force_finds_what_breaks_a_promise():
    X, score, _ = random_table(3)
    free = CALMRegressor(curves=QUICK, max_splits=4, n_jobs=1, random_state=0).fit(X, score).model_
    rng = np.random.default_rng(0)
    assert max(largest_fall(free, "x0", sign, rng) for sign in (-1, 1)) > 0.01


def test_the_200_fits_have_every_target_and_both_roles():
    recorded = pd.read_csv(ROOT / "benchmarks/results/promises.csv")
    assert len(recorded) == 200
    assert (recorded["verified"] == recorded["promises"]).all()
    assert recorded["largest_fall"].max() < 1e-12
    for target in TARGETS:
        own = recorded[recorded["target"] == target]
        assert len(own) >= 60
        assert ((own["own_regions"] > 0) & (own["asked_when_free"] > 0)).sum() >= 20
