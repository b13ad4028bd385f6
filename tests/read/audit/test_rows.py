"""Counterfactuals and reasons: what one row needs, and what its score is made of."""

import itertools
import json
import math
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import polars
import pytest
from audit_models import all_values, big_model, hidden_jump_model, random_model, user_value
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from calmgam.model import Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.model.exact.inputs import all_inputs
from calmgam.model.exact.rows import decode_row
from calmgam.read.audit import counterfactual, reasons, sensitivity
from calmgam.read.audit.nearest_values import Choice, first_above
from calmgam.read.texts.summary import explain


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


def test_the_nearest_value_of_a_feature_and_the_nearest_feature_by_training_rows_win():
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
    row = {"x": 5.5, "level": "mine"}  # down to 1, or up beyond 8, which is nearer
    found = counterfactual(model, row, 9.0, mutable=["x"])
    assert found.row == {"x": 8.01, "level": "mine"}
    assert found.distance == pytest.approx(19 / 27, abs=1e-6)
    assert str(found) == "from a score of 0 to 9: x: 5.5 → 8.01, which gives 9"
    down = counterfactual(model, row | {"x": 4.0}, 9.0, mutable=["x"])
    assert down.row == {"x": 1.0, "level": "mine"}
    anything = counterfactual(model, row, 9.0)
    assert anything.row == {"x": 5.5, "level": "common"}
    assert anything.distance == pytest.approx(1 - 28 / 30)
    both = counterfactual(model, row, 18.0, n_features=2)
    assert both.row == {"x": 1.0, "level": "common"}  # the sum of both distances counts
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
    assert found.row == {"x1": 0.0, "x2": 0.0}
    assert str(found).endswith("x1: 0.5 → 0, which gives -1.9 (probability 0.870 → 0.130)")
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


def test_a_classifiers_target_says_its_scale():
    model, row = hidden_jump_model("logit"), {"x1": -0.5, "x2": 0.0}
    with pytest.raises(
        ValueError, match=r"target=0.8 may be .*: say probability=0.8, or .*0.68997"
    ):
        counterfactual(model, row, 0.8)
    found = counterfactual(model, row, probability=0.8)
    assert found.probabilities[0] < 0.8 <= found.probabilities[1]
    assert found.target == pytest.approx(np.log(4))
    (exactly,) = model.predict(pd.DataFrame([found.row]))
    assert counterfactual(model, row, probability=exactly).row == found.row
    assert counterfactual(model, found.row, probability=exactly).changes == ()
    assert counterfactual(model, row, 1.5).row == found.row
    assert counterfactual(hidden_jump_model(), row, 0.8).reached  # its score is no log-odds
    with pytest.raises(ValueError, match="one of target and probability must be given"):
        counterfactual(model, row)
    with pytest.raises(ValueError, match="one of target and probability must be given"):
        counterfactual(model, row, 1.5, probability=0.8)
    with pytest.raises(ValueError, match="target must be a finite score; got nan"):
        counterfactual(model, row, float("nan"))
    for wrong, odd in ((model, 1.0), (hidden_jump_model(), 0.8)):
        with pytest.raises(
            ValueError, match="probability must be between 0 and 1, and the model a"
        ):
            counterfactual(wrong, row, probability=odd)


def test_two_changes_have_the_smallest_sum_of_distances():
    n_pairs = 0
    for seed in range(0, 300, 6):  # models of three features
        model, rng = random_model(seed), np.random.default_rng(seed)
        row, axes = random_row(model, rng), all_inputs(model).axes
        score = model.score_encoded(row[None])[0]
        target = score + rng.normal(scale=4)
        found = counterfactual(model, decode_row(model.schema, row), target, n_features=2)
        smallest = np.inf
        for pair in itertools.combinations(range(len(row)), 2):
            choices = [Choice.of(axes[k], row[k]) for k in pair]
            for at in itertools.product(*(range(len(choice.points)) for choice in choices)):
                changed = row.copy()
                changed[list(pair)] = [c.nearest(k) for c, k in zip(choices, at, strict=True)]
                new_score = model.score_encoded(changed[None])[0]
                if new_score >= target if score < target else new_score <= target:
                    distance = sum(c.distances[k] for c, k in zip(choices, at, strict=True))
                    smallest = min(smallest, distance)
        if len(found.changes) == 2:
            assert found.distance == pytest.approx(smallest)
            n_pairs += 1
    assert n_pairs > 2


VALUES = st.integers(-12, 12).map(lambda k: k / 4)


@given(st.integers(0, 40), st.lists(VALUES, min_size=9, max_size=9), VALUES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_smaller_change_of_the_feature_reaches_the_target(seed, numbers, aim, is_whole):
    model, rng = random_model(seed), np.random.default_rng(seed)
    if is_whole:
        model = with_whole_numbers(model)
        numbers = np.floor(numbers)
    codes = random_row(model, rng)
    for feature, number in zip(model.schema.features, numbers, strict=False):
        codes[feature.index] = number if feature.is_numeric else codes[feature.index]
    feature = next((f for f in model.schema.features if f.is_numeric), None)
    assume(feature is not None)
    row = decode_row(model.schema, codes)
    found = counterfactual(model, row, aim, mutable=[feature.name])
    assert model.score(pd.DataFrame([found.row]))[0] == found.new_score
    rises = found.score < aim
    step = 1.0 if is_whole else 1 / 128
    values = np.arange(-6, 8 + step, step)
    rows = np.repeat(codes[None], len(values), axis=0)
    rows[:, feature.index] = values
    scores = model.score_encoded(rows)
    reaching = values[scores >= aim if rises else scores <= aim]
    assert found.reached == (len(reaching) > 0 or found.score == aim)
    if found.changes:
        after, before = found.row[feature.name], row[feature.name]
        assert found.new_score >= aim if rises else found.new_score <= aim
        assert np.abs(reaching - before).min() >= abs(after - before) - (0 if is_whole else 0.06)
        assert not is_whole or after == int(after)


def with_whole_numbers(model):
    features = tuple(replace(f, whole=f.is_numeric) for f in model.schema.features)
    plain = Model.from_dict(model.to_dict()).to_dict()
    plain["schema"] = Schema(features).to_dict()
    return Model.from_dict(plain)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (220.0, 235.0, 220.1),
        (0.1, 0.2, 0.101),
        (0.999, 1.2, 1.0),
        (-0.5, 3.0, -0.49),
        (-0.005, 2.0, 0.0),
        (1e16, 3e16, 1.01e16),
        (0.1, math.nextafter(0.1, 1), math.nextafter(0.1, 1)),
        (1e-300, 2e-300, 1.01e-300),
        (5e-324, 1e-323, 1e-323),
        (1e308, 1.7e308, 1.001e308),
    ],
)
def test_a_number_just_above_an_edge_is_short(low, high, found):
    feature = Feature("x", 0, "numeric", low=low, high=high)
    assert first_above(feature, low, high) == found
    assert low < first_above(feature, low, math.inf)
    whole = first_above(replace(feature, whole=True), low, high)
    assert low < whole == math.floor(whole)


def test_whole_columns_are_learned_from_the_table():
    table = pd.DataFrame({"count": [1.0, 2.0, None], "size": [0.5, 1.0, 2.0]})
    assert [feature.whole for feature in Schema.learn(table).features] == [True, False]


def unseen_model():
    """A level is called "other", as unseen levels once were; they are worth something else."""
    colour = Feature("b", 0, "categorical", ("other", "red"))
    size = Feature("size", 1, "numeric", low=0.0, high=2.0, whole=True)
    whole = PartitionTree.trivial()
    levels = ShapeFunction(colour, [], [2.0, 0.0, 0.5, 0.0], [3, 3, 0, 0], np.zeros(4))
    numbers = ShapeFunction(size, [1.0], [0.0, 0.25, 0.0], [3, 3, 0], np.zeros(3))
    terms = Term(colour, whole, (levels,)), Term(size, whole, (numbers,))
    return Model(Schema((colour, size)), 0.0, terms)


def test_unseen_levels_keep_their_names():
    model, row = unseen_model(), {"b": "purple", "size": 1}
    found = counterfactual(model, row, 0.6, mutable=["size"])
    assert found.row == {"b": "purple", "size": 2.0}
    assert found.new_score == model.score(pd.DataFrame([found.row]))[0] == 0.75
    assert str(counterfactual(model, row, 1.0).changes[0]) == "b: purple (unseen) → other"
    assert str(reasons(model, row).reasons[0]) == "+0.5  b = purple (unseen)"
    assert "b = purple (unseen)" in explain(model, row)
    assert "b = other " in explain(model, {"b": "other", "size": 1})
    rare = replace_feature(model, has_rare=True)
    assert "b = purple (rare or unseen)" in explain(rare, row)


def test_rows_of_a_table_keep_their_unseen_levels_as_evidence():
    model = unseen_model()
    table = pd.DataFrame({"size": [1, 2], "b": ["purple", "purple"]})
    found = sensitivity(model, "size", 1, 2, over=table)
    assert found.low_pair.before == {"b": "purple", "size": 1.0}
    assert found.low_pair.after == {"b": "purple", "size": 2.0}
    moved = sensitivity(model, "b", "red", "other", over=table)
    assert moved.low_pair.before == {"b": "red", "size": 1.0}


def replace_feature(model, **changes):
    plain = model.to_dict()
    plain["schema"]["features"][0] |= changes
    return Model.from_dict(plain)


@pytest.mark.parametrize("ask", [reasons, lambda m, r: counterfactual(m, r, 9.0), explain])
def test_a_row_may_come_in_many_forms(ask):
    model, frame = unseen_model(), pd.DataFrame({"b": ["red"], "size": [2]})
    forms = [{"b": "red", "size": 2}, frame, frame.iloc[0], ["red", 2], frame.to_numpy()]
    forms += [polars.from_pandas(frame), np.array(["red", 2], dtype=object)]
    assert len({str(ask(model, form)) for form in forms}) == 1
    with pytest.raises(ValueError, match="row must have 2 values; got 1"):
        ask(model, ["red"])
    with pytest.raises(ValueError, match="'size' holds nested values"):
        ask(model, {"b": "red", "size": [1, 2]})


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
            "  +2.000  x2 = 0, since x1 > 0\n"
            "  -0.100  all other features"
        )
    )
    json.dumps(found.to_dict())
    with pytest.raises(ValueError, match="sign must be one of"):
        reasons(hidden_jump_model(), {"x1": 0.5, "x2": 0.0}, 1, sign="bad")
