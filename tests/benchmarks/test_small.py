import numpy as np
import pandas as pd
import pytest

from benchmarks import small


def test_errors_are_rmse_and_log_loss():
    assert small.error(np.array([1.0, 3.0]), np.array([0.0, 0.0]), "regression") == 5**0.5
    scores, y = np.array([0.0, 2.0, -1.0]), np.array([1, 1, 0])
    probability = 1 / (1 + np.exp(-scores))
    expected = -np.mean(np.log(np.where(y == 1, probability, 1 - probability)))
    assert small.error(scores, y, "classification") == pytest.approx(expected)


def test_summary_averages_draws_then_counts_tables():
    errors = {("a", 0): 0.9, ("a", 1): 0.8, ("b", 0): 1.2, ("b", 1): 1.2, ("c", 0): 1.005}
    measured = pd.DataFrame(
        [
            {"dataset": name, "n_rows": 320, "draw": draw, "model": "calm"}
            | {"curves": curves, "error": 1.0 if curves == "boosting" else error}
            for (name, draw), error in errors.items()
            for curves in ("boosting", "splines", "mean")
        ]
    )
    line = small.summary(measured).splitlines()[2]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    ratio = (np.sqrt(0.9 * 0.8) * 1.2 * 1.005) ** (1 / 3)
    assert float(cells[3]) == pytest.approx(ratio, abs=1e-3)
    assert cells[4:] == ["1", "1", "1", "b 1.200"]
