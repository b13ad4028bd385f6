"""The golden vectors are what models say; exporters' own tests run all of them, and the page's."""

import json

import numpy as np
import pytest
from export_models import GOLDEN, golden_case
from make_golden import FILE, plain

from calmgam.read.export.program import Program


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_the_file_is_what_the_model_says(number):
    case, document = golden_case(number), GOLDEN[number]
    offset = case.offset if case.n_outputs == 1 else None
    np.testing.assert_allclose(case.model.score(case.X, offset), case.score, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(case.model.contributions(case.X), case.contributions)
    np.testing.assert_allclose(case.model.predict(case.X, offset), case.prediction, rtol=1e-12)
    assert plain(Program.of(case.model).to_dict()) == document["program"]


@pytest.mark.filterwarnings("ignore:no value of column")
def test_reasons_are_those_of_the_audit():
    for number in range(len(GOLDEN)):
        case = golden_case(number)
        for row, expected in zip(GOLDEN[number]["rows"], case.expected_reasons(4), strict=True):
            found = case.model_reasons(row, 4)
            assert [(r.feature, r.region) for r in found] == [(f, rule) for f, _, rule in expected]
            parts = [reason.contribution for reason in found]
            assert parts == pytest.approx([part for _, part, _ in expected], abs=1e-9)


def test_every_link_and_awkward_value_is_there():
    assert {case["program"]["link"] for case in GOLDEN} == {"identity", "logit", "log", "softmax"}
    values = [value for case in GOLDEN for row in case["rows"] for value in row.values()]
    assert None in values and "never seen" in values and 5e-324 in values
    assert FILE.read_bytes().isascii()
    assert json.dumps(GOLDEN, allow_nan=False)
