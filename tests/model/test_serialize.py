import contextlib
import copy
import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_strategies import TABLE, models
from test_glassbox import MODEL

from calmgam import CALMRegressor
from calmgam.model import from_json, load, save, to_json
from calmgam.model.ledger import Ledger

FORMAT = jsonschema.Draft202012Validator(
    json.loads(files("calmgam.model").joinpath("model-schema.json").read_text())
)


def set_at(document, path, value):
    """Replace the value at a path of keys and positions."""
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


@settings(max_examples=50)
@given(models())
def test_round_trip_is_exact(model):
    text = to_json(model)
    reread = from_json(text)
    assert reread == model
    assert to_json(reread) == text
    assert hash(reread) == hash(model)
    assert reread.provenance == model.provenance  # which == does not see
    for term, reread_term in zip(model.terms, reread.terms, strict=True):
        for shape, reread_shape in zip(term.shapes, reread_term.shapes, strict=True):
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
    assert (document["format"], document["version"]) == ("calmgam", 2)


@settings(max_examples=50)
@given(models())
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
    assert {name: upgraded[name] for name in old} == old | {"version": 2}
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
    text = to_json(MODEL).replace('"version": 2', '"version": 3')
    message = r"version 3 is newer than this calmgam \(reads up to 2\): upgrade calmgam"
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


TEXT = to_json(MODEL)
DOCUMENT = json.loads(TEXT)


def loads_or_says_no(text):
    with contextlib.suppress(ValueError):
        from_json(text)


@settings(max_examples=300)
@given(st.integers(0, len(TEXT)), st.integers(0, 20), st.text(max_size=3))
def test_damaged_text_raises_nothing_but_value_errors(start, length, insertion):
    loads_or_says_no(TEXT[:start])
    loads_or_says_no(TEXT[:start] + insertion + TEXT[start + length :])


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just([]),
    st.just({}), st.just(10**400), st.just([[1.0]]), st.just("nan"), st.just("inf"),
)  # fmt: skip


@settings(max_examples=500)
@given(st.data())
def test_damaged_documents_raise_nothing_but_value_errors(data):
    document = copy.deepcopy(DOCUMENT)
    parent, key = document, data.draw(st.sampled_from(sorted(document)))
    while isinstance(parent[key], dict | list) and parent[key] and data.draw(st.booleans()):
        parent = parent[key]
        keys = sorted(parent) if isinstance(parent, dict) else range(len(parent))
        key = data.draw(st.sampled_from(keys))
    if data.draw(st.booleans()):
        del parent[key]
    else:
        parent[key] = data.draw(JUNK)
    loads_or_says_no(json.dumps(document))


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
