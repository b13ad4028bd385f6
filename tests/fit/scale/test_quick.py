import numpy as np
import pytest

from calmgam import CALMRegressor
from calmgam.fit.data.target import Target
from calmgam.fit.pipeline import prepare
from calmgam.fit.scale.fitting import bins_of_gram
from calmgam.fit.scale.moments import Cells
from calmgam.fit.scale.quick import in_wide_bins, quick_curves
from fit_scale import trees_of


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (3000, 3))
    y = np.where(X[:, 1] > 0, 1.0, -1.0) * X[:, 0] + np.sin(3 * X[:, 2])
    plan = CALMRegressor(random_state=0, n_jobs=1)._plan()
    prepared = prepare(X, Target.regression(y, np.ones(3000)), plan)
    trees = trees_of(X, {"x0": ["x1 <= 0", "x1 > 0"]}, prepared.binned)
    return prepared, Cells(bins_of_gram(prepared.binned, trees), trees)


def test_quick_curves_follow_the_sample(sample):
    prepared, cells = sample
    curves = quick_curves(prepared, cells, frozenset())
    rows = in_wide_bins(prepared.binned, cells)
    assert max(rows.n_slots) < max(prepared.binned.n_slots)
    scores = curves.scores(rows.cells(cells.trees))
    assert np.mean((scores - prepared.target.values) ** 2) < 0.02
    flat = quick_curves(prepared, cells, frozenset({2}))
    assert not flat.values[2].any() and flat.values[0].any()
