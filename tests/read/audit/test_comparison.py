"""Comparisons of two models equal brute force over all inputs of either."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from audit_models import all_values, big_model, hidden_jump_model, random_pair, user_value

from calmgam.model.exact.difference import difference
from calmgam.read import compare

CLOSE = 1e-9


def all_rows(a, b):
    """Return the table of all values that either model can tell apart."""
    values = {}
    for model in (a, b):
        for feature in model.schema.features:
            found = (user_value(feature, value) for value in all_values(model, feature))
            values.setdefault(feature.name, {}).update(dict.fromkeys(found))
    for name, own in values.items():  # the upper ends of one model's last gap and of the other's
        numbers = [value for value in own if isinstance(value, float)]
        if numbers:
            own[max(numbers) + 1.0] = None
        values[name] = list(own)
    return pd.DataFrame(itertools.product(*values.values()), columns=list(values))


def contribution(model, rows, name):
    if name not in model.schema.names:
        return np.zeros(len(rows))
    return model.contributions(rows)[:, model.schema.index(name)]


@pytest.mark.filterwarnings("ignore:no value of column")
@pytest.mark.parametrize("seed", range(200))
def test_it_is_brute_force(seed):
    a, b = random_pair(seed)
    rows, found = all_rows(a, b), compare(a, b)
    changes = b.score(rows) - a.score(rows)
    assert found.exact
    assert (found.low, found.high) == pytest.approx((changes.min(), changes.max()), abs=CLOSE)
    for end, evidence in ((found.low, found.lowest), (found.high, found.highest)):
        row = pd.DataFrame([evidence.row])
        scores = a.score(row)[0], b.score(row)[0]
        assert evidence.scores == pytest.approx(scores, abs=CLOSE)
        assert evidence.change == end == pytest.approx(scores[1] - scores[0], abs=CLOSE)
    by_name = {feature.feature: feature for feature in found.features}
    for name in rows.columns:
        parts = contribution(b, rows, name) - contribution(a, rows, name)
        if np.abs(parts).max() <= CLOSE:
            assert name not in by_name
            continue
        one = by_name[name]
        assert (one.low, one.high) == pytest.approx((parts.min(), parts.max()), abs=CLOSE)
        for end, evidence in ((one.low, one.lowest), (one.high, one.highest)):
            row = pd.DataFrame([evidence.row])
            change = contribution(b, row, name) - contribution(a, row, name)
            assert change[0] == pytest.approx(end, abs=CLOSE)
    assert [f.size for f in found.features] == sorted(
        (f.size for f in found.features), reverse=True
    )


def test_given_rows_are_counted():
    a, b = hidden_jump_model(), hidden_jump_model(step=-1.0, jump=4.0)
    rows = pd.DataFrame({"x1": [-1.0, -0.5, 0.5, 1.0], "x2": 0.0})
    found = compare(a, b, rows, threshold=0.3)
    assert found.rows.changes == pytest.approx([0.4, 0.4, -0.4, -0.4])
    assert (found.rows.n_rows, found.rows.share, found.rows.mean) == (4, 1.0, 0.0)
    assert found.rows.largest == pytest.approx(0.4)
    assert compare(a, b, rows, threshold=0.5).rows.share == 0.0
    assert compare(a, b, rows, given="x1 > 0.6").rows.n_rows == 1
    assert compare(a, b, rows, given={"x1": 0.5}).rows.n_rows == 1
    assert "100 % of 4 rows move by more than 0.3" in str(found)
    with pytest.raises(ValueError, match="some row must agree with given"):
        compare(a, b, rows, given="x1 > 7")
    with pytest.raises(ValueError, match="threshold must be a finite number of at least 0; got -1"):
        compare(a, b, rows, threshold=-1)


def test_text_and_plain_values():
    a, b = hidden_jump_model("logit"), hidden_jump_model("logit", step=-1.0)
    found = compare(a, b, np.zeros((3, 2)))
    assert str(found).split("\n")[0] == "the score changes by [-0.4, +0.4]"
    assert "(probability" in str(found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["rows"] == {"n_rows": 3, "threshold": 0.0, "share": 1.0} | {
        name: pytest.approx(0.4) for name in ("mean", "largest")
    }
    assert plain["features"][0]["feature"] == "x1"
    assert str(compare(a, a)) == "the score is the same for every input"
    many = compare(big_model(0, n_bins=5), big_model(1, n_bins=5))
    assert "and 8 more features" in str(many)


def test_an_array_needs_the_same_features():
    a, b = (random_pair(seed)[1] for seed in (1, 2))
    model = hidden_jump_model()
    a, b = random_pair(3)
    assert a.schema.names != b.schema.names
    with pytest.raises(ValueError, match="data must have names of columns"):
        compare(a, b, np.zeros((2, 3)))
    assert compare(model, model, np.zeros((2, 2))).rows.share == 0.0


def test_features_of_one_model_are_marked():
    a, b = random_pair(1)
    new = next(feature for feature in compare(a, b).features if feature.feature == "new")
    assert new.where == "second" and "(only in the second model)" in str(new)
    gone = next(feature for feature in compare(b, a).features if feature.feature == "new")
    assert gone.where == "first"
    assert (new.low, new.high) == pytest.approx((-gone.high, -gone.low))


def test_rows_without_training_rows_are_marked():
    a, b = random_pair(7)
    found = compare(a, b)
    change = difference(a, b)
    assert change.schema.n_features == len(found.lowest.row)
    assert not math.isnan(found.size)
    marked = [e for e in (found.lowest, found.highest) if not e.supported]
    assert all("[no training rows]" in str(e) for e in marked)
