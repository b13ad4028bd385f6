"""The kernel that bends curves, `cpp/convex.hpp`, beside its twin."""

import numpy as np
import pytest

from calmgam import _kernels
from calmgam.fit.data.runs import chords
from oracles import nearest_convex


def kinds_of_heights(rng, centres):
    """Return heights that are anything, wave, bend up, bend down or are flat."""
    noise = rng.normal(size=len(centres))
    bowl = (centres - centres.mean()) ** 2
    return [noise, np.sin(centres * 5) + 0.1 * noise, bowl, -bowl, bowl + 0.01 * noise, 0 * noise]


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_nearest_convex_curve(seed):
    rng = np.random.default_rng(seed)
    centres = np.sort(rng.uniform(0, 1, rng.integers(3, 60)))
    centres = np.unique(np.round(centres, 2)) if seed % 2 else np.exp(10 * centres)
    centres = (centres - centres[0]) / (centres[-1] - centres[0])
    weights = rng.choice([1e-9, 0.5, 1.0, 30.0], len(centres))
    for heights in kinds_of_heights(rng, centres):
        found = _kernels.nearest_convex(centres.tolist(), heights, weights)
        expected = nearest_convex(centres, heights, weights)
        losses = [np.sum(weights * (heights - one) ** 2) for one in (found, expected)]
        size = max(np.abs(heights).max(), 1e-300)
        assert losses[0] <= losses[1] + 1e-6 * weights.sum() * size**2
        assert (chords(centres) @ found).min() >= -1e-12 * np.abs(found).max()


def test_what_is_convex_stays():
    centres = np.linspace(0, 1, 500)
    heights = np.exp(3 * centres)
    found = _kernels.nearest_convex(centres.tolist(), heights, np.ones(500))
    np.testing.assert_allclose(found, heights, rtol=1e-12)


def test_heights_that_are_convex_but_for_rounding_move_by_no_more():
    centres = np.linspace(0, 1, 1000)
    heights = np.float32((centres - 0.3) ** 2).astype(float)
    found = _kernels.nearest_convex(centres.tolist(), heights, np.ones(1000))
    assert np.abs(found - heights).max() < 1e-6
    assert (chords(centres) @ found).min() >= -1e-15


@pytest.mark.parametrize(
    ("centres", "message"),
    [
        ([0.0], "number of centres must be at least 2"),
        ([0.0, 1.0, 1.0], "centres must rise; got 1.0"),
        ([0.0, np.nan, 1.0], "centres"),
        ([0.0, 1.0], "heights"),
    ],
)
def test_wrong_arrays_are_refused(centres, message):
    with pytest.raises(ValueError, match=message):
        _kernels.nearest_convex(centres, np.ones(3), np.ones(3))
