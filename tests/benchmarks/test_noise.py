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
def test_a_run_writes_one_row_per_seed_and_keeps_what_it_knows(task, tmp_path, monkeypatch):
    monkeypatch.setattr(noise, "SHAPES", {"noise": (60, 3), "additive": (60, 4)})
    out = tmp_path / "results" / "noise.csv"
    for truths in ("noise", "noise,additive"):
        noise.main(["--truths", truths, "--tasks", task, "--seeds", "2", "--out", str(out)])
    written = pd.read_csv(out)
    assert written["case"].tolist() == [f"{truth} {task}" for truth in noise.SHAPES for _ in "01"]
    assert list(written.columns) == ["case", "seed", "n_splits"]
    assert "required" in out.with_suffix(".md").read_text()


def test_noise_has_features_that_say_nothing():
    X, score = noise.noise(np.random.default_rng(0), *noise.SHAPES["wide-noise"])
    assert X.shape == (500, 50)
    assert not score.any()
