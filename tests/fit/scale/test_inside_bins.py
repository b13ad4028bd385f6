import numpy as np

from calmgam.fit.scale.inside_bins import positions


def test_between_two_centres_a_curve_goes_straight():
    centres, fine = np.array([0.0, 1.0, 3.0]), np.array([-2.0, -0.25, 0.0, 0.5, 1.5, 3.0, 3.5, 9.0])
    left, share = positions(centres, fine)
    assert left.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    np.testing.assert_allclose(share, [-0.5, -0.25, 0.0, 0.5, 0.25, 1.0, 1.25, 1.5])


def test_centres_that_meet_divide_by_nothing():
    _, share = positions(np.array([1.0, 1.0]), np.array([1.0, 2.0]))
    assert np.isfinite(share).all()
