"""The JavaScript export, run by node, says what the model says."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from export_models import as_json_rows, case_of, each_case, each_far_link, far_case

from calmgam.read import to_javascript

RUN = """
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const { rows, offset } = JSON.parse(readFileSync("rows.json", "utf8"));
console.log(JSON.stringify(rows.map((row, k) => ({
  score: model.score(row, offset[k]),
  contributions: model.contributions(row),
  prediction: model.predict(row, offset[k]),
  reasons: model.reasons(row, 3),
}))));
"""


def run(case, tmp_path):
    (tmp_path / "model.mjs").write_text(to_javascript(case.model), encoding="ascii")
    (tmp_path / "run.mjs").write_text(RUN)
    document = {"rows": as_json_rows(case.X), "offset": case.offset.tolist()}
    (tmp_path / "rows.json").write_text(json.dumps(document))
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
@each_far_link
def test_small_probabilities_keep_their_digits(link, tmp_path):
    case = far_case(link)
    means = [row["prediction"] for row in run(case, tmp_path)]
    np.testing.assert_allclose(means, case.prediction, rtol=1e-12)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
@each_case
def test_node_says_what_the_model_says(seed, n_rows, tmp_path):
    case = case_of(seed, n_rows)
    found = run(case, tmp_path)
    scores = [row["score"] for row in found]
    np.testing.assert_allclose(scores, case.score, rtol=0, atol=1e-9)
    parts = np.array([row["contributions"] for row in found]).reshape(case.contributions.shape)
    np.testing.assert_array_equal(parts, case.contributions)
    means = [row["prediction"] for row in found]
    np.testing.assert_allclose(means, case.prediction, rtol=1e-12, atol=1e-9)
    reasons = [[tuple(reason.values()) for reason in row["reasons"]] for row in found]
    assert reasons == case.expected_reasons(3)
