"""What XGBoost reaches on the rows of `benchmarks.scale`, by depth, learning rate and rounds.

python -m benchmarks.scale_xgboost      # 300,000 rows x 50, one thread, about eight minutes

Which settings are fair beside calmgam's default on 10 million rows: every line is the error on
100,000 new rows after so many rounds of one fit; seconds are of the processor, of all its rounds.
"""

import csv
import time

import numpy as np
import pandas as pd

from benchmarks.scale import NOISE, RESULTS, TEST_SEED, simulate
from benchmarks.tables import markdown

N_ROWS, N_FEATURES, N_NEW = 300_000, 50, 100_000
SETTINGS = [  # depth, learning rate, rounds; 6 and 0.3 are XGBoost's own
    *((6, rate, 300) for rate in (0.1, 0.3, 0.5)),
    *((4, rate, 300) for rate in (0.3, 0.5)),
    *((3, rate, 300) for rate in (0.3, 0.5)),
    *((2, rate, 300) for rate in (0.3, 0.5, 1.0)),
    (8, 0.3, 300),
    (3, 0.1, 3000),
]


def main() -> None:
    import xgboost

    columns, y = simulate(N_ROWS, N_FEATURES, 0)
    new, expected = simulate(N_NEW, N_FEATURES, TEST_SEED)
    rows, new_rows = xgboost.QuantileDMatrix(columns.T.copy(), y, nthread=1), new.T.copy()
    lines = []
    for depth, rate, n_rounds in SETTINGS:
        settings = {"tree_method": "hist", "nthread": 1, "eta": rate, "max_depth": depth}
        start = time.process_time()
        booster = xgboost.train(settings, rows, n_rounds)
        seconds = time.process_time() - start
        for rounds in (n_rounds // 3, 2 * n_rounds // 3, n_rounds):
            found = booster.predict(xgboost.DMatrix(new_rows), iteration_range=(0, rounds))
            rmse = float(np.sqrt(np.mean((found - expected) ** 2)))
            line = {"max_depth": depth, "eta": rate, "rounds": rounds}
            lines.append({**line, "rmse": round(rmse, 4), "over_noise": round(rmse / NOISE, 4)})
        lines[-1]["processor_seconds"] = round(seconds, 1)
        print(lines[-1], flush=True)
    path = RESULTS / "scale_xgboost.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[-1]))
        writer.writeheader()
        writer.writerows(lines)
    text = markdown(pd.read_csv(path))
    path.with_suffix(".md").write_text(f"Made by `python -m benchmarks.scale_xgboost`.\n\n{text}\n")


if __name__ == "__main__":
    main()
