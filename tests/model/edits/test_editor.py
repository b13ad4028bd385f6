"""The trail: who, why, the effect; undo and replay."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calmgam.model import from_json, to_json
from calmgam.model.edits import Bands, Flatten, Round, read_edit
from calmgam.model.edits.effect import largest_change
from tests.model.edits.example import MODEL, ROWS

EDITS = [
    {"edit": "flatten", "feature": "age", "low": 33, "high": 64},
    {"edit": "clamp", "feature": "age", "highest": 1.0, "where": "hour <= 7"},
    {"edit": "monotone", "feature": "hour"},
    {"edit": "smooth", "feature": "age", "span": 0.5},
    {"edit": "round", "step": 0.1},
    {"edit": "bands", "feature": "age", "cuts": [25, 45], "where": "hour > 7"},
    {"edit": "bands", "feature": "job", "groups": [["nurse", "cook"]]},
    {"edit": "set_reference", "feature": "job", "value": "cook"},
    {"edit": "rename_levels", "feature": "job", "names": [["smith", "farrier"]]},
    {"edit": "merge_regions", "feature": "age",
     "regions": ["hour <= 7", "hour > 7 and job = nurse"]},
    {"edit": "drop_split", "feature": "age", "condition": "hour <= 7"},
    {"edit": "drop_term", "feature": "hour"},
    {"edit": "rescale", "slope": 2.0, "shift": 0.5},
    {"edit": "simplify", "tolerance": 0.01,
     "bands": [{"edit": "bands", "feature": "hour", "cuts": [7.0]}]},
]  # fmt: skip


@pytest.mark.parametrize("plain", EDITS, ids=lambda plain: plain["edit"])
def test_edits_are_plain_values(plain):
    edit = read_edit(plain)
    assert read_edit(json.loads(json.dumps(edit.to_dict()))) == edit
    assert hash(edit) == hash(read_edit(plain))
    assert edit.name in str(edit)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(EDITS[:10] + EDITS[12:]), min_size=1, max_size=6))
def test_undo_gives_the_model_before_bit_for_bit(plains):
    models, editor = [MODEL], MODEL.edit(who="Ada")
    for plain in plains:
        try:
            editor = editor.replay([{**plain, "why": "because"}])
        except ValueError:  # the edits before have taken its region
            continue
        models.append(editor.done())
    last = from_json(to_json(editor.done()))
    assert last.trail == editor.done().trail
    for n_edits, model in enumerate(reversed(models)):
        before = last.undo(n_edits)
        assert before == model
        assert before.trail == model.trail
        assert to_json(before) == to_json(model)


@pytest.mark.parametrize("plain", EDITS, ids=lambda plain: plain["edit"])
def test_the_largest_change_is_that_over_all_inputs(plain):
    edited = MODEL.edit().replay([plain]).done()
    changes = np.abs(edited.score_encoded(ROWS) - MODEL.score_encoded(ROWS))
    effect = edited.trail[-1].effect
    assert effect.exact
    assert effect.largest_change == pytest.approx(changes.max(), abs=1e-12)
    assert edited.intervals.slack == pytest.approx(changes.max(), abs=1e-12)


def test_the_trail_says_who_why_and_what_it_did_to_given_rows():
    rng = np.random.default_rng(0)
    X = ROWS[rng.integers(len(ROWS), size=200)]
    y = MODEL.score_encoded(X) + rng.normal(size=len(X))
    table = np.array(X, dtype=object)
    table[:, 2] = np.array(["nurse", "cook", "smith"], dtype=object)[X[:, 2].astype(int)]
    editor = MODEL.edit(table, y, who="Ada").rename_levels("job", {"cook": "chef"})
    edited = editor.flatten("age", 20, 40, why="few rows", who="Bob").done()
    first, second = edited.trail
    assert (first.who, first.why, second.who, second.why) == ("Ada", "", "Bob", "few rows")
    assert first.effect.loss_before == first.effect.loss_after == second.effect.loss_before
    assert second.effect.loss_after == pytest.approx(np.mean((y - edited.score_encoded(X)) ** 2))
    assert (second.effect.metric, second.effect.n_rows) == ("squared error", 200)
    assert second.edit == {"edit": "flatten", "feature": "age", "low": 20, "high": 40}


def test_edits_are_replayed_on_another_model():
    edited = MODEL.edit(who="Ada").flatten("age", 20, 40, why="noise").round(0.1).done()
    other = MODEL.edit().rescale(1.5).done()
    replayed = other.edit().replay(edited.trail).done()
    assert replayed.terms == Round(0.1).apply(Flatten("age", 20, 40).apply(other)).terms
    assert [(r.who, r.why) for r in replayed.trail[1:]] == [("Ada", "noise"), ("Ada", "")]


def test_what_cannot_be_replayed_is_named():
    edits = [Flatten("age"), {"edit": "drop_split", "feature": "age", "condition": "hour <= 9"}]
    message = r"edit 2 \(drop_split\) cannot be made: 'age' must have one split 'hour <= 9'"
    with pytest.raises(ValueError, match=message):
        MODEL.edit().replay(edits)
    with pytest.raises(ValueError, match=r"edit 1 \(flat\) cannot be made: edit must be one of"):
        MODEL.edit().replay([{"edit": "flat"}])
    with pytest.raises(ValueError, match='must not have the field "lo"'):
        MODEL.edit().replay([{"edit": "flatten", "feature": "age", "lo": 1}])


def test_methods_take_settings_of_their_edits():
    edited = MODEL.edit().flatten("age", to="left", where="hour <= 7").done()
    assert edited.terms == Flatten("age", to="left", where="hour <= 7").apply(MODEL).terms
    chain = (
        MODEL.edit().bands("age", [25, 45]).clamp("age", highest=1).smooth("age").monotone("hour")
    )
    chain = chain.merge_regions("age", ["hour > 7 and job = nurse", "hour > 7 and job != nurse"])
    chain = chain.drop_split("age", "hour <= 7").drop_term("job").set_reference("age", 30)
    assert [record.name for record in chain.done().trail] == [
        "bands", "clamp", "smooth", "monotone", "merge_regions", "drop_split", "drop_term",
        "set_reference",
    ]  # fmt: skip
    with pytest.raises(TypeError, match="flatten has no setting 'too'"):
        MODEL.edit().flatten("age", too=1)


def test_undo_counts():
    assert MODEL.undo(0) == MODEL
    with pytest.raises(
        ValueError, match=r"n_edits must be in 0..0, the length of the trail; got 1"
    ):
        MODEL.undo()


def test_comparing_a_model_with_itself():
    assert largest_change(MODEL, MODEL) == (0.0, True)
    assert largest_change(MODEL, Bands("job", groups=(("nurse",),)).apply(MODEL)) == (0.0, True)


def test_models_of_many_classes_are_edited_and_undone():
    rng = np.random.default_rng(0)

    def of_classes(values):
        return np.asarray(values)[..., None] * rng.normal(size=3)

    terms = tuple(
        replace(
            term,
            shapes=tuple(
                replace(s, values=of_classes(s.values), spreads=np.abs(of_classes(s.spreads)))
                for s in term.shapes
            ),
        )
        for term in MODEL.terms
    )
    model = replace(
        MODEL, intercept=(0.1, 0.2, -0.3), terms=terms, link="softmax", classes=("a", "b", "c"),
        intervals=None, objective=None,
    )  # fmt: skip
    for plain in EDITS[:-1]:
        edited = model.edit().replay([plain]).done()
        assert edited.undo() == model
        changes = edited.score_encoded(ROWS) - model.score_encoded(ROWS)
        log_odds = (changes[:, :, None] - changes[:, None, :]).reshape(len(ROWS), -1)
        effect = edited.trail[-1].effect
        assert effect.largest_change == pytest.approx(np.abs(log_odds).max(), abs=1e-9)
