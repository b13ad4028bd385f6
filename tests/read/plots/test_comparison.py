"""The picture of a comparison has every row between the exact bounds."""

import numpy as np
import pytest
from audit_models import hidden_jump_model, random_pair

from calmgam.read import compare, plot_comparison
from calmgam.read.plots.canvas import new_axes
from calmgam.read.plots.comparison import draw_comparison


def test_rows_lie_between_the_bounds():
    a, b = hidden_jump_model(), hidden_jump_model(step=-1.0, jump=3.0)
    rows = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    found = compare(a, b, rows, threshold=0.2)
    ax = draw_comparison(found)
    assert sum(patch.get_height() for patch in ax.patches) == 500
    drawn = sorted(line.get_xdata()[0] for line in ax.lines)
    assert drawn == pytest.approx(sorted([-0.2, 0.2, found.low, found.high]))
    assert [text.get_text() for text in ax.texts] == ["-0.9", "+0.9"]
    assert "100 % of 500 rows move by more than 0.2" in ax.get_xlabel()
    ax.figure.draw_without_rendering()


def test_it_draws_on_given_axes_and_needs_rows():
    a, _ = random_pair(0)
    model = hidden_jump_model()
    ax = new_axes(3, 2)
    assert plot_comparison(model, model, np.zeros((2, 2)), ax=ax) is ax
    with pytest.raises(ValueError, match="the comparison must have rows"):
        draw_comparison(compare(a, a))
