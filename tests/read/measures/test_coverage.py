"""Coverage of intervals in total and by region."""

import numpy as np

from calmgam.read.measures.coverage import coverage_views
from tests.model.edits.example import MODEL, ROWS


def test_regions_add_up_to_all_rows():
    rng = np.random.default_rng(0)
    X = ROWS[rng.integers(len(ROWS), size=500)]
    table = X.astype(object)
    table[:, 2] = np.array(["nurse", "cook", "smith"])[X[:, 2].astype(int)]
    y = MODEL.score_encoded(X) + rng.normal(size=len(X))
    whole, *regions = coverage_views(MODEL, table, y, 0.5)
    assert (whole.feature, whole.rule, whole.n_rows) == ("", "", 500)
    assert [view.feature for view in regions] == ["age"] * 3
    assert sum(view.n_rows for view in regions) == 500
    held = sum(view.n_rows * view.coverage for view in regions)
    ends = MODEL.predict_interval(table, 0.5)
    assert round(held) == np.sum((ends[:, 0] <= y) & (y <= ends[:, 1])) == 500 * whole.coverage
