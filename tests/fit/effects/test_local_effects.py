import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam import _kernels
from calmgam.fit.effects.local_effects import CurveEffects, PointEffects
from oracles import heterogeneity, heterogeneity_in_bins, split_gains


@st.composite
def nodes(draw):
    """Local effects of both kinds, weights, codes and candidates' sizes of a small node."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_points, n_features = (draw(st.integers(1, high)) for high in (40, 6, 4))
    n_conditions = [draw(st.integers(0, 5)) for _ in range(n_features)]
    curves = rng.normal(size=(n_rows, n_points)) + draw(st.sampled_from([0.0, 3.0]))
    bins = rng.integers(0, n_points, n_rows).astype(np.uint16)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n_rows) if draw(st.booleans()) else np.ones(n_rows)
    codes = np.array([rng.integers(0, n + 2, n_rows) for n in n_conditions], dtype=np.uint16)
    ordered = [draw(st.booleans()) for _ in range(n_features)]
    return curves, bins, weights, (codes, n_conditions, ordered)


@given(node=nodes(), min_rows=st.integers(1, 5))
def test_kernel_of_curves_equals_its_twin(node, min_rows):
    curves, _, weights, conditions = node
    gains = _kernels.curve_split_gains(curves, weights, *conditions, min_rows, 1)
    twin = split_gains(
        lambda rows: heterogeneity(curves[rows], weights[rows]), weights, *conditions, min_rows
    )
    np.testing.assert_allclose(gains, twin, rtol=1e-9, atol=1e-9)


@given(node=nodes(), min_rows=st.integers(1, 5))
def test_kernel_of_points_equals_its_twin(node, min_rows):
    curves, bins, weights, conditions = node
    effects, n_bins = curves[:, 0].copy(), curves.shape[1]
    gains = _kernels.point_split_gains(effects, bins, n_bins, weights, *conditions, min_rows, 1)
    twin = split_gains(
        lambda rows: heterogeneity_in_bins(effects[rows], bins[rows], weights[rows]),
        weights,
        *conditions,
        min_rows,
    )
    np.testing.assert_allclose(gains, twin, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_threads", [2, 3, 16])
def test_threads_do_not_change_a_bit(n_threads):
    rng = np.random.default_rng(0)
    curves, weights = rng.normal(size=(3000, 20)), rng.random(3000)
    codes = rng.integers(0, 12, (7, 3000)).astype(np.uint16)
    conditions = (codes, [10] * 7, [True, False] * 3 + [True], 10)
    one, many = (
        _kernels.curve_split_gains(curves, weights, *conditions, n) for n in (1, n_threads)
    )
    np.testing.assert_array_equal(one, many)
    points = (curves[:, 0].copy(), codes[0], 12, weights)
    one, many = (_kernels.point_split_gains(*points, *conditions, n) for n in (1, n_threads))
    np.testing.assert_array_equal(one, many)


def test_shapes_must_agree():
    curves, codes = np.zeros((4, 2)), np.zeros((1, 4), np.uint16)
    with pytest.raises(ValueError, match="shapes do not agree"):
        _kernels.curve_split_gains(curves, np.ones(3), codes, [1], [True], 1, 1)
    with pytest.raises(ValueError, match="shapes do not agree"):
        bins = np.zeros(3, np.uint16)
        _kernels.point_split_gains(np.ones(4), bins, 1, np.ones(4), codes, [1], [True], 1, 1)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_heterogeneity_is_the_variance_even_far_from_zero(offset):
    rng = np.random.default_rng(0)
    curves = rng.normal(size=(500, 20)) + offset
    bins = rng.integers(0, 4, 500).astype(np.uint16)
    no_codes = np.empty((0, 500), np.uint16)
    for weights in (np.ones(500), rng.random(500)):
        total, _ = CurveEffects(np.arange(20), np.full(20, 0.05), curves).score_splits(
            weights, no_codes, [], [], 1
        )
        expected = heterogeneity(curves, weights) / 20 * weights.sum()
        np.testing.assert_allclose(total, expected, rtol=1e-9)
        total, _ = PointEffects(curves[:, 0], bins, 5).score_splits(weights, no_codes, [], [], 1)
        expected = heterogeneity_in_bins(curves[:, 0], bins, weights) * weights.sum()
        np.testing.assert_allclose(total, expected, rtol=1e-9)


def test_effects_are_compared_within_their_bin_only():
    """What differs between bins is the feature's own effect, no interaction."""
    x, bins = np.linspace(0, 1, 100), (np.arange(100) % 4).astype(np.uint16)
    codes = (x > 0.5).astype(np.uint16)[None]  # of one condition: x <= 0.5

    def scored(effects):
        return PointEffects(effects, bins, 4).score_splits(np.ones(100), codes, [1], [True], 1)

    total, gains = scored(10.0 * bins)
    assert total == gains[0, 0] == 0
    total, gains = scored(10.0 * bins + (x > 0.5))
    assert total == pytest.approx(gains[0, 0])
    assert total == pytest.approx(sum(25 * np.var(x[bins == b] > 0.5) for b in range(4)))
