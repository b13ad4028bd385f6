import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from audit_models import random_model
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from reading_models import ROW, flat_model, hand_model, scaled_model, wide_model

from calmgam.model.serialize import from_json, to_json
from calmgam.read import plots
from calmgam.read.audit import sensitivity
from calmgam.read.plots.model import draw_sensitivity


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def sensitivity_report(model):
    return sensitivity(model, "hour", 5.0, 8.0)


PLOTS = {
    "feature": lambda model, ax=None: plots.plot_feature(model, "hour", ax=ax),
    "importance": lambda model, ax=None: plots.plot_importance(model, ax=ax),
    "prediction": lambda model, ax=None: plots.plot_prediction(model, ROW, ax=ax),
    "sensitivity": lambda model, ax=None: draw_sensitivity(sensitivity_report(model), ax=ax),
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
        "import sys; sys.path[:0] = ['tests/read', 'tests/read/plots']\n"
        "from test_model import PLOTS, hand_model\n"
        "from calmgam.read import plots\n"
        "[plot(hand_model()).figure.draw_without_rendering() for plot in PLOTS.values()]\n"
        "plots.plot_model(hand_model()).draw_without_rendering()\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_views_and_text_need_no_matplotlib():
    code = (
        "import sys; import calmgam.read.views, calmgam.read.texts.summary, calmgam.read.plots\n"
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


@pytest.mark.parametrize(("n_flat", "n_drawn"), [(5, 6), (6, 1)])
def test_many_features_without_effect_are_not_drawn(n_flat, n_drawn):
    model = flat_model(n_flat)
    assert len(plots.plot_model(model).axes) == n_drawn
    assert len(plots.plot_model(model, n_features=n_flat + 1).axes) == n_flat + 1
    assert len(labels(plots.plot_importance(model))) == n_drawn


def test_small_contributions_are_drawn_as_one():
    model = wide_model(40)
    ax = plots.plot_prediction(model, [1.0] * 39 + ["level 1"], n_features=5)
    assert len(ax.patches) == 5
    assert labels(ax)[-1] == "36 others"


def test_a_sensitivity_shows_curves_switches_and_the_total():
    ax = draw_sensitivity(sensitivity_report(hand_model()))
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
    assert draw_sensitivity(missing).get_title("right") == "hour: missing → 8"


def test_trees_show_conditions_and_shares():
    ax = plots.plot_trees(hand_model())
    drawn = [text.get_text().replace("\u00a0", " ") for text in ax.texts]
    assert drawn == [
        *("hour | flag", "flag = True", "40%", "flag ≠ True", "60%"),
        *("job | hour", "hour ≤ 6.5 or missing", "40%", "hour > 6.5", "60%"),
    ]


ODD = {"hour": "$a$ {x}", "flag": r"_\frac$ [red] %s", "job": "cost in $ \x1b[31m"}
ODD_ROW = {ODD[name]: value for name, value in ROW.items()} | {ODD["job"]: "$5 to $10"}


def renamed(model, names):
    """Return the model with other names of features and levels."""
    text = to_json(model)
    for name, other in names.items():
        text = text.replace(json.dumps(name), json.dumps(other))
    return from_json(text)


def odd_model():
    return renamed(hand_model("logit"), {**ODD, "cook": "$5 to $10", "nurse": "a_b^c", "yes": "$$"})


def drawn_texts(figure):
    """Draw, and return all visible texts."""
    figure.draw_without_rendering()
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def test_text_from_data_is_no_formula():
    model = odd_model()
    figures = [
        *(plots.plot_feature(model, name).figure for name in ODD.values()),
        plots.plot_model(model),
        plots.plot_importance(model).figure,
        plots.plot_trees(model).figure,
        plots.plot_prediction(model, ODD_ROW).figure,
        draw_sensitivity(sensitivity(model, ODD["hour"], 5.0, 8.0)).figure,
    ]
    for figure in figures:
        texts = [text for text in drawn_texts(figure) if "$" in text.get_text()]
        assert texts
        assert not any(text.get_parse_math() or text.get_usetex() for text in texts)
        assert all("\x1b" not in text.get_text() for text in drawn_texts(figure))
    prediction = [text.get_text() for text in drawn_texts(figures[-2])]
    assert r"cost in $ \x1b[31m = $5 to $10" in prediction
    assert "intercept 0.1  →  score 3.9\nprobability of $$: 98.0%" in prediction
    rules = [t.get_text() for t in drawn_texts(figures[0]) if "frac" in t.get_text()]
    assert len(rules) == 3  # the title and one line for each region, though it begins with _


def test_long_names_are_cut_and_not_the_panels():
    model = wide_model(3, n_levels=3)
    names = model.schema.names
    row = [1.0, 2.0, "level 1"]
    figures = [
        *(plots.plot_feature(model, name).figure for name in names),
        plots.plot_model(model, n_columns=2),
        plots.plot_importance(model).figure,
        plots.plot_trees(model).figure,
        plots.plot_prediction(model, row).figure,
        draw_sensitivity(sensitivity(model, names[0], 5.0, 2000.0)).figure,
    ]
    for figure in figures:
        figure.draw_without_rendering()
        legends = [legend.get_window_extent() for legend in figure.findobj(Legend)]
        whole = figure.get_tightbbox()
        assert min(whole.x0 * figure.dpi, *(box.x0 for box in legends), 0) >= -3
        assert max(whole.x1 * figure.dpi, *(box.x1 for box in legends), 0) <= figure.bbox.x1 + 3
        n_columns = 2 if len(figure.axes) > 1 else 1
        assert min(ax.bbox.width for ax in figure.axes) > 0.3 * figure.bbox.width / n_columns
    assert len(set(labels(figures[4].axes[0]))) == 3
    assert [label.split(" = ")[1] for label in labels(figures[6].axes[0])] == ["1", "2", "level 1"]


@pytest.mark.parametrize(
    ("factor", "shift"),
    [(1e-9, 0), (1e-9, 1e-5), (1, 0), (1, 3.2e5), (50, 3e8), (1e5, 3.2e5), (1e5, 3e8), (1e299, 0)],
)
def test_ticks_do_not_run_together(factor, shift):
    model = scaled_model(factor, shift)
    figures = [plots.plot_prediction(model, ROW).figure, plots.plot_importance(model).figure]
    for figure in figures:
        figure.draw_without_rendering()
        low, high = figure.axes[0].get_xlim()
        ticks = figure.axes[0].xaxis.get_major_ticks()
        shown = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]
        boxes = [label.get_window_extent() for label in shown]
        assert len(boxes) >= 2
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
        assert len({label.get_text() for label in shown}) == len(shown)


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e200, 1e300])
def test_scores_of_any_size_can_be_drawn(factor):
    model = scaled_model(factor)
    figures = [plot(model).figure for plot in PLOTS.values()] + [plots.plot_model(model)]
    for figure in figures:
        assert max(len(text.get_text()) for text in drawn_texts(figure)) < 60


def test_all_levels_can_be_seen():
    model = wide_model(3, n_levels=100)
    name = model.schema.names[-1]
    few, default, every = (plots.plot_feature(model, name, n_levels=n) for n in (5, 24, None))
    assert [len(ax.get_yticks()) for ax in (few, default, every)] == [5, 24, 102]
    assert "78 rarer levels not shown; n_levels=102 shows all" in default.get_xlabel()
    assert every.get_xlabel() == "contribution"
    assert every.figure.get_figheight() > 3 * default.figure.get_figheight()
    with pytest.raises(ValueError, match="n_levels must be at least 1, or None for all; got 0"):
        plots.plot_feature(model, name, n_levels=0)
