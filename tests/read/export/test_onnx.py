"""The ONNX export, run by ONNX Runtime in doubles, says what the model says."""

import numpy as np
import onnxruntime
import pytest
from export_models import N_MODELS, case_of, each_case, random_case

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


def test_a_missing_text_must_be_no_level():
    case = next(c for c in map(random_case, range(N_MODELS)) if "nurse" in str(c.model.to_dict()))
    with pytest.raises(ValueError, match=r"missing must be no level of .*; got 'nurse'"):
        to_onnx(case.model, "nurse")
