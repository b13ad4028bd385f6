"""The range of the score equals brute force, and its rows attain it."""

import json
import time

import numpy as np
import pytest
from audit_models import BruteForce, big_model, hidden_jump_model, random_model, user_value

from calmgam.read import score_range

CLOSE = 1e-9


def assert_attained(model, found):
    for end, evidence in ((found.low, found.lowest), (found.high, found.highest)):
        table = np.array([list(evidence.row.values())], dtype=object)
        assert model.score(table)[0] == pytest.approx(end, abs=CLOSE)
        assert evidence.score == pytest.approx(end, abs=CLOSE)
        assert sum(evidence.contributions.values()) + model.intercept == pytest.approx(end)


@pytest.mark.parametrize("seed", range(200))
def test_it_is_brute_force(seed):
    model = random_model(seed)
    brute, found = BruteForce(model), score_range(model)
    assert found.exact
    expected = brute.scores.min(), brute.scores.max()
    assert (found.low, found.high) == pytest.approx(expected, abs=CLOSE)
    assert_attained(model, found)


@pytest.mark.parametrize("seed", range(60))
def test_given_narrows_it(seed):
    model = random_model(seed)
    feature = model.schema.features[seed % model.schema.n_features]
    value = BruteForce(model).values[feature.index][0]
    brute = BruteForce(model, {feature.index: value})
    found = score_range(model, given={feature.name: user_value(feature, value)})
    assert (found.low, found.high) == pytest.approx((brute.scores.min(), brute.scores.max()))
    assert found.lowest.row[feature.name] == found.highest.row[feature.name]
    assert_attained(model, found)


def test_text_and_plain_values():
    found = score_range(hidden_jump_model("logit"))
    lines = str(found).split("\n")
    assert lines[0] == "the score (log-odds) lies in [-1.9, 1.9]"
    assert lines[1].startswith("  lowest for x2 = ") and "(probability 0.130)" in lines[1]
    assert json.loads(json.dumps(found.to_dict()))["highest"]["row"] == found.highest.row
    only = score_range(hidden_jump_model(), given="x1 <= 0")
    assert only.high == pytest.approx(-1.9)


def test_rows_of_many_features_are_shortened():
    assert "and 12 more" in str(score_range(big_model(n_bins=10)))


def test_a_large_model_is_quick():
    model = big_model()
    start = time.perf_counter()
    assert score_range(model).exact
    assert time.perf_counter() - start < 5


def test_a_work_limit_leaves_a_sound_bound(monkeypatch):
    model = random_model(5)
    exact = score_range(model)
    monkeypatch.setattr("calmgam.model.exact.optimise.MAX_ENTRIES", 4)
    rough = score_range(model)
    assert rough.low <= exact.low and exact.high <= rough.high
    assert not rough.exact and "within" in str(rough)
    assert exact.low - CLOSE <= rough.lowest.score
