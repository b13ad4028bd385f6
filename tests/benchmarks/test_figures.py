from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.figures import draw_heat_maps, paper_model
from calmgam.read.audit import jumps
from calmgam.read.plots.canvas import new_figure
from calmgam.read.views import feature_view


def test_figure_2_has_the_paper_s_conditions_and_jump():
    model = paper_model()
    assert feature_view(model, "x2").title == "x2 | x1"
    found = jumps(model, "x1").jumps
    assert [jump.at for jump in found] == [-0.4, 0.4]
    for jump in found:
        assert (jump.low, jump.high) == pytest.approx((0.0, 0.37), abs=1e-3)
        assert jump.arrow == "↑"


def test_figure_2_reads_as_in_the_paper():
    rows = np.array([[-0.5, 0.0, -1.0], [-0.5, 0.0, 1.0]])
    x1 = paper_model().contributions(rows)[:, 0]
    np.testing.assert_allclose(x1, [-0.2, -0.75], atol=1e-9)


def test_heat_maps_have_the_feature_across_and_no_slots_for_missing_or_unknown():
    scores = np.arange(20.0).reshape(5, 4)  # slots of a × slots of b, the outer ones apart
    ebm = SimpleNamespace(
        feature_names_in_=["a", "b"],
        term_features_=[(0,), (1,), (0, 1)],
        term_scores_=[np.zeros(5), np.zeros(4), scores],
        feature_bounds_=[[0, 9], [-1, 1]],
        bins_=[[np.arange(8), [3, 6]], [[0]]],
    )
    for feature, other, drawn in (("a", "b", scores[1:-1, 1:-1].T), ("b", "a", scores[1:-1, 1:-1])):
        panel = new_figure(3, 3)
        draw_heat_maps(ebm, feature, panel)
        ax = panel.axes[0]
        np.testing.assert_array_equal(ax.collections[0].get_array(), drawn)
        assert (ax.get_xlabel(), ax.get_ylabel()) == (feature, other)
