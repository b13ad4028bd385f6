"""Counterfactuals and reasons: what one row needs, and what its score is made of."""

import itertools
import json
import time

import numpy as np
import pandas as pd
import pytest
from audit_models import all_values, big_model, hidden_jump_model, random_model, user_value

from calmgam.model import Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.model.exact.inputs import decode_row
from calmgam.read.audit import counterfactual, reasons


def random_row(model, rng):
    return np.array([rng.choice(all_values(model, f)) for f in model.schema.features])


def brute_force(model, row, target, n_features):
    """Return the changes of fewest features that reach the target, as sets of changed features."""
    score = model.score_encoded(row[None])[0]
    for size in range(n_features + 1):
        reaching = []
        for chosen in itertools.combinations(model.schema.features, size):
            values = [[v for v in all_values(model, f) if v == v] for f in chosen]
            for point in itertools.product(*values):
                changed = row.copy()
                changed[[f.index for f in chosen]] = point
                new_score = model.score_encoded(changed[None])[0]
                if new_score >= target if score < target else new_score <= target:
                    reaching.append({f.name: value for f, value in zip(chosen, point, strict=True)})
        if reaching:
            return reaching
    return []


@pytest.mark.parametrize("n_features", [1, 2])
@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_counterfactuals_are_brute_force(seed, n_features):
    model, rng = random_model(seed // 2 * 6 + seed % 3), np.random.default_rng(seed)
    row = random_row(model, rng)
    score = model.score_encoded(row[None])[0]
    target = score + rng.normal(scale=1.5)
    found = counterfactual(model, decode_row(model.schema, row), target, n_features=n_features)
    reaching = brute_force(model, row, target, n_features)
    assert found.reached == bool(reaching)
    assert found.score == score
    if not found.reached:
        assert (found.changes, found.row) == ((), decode_row(model.schema, row))
        return
    assert len(found.changes) == len(reaching[0])
    assert {c.feature for c in found.changes} in [set(changes) for changes in reaching]
    changed = {name for name in found.row if found.row[name] != decode_row(model.schema, row)[name]}
    assert changed == {change.feature for change in found.changes}
    new_score = model.score(pd.DataFrame([found.row]))[0]
    assert new_score == found.new_score
    assert new_score >= target if score < target else new_score <= target


def test_the_nearest_value_by_training_rows_wins():
    feature = Feature("x", 0, "numeric", low=0.0, high=10.0)
    other = Feature("level", 1, "categorical", ("common", "rare", "mine"))
    curve = ShapeFunction(feature, range(10), [9, 9, 0, 0, 0, 0, 0, 0, 0, 9, 9, 0],
                          [1, 1, 1, 1, 1, 1, 1, 9, 9, 1, 1, 0], np.zeros(12))  # fmt: skip
    levels = ShapeFunction(other, [], [9, 9, 0, 0, 0], [28, 1, 1, 0, 0], np.zeros(5))
    whole = PartitionTree.trivial()
    model = Model(
        Schema((feature, other)),
        0.0,
        (Term(feature, whole, (curve,)), Term(other, whole, (levels,))),
    )
    row = {"x": 5.5, "level": "mine"}  # bin 6; down 5 bins with one row each, up 2 with 9 rows
    found = counterfactual(model, row, 9.0, mutable=["x"])
    assert found.row == {"x": 0.5, "level": "mine"}
    assert found.distance == pytest.approx(5 / 27, abs=1e-6)
    assert str(found) == "from a score of 0 to 9: x: 5.5 → 0.5, which gives 9"
    anything = counterfactual(model, row, 9.0)
    assert anything.row == {"x": 5.5, "level": "common"}
    assert anything.distance == pytest.approx(1 - 28 / 30)
    both = counterfactual(model, row, 18.0, n_features=2)
    assert both.row == {"x": 0.5, "level": "common"}
    assert not counterfactual(model, row, 18.0).reached
    assert str(counterfactual(model, row, 19.0, n_features=2)) == (
        "from a score of 0 to 19: no change of so few mutable features gets there"
    )
    assert str(counterfactual(model, row, 0.0)) == (
        "from a score of 0 to 0: nothing needs to change, which gives 0"
    )
    json.dumps(both.to_dict())


def test_flipping_a_decision():
    model = hidden_jump_model("logit")
    found = counterfactual(model, {"x1": 0.5, "x2": 0.0}, "flip")
    assert found.row == {"x1": -1.0, "x2": 0.0}
    back = counterfactual(model, pd.DataFrame([found.row]), "flip")
    assert back.score < 0 < back.new_score
    with pytest.raises(ValueError, match="target must be a score, or 'flip' for a classifier"):
        counterfactual(hidden_jump_model(), found.row, "flip")
    with pytest.raises(ValueError, match="n_features must be 1 or 2; got 3"):
        counterfactual(model, found.row, "flip", n_features=3)
    with pytest.raises(ValueError, match=r"a value for every feature; missing: \['x2'\]"):
        counterfactual(model, {"x1": 0.0}, "flip")
    with pytest.raises(ValueError, match="row must be one row; got 2"):
        counterfactual(model, np.zeros((2, 2)), "flip")


def test_pairs_of_many_bins_are_quick():
    model = big_model(n_features=10)
    row = decode_row(model.schema, np.full(10, 500.5))
    start = time.perf_counter()
    assert not counterfactual(model, row, 1e6, n_features=2).reached
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("seed", range(30))
def test_reasons_add_up_and_name_their_rules(seed):
    model, rng = random_model(seed), np.random.default_rng(seed)
    row = random_row(model, rng)
    found = reasons(model, decode_row(model.schema, row), n=3)
    contributions = dict(
        zip(model.schema.names, model.contributions_encoded(row[None])[0], strict=True)
    )
    ranked = sorted((abs(c) for c in contributions.values() if c), reverse=True)[:3]
    assert [abs(reason.contribution) for reason in found.reasons] == ranked
    total = found.intercept + sum(r.contribution for r in found.reasons) + found.rest
    assert total == pytest.approx(found.score)
    for reason in found.reasons:
        term = model.terms[model.schema.index(reason.feature)]
        (region,) = (region for region in term.tree.regions if region.contains(row[None])[0])
        assert reason.region == str(region)
        assert reason.contribution == contributions[reason.feature]
        assert reason.value == user_value(term.feature, row[term.feature.index])
    negative = reasons(model, decode_row(model.schema, row), n=99, sign="negative").reasons
    assert [r.contribution for r in negative] == sorted(c for c in contributions.values() if c < 0)


def test_reasons_as_text():
    found = reasons(hidden_jump_model(), {"x1": 0.5, "x2": 0.0}, 1)
    assert (
        str(found)
        == repr(found)
        == (
            "score 1.9, where the average is 0:\n"
            "    +2  x2 = 0, since x1 > 0\n"
            "  -0.1  all other features"
        )
    )
    json.dumps(found.to_dict())
    with pytest.raises(ValueError, match="sign must be one of"):
        reasons(hidden_jump_model(), {"x1": 0.5, "x2": 0.0}, 1, sign="bad")
