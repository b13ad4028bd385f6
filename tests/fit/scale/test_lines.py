import numpy as np
import pytest

from calmgam.fit.scale.batches import MemoryBatch
from calmgam.fit.scale.lines import without_regions
from calmgam.fit.scale.moments import Cells, MomentsPass
from calmgam.model.tree import PartitionTree
from fit_scale import moments_pass, table_of, trees_of


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_without_regions_are_those_of_a_gam(weighted):
    X, y, weights = table_of(600, weighted)
    trees = trees_of(X, {"x0": ["x1 <= 0", "x1 > 0"], "x2": ["x1 <= 0.3", "x1 > 0.3"]})
    one_pass = moments_pass(X, y, weights, trees=trees)
    batch = MemoryBatch(X, y, weights)
    joined, cells = without_regions(one_pass.add(one_pass.start(), batch), one_pass.cells)
    assert [tree.n_leaves for tree in cells.trees] == [1, 1, 1]
    whole = Cells(one_pass.cells.binned, (PartitionTree.trivial(),) * 3)
    gam = MomentsPass(whole, one_pass.fixed, 3, weighted)
    expected = gam.add(gam.start(), batch)
    for name in ("weights", "sums", "squares", "tiles"):
        got, folds = getattr(joined, name), getattr(expected, name)
        np.testing.assert_array_equal(got, [folds[0], folds[1:].sum(axis=0)])
        assert got.dtype == folds.dtype
