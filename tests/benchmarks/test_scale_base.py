import numpy as np
import pandas as pd

from benchmarks.scale import NOISE, ROUND_THRESHOLDS, simulate
from benchmarks.scale_base import summary


def test_thresholds_are_round_or_drawn():
    columns, y = simulate(1000, 12, seed=3)
    again, other = simulate(1000, 12, seed=3)[1], simulate(1000, 12, seed=3, truth=1)[1]
    np.testing.assert_array_equal(y, again)
    assert columns.dtype == y.dtype == np.float32
    assert 0.0 in ROUND_THRESHOLDS and NOISE == 0.5
    moved = np.abs(y - other) > 1e-3
    assert 0.02 < moved.mean() < 0.9  # rows between a round threshold and a drawn one


def test_base_stands_beside_head():
    def line(side, truth, seconds, error):
        sizes = {"n_rows": 10, "truth": truth, "peak_memory_mb": 1}
        times = {"fit_seconds": seconds, "processor_seconds": 2 * seconds}
        return {"side": side, **sizes, **times, "over_noise": error}

    lines = [line("base", 0, 8.0, 1.1), line("head", 0, 2.0, 1.0), line("head", 1, 3.0, 1.0)]
    table = summary(pd.DataFrame(lines))
    assert table["times faster"].tolist()[0] == table["in CPU"].tolist()[0] == 4.0
    assert table["error ratio"].tolist()[0] == round(1 / 1.1, 4)
    assert np.isnan(table["times faster"].tolist()[1])  # the base is not measured yet
