"""Answers are computed once per model, and stay with that model."""

import copy
import pickle
from dataclasses import replace

from audit_models import big_model, hidden_jump_model

from calmgam.model.exact.inputs import Inputs, all_inputs
from calmgam.model.exact.kept import once_per_model
from calmgam.read.audit.jumps import jumps


def test_an_answer_is_computed_once_for_each_model_and_question():
    asked = []

    @once_per_model
    def count(model, name, size=1):
        asked.append(name)
        return len(asked)

    first, second = hidden_jump_model(), hidden_jump_model()
    assert first == second
    answers = [count(first, "a"), count(first, "a"), count(first, "b"), count(second, "a")]
    assert answers == [1, 1, 2, 3]
    assert (count(first, "a", size=2), count(first, "a", size=2)) == (4, 4)


def test_all_inputs_and_jumps_are_shared():
    model = hidden_jump_model()
    assert Inputs.of(model) is all_inputs(model) is Inputs.of(model, given="everywhere")
    assert jumps(model, "x1") is jumps(model, "x1")
    narrow = Inputs.of(model, given={"x1": 0.5})
    assert narrow.axes[1] is all_inputs(model).axes[1]
    assert narrow.axes[0].points.tolist() == [0.5]


def test_copies_pickles_and_changed_models_start_without_answers():
    model = big_model(n_features=5, n_bins=50, n_splits=5)
    for name in model.schema.names:
        jumps(model, name)
    assert b"Inputs" not in pickle.dumps(model) and b"Jump" not in pickle.dumps(model)
    assert pickle.loads(pickle.dumps(model)) == copy.deepcopy(model) == model
    changed = replace(model, intercept=1.0)
    assert all_inputs(changed).model is changed
