import numpy as np
import pandas as pd
import pytest

from benchmarks import noise


def test_summary_counts_the_seeds_without_a_split():
    measured = pd.DataFrame(
        {"case": ["b", "b", "b", "a"], "seed": [0, 1, 2, 0], "n_splits": [0, 3, 0, 0]}
    )
    table = noise.summary(measured)
    assert table[["case", "seeds", "without", "most_splits"]].to_numpy().tolist() == [
        ["b", 3, 2, 3],
        ["a", 1, 1, 0],
    ]


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_run_writes_one_row_per_seed(task, tmp_path, monkeypatch):
    monkeypatch.setattr(noise, "N_ROWS", dict.fromkeys(noise.N_ROWS, 60))
    out = tmp_path / "results" / "noise.csv"
    noise.main(["--tasks", task, "--seeds", "2", "--out", str(out)])
    written = pd.read_csv(out)
    truths = ("noise", "wide-noise", "additive", "large-additive")
    assert written["case"].tolist() == [f"{truth} {task}" for truth in truths for _ in range(2)]
    assert list(written.columns) == ["case", "seed", "n_splits"]
    assert "required" in out.with_suffix(".md").read_text()


def test_wide_noise_has_many_features_for_its_rows():
    X, score = noise.wide_noise(np.random.default_rng(0), 60)
    assert X.shape == (60, 50)
    assert not score.any()
