"""A model that MLflow loads and runs in a process that has no calmgam."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from export_models import random_case

import calmgam
from calmgam.read import to_mlflow

pytest.importorskip("mlflow", reason="mlflow is not installed")

RUN = """
import sys
sys.modules["calmgam"] = sys.modules["calmgam._kernels"] = None
import mlflow.pyfunc, pandas
rows = pandas.read_pickle(sys.argv[2])
mlflow.pyfunc.load_model(sys.argv[1]).predict(rows).to_pickle(sys.argv[3])
"""


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_mlflow_says_what_the_model_says_without_calmgam(seed, tmp_path):
    case = random_case(seed)
    folder = to_mlflow(case.model, tmp_path / "saved")
    case.X.to_pickle(tmp_path / "rows.pkl")
    files = [folder, tmp_path / "rows.pkl", tmp_path / "found.pkl"]
    subprocess.run([sys.executable, "-c", RUN, *map(str, files)], check=True, cwd=tmp_path)
    found = pd.read_pickle(tmp_path / "found.pkl")
    if case.model.classes:
        assert found["prediction"].tolist() == case.model.classify(case.score).tolist()
        means = found[[f"probability_{label}" for label in case.model.classes]].to_numpy()
        means = means if case.n_outputs > 1 else means[:, 1]
    else:
        means = found["prediction"]
    np.testing.assert_allclose(means, case.prediction, rtol=0, atol=1e-9)
    assert calmgam.load(folder / "data" / "model.json") == case.model
