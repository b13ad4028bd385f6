"""Audits of pairs of classes equal brute force over all inputs, for 100 random models."""

import itertools
import json
from itertools import combinations

import numpy as np
import pytest
from audit_models import BruteForce, all_values, random_model, user_value

from calmgam.model.exact.rows import decode_row
from calmgam.model.links import softmax
from calmgam.model.serialize import to_json
from calmgam.read import Range, compare
from calmgam.read.audit import counterfactual, jumps, monotonicity, reasons, sensitivity
from calmgam.read.audit.certify import certificate
from calmgam.verify import verify
from class_models import with_classes

CLOSE = 1e-9


class ClassForce(BruteForce):
    """Scores of a pair of classes, straight from the scores of all."""

    def __init__(self, model, first, second):
        high, low = (list(model.classes).index(label) for label in (first, second))
        features = model.schema.features
        self.values = [all_values(model, feature) for feature in features]
        self.rows = np.array(list(itertools.product(*self.values)))
        shape = [len(values) for values in self.values]
        scores = model.score_encoded(self.rows)
        self.scores = (scores[:, high] - scores[:, low]).reshape(shape)
        parts = model.contributions_encoded(self.rows)
        self.contributions = (parts[..., high] - parts[..., low]).reshape(*shape, -1)


def case(seed):
    model = with_classes(random_model(seed), [("a", "b", "c"), (1, 2, 3, 4)][seed % 2], seed)
    rng = np.random.default_rng(seed)
    first, second = rng.choice(len(model.classes), 2, replace=False)
    pair = model.classes[first], model.classes[second]
    return model, pair, ClassForce(model, *pair), rng


@pytest.mark.parametrize("seed", range(100))
def test_pairs_are_brute_force(seed):
    model, pair, brute, rng = case(seed)
    for feature in model.schema.features:
        k = feature.index
        start, stop = rng.integers(len(brute.values[k]), size=2)
        ends = [user_value(feature, brute.values[k][at]) for at in (start, stop)]
        found = sensitivity(model, feature.name, *ends, between=pair)
        changes = brute.scores.take(stop, k) - brute.scores.take(start, k)
        assert found.exact
        expected = changes.min(), changes.max()
        assert (found.low, found.high) == pytest.approx(expected, abs=CLOSE)
        _check_direction(model, pair, brute, feature)
        _check_jumps(model, pair, brute, feature)


def _check_direction(model, pair, brute, feature):
    found = monotonicity(model, feature.name, between=pair)
    assert found.proved
    n_present = len(brute.values[feature.index]) - feature.has_missing
    moves = [
        brute.scores.take(b, feature.index) - brute.scores.take(a, feature.index)
        for a, b in combinations(range(n_present), 2)
    ]
    rise = max((move.max() for move in moves), default=0.0)
    fall = max((-move.min() for move in moves), default=0.0)
    if found.direction == "unordered":
        assert found.max_rise == pytest.approx(max(rise, fall, 0.0), abs=CLOSE)
    else:
        expected = max(rise, 0.0), max(fall, 0.0)
        assert (found.max_rise, found.max_fall) == pytest.approx(expected, abs=CLOSE)


def _check_jumps(model, pair, brute, feature):
    if not feature.is_numeric:
        return
    for jump in jumps(model, feature.name, between=pair).jumps:
        indexes = [model.schema.index(name) for name in jump.terms]
        parts = brute.contributions[..., indexes].sum(axis=-1)
        below = brute.values[feature.index].index(jump.at)
        changes = parts.take(below + 1, feature.index) - parts.take(below, feature.index)
        assert (jump.low, jump.high) == pytest.approx((changes.min(), changes.max()), abs=CLOSE)


@pytest.mark.parametrize("seed", range(100))
def test_counterfactuals_of_classes_are_brute_force(seed):
    """One change reaches a class if and only if some value of some feature does."""
    model, _, brute, rng = case(seed)
    encoded = brute.rows[rng.integers(len(brute.rows))]
    row = decode_row(model.schema, encoded)
    scores = model.score_encoded(encoded[None])[0]
    for index, label in enumerate(model.classes):
        found = counterfactual(model, row, target=label)
        reachable = int(scores.argmax()) == index
        for feature in model.schema.features:
            present = [v for v in brute.values[feature.index] if v == v]
            changed = np.repeat(encoded[None], len(present), axis=0)
            changed[:, feature.index] = present
            reachable |= bool((model.score_encoded(changed).argmax(axis=1) == index).any())
        assert found.reached == reachable
        if found.reached:
            table = np.array([[found.row[name] for name in model.schema.names]], dtype=object)
            after = model.score(table)[0]
            assert int(after.argmax()) == index
            expected = softmax(scores)[index], softmax(after)[index]
            assert found.probabilities == pytest.approx(expected, abs=1e-12)


def test_reasons_are_of_the_most_probable_class_against_the_next():
    model, _, brute, _ = case(4)
    row = decode_row(model.schema, brute.rows[0])
    scores = model.score_encoded(brute.rows[:1])[0]
    second, first = (model.classes[k] for k in np.argsort(scores)[-2:])
    found = reasons(model, row)
    assert found.classes == (second, first)
    assert found.score == pytest.approx(np.sort(scores)[-1] - np.sort(scores)[-2])
    parts = sum(reason.contribution for reason in found.reasons)
    assert found.intercept + parts + found.rest == pytest.approx(found.score)
    assert f"log-odds of {first} against {second}" in str(found)
    other = reasons(model, row, between=(second, first))
    assert other.score == pytest.approx(-found.score)


def test_probability_of_a_class_is_reached():
    model, _, brute, _ = case(10)
    row = decode_row(model.schema, brute.rows[5])
    for label in model.classes:
        found = counterfactual(model, row, target=label, probability=0.6, n_features=2)
        if found.reached:
            before, after = found.probabilities
            assert after >= 0.6 - 1e-9 if before < 0.6 else after <= 0.6 + 1e-9


def test_what_needs_a_pair_says_so():
    model, _, _, _ = case(0)
    name = model.schema.names[0]
    for ask in (
        lambda: monotonicity(model, name),
        lambda: jumps(model, name),
        lambda: sensitivity(model, name, 0, 1),
    ):
        with pytest.raises(ValueError, match="between must name two of the 3 classes"):
            ask()
    with pytest.raises(ValueError, match="target must be one of the classes"):
        counterfactual(model, dict.fromkeys(model.schema.names, 0), "flip")


def test_classes_are_compared_and_certified_in_pairs():
    first, second = (with_classes(random_model(3), ["bus", "car", "van"], seed) for seed in (0, 1))
    found = compare(first, second, between=("bus", "van"))
    pairs = (model.between("bus", "van") for model in (first, second))
    assert found == compare(*pairs) and found.size > 0
    with pytest.raises(ValueError, match="between must name two of the 3 classes"):
        compare(first, second)
    with pytest.raises(ValueError, match=r"certify the log-odds .* model.between\('bus', 'car'\)"):
        certificate(first, [Range()])
    pair = first.between("bus", "van")
    assert verify(to_json(pair), json.dumps(certificate(pair, [Range()])))
