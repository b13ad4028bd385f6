from dataclasses import replace

import pytest
from reading_models import hand_model

from calmgam.read.texts.advice import advice_lines
from calmgam.read.views import model_view


def view(n_splits=0, calm=2.0, reference=1.2):
    return replace(model_view(hand_model()), n_splits=n_splits, calm=calm, reference=reference)


def test_a_far_better_reference_is_named_with_what_to_try():
    lines = list(advice_lines(view()))
    assert "errs 40% less, and no split was kept" in lines[0]
    assert "sparsity=0" in "\n".join(lines)
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    "changed",
    [{"n_splits": 1}, {"reference": 1.9}, {"reference": None}, {"calm": None}, {"calm": 0.0}],
)
def test_otherwise_nothing_is_said(changed):
    assert not list(advice_lines(view(**changed)))
