import numpy as np
import pytest
from matplotlib.figure import Figure
from reading_models import hand_model, scaled_model, wide_model

from calmgam.read.plots.canvas import COLOURS
from calmgam.read.plots.feature import MAX_LEVELS, body_height, draw_feature, header_height
from calmgam.read.views import feature_view
from calmgam.read.words.wording import pretty


def drawn(model, feature):
    ax = Figure(layout="constrained").subplots()
    draw_feature(feature_view(model, feature), ax)
    ax.figure.draw_without_rendering()
    return ax


def stairs(ax):
    """Return the curves, without the bands, as (edges, values)."""
    lines = [patch.get_data() for patch in ax.patches if not patch.get_fill()]
    return [(edges.tolist(), values.tolist()) for values, edges, _ in lines]


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_one_step_curve_per_region_where_it_has_rows():
    ax = drawn(hand_model(), "hour")
    on, off = feature_view(hand_model(), "hour").regions
    assert stairs(ax) == [(list(r.edges), list(r.values)) for r in (on, off)]
    bands = [patch.get_data() for patch in ax.patches if patch.get_fill()]
    assert (bands[0].values - bands[0].baseline == 0.5).all()  # value ± 0.25


def test_the_title_names_conditions_and_the_legend_rules_and_jumps():
    ax = drawn(hand_model(), "hour")
    assert ax.get_title("left") == "hour | flag"
    assert texts(ax) == [
        f"{pretty('flag = True')} (40%)",
        f"{pretty('flag != True')} (60%)",
        "at 6.5: ↕ [-0.5, 9] from job",
    ]
    colours = [line.get_color() for line in ax.get_legend().get_lines()]
    assert colours == [*COLOURS[:2], "black"]


def test_one_region_needs_no_legend():
    ax = drawn(hand_model(), "job")
    assert len(texts(ax)) == 2  # two regions, no jumps
    flag = drawn(hand_model(), "flag")
    assert texts(flag) == ["at True: ↕ [-10, 10] from hour"]


def test_a_jump_is_a_dotted_line_with_an_arrow():
    ax = drawn(hand_model(), "hour")
    (line,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert list(line.get_xdata()) == [6.5, 6.5]
    (arrow,) = [text for text in ax.texts if text.get_text() == "↕"]
    assert arrow.get_position()[0] == 6.5


def test_the_strip_stacks_the_rows_of_the_regions():
    ax = drawn(hand_model(), "hour")
    strip, edge = ax.child_axes
    counts = [(p.get_data().values - p.get_data().baseline).tolist() for p in strip.patches]
    assert counts == [[0, 10, 0, 20, 0], [10, 10, 10, 10, 20]]
    assert strip.get_xlabel() == "hour"
    assert [label.get_text() for label in edge.get_xticklabels()] == ["missing"]
    assert len(edge.collections) == 1  # one region has missing rows


def test_levels_lie_one_below_the_other_with_other_and_missing_apart():
    ax = drawn(hand_model(), "job")
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["nurse", "cook", "other", "missing"]
    np.testing.assert_allclose(ax.get_yticks(), [0, 1, 2.4, 3.4])
    assert ax.yaxis_inverted()
    assert len(ax.collections) == 3 + 4  # points of both regions


def test_the_rarest_of_many_levels_are_left_out_and_counted():
    model = wide_model(3, n_levels=100)
    ax = drawn(model, model.schema.names[-1])
    assert len(ax.get_yticks()) == MAX_LEVELS
    assert f"{102 - MAX_LEVELS} rarer levels not shown" in ax.get_xlabel()


def test_limits_show_all_values_and_no_runaway_bands():
    ax = drawn(hand_model(), "hour")
    low, high = ax.get_ylim()
    assert low < -3
    assert high > 3
    assert high - low < 1.7 * 6
    assert ax.get_xlim()[0] <= 0
    assert ax.get_xlim()[1] >= 23


@pytest.mark.parametrize("feature", ["hour", "job", "flag"])
def test_nothing_reaches_out_of_a_figure_of_the_promised_height(feature):
    view = feature_view(hand_model(), feature)
    height = (body_height(view) + header_height(view, 240)) / 72
    figure = Figure(figsize=(3.5, height), layout="constrained")
    ax = draw_feature(view, figure.subplots(), 240)
    figure.draw_without_rendering()
    boxes = [ax.get_legend().get_window_extent(), ax.get_tightbbox()]
    title = ax._left_title.get_window_extent()
    assert title.y0 >= boxes[0].y1 - 1  # the title stands above the legend
    for box in (*boxes, title):
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1 + 1


def test_the_scale_of_a_classifier_is_named():
    assert drawn(hand_model("logit"), "hour").get_ylabel() == "contribution (log-odds)"
    assert drawn(hand_model(), "hour").get_ylabel() == "contribution"


def test_a_crowded_axis_is_logarithmic():
    from test_views import curve_model

    from calmgam.model import Feature

    edges = np.geomspace(1, 1e6, 100)
    feature = Feature("income", 0, "numeric", low=0.0, high=2e6)
    ax = drawn(curve_model(feature, edges, np.arange(102), np.ones(102)), "income")
    assert ax.get_xscale() == "symlog"
    labels = [label.get_text() for label in ax.child_axes[0].get_xticklabels()]
    assert labels == ["0", "1", "10", "100", "1k", "10k", "100k", "1M"]


def test_labels_that_differ_are_drawn_differently():
    from calmgam.model.serialize import from_json, to_json

    text = to_json(hand_model())
    for name in ("nurse", "cook", "pilot"):
        text = text.replace(f'"{name}"', f'"in the municipality, {name}, of the river valley"')
    labels = [label.get_text() for label in drawn(from_json(text), "job").get_yticklabels()]
    assert len(set(labels)) == 4
    assert "nurse" in labels[0]
    assert "cook" in labels[1]


def test_the_contributions_of_prices_have_short_ticks():
    ax = drawn(scaled_model(1e5), "hour")
    assert {"−200k", "0", "200k"} <= {label.get_text() for label in ax.get_yticklabels()}


def test_a_logarithmic_axis_over_many_powers_has_few_ticks():
    from test_views import curve_model

    from calmgam.model import Feature

    edges = np.geomspace(1, 1e60, 100)
    feature = Feature("income", 0, "numeric", low=0.0, high=1e60)
    ax = drawn(curve_model(feature, edges, np.arange(102), np.ones(102)), "income")
    labels = [label.get_text() for label in ax.child_axes[0].get_xticklabels()]
    assert labels[:3] == ["0", "1", "100M"]
    assert len(labels) <= 10
    assert labels[-1] == "1e56"
