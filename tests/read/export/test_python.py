"""The Python export says what the model says, and imports nothing but math."""

import ast

import numpy as np
import pytest
from export_models import case_of, each_case, each_far_link, far_case, random_case

from calmgam.read import to_python


def run(text):
    module = {}
    exec(compile(text, "scorer.py", "exec"), module)
    return module


@each_case
def test_scores_and_contributions_equal_the_models(seed, n_rows):
    case = case_of(seed, n_rows)
    module = run(to_python(case.model))
    rows = case.X.to_dict("records")
    scores = [module["score"](row, offset) for row, offset in zip(rows, case.offset, strict=True)]
    np.testing.assert_allclose(scores, case.score, rtol=0, atol=1e-9)
    parts = [list(module["contributions"](row).values()) for row in rows]
    np.testing.assert_array_equal(parts, case.contributions)


@each_case
def test_predictions_and_reasons_equal_the_models(seed, n_rows):
    case = case_of(seed, n_rows)
    module = run(to_python(case.model))
    rows = case.X.to_dict("records")
    assert [module["reasons"](row, 3) for row in rows] == case.expected_reasons(3)
    means = [module["predict"](row, offset) for row, offset in zip(rows, case.offset, strict=True)]
    np.testing.assert_allclose(means, case.prediction, rtol=1e-12, atol=1e-9)


@each_far_link
def test_small_probabilities_keep_their_digits(link):
    case = far_case(link)
    predict = run(to_python(case.model))["predict"]
    means = [predict(row) for row in case.X.to_dict("records")]
    np.testing.assert_allclose(means, case.prediction, rtol=1e-12)


def test_imports_nothing_but_math():
    modules = [
        name.name
        for node in ast.walk(ast.parse(to_python(random_case(0).model)))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in node.names
    ]
    assert modules == ["math"]


def test_infinite_numbers_are_refused_by_name():
    case = random_case(1)
    name = next(f.name for f in case.model.schema.features if f.is_numeric)
    row = case.X.iloc[0].to_dict() | {name: np.inf}
    with pytest.raises(ValueError, match="must be finite or missing; got inf"):
        run(to_python(case.model))["score"](row)
