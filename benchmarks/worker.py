"""Measure one cell in this process: python -m benchmarks.worker '{"dataset": …}' -> a JSON line.

Runs inside the rival's environment. Only `fit` and `predict` are timed: data, imports and the
preparation of tables come before. Peak memory is that of the whole process.
"""

import gc
import importlib
import importlib.metadata
import json
import os
import platform
import resource
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    log_loss,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from benchmarks import datasets, rivals
from benchmarks.environments import WORKER_REQUIREMENTS, package
from benchmarks.preprocessing import prepare

SEED = 0


def measure(dataset: str, model: str, fold: str, n_jobs: int) -> dict:
    return measure_and_predict(dataset, model, fold, n_jobs)[0]


def measure_and_predict(
    dataset: str, model: str, fold: str, n_jobs: int
) -> tuple[dict, np.ndarray]:
    rival = rivals.find(model)
    for module in rival.imports:
        importlib.import_module(module)
    X, y, task = datasets.load(dataset)
    facts = {"task": task, "n_rows": len(X), "n_features": X.shape[1]}
    X_train, y_train, X_test, y_test = datasets.split(X, y, fold)
    given = prepare(X_train, y_train, X_test, task, rival)
    gc.collect()
    gc.freeze()  # what imports have left is not to be looked through while the clock runs

    start = time.perf_counter()
    fitted = rival.fit(given.X_train, given.y_train, task, n_jobs, SEED)
    middle = time.perf_counter()
    predicted = given.restored(np.asarray(rival.predict(fitted, given.X_test), dtype=float))
    end = time.perf_counter()
    peak = peak_memory_mb()
    row = {
        **facts,
        **scores(task, y_test, predicted),
        "fit_seconds": middle - start,
        "predict_seconds": end - middle,
        "peak_memory_mb": peak,
        "n_interactions": rival.n_interactions(fitted),
        "versions": versions((*rival.bare, *rival.requirements)),
    }
    return row, predicted


def scores(task: str, y, predicted) -> dict[str, float]:
    """Return the metrics of the task; `error` is RMSE or 1 - AUC."""
    if task == "regression":
        rmse = root_mean_squared_error(y, predicted)
        return {"rmse": rmse, "r2": r2_score(y, predicted), "error": rmse}
    auc = roc_auc_score(y, predicted)
    return {
        "accuracy": accuracy_score(y, predicted >= 0.5),
        "auc": auc,
        "log_loss": log_loss(y, np.clip(predicted, 1e-15, 1 - 1e-15)),
        "error": 1 - auc,
    }


def peak_memory_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss on Linux may still hold the size of the parent process
        high_water = next(s for s in status.read_text().splitlines() if s.startswith("VmHWM"))
        return int(high_water.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def versions(requirements: tuple[str, ...]) -> str:
    installed = [f"python {platform.python_version()}"]
    for name in dict.fromkeys(map(package, (*requirements, *WORKER_REQUIREMENTS))):
        try:
            installed.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue  # a requirement of another platform
    return "; ".join(installed)


def use_cores(n_jobs: int) -> None:
    """Keep this process on as many cores: models that ignore n_jobs get no more than others."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_jobs])


if __name__ == "__main__":
    cell = json.loads(sys.argv[1])
    use_cores(cell["n_jobs"])
    print(json.dumps(measure(**cell)))
