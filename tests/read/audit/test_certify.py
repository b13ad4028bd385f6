"""Certificates say what brute force says, and what does not hold is not certified."""

import json
import time
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from audit_models import BruteForce, big_model, hidden_jump_model, random_model, user_value
from hypothesis import HealthCheck, assume, given, settings
from model_strategies import SCHEMA, TABLE, conditions, models

from calmgam import Boosting, CALMClassifier, CALMRegressor
from calmgam.model import Region, load
from calmgam.model.serialize import fingerprint, to_json
from calmgam.read import AtMost, Monotone, NoInfluence, Range, certify
from calmgam.read.audit.certify import certificate
from calmgam.verify import verify

CLOSE = 1e-9
ROOM = 1e9  # a tolerance that everything keeps


@cache
def brute_force(seed):
    return random_model(seed), BruteForce(random_model(seed))


def checked(model, *claims):
    """Certify, verify and return the claims with their proofs."""
    document = certificate(model, claims)
    assert len(verify(to_json(model), json.dumps(document))) == len(claims)
    return document["claims"]


@pytest.mark.parametrize("seed", range(200))
def test_ranges_are_brute_force(seed):
    model, brute = brute_force(seed)
    (found,) = checked(model, Range())
    expected = brute.scores.min(), brute.scores.max()
    assert (found["low"], found["high"]) == pytest.approx(expected, abs=CLOSE)
    low, high = (sign * p["attained"] for sign, p in zip((-1, 1), found["proofs"], strict=True))
    assert found["low"] <= low == pytest.approx(found["low"], abs=CLOSE)
    assert found["high"] >= high == pytest.approx(found["high"], abs=CLOSE)
    with pytest.raises(ValueError, match=r"Range\(low=.*cannot be certified: scores reach"):
        certificate(model, [Range(low=float(expected[0]) + CLOSE)])


@pytest.mark.parametrize("seed", range(200))
def test_changes_are_brute_force(seed):
    (model, brute), rng = brute_force(seed), np.random.default_rng(seed)
    claims, expected = [], []
    for k, feature in enumerate(model.schema.features):
        start, stop = rng.integers(len(brute.values[k]), size=2)
        ends = [user_value(feature, brute.values[k][at]) for at in (start, stop)]
        claims.append(AtMost(feature.name, *ends))
        expected.append((brute.scores.take(stop, k) - brute.scores.take(start, k)).max())
    for found, bound in zip(checked(model, *claims), expected, strict=True):
        (proof,) = found["proofs"]
        assert found["bound"] == proof["bound"] == pytest.approx(bound, abs=CLOSE)
        assert proof["attained"] == pytest.approx(bound, abs=CLOSE)
        assert proof["attained"] <= proof["bound"]
    tight = AtMost(claims[0].feature, claims[0].start, claims[0].stop, expected[0] - CLOSE)
    with pytest.raises(ValueError, match=r"AtMost.*cannot be certified: the change reaches"):
        certificate(model, [tight])


@pytest.mark.parametrize("seed", range(200))
def test_directions_are_brute_force(seed):
    model, brute = brute_force(seed)
    for k, feature in enumerate(model.schema.features):
        along = np.moveaxis(brute.scores, k, 0)
        is_silent = np.ptp(along, axis=0).max() <= CLOSE
        verdicts = [(NoInfluence(feature.name, CLOSE), is_silent)]
        if feature.has_order:
            steps = np.diff(along[: len(along) - feature.has_missing], axis=0)
            verdicts += [
                (Monotone(feature.name, "increasing", CLOSE), not (steps < -CLOSE).any()),
                (Monotone(feature.name, "decreasing", CLOSE), not (steps > CLOSE).any()),
            ]
        for claim, holds in verdicts:
            if holds:
                checked(model, claim)
            else:
                with pytest.raises(ValueError, match="cannot be certified: steps the wrong way"):
                    certificate(model, [claim])


@pytest.mark.parametrize("seed", range(30))
def test_steps_are_bounded_by_their_sum(seed):
    """What adds up along the way bounds every fall from one value to a later one."""
    model, brute = brute_force(seed)
    for k, feature in enumerate(model.schema.features):
        along = np.moveaxis(brute.scores, k, 0)
        steps = np.diff(along, axis=0).reshape(len(along) - 1, -1)
        total = np.maximum(-steps.min(axis=1, initial=0.0), 0).sum()
        total = max(total, np.maximum(steps.max(axis=1, initial=0.0), 0).sum())
        checked(model, NoInfluence(feature.name, total + CLOSE))
        with pytest.raises(ValueError, match="cannot be certified"):
            certificate(model, [NoInfluence(feature.name, total - CLOSE)])


@pytest.mark.parametrize("seed", range(30))
def test_given_is_part_of_the_claim(seed):
    model = random_model(seed)
    feature = model.schema.features[seed % model.schema.n_features]
    for value in BruteForce(model).values[feature.index]:
        given = {feature.name: user_value(feature, value)}
        brute = BruteForce(model, {feature.index: value})
        (found,) = checked(model, Range(given=given))
        expected = brute.scores.min(), brute.scores.max()
        assert (found["low"], found["high"]) == pytest.approx(expected, abs=CLOSE)
    other = model.schema.features[seed % model.schema.n_features - 1]
    if other.has_order:
        checked(model, Monotone(other.name, "increasing", ROOM, given))
    text = f"{feature.name} is not missing"
    checked(model, Range(given=text), NoInfluence(feature.name, ROOM, text))


def test_what_given_says_about_the_feature_itself_does_not_matter():
    model = hidden_jump_model()
    claims = AtMost("x1", -1.0, 1.0), AtMost("x1", -1.0, 1.0, given="x1 <= -2")
    first, second = checked(model, *claims)
    assert first == second


def test_a_file_is_written_about_a_file(tmp_path):
    model = hidden_jump_model("logit")
    path = certify(model, tmp_path / "certificate.json", [Range(-2, 2), AtMost("x1", -1, 1, 4)])
    model.save(tmp_path / "model.json")
    lines = verify((tmp_path / "model.json").read_text(), path.read_text())
    assert lines == [
        "proved: every score lies in [-2.0, 2.0]",
        "proved: 'x1' from -1.0 to 1.0 changes the score by at most 4.0",
    ]
    assert json.loads(path.read_text())["model"] == fingerprint(load(tmp_path / "model.json"))
    spaced = json.dumps(json.loads((tmp_path / "model.json").read_text()), indent=2)
    assert verify(spaced, path.read_text()) == lines
    with pytest.raises(ValueError, match="cannot be certified"):
        certify(model, tmp_path / "wrong.json", [Range(-1, 1)])
    assert not (tmp_path / "wrong.json").exists()


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (Monotone("x1", "up"), "direction must be one of"),
        (Monotone("x1", tolerance=np.nan), "tolerance must be a finite number; got nan"),
        (Range(high=np.inf), "a bound of Range must be a finite number; got inf"),
        (AtMost("x1", None, 1.0), "training saw no missing value of 'x1'"),
        (AtMost("x1", 0.0, 1.0, np.nan), "the bound of AtMost must be a finite number"),
    ],
)
def test_wrong_claims_are_named(claim, message):
    with pytest.raises(ValueError, match=message):
        certificate(hidden_jump_model(), [claim])


def test_there_must_be_something_to_claim():
    with pytest.raises(ValueError, match="claims must have at least one claim"):
        certificate(hidden_jump_model(), [])
    with pytest.raises(ValueError, match=r"claims must be of Range, AtMost, .*; got 'Range'"):
        certificate(hidden_jump_model(), ["Range"])
    with pytest.raises(KeyError, match="no feature is called 'y'"):
        certificate(hidden_jump_model(), [NoInfluence("y")])
    pairs = ((m, f) for m in map(random_model, range(20)) for f in m.schema.features)
    model, unordered = next(pair for pair in pairs if not pair[1].has_order)
    with pytest.raises(ValueError, match="have no order, so no direction"):
        certificate(model, [Monotone(unordered.name)])


def test_a_work_limit_leaves_a_sound_bound_that_is_verified(monkeypatch):
    model = random_model(45)
    exact = checked(model, Range())[0]
    monkeypatch.setattr("calmgam.model.exact.proofs.MAX_ENTRIES", 64)
    rough = checked(model, Range())[0]
    assert rough["low"] <= exact["low"] and exact["high"] + 1 < rough["high"]
    assert rough["proofs"][1]["attained"] == exact["proofs"][1]["attained"]
    with pytest.raises(ValueError, match=r"scores reach .* and no more than .* was proved"):
        certificate(model, [Range(high=exact["high"])])
    monkeypatch.setattr("calmgam.model.exact.proofs.MAX_ENTRIES", 2)
    with pytest.raises(ValueError, match="must tell apart at most 2 combinations"):
        certificate(model, [Range()])


def test_all_claims_of_twenty_splits_in_ten_seconds():
    model = big_model(n_bins=256)
    assert model.n_splits == 20
    claims = [Range(), Range(given="x3 <= 100 and x5 is not missing")]
    for name in model.schema.names:
        claims += [AtMost(name, 10, 200), AtMost(name, 200, None), NoInfluence(name, ROOM)]
        claims += [Monotone(name, "increasing", ROOM), Monotone(name, "decreasing", ROOM)]
    start = time.process_time()  # not what other processes take
    checked(model, *claims)
    assert time.process_time() - start < 10


@given(models(), conditions())
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
def test_any_condition_is_understood(model, condition):
    """Wide bounds, infinite thresholds, missing values: proved, verified and true of all rows."""
    seen = np.ones(len(TABLE), dtype=bool)
    for k, feature in enumerate(SCHEMA.features):
        seen &= feature.has_missing | ~np.isnan(TABLE[:, k])
        seen &= feature.is_numeric | (TABLE[:, k] != feature.n_levels)
    inside = seen & condition.contains(TABLE)
    assume(inside.any())
    everywhere, there = checked(model, Range(), Range(given=Region((condition,))))
    scale = 1e-12 * sum(np.abs(s.values).max() for t in model.terms for s in t.shapes)
    for claim, rows in ((everywhere, seen), (there, inside)):
        scores = model.score_encoded(TABLE[rows])
        assert claim["low"] - scale <= scores.min() and scores.max() <= claim["high"] + scale


QUICK = {"curves": Boosting(n_bags=2, max_rounds=60, learning_rate=0.1), "n_jobs": 1}


@pytest.fixture(scope="module")
def claims_table():
    """A count with an exposure: x0 raises it, x1's curve depends on x2, x3 is noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 4)).round(1)).add_prefix("x")
    offset = rng.uniform(-1, 1, 400)
    score = 0.5 * X.x0 + np.where(X.x2 > 0, 1, -1) * X.x1
    return X, rng.poisson(np.exp(score.clip(-2, 2) + offset)), offset


def test_fits_with_promises_and_offsets_are_certified_without_tolerance(claims_table):
    X, y, offset = claims_table
    promised = {"x0": "increasing", "x3": "decreasing"}
    calm = CALMRegressor(objective="poisson", monotone=promised, random_state=0, **QUICK)
    model = calm.fit(X, y, offset=offset).model_
    checked(model, *(Monotone(name, way) for name, way in promised.items()))
    score = model.score(X)
    scores = checked(model, Range())[0]
    assert scores["low"] <= score.min() and score.max() <= scores["high"]


def test_what_edits_took_away_has_no_influence(claims_table):
    X, y, _ = claims_table
    model = CALMClassifier(random_state=0, growth={"x1": ["x2 <= 0.05", "x2 > 0.05"]}, **QUICK)
    model = model.fit(X, np.digitize(y, [1, 3])).model_
    edited = model.edit().drop_term("x3").drop_term("x2").drop_split("x1", "x2 <= 0.05").done()
    for pair in combinations(edited.classes, 2):
        checked(edited.between(*pair), NoInfluence("x3"), NoInfluence("x2"))
        with pytest.raises(ValueError, match="cannot be certified: steps the wrong way"):
            certificate(edited.undo().between(*pair), [NoInfluence("x2")])
    before = edited.undo(3).between(0, 1)
    assert fingerprint(before) == fingerprint(model.between(0, 1))
