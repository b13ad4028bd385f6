import subprocess
import sys

import numpy as np
import pytest
from audit_models import random_model
from matplotlib.figure import Figure
from reading_models import ROW, hand_model, wide_model

from calmgam.read import plots
from calmgam.read.audit import sensitivity


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def sensitivity_report(model):
    return sensitivity(model, "hour", 5.0, 8.0)


PLOTS = {
    "feature": lambda model, ax=None: plots.plot_feature(model, "hour", ax=ax),
    "importance": lambda model, ax=None: plots.plot_importance(model, ax=ax),
    "prediction": lambda model, ax=None: plots.plot_prediction(model, ROW, ax=ax),
    "sensitivity": lambda model, ax=None: plots.plot_sensitivity(sensitivity_report(model), ax=ax),
    "trees": lambda model, ax=None: plots.plot_trees(model, ax=ax),
}


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("link", ["identity", "logit"])
def test_plots_draw_on_given_axes_or_make_their_own(name, link):
    model = hand_model(link)
    ax = Figure().subplots()
    assert PLOTS[name](model, ax) is ax
    own = PLOTS[name](model)
    own.figure.draw_without_rendering()
    assert own.figure.get_figwidth() <= 4.5


def test_pyplot_is_never_imported():
    code = (
        "import sys; sys.path.insert(0, 'tests/read'); from test_plots import PLOTS, hand_model\n"
        "from calmgam.read import plots\n"
        "[plot(hand_model()).figure.draw_without_rendering() for plot in PLOTS.values()]\n"
        "plots.plot_model(hand_model()).draw_without_rendering()\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_views_and_text_need_no_matplotlib():
    code = (
        "import sys; import calmgam.read.views, calmgam.read.text, calmgam.read.plots\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_model_is_a_grid_of_features_by_importance():
    figure = plots.plot_model(hand_model(), n_columns=2)
    titles = [ax.get_title("left") for ax in figure.axes if ax.get_title("left")]
    assert titles == ["hour | flag", "job | hour", "flag"]
    assert len(plots.plot_model(hand_model(), n_features=1).axes) == 1


@pytest.mark.parametrize("seed", range(8))
def test_any_model_can_be_drawn(seed):
    model = random_model(seed)
    plots.plot_model(model).draw_without_rendering()
    plots.plot_importance(model).figure.draw_without_rendering()
    plots.plot_trees(model).figure.draw_without_rendering()


def test_importance_bars_are_split_by_region():
    ax = plots.plot_importance(hand_model())
    assert labels(ax) == ["hour | flag", "job | hour", "flag"]
    assert len(ax.patches) == 5
    total = sum(bar.get_width() for bar in ax.patches[:2])
    assert total == pytest.approx(hand_model().importances[0])
    assert ax.patches[1].get_x() == pytest.approx(ax.patches[0].get_width())


def test_a_prediction_steps_from_the_intercept_to_the_score():
    model = hand_model("logit")
    ax = plots.plot_prediction(model, ROW)
    assert labels(ax) == ["hour = 7", "job = cook", "flag = True"]
    starts = [bar.get_x() for bar in ax.patches]
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(starts, [model.intercept, *ends[:-1]])
    assert ends[-1] == pytest.approx(3.9)
    assert ax.get_title("right") == "intercept 0.1  →  score 3.9\nprobability of yes: 98.0%"
    rules = {text.get_text().replace("\u00a0", " ") for text in ax.texts}
    assert {"flag = True", "hour > 6.5", "+2", "+1.5", "+0.3"} <= rules


def test_small_contributions_are_drawn_as_one():
    model = wide_model(40)
    ax = plots.plot_prediction(model, [1.0] * 39 + ["level 1"], n_features=5)
    assert len(ax.patches) == 5
    assert labels(ax)[-1] == "36 others"


def test_a_sensitivity_shows_curves_switches_and_the_total():
    ax = plots.plot_sensitivity(sensitivity_report(hand_model()))
    assert [label.replace("\u00a0", " ") for label in labels(ax)] == [
        "own curve, flag = True",
        "own curve, flag ≠ True",
        "job switches",
        "in total",
    ]
    ranges = [tuple(line.get_xdata()) for line in ax.lines[:4]]
    assert ranges == [(1, 1), (-1, -1), (-0.5, 9), (-1.5, 10)]
    assert ax.get_title("right") == "hour: 5 → 8"
    missing = sensitivity(hand_model(), "hour", None, 8.0)
    assert plots.plot_sensitivity(missing).get_title("right") == "hour: missing → 8"


def test_trees_show_conditions_and_shares():
    ax = plots.plot_trees(hand_model())
    drawn = [text.get_text().replace("\u00a0", " ") for text in ax.texts]
    assert drawn == [
        *("hour | flag", "flag = True", "40%", "flag ≠ True", "60%"),
        *("job | hour", "hour ≤ 6.5 or missing", "40%", "hour > 6.5", "60%"),
    ]
