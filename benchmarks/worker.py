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
    mean_tweedie_deviance,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from benchmarks import datasets, rivals
from benchmarks.environments import WORKER_REQUIREMENTS, package
from benchmarks.preprocessing import prepare

SEED = 0
# Powers of the mean that the variance of a target follows: what its deviance is of.
POWERS = {"count": 1.0, "rate": 1.0, "nonnegative": rivals.TWEEDIE_POWER, "positive": 2.0}


def measure(dataset: str, model: str, fold: str, n_jobs: int) -> dict:
    return measure_and_predict(dataset, model, fold, n_jobs)[0]


def measure_and_predict(
    dataset: str, model: str, fold: str, n_jobs: int
) -> tuple[dict, np.ndarray]:
    rival = rivals.find(model)
    for module in rival.imports:
        importlib.import_module(module)
    X, y, task = datasets.load(dataset)
    weights = datasets.weights(dataset)
    facts = {"task": task, "n_rows": len(X), "n_features": X.shape[1]}
    train, test = datasets.rows_of(fold, len(X))
    given = prepare(X.iloc[train], y[train], X.iloc[test], task, rival)
    weighing = {} if weights is None else {"sample_weight": weights[train]}
    gc.collect()
    gc.freeze()  # what imports have left is not to be looked through while the clock runs

    start, cpu_start = time.perf_counter(), cpu_seconds()
    fitted = rival.fit(given.X_train, given.y_train, task, n_jobs, SEED, **weighing)
    middle, cpu_middle = time.perf_counter(), cpu_seconds()
    predicted = given.restored(np.asarray(rival.predict(fitted, given.X_test), dtype=float))
    end = time.perf_counter()
    peak = peak_memory_mb()
    row = {
        **facts,
        **scores(task, y[test], predicted, None if weights is None else weights[test]),
        "fit_seconds": middle - start,
        "cpu_seconds": cpu_middle - cpu_start,
        "predict_seconds": end - middle,
        "peak_memory_mb": peak,
        "n_interactions": rival.n_interactions(fitted),
        "versions": versions((*rival.bare, *rival.requirements)),
    }
    return row, predicted


def scores(task: str, y, predicted, weights=None) -> dict[str, float]:
    """Return the metrics of the task; `error` is RMSE, 1 - AUC, deviance or log loss."""
    if task == "regression":
        rmse = root_mean_squared_error(y, predicted, sample_weight=weights)
        r2 = r2_score(y, predicted, sample_weight=weights)
        return {"rmse": rmse, "r2": r2, "error": rmse}
    if task in POWERS:
        positive = np.maximum(predicted, 1e-12)
        deviance = mean_tweedie_deviance(y, positive, sample_weight=weights, power=POWERS[task])
        return {"deviance": deviance, "error": deviance}
    if task == "multiclass":
        loss = log_loss(y, predicted, sample_weight=weights, labels=np.arange(predicted.shape[1]))
        right = predicted.argmax(axis=1) == y
        return {"accuracy": np.average(right, weights=weights), "log_loss": loss, "error": loss}
    auc = roc_auc_score(y, predicted, sample_weight=weights)
    clipped = np.clip(predicted, 1e-15, 1 - 1e-15)
    return {
        "accuracy": accuracy_score(y, predicted >= 0.5, sample_weight=weights),
        "auc": auc,
        "log_loss": log_loss(y, clipped, sample_weight=weights),
        "error": 1 - auc,
    }


def cpu_seconds() -> float:
    """Return the seconds that this process, its threads and its finished children have computed."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


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
