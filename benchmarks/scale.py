"""Tables that do not fit: time, memory and error against rows, columns and workers.

python -m benchmarks.scale make FOLDER --rows 10000000 --features 50
python -m benchmarks.scale fit FOLDER --models calm,xgboost --out benchmarks/results/scale.csv
python -m benchmarks.scale engines FOLDER

`make` writes simulated rows, `simulate_million`'s truth with five true interactions, as Parquet
files of float32. `fit` fits each model in a process of its own and writes seconds (on the clock and
of the processor), peak memory and the error on new rows; the noise of y is 0.5. `engines` fits the
same folder with threads, Dask and Spark, also with the partitions shuffled, and compares the bits.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

NOISE = 0.5
ROWS_PER_FILE = 250_000
TEST_ROWS, TEST_SEED = 200_000, 10**6
N_ROUNDS = 300  # of XGBoost


def simulate(n_rows: int, n_features: int, seed: int):
    """Return float32 features, and y of the truth behind `simulate_million`."""
    rng = np.random.default_rng([seed, n_features])
    columns = rng.uniform(-1, 1, (n_features, n_rows)).astype(np.float32)
    y = rng.normal(0, NOISE, n_rows)
    for i, column in enumerate(columns):
        y += np.sin(np.pi * column) if i % 2 else column**2
    for i, threshold in enumerate((-0.4, -0.2, 0.0, 0.2, 0.4)):
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


def fit_calm(folder: Path, columns):
    from calmgam import CALMRegressor

    start = time.perf_counter()
    model = CALMRegressor(random_state=0, verbose=True).fit(folder, "y")
    seconds = time.perf_counter() - start
    return seconds, model.predict(columns.T), model.model_.n_interactions


def fit_xgboost(folder: Path, columns):
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

    start = time.perf_counter()
    rows = xgboost.QuantileDMatrix(Batches())
    settings = {"tree_method": "hist", "nthread": 2, "eta": 0.1, "max_depth": 6}
    booster = xgboost.train(settings, rows, N_ROUNDS)
    seconds = time.perf_counter() - start
    return seconds, booster.predict(xgboost.DMatrix(columns.T)), ""


MODELS = {"calm": fit_calm, "xgboost": fit_xgboost}


def fit_one(folder: Path, model: str) -> dict[str, object]:
    columns, y = simulate(TEST_ROWS, n_features_of(folder), TEST_SEED)
    seconds, predicted, n_interactions = MODELS[model](folder, columns)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    rmse = float(np.sqrt(np.mean((predicted - y) ** 2)))
    return {
        "model": model,
        "fit_seconds": round(seconds, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_memory_mb": round(usage.ru_maxrss / 1024),
        "rmse": round(rmse, 5),
        "over_noise": round(rmse / NOISE, 4),
        "n_interactions": n_interactions,
    }


def fit(folder: Path, models: list[str], out: Path | None) -> None:
    import pyarrow.dataset as ds

    n_rows, n_features = ds.dataset(folder).count_rows(), n_features_of(folder)
    for model in models:
        command = [sys.executable, "-m", "benchmarks.scale", "one", str(folder), "--models", model]
        result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        line = {"n_rows": n_rows, "n_features": n_features, **json.loads(result.stdout)}
        print(line, flush=True)
        if out:
            is_new = not out.exists()
            with out.open("a", newline="") as file:
                writer = csv.DictWriter(file, list(line))
                if is_new:
                    writer.writeheader()
                writer.writerow(line)


def engines(folder: Path, partitions: int) -> None:
    """Fit with every engine, and say whether the models have the same bits."""
    import dask.dataframe as dd
    import pyarrow.dataset as ds
    from distributed import Client, LocalCluster
    from pyspark.sql import SparkSession

    from calmgam import CALMRegressor

    def fitted(name, dataset):
        start = time.perf_counter()
        model = CALMRegressor(random_state=0).fit(dataset, "y").model_.to_dict()
        provenance = model.pop("provenance")
        seconds = time.perf_counter() - start
        return name, json.dumps(model), provenance["table_sha256"], seconds

    table = ds.dataset(folder).to_table()
    size = -(-table.num_rows // partitions)
    batches = table.to_batches(max_chunksize=size)
    shuffled = [batches[k] for k in np.random.default_rng(0).permutation(len(batches))]
    found = [fitted("threads", batches), fitted("threads, shuffled", shuffled)]
    del table
    frame = dd.read_parquet(folder).repartition(npartitions=partitions)
    address = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **address) as cluster, Client(cluster):
        found.append(fitted("dask, two workers", frame))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "3g")
        .getOrCreate()
    )
    found.append(
        fitted("spark, two workers", session.read.parquet(str(folder)).repartition(partitions))
    )
    session.stop()
    for name, model, digest, seconds in found:
        same = (model, digest) == found[0][1:3]
        print(f"{name:<20} {seconds:7.1f} s   same bits: {same}", flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("command", choices=["make", "fit", "one", "engines"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--models", default="calm,xgboost")
    parser.add_argument("--partitions", type=int, default=40)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "make":
        make(options.folder, options.rows, options.features)
    elif options.command == "one":
        print(json.dumps(fit_one(options.folder, options.models)))
    elif options.command == "engines":
        engines(options.folder, options.partitions)
    else:
        fit(options.folder, options.models.split(","), options.out)


if __name__ == "__main__":
    main()
