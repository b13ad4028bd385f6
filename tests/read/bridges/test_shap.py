"""Explanations for SHAP hold the exact contributions, and its plots draw them."""

import numpy as np
import pytest
from export_models import random_case

from calmgam.read import to_shap


@pytest.mark.parametrize("seed", range(4))
def test_values_are_the_contributions_and_add_up(seed):
    case = random_case(seed)
    explanation = to_shap(case.model, case.X)
    np.testing.assert_array_equal(explanation.values, case.contributions)
    total = explanation.base_values + explanation.values.sum(axis=1)
    np.testing.assert_allclose(total, case.model.score(case.X), rtol=0, atol=1e-9)
    assert explanation.feature_names == list(case.model.schema.names)
    labels = [f for f in case.model.schema.features if not f.is_numeric]
    for feature in labels:
        assert set(explanation.display_data[:, feature.index]) <= {*feature.levels, "other", None}


def test_plots_of_shap_draw_them():
    plots = pytest.importorskip("shap.plots")
    case = random_case(0)
    assert plots.bar(to_shap(case.model, case.X), show=False) is not None
    assert plots.waterfall(to_shap(case.model, case.X)[0], show=False) is not None
