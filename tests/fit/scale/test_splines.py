import numpy as np
import pytest

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.curves.splines.fitting import Splines
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.scale.batches import MemoryBatch, fold_of, row_hashes
from calmgam.fit.scale.boosting import MomentData
from calmgam.fit.scale.splines import splines_of_moments
from fit_scale import moments_pass, table_of, trees_of

SETTINGS = Splines(n_draws=4)


@pytest.fixture(params=[{}, {"x0": ["x1 <= 0", "x1 > 0"]}], ids=["whole", "split"])
def learned(request):
    """Moments of a table, and the same rows as splines in memory see them."""
    X, y, weights = table_of(600, weighted=True)
    one_pass = moments_pass(X, y, weights, trees=trees_of(X, request.param))
    batch, cells = MemoryBatch(X, y, weights), one_pass.cells
    moments = one_pass.add(one_pass.start(), batch)
    data = MomentData(moments, cells, one_pass.fixed, turns=[2, 0, 1], seed=3)
    z = (y - one_pass.fixed.mean) / one_pass.fixed.scale
    folds = fold_of(row_hashes(batch), 3)
    rows = CurveData(
        cells.of(batch, np.arange(len(y)), 1)[0].astype(np.uint16),
        cells.binned,
        cells.trees,
        Target(SquaredError(), z, weights),
        np.where(folds == 0, VALIDATES, TRAINS).astype(np.uint8)[:, None],
        seed=3,
    )
    return data, rows


def test_splines_from_sums_are_those_from_rows(learned):
    data, rows = learned
    sums, direct = splines_of_moments(data, SETTINGS, SquaredError()), SETTINGS.learn(rows)
    np.testing.assert_allclose(sums.intercepts, direct.intercepts, atol=1e-6)
    for one, other in zip(sums.values, direct.values, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert sums.losses[0] == pytest.approx(direct.losses[0], rel=1e-6)


def test_features_left_out_stay_flat(learned):
    data, _ = learned
    left = MomentData(data.moments, data.cells, data.fixed, turns=[0, 2], seed=3)
    curves = splines_of_moments(left, SETTINGS, SquaredError())
    assert not curves.values[1].any() and curves.values[2].any()
