import json

import numpy as np
import pandas as pd
import pytest
from audit_models import random_model
from reading_models import ROW, hand_model, wide_model

from calmgam.model import Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.read.views import MAX_DISPLAY_BINS, feature_view, model_view, prediction_view


def curve_model(feature, edges, values, counts):
    shape = ShapeFunction(feature, edges, values, counts, np.zeros(len(values)))
    term = Term(feature, PartitionTree.trivial(), (shape,))
    return Model(Schema((feature,)), 0.0, (term,))


def all_views(model):
    features = [feature_view(model, name) for name in model.schema.names]
    row = {f.name: None if f.is_numeric else f.levels[0] for f in model.schema.features}
    return [*features, model_view(model), prediction_view(model, row)]


def test_a_curve_reaches_from_the_first_to_the_last_bin_with_rows():
    on, off = feature_view(hand_model(), "hour").regions
    assert on.edges == (3.0, 6.5, 12.0, 18.0)  # the empty bin in the middle is drawn
    assert on.values == (1.0, 2.0, 3.0)
    assert on.spreads == (0.25, 0.25, 0.25)
    assert off.edges == (0.0, 3.0, 6.5, 12.0, 18.0, 23.0)  # outer bins end at the training range


def test_a_region_without_rows_has_no_curve():
    feature = Feature("x", 0, "numeric", low=0, high=2)
    view = feature_view(curve_model(feature, [1.0], [1, 2, 3], [0, 0, 5]), "x")
    assert view.regions[0].edges == view.regions[0].values == ()
    assert [point.label for point in view.regions[0].points] == ["missing"]


def test_a_feature_of_missing_values_only():
    view = feature_view(curve_model(Feature("x", 0, "numeric"), [], [1, 2], [0, 5]), "x")
    assert view.display_edges == view.regions[0].density == ()


def test_regions_have_rules_rows_and_shares():
    view = feature_view(hand_model(), "hour")
    assert [region.rule for region in view.regions] == ["flag = True", "flag != True"]
    assert [region.n_rows for region in view.regions] == [40, 60]
    assert [region.share for region in view.regions] == [0.4, 0.6]
    assert view.title == "hour | flag"
    assert feature_view(hand_model(), "flag").title == "flag"


def test_missing_and_other_are_points_where_the_region_has_rows():
    view = feature_view(hand_model(), "job")
    assert view.labels == ("nurse", "cook", "other", "missing")  # no row is a pilot
    assert view.n_levels == 2
    early, late = view.regions
    assert [(p.position, p.label, p.value) for p in early.points] == [
        (0, "nurse", 1.0),
        (1, "cook", -1.0),
        (3, "missing", 0.0),
    ]
    assert [point.n_rows for point in late.points] == [20, 30, 5, 5]
    hours = feature_view(hand_model(), "hour")
    assert hours.labels == ("missing",)
    assert [len(region.points) for region in hours.regions] == [1, 0]


def test_density_adds_up_to_the_rows_on_the_line():
    rng = np.random.default_rng(0)
    edges = np.unique(rng.exponential(size=200))
    counts = rng.integers(0, 9, len(edges) + 2)
    feature = Feature("x", 0, "numeric", low=0.0, high=float(edges[-1] + 1))
    view = feature_view(curve_model(feature, edges, np.zeros(len(counts)), counts), "x")
    density = view.regions[0].density
    assert len(density) == len(view.display_edges) - 1 <= MAX_DISPLAY_BINS
    assert sum(density) == pytest.approx(counts[:-1].sum())


def test_few_bins_are_their_own_display_bins():
    view = feature_view(hand_model(), "hour")
    assert view.display_edges == (0.0, 3.0, 6.5, 12.0, 18.0, 23.0)
    assert view.regions[0].density == (0, 10, 0, 20, 0)


@pytest.mark.parametrize(
    ("edges", "low", "log_from"),
    [
        (np.geomspace(1, 1e6, 100), 0.0, 1.0),
        (np.geomspace(1, 1e6, 100), -1.0, None),
        (np.linspace(1, 1e6, 100), 0.0, None),
        (np.array([1.0, 2.0]), 0.0, None),
    ],
)
def test_crowded_positive_bins_ask_for_a_logarithmic_axis(edges, low, log_from):
    feature = Feature("x", 0, "numeric", low=low, high=2e6)
    n_slots = len(edges) + 2
    model = curve_model(feature, edges, np.zeros(n_slots), np.ones(n_slots))
    assert feature_view(model, "x").log_from == log_from


def test_jumps_of_a_feature_that_switches_others():
    (jump,) = feature_view(hand_model(), "hour").jumps
    assert (jump.terms, jump.threshold, jump.levels) == (("job",), 6.5, ())
    # over all jobs seen in training and missing: 2, 2.5, 9, -0.5
    assert (jump.low, jump.high, jump.arrow, jump.exact) == (-0.5, 9.0, "↕", True)
    (jump,) = feature_view(hand_model(), "flag").jumps
    assert (jump.terms, jump.threshold, jump.levels) == (("hour",), None, ("True",))
    assert feature_view(hand_model(), "job").jumps == ()


@pytest.mark.parametrize("seed", range(20))
def test_parts_of_an_importance_add_up(seed):
    model = random_model(seed)
    view = model_view(model)
    assert [f.importance for f in view.features] == sorted(model.importances, reverse=True)
    for feature in view.features:
        assert sum(part.importance for part in feature.parts) == pytest.approx(feature.importance)
        assert sum(part.share for part in feature.parts) in (pytest.approx(1), 0)


def test_model_view_says_size_and_standing():
    view = model_view(hand_model())
    assert (view.n_rows, view.n_features, view.n_splits, view.n_curves) == (100, 3, 2, 5)
    assert view.standing == pytest.approx(0.75)
    job = next(feature for feature in view.features if feature.name == "job")
    lines = [(branch.depth, branch.rule, branch.leaf) for branch in job.partition]
    assert lines == [(0, "hour <= 6.5 or missing", 0), (0, "hour > 6.5", 1)]


def test_a_reference_that_is_no_better_gives_no_standing():
    model = hand_model()
    worse = Model(model.schema, 0.0, model.terms, errors={"gam": 1.0, "calm": 1.0, "reference": 2})
    assert model_view(worse).standing is None
    assert model_view(Model(model.schema, 0.0, model.terms)).standing is None


@pytest.mark.parametrize("seed", range(20))
def test_lines_of_a_prediction_add_up_exactly(seed):
    model = random_model(seed)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        row = {
            f.name: rng.normal() * 3 if f.is_numeric else str(rng.choice(f.levels))
            for f in model.schema.features
        }
        view = prediction_view(model, row)
        assert sum([view.intercept, *(line.contribution for line in view.lines)]) == view.score
        assert view.score == model.score(pd.DataFrame([row]))[0]
        assert sum(line.contribution for line in view.largest(2)) == pytest.approx(
            view.score - view.intercept
        )


def test_a_prediction_names_values_and_rules():
    view = prediction_view(hand_model("logit"), ROW)
    lines = [(line.name, line.value, line.rule, line.contribution) for line in view.lines]
    assert lines == [
        ("hour", 7.0, "flag = True", 2.0),
        ("job", "cook", "hour > 6.5", 1.5),
        ("flag", "True", "", 0.3),
    ]
    assert view.probability == pytest.approx(1 / (1 + np.exp(-3.9)))
    assert prediction_view(hand_model(), ROW).probability is None
    assert [line.label for line in view.largest(2)] == ["hour = 7", "2 others"]
    missing = prediction_view(hand_model(), {**ROW, "hour": None, "job": "diver"})
    labels = ["hour = missing", "job = diver (rare or unseen)", "flag = True"]
    assert [line.label for line in missing.lines] == labels
    assert [line.value for line in missing.lines] == [None, "diver", "True"]


def test_levels_called_other_or_missing_are_told_apart_from_the_others_and_the_missing():
    feature = Feature("x", 0, "categorical", ("missing", "other"), True, has_rare=True)
    labels = feature_view(curve_model(feature, [], [0.0, 1, 2, 3], [1, 1, 1, 1]), "x").labels
    assert labels == ("missing", "other", "(other)", "(missing)")


def test_a_row_may_come_in_many_forms():
    model, frame = hand_model(), pd.DataFrame([ROW])
    forms = [ROW, frame, frame.iloc[0], [7.0, "cook", True], np.array([7, "cook", True], object)]
    assert len({str(prediction_view(model, form)) for form in forms}) == 1
    with pytest.raises(ValueError, match="one row"):
        prediction_view(model, pd.concat([frame, frame]))
    with pytest.raises(ValueError, match="flag"):
        prediction_view(model, {"hour": 1, "job": "cook"})


@pytest.mark.parametrize("model", [hand_model(), hand_model("logit"), wide_model(4)])
def test_views_survive_json(model):
    for view in all_views(model):
        plain = view.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain


@pytest.mark.parametrize("seed", range(20))
def test_views_of_random_models_are_plain(seed):
    for view in all_views(random_model(seed)):
        json.dumps(view.to_dict(), allow_nan=False)
