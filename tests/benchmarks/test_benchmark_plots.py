import pandas as pd
import pytest

from benchmarks import plots

ROWS = [  # dataset, fold, model, error, seconds, interactions
    ("wine", "0", "own_gam", 2.0, 1.0, 0),
    ("wine", "1", "own_gam", 4.0, 1.0, 0),
    ("magic", "0", "own_gam", 1.0, 1.0, 0),
    ("wine", "0", "calm", 1.0, 2.0, 4),
    ("magic", "0", "calm", 0.125, 8.0, 6),
    ("heloc", "0", "calm", 9.0, 4.0, 8),
]


@pytest.fixture
def measured():
    named = ["dataset", "fold", "model", "error", "fit_seconds", "n_interactions"]
    return pd.DataFrame(ROWS, columns=named)


def test_a_model_stands_at_its_error_relative_to_the_own_gam(measured):
    points = plots.positions(measured).set_index("model")
    assert points.loc["own_gam", "error"] == pytest.approx(1)
    assert points.loc["calm", "error"] == pytest.approx(0.25)  # of 1/2 and 1/8 on common folds
    assert points.loc["calm", "n_interactions"] == 6
    assert points.loc["calm", "fit_seconds"] == pytest.approx(4)
    assert points.loc["calm", "n_datasets"] == 2


def test_both_pictures_name_every_model(measured):
    figure = plots.trade_offs(measured)
    for axes in figure.axes:
        assert [text.get_text() for text in axes.texts] == ["calm (2)", "own_gam (2)"]


def test_models_on_few_datasets_are_left_out(measured):
    one = measured.iloc[[0]].assign(model="short", error=0.1)
    more = [measured.assign(dataset=measured["dataset"] + str(k)) for k in range(2)]
    figure = plots.trade_offs(pd.concat([measured, *more, one]))
    assert [text.get_text() for text in figure.axes[0].texts] == ["calm (6)", "own_gam (6)"]


def test_names_are_spread_as_little_as_can_be():
    assert plots.spread([0.1, 0.4, 0.9], 0.2) == pytest.approx([0.1, 0.4, 0.9])
    assert plots.spread([0.5, 0.5, 0.5], 0.2) == pytest.approx([0.3, 0.5, 0.7])
    assert plots.spread([0.1, 0.5, 0.52, 0.9], 0.1) == pytest.approx([0.1, 0.46, 0.56, 0.9])
