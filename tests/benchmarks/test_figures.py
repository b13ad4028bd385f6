import pytest

from benchmarks.figures import paper_model
from calmgam.read.audit import jumps
from calmgam.read.views import feature_view


def test_figure_2_has_the_paper_s_conditions_and_jump():
    model = paper_model()
    assert feature_view(model, "x2").title == "x2 | x1"
    found = jumps(model, "x1").jumps
    assert [jump.at for jump in found] == [-0.4, 0.4]
    for jump in found:
        assert (jump.low, jump.high) == pytest.approx((0.0, 0.37), abs=1e-3)
        assert jump.arrow == "↑"
