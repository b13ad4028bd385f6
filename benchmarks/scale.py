"""Tables that do not fit: time, memory and error against rows, columns and workers.

python -m benchmarks.scale all --folder /tmp/scale      # everything below; needs 3 GB of disk
python -m benchmarks.scale make --folder F --rows 10000000 --features 50
python -m benchmarks.scale fit --folder F --models calm,xgboost --workers 2
python -m benchmarks.scale engines --folder F
python -m benchmarks.scale stages --rows 1000000 --features 20
python -m benchmarks.scale tables

`make` writes simulated rows, `simulate_million`'s truth with five true interactions, as Parquet
files of float32. `fit` fits each model in a process of its own and adds a line to scale.csv:
seconds on the clock and of the processor, of all and of the passes over the rows, peak memory and
the error on new rows; the noise of y is 0.5. `xgboost` is 300 rounds with its own rate and depth,
`xgboost_long` as many rounds as fifty features that add up ask for, `calm_in_memory` the same rows
held in memory.
`engines` fits the folder with threads, Dask and Spark, also with the partitions shuffled, and
compares the bits. `stages` profiles a fit of rows in memory, in one thread.
"""

import argparse
import cProfile
import csv
import json
import os
import pstats
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.environments import ROOT
from benchmarks.tables import markdown

RESULTS = ROOT / "benchmarks/results"
NOISE = 0.5
ROWS_PER_FILE = 250_000
TEST_ROWS, TEST_SEED = 200_000, 10**6
ROUND_THRESHOLDS = (-0.4, -0.2, 0.0, 0.2, 0.4)
XGBOOST = {"rounds": 300, "eta": 0.3, "max_depth": 6}  # rate and depth are its own defaults
XGBOOST_LONG = {"rounds": 3000, "eta": 0.1, "max_depth": 3}  # the best of scale_xgboost.csv
SIZES = [(1_000_000, 20), (3_000_000, 20), (10_000_000, 20), (1_000_000, 50)]  # of the curves


STAGES = {  # functions whose processor time, with all that they call, is a stage's
    "columns": "model/schema.py:learn",
    "encoding": "model/schema.py:encode",
    "hashes and sample": "scale/rows.py:sample",
    "bins": "fit/pipeline.py:bin_rows",
    "references": "fit/prepared.py:fit_reference",
    "growth": "joint/path.py:grow_path",
    "selection by boosted curves": "regions/held_out.py:boosted_losses",
    "thresholds": "scale/fitting.py:prepare_curves",
    "pass over the rows": "scale/rows.py:moments",
    "curves from sums": "scale/fitting.py:learn_sums",
    "inside bins": "scale/inside_bins.py:in_fine_bins",
    "canonical form": "curves/assembling.py:assemble_counted",
    "digest": "calmgam/base.py:_provenance",
    "all": "calmgam/base.py:_fit",
}


def simulate(n_rows: int, n_features: int, seed: int, truth: int = 0):
    """Return float32 features, and y of the truth behind `simulate_million`.

    Thresholds of the interactions are round; those of any other truth are drawn.
    """
    rng = np.random.default_rng([seed, n_features])
    drawn = np.random.default_rng(truth).uniform(-0.5, 0.5, len(ROUND_THRESHOLDS))
    columns = rng.uniform(-1, 1, (n_features, n_rows)).astype(np.float32)
    y = rng.normal(0, NOISE, n_rows)
    for i, column in enumerate(columns):
        y += np.sin(np.pi * column) if i % 2 else column**2
    for i, threshold in enumerate(drawn if truth else ROUND_THRESHOLDS):
        y += np.where(columns[i + 5] > threshold, 1.5, -1.5) * columns[i]
    return columns, y.astype(np.float32)


def make(folder: Path, n_rows: int, n_features: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    n_files = -(-n_rows // ROWS_PER_FILE)
    for k in range(n_files):
        columns, y = simulate(min(ROWS_PER_FILE, n_rows - k * ROWS_PER_FILE), n_features, k)
        names = [*(f"x{i}" for i in range(n_features)), "y"]
        table = pa.table([*columns, y], names=names)
        pq.write_table(table, folder / f"part-{k:04}.parquet", use_dictionary=False)


def n_features_of(folder: Path) -> int:
    import pyarrow.dataset as ds

    return len(ds.dataset(folder).schema.names) - 1


def clocks() -> np.ndarray:
    """Return seconds on the clock, and of the processor in this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return np.array([time.perf_counter(), usage.ru_utime + usage.ru_stime])


@contextmanager
def passes_timed() -> Iterator[list[np.ndarray]]:
    """Keep the seconds of every pass over files."""
    from calmgam.fit.scale.engines.threads import Files

    seconds, map_reduce = [], Files.map_reduce

    def timed(self, *arguments):
        start = clocks()
        found = map_reduce(self, *arguments)
        seconds.append(clocks() - start)
        return found

    Files.map_reduce = timed
    try:
        yield seconds
    finally:
        Files.map_reduce = map_reduce


def fit_calm(folder: Path, columns, workers: int):
    from calmgam import CALMRegressor

    with passes_timed() as passes:
        start = clocks()
        model = CALMRegressor(random_state=0, n_jobs=workers).fit(folder, "y")
        seconds = clocks() - start
    return seconds, np.sum(passes, axis=0), model.predict(columns.T), model.model_.n_interactions


def fit_in_memory(folder: Path, columns, workers: int):
    """Fit the rows of a folder, held in memory as a matrix of doubles."""
    import pyarrow.dataset as ds

    from calmgam import CALMRegressor

    table = ds.dataset(folder).to_table()
    *X, y = (table.column(name).to_numpy().astype(float) for name in table.column_names)
    X = np.column_stack(X)
    start = clocks()
    model = CALMRegressor(random_state=0, n_jobs=workers).fit(X, y)
    seconds = clocks() - start
    return seconds, None, model.predict(columns.T), model.model_.n_interactions


def fit_xgboost(folder: Path, columns, workers: int, rounds: int, **settings):
    """Quantised rows are held, the file is not: batches go into a QuantileDMatrix."""
    import pyarrow.dataset as ds
    import xgboost

    class Batches(xgboost.DataIter):
        def __init__(self):
            super().__init__()
            self.reset()

        def reset(self):
            self.batches = ds.dataset(folder).to_batches(batch_size=ROWS_PER_FILE)

        def next(self, input_data):
            batch = next(self.batches, None)
            if batch is None:
                return False
            values = [batch.column(name).to_numpy() for name in batch.schema.names]
            input_data(data=np.column_stack(values[:-1]), label=values[-1])
            return True

    start = clocks()
    rows = xgboost.QuantileDMatrix(Batches(), nthread=workers)
    settings |= {"tree_method": "hist", "nthread": workers}
    booster = xgboost.train(settings, rows, rounds)
    seconds = clocks() - start
    return seconds, None, booster.predict(xgboost.DMatrix(columns.T)), ""


MODELS = {
    "calm": fit_calm,
    "calm_in_memory": fit_in_memory,
    "xgboost": partial(fit_xgboost, **XGBOOST),
    "xgboost_long": partial(fit_xgboost, **XGBOOST_LONG),
}


def fit_one(folder: Path, model: str, workers: int) -> dict[str, object]:
    columns, y = simulate(TEST_ROWS, n_features_of(folder), TEST_SEED)
    seconds, passes, predicted, n_interactions = MODELS[model](folder, columns, workers)
    rmse = float(np.sqrt(np.mean((predicted - y) ** 2)))
    of_passes = ["", ""] if passes is None else passes.round(1).tolist()
    return {
        "model": model,
        "workers": workers,
        "fit_seconds": round(float(seconds[0]), 1),
        "processor_seconds": round(float(seconds[1]), 1),
        "pass_seconds": of_passes[0],
        "pass_processor_seconds": of_passes[1],
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "rmse": round(rmse, 5),
        "over_noise": round(rmse / NOISE, 4),
        "n_interactions": n_interactions,
    }


def fit(folder: Path, models: list[str], workers: int, out: Path) -> None:
    import pyarrow.dataset as ds

    n_rows, n_features = ds.dataset(folder).count_rows(), n_features_of(folder)
    for model in models:
        options = ["--folder", str(folder), "--models", model, "--workers", str(workers)]
        command = [sys.executable, "-m", "benchmarks.scale", "one", *options]
        result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        write({"n_rows": n_rows, "n_features": n_features, **json.loads(result.stdout)}, out)


def write(line: dict[str, object], out: Path) -> None:
    print(line, flush=True)
    is_new = not out.exists()
    with out.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(line))
        if is_new:
            writer.writeheader()
        writer.writerow(line)


def everything(folder: Path) -> None:
    """Measure all that docs/scale.md tells; one folder of files is there at a time."""
    out = RESULTS / "scale.csv"
    for old in (out, RESULTS / "scale_engines.csv"):
        old.unlink(missing_ok=True)
    for n_rows, n_features in SIZES:
        make(folder, n_rows, n_features)
        fit(folder, ["calm"], 2, out)
        if (n_rows, n_features) == SIZES[0]:
            fit(folder, ["calm"], 1, out)
            fit(folder, ["calm_in_memory"], 2, out)
        if (n_rows, n_features) == SIZES[-1]:
            fit(folder, ["xgboost", "xgboost_long"], 2, out)
        shutil.rmtree(folder)
    make(folder, 2_000_000, 20)
    engines(folder, 40)
    shutil.rmtree(folder)
    make(folder, 10_000_000, 50)
    fit(folder, ["calm", "xgboost"], 2, out)
    shutil.rmtree(folder)
    stages(1_000_000, 20)
    show()


def stages(n_rows: int, n_features: int) -> None:
    """Profile a fit of rows in memory by processor time."""
    from calmgam import CALMRegressor

    columns, y = simulate(n_rows, n_features, 0)
    X, profile = columns.T.astype(float), cProfile.Profile(time.process_time)
    model = CALMRegressor(random_state=0, n_jobs=1)
    profile.runcall(model.fit, X, y.astype(float))
    seconds = {
        f"{'/'.join(Path(file).parts[-2:])}:{name}": found[3]
        for (file, _, name), found in pstats.Stats(profile).stats.items()
    }
    out = RESULTS / "scale_stages.csv"
    out.unlink(missing_ok=True)
    for stage, function in STAGES.items():
        size = {"n_rows": n_rows, "n_features": n_features}
        write({**size, "stage": stage, "processor_seconds": round(seconds[function], 2)}, out)


def show() -> None:
    """Write the tables of the measured lines."""
    for name in ("scale", "scale_engines", "scale_stages"):
        table = pd.read_csv(RESULTS / f"{name}.csv")
        if name == "scale":
            after = table["processor_seconds"] - table["pass_processor_seconds"]
            place = table.columns.get_loc("pass_processor_seconds") + 1
            table.insert(place, "after_processor_seconds", after.round(1))
        text = markdown(table.drop(columns="model_sha256", errors="ignore"))
        (RESULTS / f"{name}.md").write_text(f"Made by `python -m benchmarks.scale`.\n\n{text}\n")
        print(text)


def engines(folder: Path, partitions: int) -> None:
    """Fit with every engine, and say whether the models have the same bits."""
    import dask.dataframe as dd
    import pyarrow.dataset as ds
    from distributed import Client, LocalCluster
    from pyspark.sql import SparkSession, functions

    from calmgam import CALMRegressor

    digests: list[tuple[str, str]] = []

    def fitted(name, dataset):
        start = clocks()
        model = CALMRegressor(random_state=0).fit(dataset, "y").model_.to_dict()
        table_sha256 = model.pop("provenance")["table_sha256"]
        seconds = clocks() - start
        digests.append((sha256(json.dumps(model).encode()).hexdigest(), table_sha256))
        line = {
            "engine": name,
            "n_rows": n_rows,
            "n_features": n_features_of(folder),
            "partitions": partitions,
            "fit_seconds": round(float(seconds[0]), 1),
            "driver_processor_seconds": round(float(seconds[1]), 1),
            "model_sha256": digests[-1][0],
            "same_bits": digests[-1] == digests[0],
        }
        write(line, RESULTS / "scale_engines.csv")

    table = ds.dataset(folder).to_table()
    n_rows = table.num_rows
    batches = table.combine_chunks().to_batches(max_chunksize=-(-n_rows // partitions))
    fitted("threads", batches)
    shuffled = [batches[k] for k in np.random.default_rng(0).permutation(len(batches))]
    fitted("threads, partitions shuffled", shuffled)
    del table, batches, shuffled
    frame = dd.read_parquet(folder).repartition(npartitions=partitions)
    address = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **address) as cluster, Client(cluster):
        fitted("dask, two workers", frame)
        order = np.random.default_rng(1).permutation(partitions).tolist()
        fitted("dask, two workers, partitions shuffled", frame.partitions[order])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "3g")
        .getOrCreate()
    )
    rows = session.read.parquet(str(folder))
    fitted("spark, two workers", rows.repartition(partitions))
    shuffled = rows.orderBy(functions.rand(1)).repartition(partitions)
    fitted("spark, two workers, rows shuffled", shuffled)
    session.stop()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument(
        "command", choices=["all", "make", "fit", "one", "engines", "stages", "tables"]
    )
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--models", default="calm,xgboost")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=40)
    options = parser.parse_args(arguments)
    if options.command == "all":
        everything(options.folder)
    elif options.command == "make":
        make(options.folder, options.rows, options.features)
    elif options.command == "one":
        print(json.dumps(fit_one(options.folder, options.models, options.workers)))
    elif options.command == "engines":
        engines(options.folder, options.partitions)
    elif options.command == "stages":
        stages(options.rows, options.features)
    elif options.command == "fit":
        models = options.models.split(",")
        fit(options.folder, models, options.workers, RESULTS / "scale.csv")
    else:
        show()


if __name__ == "__main__":
    main()
