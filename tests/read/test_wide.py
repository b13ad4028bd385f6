"""Reading a model of many features: work grows with the features, not with their square."""

from collections import Counter

import numpy as np
import pytest
from audit_models import big_model
from reading_models import plain_model

from calmgam.model.exact import changes, inputs, optimise
from calmgam.read import counterfactual, jumps, monotonicity, report, summary
from calmgam.read.texts.card import card


@pytest.fixture
def counted(monkeypatch):
    """Count what is built and optimised."""
    counts = Counter()

    def count(owner, name, attribute):
        original = getattr(owner, attribute)

        def counting(*arguments, **options):
            counts[name] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, attribute, counting)

    count(inputs.Axis, "axes", "__init__")
    count(inputs.Inputs, "inputs", "__init__")
    count(changes, "optimisations", "minimise")
    return counts


def test_texts_of_a_plain_model_need_no_audit(counted):
    model = plain_model(200)
    summary(model), card(model)
    assert all(jumps(model, name).jumps == () for name in model.schema.names)
    assert counted == {}


def test_a_page_builds_its_inputs_once(counted, tmp_path):
    model = plain_model(100)
    report(model, tmp_path / "page.html")
    # one for all inputs, and for every feature one with the two ends of a typical change
    assert counted["inputs"] == 1 + 100
    assert counted["axes"] == 100 + 100
    assert counted["optimisations"] == 4 * 100  # rise and fall, and both ends of the change


def test_jumps_are_computed_once_for_all_who_show_them(counted, tmp_path):
    model = big_model(n_features=12, n_bins=20, n_splits=8, max_depth=2)
    for name in model.schema.names:
        jumps(model, name)
    first = counted["optimisations"]
    assert first > 0
    summary(model), card(model)
    for name in model.schema.names:
        jumps(model, name)
    assert (counted["optimisations"], counted["inputs"]) == (first, 1)


def test_a_verdict_and_a_counterfactual_look_at_what_the_feature_touches(counted):
    model = plain_model(300)
    assert monotonicity(model, "feature 1").direction == "increasing"
    assert counted["optimisations"] == 2
    row = dict.fromkeys(model.schema.names, 0.5)
    found = counterfactual(model, row, 1.0, mutable=["feature 1"])
    assert found.row == row | {"feature 1": 1.01}
    assert counted == {"inputs": 1, "axes": 300, "optimisations": 2}


def test_moves_that_cannot_win_are_not_optimised(counted):
    model = big_model(n_features=4, n_bins=60, n_splits=12, max_depth=3)
    for feature in model.schema.features:
        axis = inputs.all_inputs(model).axes[feature.index]
        n_stretches = 1 + np.count_nonzero(np.diff(axis.pieces[:-1]))
        counted.clear()
        assert monotonicity(model, feature.name).proved
        assert counted["optimisations"] <= 2 + n_stretches * (n_stretches + 1) / 2
    assert optimise.MAX_ENTRIES > 0
