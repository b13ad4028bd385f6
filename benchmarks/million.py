"""Time and memory on 1,000,000 rows × 20 features: fit on all rows, predict all rows.

python -m benchmarks.million
"""

import argparse
from pathlib import Path

from benchmarks import tables
from benchmarks.environments import ROOT
from benchmarks.run import Cell, names, run, settings_from, settings_parser

SHOWN = ["model", "fit_seconds", "predict_seconds", "peak_memory_mb", "r2", "n_interactions"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.million",
        description="Measure time and memory on a million rows.",
        parents=[settings_parser()],
    )
    parser.add_argument("--models", type=names, default=["calm_heterogeneity", "calm"])
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/million.csv")
    options = parser.parse_args(arguments)
    cells = [Cell("million", model, "all") for model in options.models]
    run(cells, options.out, settings_from(options))
    text = tables.markdown(tables.read(options.out)[SHOWN])
    tables.publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
