"""The PMML export, run by JPMML's evaluator, says what the model says."""

import shutil

import numpy as np
import pytest
from export_models import case_of, each_case, each_far_link, far_case, random_case
from test_onnx import MISSING, feeds

from calmgam.read import to_pmml

pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
pytest.importorskip("py4j", reason="py4j is not installed")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="there is no java")


@pytest.fixture(scope="module")
def backend():
    from jpmml_evaluator.py4j import Py4JBackend

    yield Py4JBackend()
    Py4JBackend.destroyGateway()


def evaluated(backend, case, tmp_path, **options):
    import pandas as pd
    from jpmml_evaluator import make_evaluator

    (tmp_path / "model.pmml").write_text(to_pmml(case.model, **options), encoding="utf-8")
    evaluator = make_evaluator(str(tmp_path / "model.pmml"), backend=backend).verify()
    frame = pd.DataFrame(feeds(case)).astype(object)
    frame = frame.mask(frame == MISSING, None)
    if options.get("offset"):
        frame["offset"] = case.offset
    return evaluator.evaluateAll(frame)


@each_case
def test_jpmml_says_what_the_model_says(backend, seed, n_rows, tmp_path):
    case = case_of(seed, n_rows)
    found = evaluated(backend, case, tmp_path, offset=case.n_outputs == 1)
    ends = [f"({label})" for label in case.model.classes] if case.n_outputs > 1 else [""]
    close(found[[f"score{end}" for end in ends]], case.score)
    names = [f"contribution({n}){end}" for n in case.model.schema.names for end in ends]
    close(found[names], case.contributions)
    if not case.model.classes:
        np.testing.assert_allclose(found["prediction"], case.prediction, rtol=1e-12, atol=1e-9)
        return
    assert found["prediction"].tolist() == list(map(str, case.model.classify(case.score)))
    labels = case.model.classes if case.n_outputs > 1 else case.model.classes[1:]
    close(found[[f"probability({label})" for label in labels]], case.prediction)


@each_far_link
def test_small_probabilities_keep_their_digits(backend, link, tmp_path):
    case = far_case(link)
    found = evaluated(backend, case, tmp_path)
    labels = case.model.classes if link == "softmax" else case.model.classes[1:]
    means = found[[f"probability({label})" for label in labels]].to_numpy(dtype=float)
    np.testing.assert_allclose(means.reshape(case.prediction.shape), case.prediction, rtol=1e-12)


def close(found, expected):
    numbers = found.to_numpy(dtype=float).reshape(expected.shape)
    np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-9)


def test_several_classes_take_no_offset():
    with pytest.raises(ValueError, match="several classes takes no offset"):
        to_pmml(random_case(3).model, offset=True)
