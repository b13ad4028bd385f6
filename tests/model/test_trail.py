"""Patches lead back exactly; records are plain values that check themselves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.model.trail import EditRecord, Effect, patch_between, patched

LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-1, 1) | st.text(max_size=2)
DOCUMENTS = st.recursive(
    LEAVES,
    lambda parts: (
        st.lists(parts, max_size=3) | st.dictionaries(st.sampled_from("abc"), parts, max_size=3)
    ),
    max_leaves=12,
)


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


@given(DOCUMENTS, DOCUMENTS)
def test_a_patch_leads_from_the_document_after_to_the_one_before(before, after):
    before, after = {"x": before, "y": 1}, {"x": after, "y": 1}
    found = patched(after, patch_between(before, after))
    assert same(found, before)


def test_a_patch_holds_what_changed_alone():
    before = {"terms": [{"values": [1.0, 2.0], "edges": [3.0]}, {"values": [5.0], "edges": []}]}
    after = {"terms": [{"values": [1.0, 9.0], "edges": [3.0]}, {"values": [5.0], "edges": []}]}
    assert patch_between(before, after) == {"terms": {"0": {"values": [[1.0, 2.0]]}}}
    assert patch_between(before, before) is None
    assert patch_between({"low": float("nan")}, {"low": float("nan")}) is None


def test_a_patch_of_another_document_is_refused():
    with pytest.raises(ValueError, match="what an edit replaced must be parts of the model"):
        patched({"a": 1}, {"b": [2]})


def record(**changes):
    fields = {
        "edit": {"edit": "round"}, "who": "", "why": "", "date": "2026-01-31T23:59:59Z",
        "effect": Effect(0.5), "replaced": {},
    }  # fmt: skip
    return EditRecord(**(fields | changes))


def test_records_are_plain_values():
    one = record(effect=Effect(0.5, False, "log loss", 0.25, 0.5, 10))
    assert EditRecord.from_dict(one.to_dict()) == one
    for changes, message in [
        ({"edit": {}}, 'must have the field "edit"'),
        ({"who": 1}, "who must be text; got 1"),
        ({"date": "yesterday"}, "date must be a UTC date"),
    ]:
        with pytest.raises(ValueError, match=message):
            record(**changes)
