from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.fit.curves.contract import Curves
from calmgam.fit.data.log_losses import Poisson
from calmgam.fit.scale.batches import MemoryBatch
from calmgam.fit.scale.totals import UNIT, TotalsPass, exact_sum
from fit_scale import moments_pass, table_of, trees_of


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30))
def test_sums_are_exact(values):
    expected = sum(map(Fraction, values)) * Fraction(2) ** -UNIT
    assert exact_sum(np.array(values)) == expected


@pytest.mark.parametrize("weighted", [False, True])
def test_totals_are_those_of_all_rows_however_divided(weighted):
    X, y, weights = table_of(500, weighted)
    y = np.exp(y)
    trees = trees_of(X, {"x0": ["x1 <= 0", "x1 > 0"]})
    one_pass = moments_pass(X, y, weights, trees=trees)
    rng, loss, cells = np.random.default_rng(0), Poisson(), one_pass.cells
    shapes = [(2, t.n_leaves, n) for t, n in zip(trees, cells.fine.n_slots, strict=True)]
    curves = Curves(rng.normal(size=2), [rng.normal(size=shape) for shape in shapes], np.zeros(1))
    fixed = replace(one_pass.fixed, mean=0.0, unit=2.0)  # as of losses with a log link
    totals = TotalsPass(cells, fixed, curves, loss)
    batch, order = MemoryBatch(X, y, weights), rng.permutation(500)
    whole = totals.add(totals.start(), batch)
    parts = [totals.add(totals.start(), batch.part(rows)) for rows in np.split(order, [7, 333])]
    assert parts[2] + (parts[0] + parts[1]) == whole
    scores = curves.scores(cells.of(batch, np.arange(500), 1)[1])
    counted = np.ones(500) if weights is None else weights
    expected = loss.correction(y / fixed.scale, counted, scores)
    assert whole.correction == pytest.approx(expected, abs=1e-12)
