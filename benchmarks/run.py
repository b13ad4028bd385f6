"""Fit models on datasets and folds, one process each, one after the other, into a CSV.

    python -m benchmarks.run --datasets wine,phoneme --models own_gam,ebm --folds 0 \
        --out benchmarks/results/speed.csv

A cell is one (dataset, model, fold). Cells already in the CSV are kept, so an interrupted run goes
on where it stopped; the models of a dataset run next to each other, with the same threads.
"""

import argparse
import csv
import json
import os
import platform
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks import rivals, tables, worker
from benchmarks.environments import ROOT, python_for
from benchmarks.processes import run_limited

COLUMNS = (
    *("dataset", "model", "fold", "task"),
    *("rmse", "r2", "accuracy", "auc", "log_loss", "deviance", "error"),
    *("fit_seconds", "cpu_seconds", "predict_seconds", "peak_memory_mb", "n_interactions"),
    "status",
    *("n_rows", "n_features", "n_jobs", "versions", "machine"),
)
MACHINE = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
THREAD_VARIABLES = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"),
)


class Cell(NamedTuple):
    """What is measured."""

    dataset: str
    model: str
    fold: str


@dataclass(frozen=True)
class Settings:
    """How cells are measured.

    `again` says which finished cells are measured again: "none", "failed" or "all"; `in_process`
    that nothing is started, for models that are installed here and when seconds do not matter.
    """

    n_jobs: int = 2
    max_seconds: float = 3600
    max_memory_mb: float = 12_000
    again: str = "none"
    in_process: bool = False


def run(cells: Iterable[Cell], out: Path, settings: Settings) -> None:
    """Measure the cells that `out` lacks, and write it after each."""
    rows = read(out)
    todo = [cell for cell in cells if wanted(rows.get(cell), settings.again)]
    used = {cell.model: rivals.find(cell.model) for cell in todo}
    pythons = {
        name: None if settings.in_process else python_for(rival.requirements, rival.bare)
        for name, rival in used.items()
    }
    taken: dict[str, list[float]] = {}
    for i, cell in enumerate(todo):
        start = time.monotonic()
        rows[cell] = measure(cell, pythons[cell.model], settings)
        taken.setdefault(cell.model, []).append(time.monotonic() - start)
        write(out, rows)
        print(f"[{i + 1}/{len(todo)}] {describe(rows[cell])}", end="", flush=True)
        print(f" — about {remaining(todo[i + 1 :], taken):.0f} s left", flush=True)


def wanted(row: dict | None, again: str) -> bool:
    return row is None or again == "all" or (again == "failed" and row["status"] != "ok")


def measure(cell: Cell, python: Path | None, settings: Settings) -> dict:
    """Return the row of a cell; a failure is a row too, with its message as status."""
    row = dict.fromkeys(COLUMNS, "") | cell._asdict()
    row |= {"n_jobs": settings.n_jobs, "machine": MACHINE}
    if python is None:
        return row | worker.measure(*cell, settings.n_jobs) | {"status": "ok"}
    job = json.dumps({**cell._asdict(), "n_jobs": settings.n_jobs})
    threads = dict.fromkeys(THREAD_VARIABLES, str(settings.n_jobs))
    process = run_limited(
        [python, "-m", "benchmarks.worker", job],
        folder=ROOT,
        environment={**os.environ, **threads},
        max_seconds=settings.max_seconds,
        max_memory_mb=settings.max_memory_mb,
    )
    if process.stopped or process.return_code:
        last_words = process.errors.strip().rpartition("\n")[2]
        row["status"] = process.stopped or last_words or f"exit code {process.return_code}"
        return row
    measured = json.loads(process.output.splitlines()[-1])
    # The worker knows its own peak exactly; looking from outside also sees its child processes.
    measured["peak_memory_mb"] = max(measured["peak_memory_mb"], process.peak_memory_mb)
    return row | measured | {"status": "ok"}


def describe(row: dict) -> str:
    name = f"{row['dataset']} {row['model']} fold {row['fold']}"
    if row["status"] != "ok":
        return f"{name}: {row['status']}"
    return f"{name}: error {row['error']:.5g}, fit {row['fit_seconds']:.2f} s"


def remaining(todo: list[Cell], taken: dict[str, list[float]]) -> float:
    """Return the seconds left if every model keeps its mean time (new ones: the overall mean)."""
    overall = statistics.mean(t for times in taken.values() for t in times)
    return sum(statistics.mean(taken.get(cell.model, [overall])) for cell in todo)


def read(path: Path) -> dict[Cell, dict]:
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {Cell(r["dataset"], r["model"], r["fold"]): r for r in csv.DictReader(file)}


def finished(*paths: Path) -> set[Cell]:
    """Return the cells that were measured with success."""
    return {cell for path in paths for cell, row in read(path).items() if row["status"] == "ok"}


def write(path: Path, rows: dict[Cell, dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())
    partial.replace(path)


def settings_parser() -> argparse.ArgumentParser:
    """Return the options that every benchmark command shares."""
    default = Settings()
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--n-jobs", type=int, default=default.n_jobs)
    parser.add_argument("--max-seconds", type=float, default=default.max_seconds)
    parser.add_argument("--max-memory-mb", type=float, default=default.max_memory_mb)
    parser.add_argument(
        "--again",
        choices=("none", "failed", "all"),
        default=default.again,
        help="which cells of the CSV to measure again",
    )
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="start nothing: what is installed here, when seconds do not matter",
    )
    return parser


def settings_from(options: argparse.Namespace) -> Settings:
    return Settings(
        options.n_jobs,
        options.max_seconds,
        options.max_memory_mb,
        options.again,
        options.in_process,
    )


def names(text: str) -> list[str]:
    return text.split(",")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run",
        description="Measure models side by side.",
        parents=[settings_parser()],
    )
    parser.add_argument("--datasets", type=names, required=True, help="names, comma-separated")
    parser.add_argument("--models", type=names, required=True, help="files of benchmarks/rivals")
    parser.add_argument("--folds", type=names, default=names("0,1,2,3,4"), help="0 to 4, or all")
    parser.add_argument("--out", type=Path, required=True, help="CSV to extend")
    options = parser.parse_args(arguments)
    cells = [
        Cell(dataset, model, fold)
        for dataset in options.datasets
        for fold in options.folds
        for model in options.models
    ]
    run(cells, options.out, settings_from(options))
    measured = tables.read(options.out)
    ours, *others = options.models
    for rival in others:
        print("\n" + tables.comparison_text(measured, ours, rival))


if __name__ == "__main__":
    main()
