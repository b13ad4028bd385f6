import copy
import json
import math
import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_strategies import SCHEMA, TABLE, models_with_history
from test_glassbox import MODEL, term
from test_provenance import PROVENANCE

from calmgam import CALMRegressor
from calmgam.model import Condition, PartitionTree, Region, from_json, load, save, to_json
from calmgam.model.ledger import Ledger, PathPoint, PathSplit, SplitRecord
from calmgam.model.serialize import canonical_digest, fingerprint

FORMAT = jsonschema.Draft202012Validator(
    json.loads(files("calmgam.model").joinpath("model-schema.json").read_text())
)


def set_at(document, path, value):
    """Replace the value at a path of keys and positions."""
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models_with_history())
def test_round_trip_is_exact(model):
    text = to_json(model)
    reread = from_json(text)
    assert reread == model
    assert to_json(reread) == text
    assert hash(reread) == hash(model)
    assert reread.provenance == model.provenance  # which == does not see
    for ours, reread_term in zip(model.terms, reread.terms, strict=True):
        for shape, reread_shape in zip(ours.shapes, reread_term.shapes, strict=True):
            for name in ("edges", "values", "counts", "spreads"):  # == does not see -0.0
                assert getattr(shape, name).tobytes() == getattr(reread_shape, name).tobytes()
    with np.errstate(over="ignore", invalid="ignore"):
        assert model.score_encoded(TABLE).tobytes() == reread.score_encoded(TABLE).tobytes()


def test_files(tmp_path):
    path = tmp_path / "bikes.json"
    path.write_text("an older model")
    MODEL.save(path)
    assert load(path) == load(str(path)) == MODEL
    save(MODEL, str(path))
    assert [file.name for file in tmp_path.iterdir()] == ["bikes.json"]
    document = json.loads(path.read_text())
    assert (document["format"], document["version"]) == ("calmgam", 3)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models_with_history())
def test_saved_models_follow_the_json_schema(model):
    FORMAT.validate(json.loads(to_json(model)))


def test_a_fitted_model_follows_the_json_schema():
    X = pd.DataFrame({"x": np.linspace(0, 1, 60), "job": ["a", "b", None] * 20})
    y = X["x"] * (X["job"] == "a")
    calm = CALMRegressor(n_jobs=1, random_state=0, max_splits=1).fit(X, y)
    model = replace(calm.model_, ledger=calm.ledger_, path=calm.path_)
    assert model.ledger.splits
    text = to_json(model)
    FORMAT.validate(json.loads(text))
    assert from_json(text) == model


def test_the_json_schema_can_say_no():
    assert FORMAT.is_valid(json.loads(to_json(MODEL)))
    for path, value in [
        (("version",), 1),
        (("errors", "gam"), "large"),
        (("terms", 0, "tree"), {"condition": None}),
        (("terms", 0, "shapes", 0, "values", 0), "nan"),
        (("schema", "features", 0, "more"), 1),
    ]:
        document = json.loads(to_json(MODEL))
        set_at(document, path, value)
        assert not FORMAT.is_valid(document)


def test_a_file_of_version_1_loads():
    path = Path(__file__).with_name("version1.json")
    model = load(path)
    assert (model.ledger, model.path, model.provenance) == (Ledger(), (), None)
    tree = model.terms[1].tree
    assert [str(region) for region in tree.regions] == [
        "x = 0.3", "x != 0.3 and flag != False", "x != 0.3 and flag = False", "x is missing",
    ]  # fmt: skip
    upgraded = json.loads(to_json(model))
    old = json.loads(path.read_text())
    for feature in old["schema"]["features"]:
        feature |= {"whole": False, "ordered": False}
    assert {name: upgraded[name] for name in old} == old | {"version": 3}
    with pytest.raises(ValueError, match='version 1 must not have the field "ledger"'):
        from_json(json.dumps(upgraded | {"version": 1}))


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "bikes.json"
    MODEL.save(path)

    def fail(source, target):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        MODEL.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["bikes.json"]
    assert load(path) == MODEL


def test_a_newer_version_is_refused():
    text = to_json(MODEL).replace('"version": 3', '"version": 4')
    message = r"version 4 is newer than this calmgam \(reads up to 3\): upgrade calmgam"
    with pytest.raises(ValueError, match=message):
        from_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1, 2]", "not a calmgam model"),
        ('{"format": "other"}', "not a calmgam model"),
        ('{"format": "calmgam"}', "version must be a whole number"),
        ('{"format": "calmgam", "version": "1"}', "version must be a whole number"),
        ('{"format": "calmgam", "version": 1}', 'must have the field "schema"'),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_foreign_text_is_refused(text, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        from_json(text)
    path = tmp_path / "foreign.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"cannot load a model from .*foreign.json: .*{message}"):
        load(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"model\.json"):
        load(path)


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.json")


RECORD = SplitRecord(
    "x", Region(), MODEL.terms[0].tree.nodes[0].condition, 0, 9, 4, 5, 1.0, 2.0, math.nan, True
)
TEXT = to_json(
    replace(
        MODEL,
        link="logit",
        classes=("no", "yes"),
        errors={"metric": "log_loss", "gam": 0.5, "reference": None},
        ledger=Ledger(4, (RECORD,), (PathPoint(1, 0.5, 0.1, True),), is_joint=True),
        path=(PathSplit(0, 0, RECORD),),
        provenance=PROVENANCE,
    )
)
DOCUMENT = json.loads(TEXT)


def loads_or_says_no(text):
    """Check that a damaged text is refused, or is a model like any other."""
    try:
        model = from_json(text)
    except ValueError:
        return False
    rows = np.asfortranarray(TABLE[::37, : model.schema.n_features])
    scores = model.score_encoded(rows)
    assert np.isfinite(scores).all()
    assert np.isfinite(model.importances).all()
    saved = to_json(model)
    FORMAT.validate(json.loads(saved))
    reread = from_json(saved)
    assert (reread, reread.provenance) == (model, model.provenance)
    assert reread.score_encoded(rows).tobytes() == scores.tobytes()
    return True


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, 20), st.text(max_size=3))
def test_damaged_text_raises_nothing_but_value_errors(start, length, insertion):
    loads_or_says_no(TEXT[:start])
    loads_or_says_no(TEXT[:start] + insertion + TEXT[start + length :])


JUNK = [
    None, True, False, 0, 1, -1, 2, 7, 0.5, -1e308, 1e308, 10**400, "", "x", "1", "nan", "inf",
    "-inf", "numeric", "flag", "True", [], {}, [1.0], ["x"], [[1.0]], {"x": 1},
]  # fmt: skip


def damage(document, random):
    """Change, delete, double or swap something at a random place of a document."""
    parent, key = document, random.choice(sorted(document))
    while isinstance(parent[key], dict | list) and parent[key] and random.random() < 0.85:
        parent = parent[key]
        key = random.choice(sorted(parent) if isinstance(parent, dict) else range(len(parent)))
    match random.randrange(6):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        case 2 if isinstance(parent, list):
            parent.reverse()
        case 3 if isinstance(parent, dict):
            parent[random.choice(["more", *parent])] = parent[key]
        case _:
            parent[key] = random.choice(JUNK)


N_DAMAGED = int(os.environ.get("CALMGAM_DAMAGED", "2000"))


def test_damaged_documents_are_refused_or_whole():
    random = Random(0)
    n_loaded = 0
    for _ in range(N_DAMAGED):
        document = json.loads(TEXT)
        for _ in range(random.choice([1, 1, 1, 2])):
            damage(document, random)
        n_loaded += loads_or_says_no(json.dumps(document))
    assert 0.02 * N_DAMAGED < n_loaded < 0.5 * N_DAMAGED


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("terms", 0, "shapes", 0, "values", 1), "1.5",
         'terms[0].shapes[0].values[1] must be a number; got "1.5"'),
        (("terms", 0, "shapes", 0, "counts", 0), True,
         "terms[0].shapes[0].counts[0] must be a number; got true"),
        (("terms", 0, "tree", "condition", "missing"), "false",
         'terms[0].tree.condition.missing must be true or false; got "false"'),
        (("terms", 0, "tree", "condition", "feature"), "nobody",
         'terms[0].tree.condition.feature must be the name of a feature; got "nobody"'),
        (("terms", 0, "tree", "left"), None, "terms[0].tree.left must be an object; got null"),
        (("version",), True, "version must be a whole number from 1; got true"),
        (("classes",), ["yes", "yes"], "classes must be different labels; got ('yes', 'yes')"),
        (("classes",), [None, "yes"], "classes must be different labels"),
        (("classes",), [1, True], "classes must be different labels"),
        (("schema", "features", 0, "low"), 3.0, "schema.features[0]: range of feature 'x' must be"),
        (("schema", "features", 0, "high"), "inf", "schema.features[0]: range of feature 'x'"),
        (("schema", "features", 0, "has_missing"), 1,
         "schema.features[0].has_missing must be true or false; got 1"),
        (("schema", "features", 0, "name"), True, "schema.features[0].name must be text; got true"),
        (("intercept",), "1", 'intercept must be a number; got "1"'),
        (("intercept",), 1e400, "intercept must be a finite number; got Infinity"),
        (("intercept",), 1.7e308, "the intercept and the curves must add up to finite scores"),
        (("errors", "gam"), "small", "errors['gam'] must be a number or None; got 'small'"),
        (("errors", "metric"), 1, "errors['metric'] must be text; got 1"),
        (("errors",), [], "errors must be an object; got a list of 0"),
        (("ledger", "is_joint"), None, "ledger.is_joint must be true or false; got null"),
        (("path",), [{"leaf": 0}], 'path[0] must have the field "record"'),
        (("provenance",), {}, 'provenance must have the field "library_version"'),
        (("more",), 1, 'the document must not have the field "more"'),
    ],
)  # fmt: skip
def test_errors_name_the_place(path, value, message):
    document = copy.deepcopy(DOCUMENT)
    set_at(document, ("terms", 1, "shapes", 0, "values", 0), 1e308)
    set_at(document, path, value)
    text = json.dumps(document).replace("Infinity", "1e400")
    with pytest.raises(ValueError, match=r".") as caught:
        from_json(text)
    assert str(caught.value).startswith(message)


def test_a_field_must_not_come_twice():
    twice = TEXT.replace('"intercept":', '"intercept": 0.0, "intercept":')
    with pytest.raises(ValueError, match='must not have the field "intercept" more than once'):
        from_json(twice)


def test_bare_constants_are_no_json():
    with pytest.raises(ValueError, match="NaN is no number of JSON"):
        from_json(TEXT.replace('"nan"', "NaN", 1))


def test_the_deepest_tree_is_saved_and_a_deeper_one_is_refused():
    deepest = PartitionTree.trivial()
    for step in range(100):
        x, other = SCHEMA.features[:2]
        deepest = deepest.split(step, Condition((x, other)[step % 2], "<=", float(step), True))
    model = replace(MODEL, terms=(*MODEL.terms[:3], term(SCHEMA.features[3], deepest)))
    assert from_json(to_json(model)) == model
    document = json.loads(to_json(model))
    tree = document["terms"][3]["tree"]
    document["terms"][3]["tree"] = {**tree, "left": tree}
    with pytest.raises(ValueError, match="at most 100 conditions on the way to a leaf"):
        from_json(json.dumps(document))


def test_numbers_out_of_range_are_refused():
    for path, value in [
        (("terms", 0, "shapes", 0, "values", 0), "nan"),
        (("terms", 0, "shapes", 0, "edges"), [1.0, 0.0]),
        (("terms", 2, "tree", "condition", "value"), ["sometimes"]),
        (("terms", 0, "feature"), "flag"),
        (("schema", "features", 0, "kind"), "fuzzy"),
    ]:
        document = copy.deepcopy(DOCUMENT)
        set_at(document, path, value)
        with pytest.raises(ValueError, match=r"."):
            from_json(json.dumps(document))


def test_the_fingerprint_is_that_of_the_content(tmp_path):
    model = MODEL
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    shuffled = json.dumps(dict(reversed(document.items())), indent=1)
    assert fingerprint(from_json(shuffled)) == fingerprint(model) == canonical_digest(document)
    assert fingerprint(replace(model, intercept=model.intercept + 1)) != fingerprint(model)


def test_a_file_of_version_2_has_the_objective_of_its_link():
    document = json.loads(to_json(MODEL))
    del document["objective"]
    old = {name: part for name, part in document.items() if name not in ("intervals", "trail")}
    assert from_json(json.dumps(old | {"version": 2})) == MODEL
    with pytest.raises(ValueError, match='must have the field "objective"'):
        from_json(json.dumps(document))
