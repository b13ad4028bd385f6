import numpy as np
import pytest

from calmgam.fit.regions.joint.crowding import Crowding


@pytest.mark.parametrize(
    ("n_rows", "n_features", "n_bins"),
    [(2000, 50, 24), (500, 20, 15), (5000, 200, 15), (500, 50, 6), (500, 1000, 4)],
)
def test_bins_of_a_crowded_table_follow_rows_per_feature(n_rows, n_features, n_bins):
    assert Crowding().n_bins(n_rows, n_features, is_crowded=True) == n_bins


@pytest.mark.parametrize(("n_rows", "n_bins"), [(50, 4), (200, 6), (500, 15), (1024, 32)])
def test_bins_have_rows_on_either_side_of_a_split(n_rows, n_bins):
    assert Crowding().n_bins(n_rows, 3, is_crowded=False) == n_bins
    assert Crowding().n_bins(n_rows, 10, is_crowded=True) == n_bins


def test_cells_for_missing_values_crowd_nothing():
    assert Crowding().is_crowded(321, 500, 20)
    assert not Crowding().is_crowded(320, 500, 20)


def test_doubt_grows_with_the_cells_for_every_row_that_counts():
    crowding = Crowding()
    assert crowding.doubt(401, 500) == pytest.approx(np.log(401 / 50))
    assert crowding.doubt(401, 400) == pytest.approx(np.log(401 / 40))
    assert crowding.doubt(4000, 400) > crowding.doubt(401, 400)
    assert crowding.doubt(30, 400) == 0  # of noise they learn less than is allowed
