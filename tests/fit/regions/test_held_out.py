import numpy as np
import pytest

from calmgam.fit.data.binning import bin_table
from calmgam.fit.regions.held_out import coarse_bins
from calmgam.model.schema import Schema


@pytest.mark.parametrize(("n_rows", "n_bins"), [(500, 128), (4096, 128), (16_000, 500)])
def test_more_rows_are_compared_in_finer_bins(n_rows, n_bins):
    X = np.random.default_rng(0).normal(size=(n_rows, 1))
    schema = Schema.learn(X)
    coarse = coarse_bins(bin_table(schema.encode(X), schema, 1024))
    assert len(coarse.edges[0]) + 1 == pytest.approx(n_bins, abs=1)
