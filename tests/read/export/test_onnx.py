"""The ONNX export, run by ONNX Runtime in doubles, says what the model says."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from export_models import (
    CLASSES,
    N_MODELS,
    case_of,
    each_case,
    each_far_link,
    far_case,
    random_case,
    random_term,
)

from calmgam.model import Feature, Model, Schema
from calmgam.read import to_onnx

MISSING = "<missing>"


def feeds(case):
    """Return numbers, and labels as the model knows them."""
    columns = {}
    for feature in case.model.schema.features:
        values = case.X[feature.name]
        if feature.is_numeric:
            columns[feature.name] = values.to_numpy(dtype=np.float64)
            continue
        codes = {value: feature.code(value) for value in set(values)}
        texts = {
            value: MISSING
            if code != code
            else feature.levels[int(code)]
            if code < feature.n_levels
            else str(value)
            for value, code in codes.items()
        }
        columns[feature.name] = np.array([texts[value] for value in values], dtype=object)
    return columns


def session_of(model, **options):
    proto = to_onnx(model, MISSING, **options)
    return onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )


@each_case
def test_onnxruntime_says_what_the_model_says(seed, n_rows):
    case = case_of(seed, n_rows)
    offset = {"offset": case.offset} if case.n_outputs == 1 else {}
    session = session_of(case.model, offset=bool(offset))
    found = session.run(None, feeds(case) | offset)
    by_name = dict(zip([output.name for output in session.get_outputs()], found, strict=True))
    np.testing.assert_allclose(by_name["score"], case.score, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(by_name["contributions"], case.contributions)
    np.testing.assert_allclose(by_name["prediction"], case.prediction, rtol=1e-12, atol=1e-9)
    if case.model.classes:
        labels = case.model.classify(case.score).tolist()
        is_whole = type(labels[0]) is int
        assert by_name["label"].tolist() == (labels if is_whole else list(map(str, labels)))


@each_far_link
def test_small_probabilities_keep_their_digits(link):
    case = far_case(link)
    session = session_of(case.model)
    (found,) = session.run(["prediction"], feeds(case))
    np.testing.assert_allclose(found, case.prediction, rtol=1e-12)


@pytest.mark.parametrize("link", ["log", "logit", "softmax"])
def test_columns_may_be_called_like_outputs(link):
    names = ["score", "score_", "prediction", "contributions", "label", "calmgam/0"]
    rng = np.random.default_rng(0)
    classes = CLASSES[link][0] if link != "log" else ()
    features = [Feature(name, i, "numeric", low=-5.0, high=9.0) for i, name in enumerate(names)]
    schema, n_outputs = Schema(tuple(features)), len(classes) if link == "softmax" else None
    terms = [random_term(rng, one, schema, n_outputs, 3, np.inf) for one in features]
    intercept = (0.0,) * n_outputs if n_outputs else 0.0
    model = Model(schema, intercept, tuple(terms), link, classes)
    X = pd.DataFrame(rng.normal(scale=4, size=(50, len(names))), columns=names)
    session = session_of(model)
    given = {name: X[name].to_numpy() for name in names}
    score, prediction = session.run(["score__", "prediction_"], given)
    np.testing.assert_allclose(score, model.score(X), rtol=0, atol=1e-9)
    np.testing.assert_allclose(prediction, model.predict(X), rtol=1e-12, atol=1e-9)
    assert [one.name for one in session.get_inputs()] == names
    if classes:
        (label,) = session.run(["label_"], given)
        assert label.tolist() == list(map(str, model.classify(model.score(X))))


def test_a_missing_text_must_be_no_level():
    case = next(c for c in map(random_case, range(N_MODELS)) if "nurse" in str(c.model.to_dict()))
    with pytest.raises(ValueError, match=r"missing must be no level of .*; got 'nurse'"):
        to_onnx(case.model, "nurse")
