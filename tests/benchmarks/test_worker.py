import numpy as np
import pytest

from benchmarks import worker


def test_scores_of_both_tasks():
    values = worker.scores("regression", np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    assert values == pytest.approx({"rmse": 1, "r2": 0, "error": 1})
    labels, probabilities = np.array([0, 0, 1, 1]), np.array([0.1, 0.6, 0.4, 0.9])
    values = worker.scores("classification", labels, probabilities)
    assert values["accuracy"] == 0.5
    assert values["auc"] == 0.75
    assert values["error"] == 0.25
    assert values["log_loss"] == pytest.approx(-np.log([0.9, 0.4, 0.4, 0.9]).mean())


def test_whole_measurement_in_this_process():
    row = worker.measure("case3-seed0", "tests.benchmarks.mean_rival", "4", n_jobs=1)
    assert row["task"] == "regression"
    assert row["fit_seconds"] >= 0
    assert row["n_interactions"] == 0
