import pandas as pd

from benchmarks import synthetic


def test_summary_averages_seeds_and_folds():
    measured = pd.DataFrame(
        {
            "dataset": ["case1-seed0", "case1-seed1", "case2-seed0", "case2-seed0"],
            "model": "calm",
            "fold": ["0", "0", "0", "1"],
            "r2": [0.8, 1.0, 0.5, 0.7],
        }
    )
    table = synthetic.summary(measured)
    assert list(table["dataset"]) == ["case1", "case2"]
    assert list(table["calm"].round(9)) == [0.9, 0.6]
    assert list(table["required"]) == [0.990, 0.985]
    assert list(table["published"]) == [0.995, 0.949]
    assert synthetic.verdict(table) == (
        "The default reaches what is required in 0 of 2 cases, not in case1, case2."
    )
    assert synthetic.verdict(table.assign(calm=1.0)).endswith("in 2 of 2 cases.")
