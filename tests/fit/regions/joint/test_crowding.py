import numpy as np
import pytest

from calmgam.fit.regions.joint.crowding import Crowding


@pytest.mark.parametrize(
    ("n_rows", "n_features", "n_bins"),
    [(500, 10, 30), (500, 20, 15), (5000, 200, 15), (500, 50, 6), (500, 1000, 4)],
)
def test_bins_follow_rows_per_feature(n_rows, n_features, n_bins):
    assert Crowding().n_bins(n_rows, n_features) == n_bins


def test_cells_for_missing_values_crowd_nothing():
    assert Crowding().is_crowded(321, 500, 20)
    assert not Crowding().is_crowded(320, 500, 20)


def test_doubt_grows_with_the_cells_for_every_row_that_counts():
    crowding = Crowding()
    assert crowding.doubt(401, 500) == pytest.approx(np.log(401 / 50))
    assert crowding.doubt(401, 400) == pytest.approx(np.log(401 / 40))
    assert crowding.doubt(4000, 400) > crowding.doubt(401, 400)
    assert crowding.doubt(30, 400) == 0  # of noise they learn less than is allowed
