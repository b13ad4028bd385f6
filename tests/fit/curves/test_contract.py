import numpy as np

from calmgam.fit.curves.contract import Curves


def test_scores_are_means_over_bags():
    values = [np.arange(12.0).reshape(2, 2, 3), np.array([[[1.0, 2.0]], [[3.0, 6.0]]])]
    curves = Curves(np.array([10.0, 20.0]), values, np.array([1.0]))
    cells = np.array([[0, 5], [1, 0]], dtype=np.uint16)
    np.testing.assert_array_equal(curves.scores(cells), [15 + 3 + 4, 15 + 8 + 2])
