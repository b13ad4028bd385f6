"""Thresholds of joint growth: gains as in the kernel, the roundest number near the best."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam import CALMRegressor, _kernels
from calmgam.fit.regions.joint.thresholds import (
    CONFIDENCE,
    Divided,
    roundest_of_the_best,
    roundness,
    threshold_gains,
)

SETTINGS = {"min_rows": 5.0, "ridge": 5.0, "noise": 0.3}


@given(st.integers(0, 10**6), st.booleans(), st.integers(2, 12), st.booleans())
def test_the_best_gain_is_the_kernels(seed, with_missing, n_cuts, charge_steps):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_cuts + 1 + with_missing, 80).astype(np.uint16)
    bins = rng.integers(0, 5, 80).astype(np.uint16)
    residual, weights = rng.normal(size=80) + (codes > n_cuts // 2), rng.choice([0.5, 1, 3], 80)
    leaves = rng.integers(0, 2, 80).astype(np.uint16)
    rows = Divided(codes, bins, leaves, weights, n_cuts, leaf=1)
    gains = threshold_gains(rows, residual, **SETTINGS, charge_steps=charge_steps)
    min_rows, ridge, noise = SETTINGS.values()
    lists = [1], [n_cuts], [True], [False], []
    growth = _kernels.JointGrowth(
        weights, [5], codes[None], *lists, min_rows, ridge, None, charge_steps
    )
    growth.set_cells(0, leaves * np.uint32(5) + bins, 2)
    (_, (gain, _, mask)) = growth.best_splits(residual, noise)[0]
    left = np.frombuffer(mask, dtype=bool)
    if left.size and left[: n_cuts + 1].all():  # "is not missing" is not a threshold
        assert gain >= gains.max() - 1e-9
    else:
        assert max(gains.max(), 0) == pytest.approx(gain, abs=1e-9)
        if gain > 1e-6:
            missing_left, cut = np.unravel_index(gains.argmax(), gains.shape)
            assert (left[: n_cuts + 1] == (np.arange(n_cuts + 1) <= cut)).all()
            assert not with_missing or left[-1] == missing_left


def test_a_side_with_too_few_rows_is_no_choice():
    codes = np.array([0] * 4 + [1] * 6 + [2] * 6, dtype=np.uint16)
    bins, leaves = np.arange(16, dtype=np.uint16) % 2, np.zeros(16, np.uint16)
    residual = np.where(codes == 0, 100.0, 0.0) * (-1.0) ** bins
    rows = Divided(codes, bins, leaves, np.ones(16), 2, leaf=0)
    gains = threshold_gains(rows, residual, **SETTINGS, charge_steps=True)
    assert gains[0, 0] == -inf
    assert gains[0, 1] > 0
    assert (gains[1] == -inf).all()  # nothing is missing


@pytest.mark.parametrize(
    ("number", "power"),
    [
        (0.0, inf),
        (-0.0, inf),
        (1200.0, 2),
        (-7.0, 0),
        (0.25, -2),
        (1e-9, -9),
        (3.14159, -5),
        (1e300, 300),
    ],
)
def test_roundness_is_the_power_of_the_last_digit(number, power):
    assert roundness(number) == power


def test_the_roundest_that_the_rows_cannot_tell_from_the_best():
    cuts = np.array([0.1, 0.13, 0.2, 0.245, 0.3])
    near, far = 10 - 0.9 * CONFIDENCE, 10 - 1.1 * CONFIDENCE
    assert roundest_of_the_best(cuts, np.array([far, 10, near, 9, far]), 1.0) == 2
    assert roundest_of_the_best(cuts, np.array([near, 10, 9.5, 9, near]), 1.0) == 2  # gains most
    assert roundest_of_the_best(cuts, np.array([far, 10, far, 9, far]), 1.0) == 1
    assert (
        roundest_of_the_best(cuts, np.array([-1, 2, -inf, 1, -1]), 9.0) == 1
    )  # others gain nothing
    assert roundest_of_the_best(cuts, np.array([-2.0, -1, -2, -2, -2]), 1.0) == 1


def test_a_rule_at_a_round_number_is_found_in_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(scale=30, size=(1500, 3))
    y = np.where(X[:, 1] > 20, X[:, 0], -X[:, 0]) + X[:, 2] + rng.normal(scale=10, size=1500)
    model = CALMRegressor(random_state=0, n_jobs=1).fit(X, y)
    regions = [str(region) for region in model.model_.terms[0].tree.regions]
    assert regions[0].startswith("x1 <= 20")
