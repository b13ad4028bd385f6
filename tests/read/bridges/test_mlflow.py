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

SEEDS = [0, 1, 3]
RUN = """
import sys
from pathlib import Path
sys.modules["calmgam"] = sys.modules["calmgam._kernels"] = None
import mlflow.pyfunc, pandas
for folder in map(Path, sys.argv[1:]):
    rows = pandas.read_pickle(folder / "rows.pkl")
    found = mlflow.pyfunc.load_model(str(folder / "saved")).predict(rows)
    found.to_pickle(folder / "found.pkl")
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Saved models, rows, and what one process says that has no calmgam, and all models."""
    made = {seed: tmp_path_factory.mktemp(f"model_{seed}") for seed in SEEDS}
    for seed, folder in made.items():
        to_mlflow(random_case(seed).model, folder / "saved")
        random_case(seed).X.to_pickle(folder / "rows.pkl")
    subprocess.run([sys.executable, "-c", RUN, *map(str, made.values())], check=True)
    return made


@pytest.mark.parametrize("seed", SEEDS)
def test_mlflow_says_what_the_model_says_without_calmgam(seed, folders):
    case = random_case(seed)
    found = pd.read_pickle(folders[seed] / "found.pkl")
    if case.model.classes:
        assert found["prediction"].tolist() == case.model.classify(case.score).tolist()
        means = found[[f"probability_{label}" for label in case.model.classes]].to_numpy()
        means = means if case.n_outputs > 1 else means[:, 1]
    else:
        means = found["prediction"]
    np.testing.assert_allclose(means, case.prediction, rtol=0, atol=1e-9)
    assert calmgam.load(folders[seed] / "saved" / "data" / "model.json") == case.model
