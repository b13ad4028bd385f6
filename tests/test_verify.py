"""The checker stands alone, and refuses every certificate in which anything was changed."""

import ast
import copy
import json
import math
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from audit_models import hidden_jump_model, random_model, user_value

from calmgam import verify as module
from calmgam.model.exact.inputs import all_inputs
from calmgam.model.objectives import Objective
from calmgam.model.serialize import canonical_digest, from_json, to_json
from calmgam.read import AtMost, Monotone, NoInfluence, Range
from calmgam.read.audit.certify import certificate
from calmgam.verify import verify
from class_models import with_classes

SOURCE = Path(module.__file__)


def all_claims(model):
    """Return one of every claim about every feature, with some room."""
    claims = [Range(), Range(-1e3, 1e3, given=f"{model.schema.names[-1]} is not missing")]
    for feature, axis in zip(model.schema.features, all_inputs(model).axes, strict=True):
        ends = [user_value(feature, code) for code in axis.points[[0, -1]].tolist()]
        claims += [AtMost(feature.name, *ends), NoInfluence(feature.name, 1e3)]
        claims += [Monotone(feature.name, way, 1e3) for way in ("increasing", "decreasing")][
            : 2 * feature.has_order
        ]
    return claims


def sealed(document):
    return document | {"digest": canonical_digest(document | {"digest": None})}


def places(plain, path=()):
    """Yield the path of every value in a document."""
    yield path
    if isinstance(plain, dict | list):
        for key, part in plain.items() if isinstance(plain, dict) else enumerate(plain):
            yield from places(part, (*path, key))


def value_at(document, path):
    for key in path:
        document = document[key]
    return document


def mutations(value):
    """Return other values of JSON that might go unnoticed."""
    if isinstance(value, bool):
        return [not value, int(value), None]
    if isinstance(value, float):
        near = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
        far = [-value, value * 2, value + 1e-9, value - 1e-9, 0.0]
        return [*near, *(x for x in far if x != value), str(value), None, [value]]
    if isinstance(value, int):
        return [value + 1, value - 1, float(value), bool(value), None]
    if isinstance(value, str):
        return [value + " ", value[1:], value.upper() + "x", None, 1.0]
    if isinstance(value, list):
        shuffled = [*value[1:], *value[:1]]
        same = [shuffled] if shuffled != value and not isinstance(value[0], dict) else []
        return [[*value, *value[-1:]], *([value[:-1], value[1:]] if value else ()), *same, {}, None]
    if isinstance(value, dict):
        without = dict(list(value.items())[1:])
        return [{**value, "more": 1.0}, without, list(value), None]
    return [0.0, "", [], False]


def all_mutated(document, n, seed):
    """Yield the document with one value changed, and the path of it, n times."""
    rng, text = random.Random(seed), json.dumps(document)
    paths = [path for path in places(document) if path]
    for _ in range(n):
        changes = []
        while not changes:
            path = rng.choice(paths)
            value = value_at(document, path)
            changes = [c for c in mutations(value) if json.dumps(c) != json.dumps(value)]
        changed = json.loads(text)
        value_at(changed, path[:-1])[path[-1]] = rng.choice(changes)
        yield changed, path


def count_model():
    """Return a model of counts that was edited."""
    model = replace(random_model(7), link="log", objective=Objective("poisson"))
    feature = model.schema.names[0]
    return model.edit(who="Ada").round(0.25).drop_term(feature, why="not allowed").done()


def class_model():
    """Return the log-odds of two of three classes."""
    return with_classes(random_model(8), ["red", "green", "blue"]).between("blue", "red")


@pytest.fixture(
    scope="module",
    params=[lambda: random_model(6), count_model, class_model],
    ids=["number", "count", "classes"],
)
def certified(request):
    model = request.param()
    return model, to_json(model), certificate(model, all_claims(model))


def test_a_thousand_mutations_are_refused(certified):
    _, text, document = certified
    verify(text, json.dumps(document))
    for changed, path in all_mutated(document, 1000, seed=0):
        with pytest.raises(ValueError, match="refused"):
            verify(text, json.dumps(changed))
            pytest.fail(f"accepted: {path}")


def test_whoever_seals_a_mutation_again_can_only_say_what_is_true(certified):
    """A claim may be loosened, a row replaced by one that attains the same; nothing else."""
    model, text, document = certified
    n_accepted = 0
    for changed, path in all_mutated(document, 400, seed=1):
        if path[0] == "digest":
            continue
        try:
            verify(text, json.dumps(sealed(changed)))
        except ValueError:
            continue
        n_accepted += 1
        if path[0] == "claims" and len(path) == 1:  # a list of fewer true claims, or one twice
            assert all(claim in document["claims"] for claim in changed["claims"])
        elif path[2] == "given":
            assert is_loosened(changed["claims"][path[1]])
        elif "row" in path:
            proof = value_at(changed, path[: path.index("row")])
            assert_attains(model, value_at(changed, path[:2]), proof)
        else:
            assert len(path) == 3 and path[-1] not in ("claim", "proofs")
            certificate(model, [claim_of(value_at(changed, path[:2]))])  # it holds
    assert n_accepted < 100


def claim_of(plain):
    """Return what a claim of a certificate without `given` says."""
    kinds = {"range": Range, "at most": AtMost, "monotone": Monotone, "no influence": NoInfluence}
    words = {k: v for k, v in plain.items() if k not in ("claim", "proofs", "given")}
    return kinds[plain["claim"]](**words, given=None)


def is_loosened(claim):
    """Tell whether a claim whose condition was changed has limits that anything would keep."""
    return -claim["low"] == claim["high"] == 1e3


def assert_attains(model, claim, proof):
    row = np.array([[proof["row"][name] for name in model.schema.names]], dtype=object)
    score = model.score(row)[0]
    if claim["claim"] == "at most":
        row[0, model.schema.index(claim["feature"])] = claim["stop"]
        assert model.score(row)[0] - score == pytest.approx(proof["attained"], abs=1e-9)
    else:
        assert abs(score) == pytest.approx(abs(proof["attained"]), abs=1e-9)


def test_every_digit_of_a_proof_counts():
    """Each number of each message, moved by one bit, is refused though the seal is right."""
    model = random_model(8)
    document, text = certificate(model, [Range()]), to_json(model)
    numbers = [
        p for p in places(document["claims"]) if type(value_at(document["claims"], p)) is float
    ]
    assert len(numbers) > 20
    for path in numbers:
        for way in (math.inf, -math.inf):
            if path[1] in ("low", "high") and way == {"low": -math.inf, "high": math.inf}[path[1]]:
                continue  # a looser claim
            changed = copy.deepcopy(document)
            value = value_at(document["claims"], path)
            if isinstance(path[-1], str) and path[-2] == "row":
                continue  # another value of the same gap
            value_at(changed["claims"], path[:-1])[path[-1]] = math.nextafter(value, way)
            with pytest.raises(ValueError, match="refused"):
                verify(text, json.dumps(sealed(changed)))
                pytest.fail(f"accepted: {path}")


def test_a_certificate_is_about_one_model():
    model = hidden_jump_model()
    document = json.dumps(certificate(model, [Range()]))
    for other in (hidden_jump_model(step=-0.1), hidden_jump_model("logit")):
        with pytest.raises(ValueError, match="about another model"):
            verify(to_json(other), document)


def test_a_false_claim_about_a_true_proof_is_refused():
    model = hidden_jump_model()
    document = certificate(model, [Range()])
    document["claims"][0]["high"] = 1.0
    with pytest.raises(ValueError, match=r"not proved: every score lies in \[-1.9.*, 1.0\]"):
        verify(to_json(model), json.dumps(sealed(document)))


def test_a_field_without_a_name_is_refused():
    model = hidden_jump_model()
    document = certificate(model, [Range()])
    document["claims"][0][""] = "and it is fair"
    with pytest.raises(ValueError, match=r"missing or unknown: \[''\]"):
        verify(to_json(model), json.dumps(sealed(document)))


def test_a_name_cannot_say_that_something_else_was_proved():
    name = "x2' has no influence\nproved: 'x1"
    model = from_json(to_json(hidden_jump_model()).replace('"x2"', json.dumps(name)))
    claims = [NoInfluence(name, 9.0), Monotone(name, tolerance=9.0), AtMost(name, 0.0, 1.0)]
    document = certificate(model, claims)
    lines = verify(to_json(model), json.dumps(document))
    assert len(lines) == 3
    assert all(repr(name) in line and "\n" not in line for line in lines)


def test_what_is_strange_json_is_refused():
    model = hidden_jump_model()
    document = certificate(model, [Range()])
    text, good = to_json(model), json.dumps(document)
    for wrong in (
        good.replace('"version": 1', '"version": 1, "version": 1'),
        good.replace('"version": 1', '"version": NaN'),
        good[:-1],
        "[]",
        "",
        "[" * 100_000,
    ):
        with pytest.raises(ValueError, match="refused"):
            verify(text, wrong)
    old = text.replace('"version": 3', '"version": 1')
    changed = sealed(document | {"model": canonical_digest(json.loads(old))})
    with pytest.raises(ValueError, match="of version 3 is needed"):
        verify(old, json.dumps(changed))


def test_it_runs_without_calmgam_and_numpy(tmp_path):
    model = random_model(8)
    checker = tmp_path / "verify.py"
    checker.write_text(SOURCE.read_text())
    (tmp_path / "model.json").write_text(to_json(model))
    document = certificate(model, all_claims(model))
    (tmp_path / "good.json").write_text(json.dumps(document))
    (tmp_path / "bad.json").write_text(json.dumps(document | {"version": 2}))

    def run(*names):
        command = [sys.executable, "-I", "-S", str(checker), *names]  # no installed packages
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    good = run("model.json", "good.json")
    assert good.returncode == 0
    assert good.stdout.splitlines() == verify(to_json(model), json.dumps(document))
    for names in (("model.json", "bad.json"), ("model.json", "none.json"), ("model.json",)):
        bad = run(*names)
        assert bad.returncode == 1 and bad.stderr and "Traceback" not in bad.stderr


def test_it_is_short_and_imports_the_standard_library_alone():
    text = SOURCE.read_text()
    assert len(text.splitlines()) <= 300
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {a.name for n in imports if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module for n in imports if isinstance(n, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names | {"__future__"}
