"""The C export, compiled as strict C99, says what the model says, and allocates nothing."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from export_models import case_of, each_case, each_far_link, far_case, random_case

from calmgam.model.columns import is_missing, label
from calmgam.read import to_c

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fPIC", "-shared"]
DOUBLES = ctypes.POINTER(ctypes.c_double)


def compiled(model, folder):
    (folder / "model.c").write_text(to_c(model), encoding="ascii")
    command = ["gcc", *FLAGS, "model.c", "-lm", "-o", "model.so"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(folder / "model.so")
    library.calm_code.restype = ctypes.c_double
    library.calm_rule.restype = ctypes.c_char_p
    library.calm_score.argtypes = [DOUBLES, ctypes.c_double, DOUBLES]
    library.calm_predict.argtypes = library.calm_score.argtypes
    return library


def encoded(library, case):
    """Return rows of numbers and codes: labels go through the C code."""
    columns = []
    for feature in case.model.schema.features:
        values = case.X[feature.name]
        if feature.is_numeric:
            columns.append(values.to_numpy())
            continue
        texts = [None if is_missing(v) else label(v).encode() for v in values]
        codes = {text: library.calm_code(feature.index, text) for text in set(texts)}
        columns.append([codes[text] for text in texts])
    return np.ascontiguousarray(np.transpose(columns), dtype=np.float64)


def called(function, rows, n_numbers, *more):
    out = np.empty((len(rows), n_numbers))
    for k, row in enumerate(rows):
        arguments = [column[k] for column in more]
        function(row.ctypes.data_as(DOUBLES), *arguments, out[k].ctypes.data_as(DOUBLES))
    return out


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@each_case
def test_c_says_what_the_model_says(seed, n_rows, tmp_path):
    case = case_of(seed, n_rows)
    library = compiled(case.model, tmp_path)
    rows = encoded(library, case)
    scores = called(library.calm_score, rows, case.n_outputs, case.offset)
    np.testing.assert_allclose(scores.reshape(case.score.shape), case.score, rtol=0, atol=1e-9)
    parts = called(library.calm_contributions, rows, case.contributions[0].size)
    np.testing.assert_array_equal(parts.reshape(case.contributions.shape), case.contributions)
    means = called(library.calm_predict, rows, case.n_outputs, case.offset)
    means = means.reshape(case.prediction.shape)
    np.testing.assert_allclose(means, case.prediction, rtol=1e-12, atol=1e-9)
    names = case.model.schema.names
    for k, expected in enumerate(case.expected_reasons(3)):
        pointer, inputs = rows[k].ctypes.data_as(DOUBLES), (ctypes.c_int * 3)()
        found = inputs[: library.calm_reasons(pointer, 3, inputs)]
        rules = [library.calm_rule(pointer, i).decode() for i in found]
        assert [(names[i], rule) for i, rule in zip(found, rules, strict=True)] == [
            (name, rule) for name, _, rule in expected
        ]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@each_far_link
def test_small_probabilities_keep_their_digits(link, tmp_path):
    case = far_case(link)
    library = compiled(case.model, tmp_path)
    means = called(library.calm_predict, encoded(library, case), case.n_outputs, case.offset)
    np.testing.assert_allclose(means.reshape(case.prediction.shape), case.prediction, rtol=1e-12)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_nothing_is_called_but_mathematics_and_texts(tmp_path):
    compiled(random_case(0).model, tmp_path)
    listing = subprocess.run(
        ["nm", "-D", "--undefined-only", "model.so"], cwd=tmp_path, capture_output=True, text=True
    ).stdout
    called = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    called = {name for name in called if not name.startswith("_")}
    assert called <= {"exp", "fmax", "strcmp", "strspn", "strtod"}
    assert "strtod" in called


def test_a_prefix_must_be_a_name():
    assert "CREDIT_N_INPUTS" in to_c(random_case(0).model, "credit")
    with pytest.raises(ValueError, match="prefix must be a name in C; got 'a b'"):
        to_c(random_case(0).model, "a b")
