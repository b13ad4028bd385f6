"""The audit equals brute force over all inputs, and its evidence reproduces."""

import json
import math
import time
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from audit_models import (
    BruteForce,
    as_frame,
    big_model,
    curve,
    hidden_jump_model,
    random_model,
    user_value,
)

from calmgam.model import Feature, Model, PartitionTree, Schema, Term
from calmgam.read.audit import jumps, monotonicity, sensitivity

CLOSE = 1e-9


def assert_reproduces(model, pair, terms=None):
    """The rows differ in one feature alone, and their scores (or these terms) by the change."""
    differing = [name for name in pair.before if pair.before[name] != pair.after[name]]
    assert differing in ([pair.feature], [])
    table = np.array([list(row.values()) for row in (pair.before, pair.after)], dtype=object)
    if terms is None:
        change = np.diff(model.score(table)).item()
    else:
        indexes = [model.schema.index(name) for name in terms]
        change = np.diff(model.contributions(table)[:, indexes].sum(axis=1)).item()
    assert change == pytest.approx(pair.change, abs=CLOSE)
    encoded = model.schema.encode(table)
    for row in encoded:
        for code, feature in zip(row, model.schema.features, strict=True):
            assert feature.is_numeric or code != feature.n_levels
            assert feature.has_missing or not math.isnan(code)
    supported = [
        term.shapes[leaf].counts.sum() > 0
        for term in model.terms
        for leaf in term.tree.leaf_of(encoded)
    ]
    assert pair.supported == all(supported)


def assert_range(model, found, changes, terms=None):
    assert found.exact
    assert (found.low, found.high) == pytest.approx((changes.min(), changes.max()), abs=CLOSE)
    for end, pair in ((found.low, found.low_pair), (found.high, found.high_pair)):
        assert pair.change == end
        assert_reproduces(model, pair, terms)


@cache
def brute_force(seed):
    return random_model(seed), BruteForce(random_model(seed))


@pytest.mark.parametrize("seed", range(200))
def test_sensitivity_is_brute_force(seed):
    (model, brute), rng = brute_force(seed), np.random.default_rng(seed)
    for feature in model.schema.features:
        k = feature.index
        start, stop = rng.integers(len(brute.values[k]), size=2)
        ends = [user_value(feature, brute.values[k][at]) for at in (start, stop)]
        found = sensitivity(model, feature.name, *ends)
        changes = brute.scores.take(stop, k) - brute.scores.take(start, k)
        assert_range(model, found, changes)
        assert (found.start, found.stop) == tuple(ends)
        assert found.low_pair.before[feature.name] == ends[0]
        assert found.high_pair.before[feature.name] == ends[0]
        for switch in found.switches:
            j = model.schema.index(switch.term)
            parts = brute.contributions[..., j]
            assert_range(model, switch, parts.take(stop, k) - parts.take(start, k), [switch.term])
        silent = {f.index for f in model.schema.features} - {k}
        for j in silent - {model.schema.index(switch.term) for switch in found.switches}:
            parts = brute.contributions[..., j]
            np.testing.assert_array_equal(parts.take(stop, k), parts.take(start, k))


@pytest.mark.parametrize("seed", range(200))
def test_jumps_are_brute_force(seed):
    model, brute = brute_force(seed)
    for feature in model.schema.features:
        k, found = feature.index, jumps(model, feature.name).jumps
        for jump in found:
            indexes = [model.schema.index(name) for name in jump.terms]
            parts = brute.contributions[..., indexes].sum(axis=-1)
            if feature.is_numeric:
                below = brute.values[k].index(jump.at)
                changes = parts.take(below + 1, k) - parts.take(below, k)
            else:
                inside = [feature.levels.index(label) for label in jump.at]
                outside = [c for c in range(feature.n_levels) if c not in inside]
                assert 0 < len(inside) <= len(outside)
                moves = [(a, b) for a in outside for b in inside]
                changes = np.array([parts.take(b, k) - parts.take(a, k) for a, b in moves])
            assert_range(model, jump, changes, jump.terms)
            low, high = changes.min() < -CLOSE, changes.max() > CLOSE
            assert jump.arrow == {(0, 0): "=", (0, 1): "↑", (1, 0): "↓", (1, 1): "↕"}[low, high]


@pytest.mark.parametrize("seed", range(200))
def test_nothing_jumps_elsewhere(seed):
    model, brute = brute_force(seed)
    for feature in model.schema.features:
        k, found = feature.index, jumps(model, feature.name).jumps
        single = [(jump.at, *jump.terms) for jump in found if len(jump.terms) == 1]
        shared = {at for at, _ in single if [place for place, _ in single].count(at) > 1}
        assert {jump.at for jump in found if len(jump.terms) > 1} == shared
        n_present = len(brute.values[k]) - feature.has_missing
        for start, stop in combinations(range(n_present), 2):
            steps = brute.contributions.take(stop, k) - brute.contributions.take(start, k)
            jumping = np.abs(steps).reshape(-1, len(model.terms)).max(axis=0) > CLOSE
            for j in np.flatnonzero(jumping):
                places = [at for at, name in single if name == model.schema.names[j]]
                ends = [user_value(feature, brute.values[k][at]) for at in (start, stop)]
                between = [at for at in places if separates(at, *ends)]
                assert j == k or between


def separates(at, start, stop):
    return (start in at) != (stop in at) if isinstance(at, tuple) else start <= at < stop


def total_changes(brute, feature):
    """Return the changes of the score between all values that are not missing, upwards only."""
    n_present = len(brute.values[feature.index]) - feature.has_missing
    along = np.moveaxis(brute.scores, feature.index, 0)[:n_present]
    moves = combinations(range(n_present), 2)
    return np.array([np.zeros(along[0].shape), *(along[b] - along[a] for a, b in moves)])


def assert_verdict(model, feature, found, changes, tolerance=CLOSE):
    rise, fall = changes.max(), -changes.min()
    if not feature.has_order:
        assert (found.direction, found.proved, found.fall) == ("unordered", True, None)
        rise = fall = max(rise, fall)
    else:
        expected = {(0, 0): "constant", (1, 0): "increasing", (0, 1): "decreasing"}
        verdict = expected.get((rise > tolerance, fall > tolerance), "neither")
        assert (found.direction, found.proved) == (verdict, True)
    assert (found.max_rise, found.max_fall) == pytest.approx((rise, fall), abs=CLOSE)
    for size, pair, sign in ((rise, found.rise, 1), (fall, found.fall, -1)):
        if pair is None:
            assert size <= CLOSE or not feature.has_order
            continue
        assert sign * pair.change == pytest.approx(size, abs=CLOSE)
        assert_reproduces(model, pair)
        values = pair.before[feature.name], pair.after[feature.name]
        order = values if feature.is_numeric else map(feature.levels.index, values)
        assert np.diff(list(order)) > 0 or not feature.has_order


@pytest.mark.parametrize("seed", range(200))
def test_monotonicity_is_brute_force(seed):
    model, brute = brute_force(seed)
    for feature in model.schema.features:
        changes = total_changes(brute, feature)
        assert_verdict(model, feature, monotonicity(model, feature.name), changes)


@pytest.mark.parametrize("seed", range(60))
def test_a_tolerance_is_brute_force(seed):
    model, brute = brute_force(seed)
    for feature in model.schema.features:
        changes = total_changes(brute, feature)
        smaller = min(changes.max(), -changes.min())
        for tolerance in (0.9 * smaller, 1.1 * smaller):
            found = monotonicity(model, feature.name, tolerance=tolerance)
            assert_verdict(model, feature, found, changes, max(tolerance, CLOSE))
            assert found.tolerance == tolerance


def test_small_falls_are_named_where_they_are_allowed():
    model = hidden_jump_model(step=-0.2, jump=0.008)
    assert monotonicity(model, "x1", tolerance=0.1).direction == "decreasing"
    rising = hidden_jump_model(step=0.008, jump=-0.2)
    assert str(monotonicity(rising, "x1")) == "x1: decreasing (proved)"
    model = dented_model([0.0, 1.0, 0.995, 0.992, 3.0])
    assert str(monotonicity(model, "x", tolerance=0.01)) == (
        "x: increasing but for falls of at most 0.008 (proved)\n"
        "  falls by up to 0.008, for x: 1.5 → 3.5"
    )
    assert str(monotonicity(model, "x", tolerance=9.0)) == (
        "x: constant but for falls of at most 0.008 and rises of at most 3 (proved)\n"
        "  falls by up to 0.008, for x: 1.5 → 3.5\n"
        "  rises by up to 3, for x: 0 → 5"
    )
    assert str(monotonicity(model, "x")) == (
        "x: neither increasing nor decreasing; as it grows the score\n"
        "  falls by up to 0.008, for x: 1.5 → 3.5\n"
        "  rises by up to 3, for x: 0 → 5"
    )
    for tolerance in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="tolerance must be a finite number of at least 0"):
            monotonicity(model, "x", tolerance=tolerance)


def dented_model(heights):
    feature = Feature("x", 0, "numeric", low=0.0, high=len(heights))
    shape = curve(feature, np.arange(1.0, len(heights)), heights)
    return Model(Schema((feature,)), 0.0, (Term(feature, PartitionTree.trivial(), (shape,)),))


def test_levels_have_a_direction_only_if_they_are_ordered():
    for ordered in (False, True):
        feature = Feature("size", 0, "categorical", ("s", "m", "l"), ordered=ordered)
        shape = curve(feature, [], [0.0, 1.0, 2.0, 0.0])
        model = Model(Schema((feature,)), 0.0, (Term(feature, PartitionTree.trivial(), (shape,)),))
        found = monotonicity(model, "size")
        assert found.direction == ("increasing" if ordered else "unordered")
        assert (found.max_rise, found.max_fall) == ((2.0, 0.0) if ordered else (2.0, 2.0))
        assert json.loads(json.dumps(found.to_dict()))["direction"] == found.direction
    assert str(monotonicity(replace_curve(model, [1.0, 1.0, 1.0, 0.0], False), "size")) == (
        "size: unordered levels, none of which changes the score (proved)"
    )
    assert str(monotonicity(replace_curve(model, [0.0, 3.0, 2.0, 0.0], False), "size")) == (
        "size: unordered levels; from one to another the score\n"
        "  changes by up to 3, for size: s → m"
    )


def replace_curve(model, heights, ordered):
    feature = replace(model.schema.features[0], ordered=ordered)
    term = Term(feature, PartitionTree.trivial(), (curve(feature, [], heights),))
    return Model(Schema((feature,)), 0.0, (term,))


def test_random_models_are_rich():
    verdicts, at_levels, at_numbers, joint = set(), 0, 0, 0
    for model in map(random_model, range(60)):
        for name in model.schema.names:
            verdicts.add(monotonicity(model, name).direction)
            for jump in jumps(model, name).jumps:
                at_levels += isinstance(jump.at, tuple)
                at_numbers += isinstance(jump.at, float)
                joint += len(jump.terms) > 1
    assert verdicts == {"increasing", "decreasing", "constant", "neither", "unordered"}
    assert min(at_levels, at_numbers, joint) > 20


@pytest.mark.parametrize("seed", range(60))
def test_given_narrows_the_inputs(seed):
    model, rng = random_model(seed), np.random.default_rng(seed)
    features = list(model.schema.features)
    moved, *known = (features[i] for i in rng.permutation(len(features))[:3])
    everything = BruteForce(model)
    given = {f.index: float(rng.choice(everything.values[f.index])) for f in known}
    brute = BruteForce(model, given)
    named = {f.name: user_value(f, given[f.index]) for f in known}
    k = moved.index
    start, stop = rng.integers(len(brute.values[k]), size=2)
    ends = [user_value(moved, brute.values[k][at]) for at in (start, stop)]
    changes = brute.scores.take(stop, k) - brute.scores.take(start, k)
    found = sensitivity(model, moved.name, *ends, given=named)
    assert_range(model, found, changes)
    assert all(found.low_pair.before[name] == value for name, value in named.items())
    over = sensitivity(model, moved.name, *ends, given=named, over=as_frame(model, everything.rows))
    assert_range(model, over, changes)
    verdict = monotonicity(model, moved.name, given=named)
    assert_verdict(model, moved, verdict, total_changes(brute, moved))


@pytest.mark.parametrize("seed", range(60))
def test_given_as_text_is_a_filter_of_inputs(seed):
    model, rng = random_model(seed), np.random.default_rng(seed)
    moved, known = (model.schema.features[i] for i in rng.permutation(3)[:2])
    text = f"{known.name} <= 0" if known.is_numeric else f"{known.name} != {known.levels[0]}"
    brute = BruteForce(model, extra_cuts=[0.0])
    column = np.array(brute.values[known.index])
    kept = np.flatnonzero(column <= 0 if known.is_numeric else column > 0)
    brute.scores = brute.scores.take(kept, known.index)
    found = monotonicity(model, moved.name, given=text)
    assert_verdict(model, moved, found, total_changes(brute, moved))


# ---- probabilities -------------------------------------------------------------------------------


def test_probabilities_of_a_given_row():
    found = sensitivity(hidden_jump_model("logit"), "x1", -0.1, 0.1, given={"x1": 0.7, "x2": 0.0})
    before, after = found.low_pair.probabilities
    assert before == pytest.approx(1 / (1 + math.exp(1.9)))
    assert after == pytest.approx(1 / (1 + math.exp(-1.9)))
    assert "(probability 0.130 → 0.870)" in str(found)


# ---- the work limit, speed, errors --------------------------------------------------------------


def test_a_work_limit_leaves_sound_bounds(monkeypatch):
    is_exact, is_proved = set(), set()
    for seed in range(40):
        model, brute = brute_force(seed)
        for feature in model.schema.features:
            k, stop = feature.index, len(brute.values[feature.index]) - 1
            ends = [user_value(feature, brute.values[k][at]) for at in (0, stop)]
            changes = brute.scores.take(stop, k) - brute.scores.take(0, k)
            truth = monotonicity(model, feature.name)
            with monkeypatch.context() as patch:
                patch.setattr("calmgam.model.exact.optimise.MAX_ENTRIES", 8)
                found = sensitivity(model, feature.name, *ends)
                verdict = monotonicity(model, feature.name)
            assert found.low <= changes.min() + CLOSE
            assert found.high >= changes.max() - CLOSE
            assert_reproduces(model, found.low_pair)
            assert_reproduces(model, found.high_pair)
            assert found.exact or "within" in str(found)
            if found.exact:
                assert_range(model, found, changes)
            if verdict.proved:
                assert verdict.direction == truth.direction
            is_exact.add(found.exact)
            is_proved.add(verdict.proved)
    assert is_exact == is_proved == {False, True}


def test_all_verdicts_on_a_large_model_are_quick():
    model = big_model()
    start = time.perf_counter()
    for name in model.schema.names:
        assert all(jump.exact for jump in jumps(model, name).jumps)
        assert monotonicity(model, name).proved
    assert time.perf_counter() - start < 5


def test_reports_are_plain_values():
    model = random_model(5)
    for name in model.schema.names:
        json.dumps([jumps(model, name).to_dict(), monotonicity(model, name).to_dict()])
        feature = model.schema[name]
        ends = (None, 1.0) if feature.is_numeric else feature.levels[:2]
        found = sensitivity(model, name, *ends)
        plain = found.to_dict()
        assert json.loads(json.dumps(plain))["low"] == found.low
        assert repr(found) == str(found)


def test_rounding_is_no_step():
    """A step that another term takes back leaves rounding errors, not a direction."""
    model = hidden_jump_model(step=0.1 + 0.2, jump=-0.3)
    assert monotonicity(model, "x1").direction == "constant"
    assert sensitivity(model, "x1", -0.1, 0.1).low != 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: sensitivity(m, "x1", 0, 1, over="some"), "over must be 'all' or a table; got"),
        (lambda m: sensitivity(m, "x1", "low", 1), "must hold numbers; got 'low'"),
        (lambda m: monotonicity(m, "x1", given="x2 > 1 and x2 <= 0"), "given must hold for some"),
        (
            lambda m: sensitivity(m, "x1", 0, 1, given={"x2": 3}, over=np.zeros((2, 2))),
            "some row must agree with given; none of 2 does",
        ),
    ],
)
def test_wrong_questions_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(hidden_jump_model())


def test_unseen_levels_are_refused():
    model = random_model(1)
    feature = next(f for f in model.schema.features if not f.is_numeric)
    with pytest.raises(ValueError, match="must be one of its levels"):
        sensitivity(model, feature.name, feature.levels[0], "nothing like it")
    with pytest.raises(KeyError, match="no feature is called 'y'"):
        jumps(model, "y")
