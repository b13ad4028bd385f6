"""The example that a look at one curve gets wrong, on every way to read a model.

The curve of x1 says −0.2 from −0.1 to 0.1; the truth is +3.8, since the curve of x2 jumps by +4.
"""

import numpy as np
import pytest
from audit_models import hidden_jump_model
from reading_models import term
from report_contents import feature_contents

from calmgam.model import Condition, Feature, Model, PartitionTree, Schema
from calmgam.read.audit import jumps, monotonicity, sensitivity
from calmgam.read.plots.model import draw_sensitivity, plot_feature
from calmgam.read.texts.summary import explain, summary
from chromium import what_if

MODEL = hidden_jump_model()
BEFORE, AFTER = ({"x1": value, "x2": 0.0} for value in (-0.1, 0.1))


def test_the_audit_knows_the_truth():
    found = sensitivity(MODEL, "x1", -0.1, 0.1)
    assert [curve.change for curve in found.curves] == pytest.approx([-0.2])
    assert (found.low, found.high) == pytest.approx((3.8, 3.8))
    assert found.exact and found.supported
    (jump,) = jumps(MODEL, "x1").jumps
    assert (jump.at, jump.low, jump.high, jump.arrow, jump.exact) == (0.0, 4.0, 4.0, "↑", True)
    assert monotonicity(MODEL, "x1").direction == "increasing"
    assert jumps(MODEL, "x2").jumps == ()
    assert monotonicity(MODEL, "x2").direction == "constant"


def test_the_texts_show_the_jump():
    assert str(sensitivity(MODEL, "x1", -0.1, 0.1)) == (
        "x1: -0.1 → 0.1 changes the score by +3.8\n"
        "  own curve, everywhere: -0.2\n"
        "  jump across x1 <= 0: curves of x2 add +4\n"
        "  for example x1: -0.1 → 0.1 where x2 = -1"
    )
    assert str(jumps(MODEL, "x1")) == "x1: hidden jumps at\n  0 ↑ +4 from the curves of x2"
    assert str(monotonicity(MODEL, "x1")) == "x1: increasing (proved)"
    assert "    x1 at 0: ↑ 4 from x2\n" in summary(MODEL)
    assert "x2 = 0" in explain(MODEL, BEFORE) and "-1.900" in explain(MODEL, BEFORE)
    assert "+1.900" in explain(MODEL, AFTER) and "x1 > 0" in explain(MODEL, AFTER)


def test_the_plot_of_the_feature_shows_the_jump():
    ax = plot_feature(MODEL, "x1")
    (line,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert list(line.get_xdata()) == [0.0, 0.0]
    assert [text.get_text() for text in ax.texts] == ["↑"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["at 0: ↑ 4 from x2"]


def test_the_plot_of_the_change_shows_the_jump():
    ax = draw_sensitivity(sensitivity(MODEL, "x1", -0.1, 0.1))
    labels = [label.get_text().split()[0] for label in ax.get_yticklabels()]
    values = [text.get_text() for text in ax.texts]
    assert dict(zip(labels, values, strict=True)) == {"own": "-0.2", "x2": "4", "in": "3.8"}


def test_the_page_has_the_jump_in_a_sentence():
    (jump,) = feature_contents(MODEL)["x1"]["jumps"]
    assert (jump["threshold"], jump["low"], jump["high"], jump["arrow"]) == (0.0, 4.0, 4.0, "↑")
    assert jump["sentence"] == (
        "Where x1 passes 0, the curve of x2 may switch; "
        "that alone changes the score by +4 for every input."
    )


def test_the_page_draws_the_jump_and_computes_the_truth(show):
    driver = show(MODEL)
    article = driver.find_element("id", "feature-0")
    assert "that alone changes the score by +4 for every input" in article.text
    assert article.find_elements("css selector", "svg [stroke-dasharray='1 3']")
    low, high = (line["score"] for line in what_if(driver, np.array([[-0.1, 0.0], [0.1, 0.0]])))
    assert high - low == pytest.approx(3.8)


def test_levels_on_the_smaller_side_of_a_jump_are_in_order():
    city = Feature("city", 0, "categorical", tuple("abcdefghijk"))
    size = Feature("size", 1, "numeric", low=0.0, high=1.0)
    inside = tuple(code for code in range(11) if code not in (0, 7, 8))
    by_city = PartitionTree.trivial().split(0, Condition(city, "=", inside))
    terms = (
        term(city, PartitionTree.trivial(), [], [[0.0] * 13], [[1.0] * 13]),
        term(size, by_city, [], [[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0]] * 2),
    )
    (jump,) = jumps(Model(Schema((city, size)), 0.0, terms), "city").jumps
    assert jump.at == ("a", "h", "i")
