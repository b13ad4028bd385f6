"""Compare the tree (head) with a revision (base): ratios of time and error, and the bits predicted.

    python -m benchmarks.base_head 5707479 --models default,paper --repeats 3

Both are compiled by the same tools into temporary folders, then fit the same folds alternately,
each fit in a process of its own. Times are the best of the repeats; a ratio is head / base. Only
what every revision has is used: the default, `paper()` and `max_depth=0`, with a seed.
"""

import argparse
import csv
import hashlib
import io
import json
import math
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchmarks.environments import ROOT, build_into, searching
from benchmarks.run import names

DATASETS = ("wine", "phoneme", "ccpp", "california_housing", "skill_craft", "magic")
MODELS = {"default": "calm", "paper": "calm_paper", "own_gam": "own_gam"}  # names of the rivals
FOLD = "0"
SIDES = ("base", "head")


class Fit(NamedTuple):
    """One measured fit; `digest` is of the bits of its predictions."""

    seconds: float
    error: float
    digest: str


class Comparison(NamedTuple):
    """Base beside head on one table: a row of the CSV."""

    base: str
    head: str
    dataset: str
    model: str
    base_seconds: float
    head_seconds: float
    time_ratio: float
    base_error: float
    head_error: float
    error_ratio: float
    predictions: str


def compare(revisions: tuple[str, str], dataset: str, model: str, fits: dict) -> Comparison:
    """Put the fits of both sides, base and head, side by side."""
    seconds = [min(fit.seconds for fit in fits[side]) for side in SIDES]
    errors = [fits[side][0].error for side in SIDES]
    digests = [{fit.digest for fit in fits[side]} for side in SIDES]
    if any(len(found) > 1 for found in digests):
        predictions = "differ between repeats"
    else:
        predictions = "bit-equal" if digests[0] == digests[1] else "differ"
    return Comparison(
        *revisions,
        *(dataset, model),
        *(*seconds, seconds[1] / seconds[0]),
        *(*errors, ratio(errors[1], errors[0])),
        predictions,
    )


def ratio(head: float, base: float) -> float:
    """Return head / base, 1 where both are 0."""
    return 1.0 if head == base else head / base if base else math.inf


def turns(repeats: int) -> Iterator[str]:
    """Yield the sides in turn; who goes first alternates, too, so that neither gains by it."""
    for i in range(repeats):
        yield from SIDES if i % 2 == 0 else reversed(SIDES)


def measure(folder: Path, dataset: str, model: str, n_jobs: int) -> Fit:
    """Fit with the calmgam that is installed in a folder, in a new process."""
    job = json.dumps({"dataset": dataset, "model": MODELS[model], "fold": FOLD, "n_jobs": n_jobs})
    work = "import sys; from benchmarks.base_head import fit_here; fit_here(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", work, job, folder],
        cwd=ROOT,
        env=searching(folder, ROOT),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{dataset} {model} failed in {folder.name}: {done.stderr.strip()}")
    return Fit(*json.loads(done.stdout.splitlines()[-1]))


def fit_here(job: str, folder: str) -> None:
    """Print the fit that a job describes, in the process that `measure` started."""
    import calmgam
    from benchmarks.worker import measure_and_predict, use_cores

    if Path(folder) not in Path(calmgam.__file__).parents:
        raise RuntimeError(f"calmgam must come from {folder}; got {calmgam.__file__}")
    wanted = json.loads(job)
    use_cores(wanted["n_jobs"])
    row, predicted = measure_and_predict(**wanted)
    digest = hashlib.sha256(predicted.tobytes()).hexdigest()
    print(json.dumps(Fit(row["fit_seconds"], float(row["error"]), digest)))


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout


def described(*revision: str) -> str:
    return git("describe", "--always", *revision).decode().strip()


def unpack(revision: str, folder: Path) -> None:
    """Write the tree of a revision into a folder."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", revision))) as archive:
        archive.extractall(folder, filter="data")


def write(path: Path, rows: Iterable[Comparison]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Comparison._fields)
        writer.writerows(rows)


def line(row: Comparison) -> str:
    return (
        f"{row.model:8} {row.dataset:20} "
        f"{row.base_seconds:8.2f} s {row.head_seconds:8.2f} s   time × {row.time_ratio:.3f}   "
        f"error × {row.error_ratio:.5f}   predictions {row.predictions}"
    )


def summary(rows: list[Comparison], model: str) -> str:
    """Return one line per model: geometric means over its tables."""
    of_model = [row for row in rows if row.model == model]
    time, error = (
        math.exp(math.fsum(math.log(value) for value in values) / len(of_model))
        for values in ([r.time_ratio for r in of_model], [r.error_ratio for r in of_model])
    )
    n_equal = sum(row.predictions == "bit-equal" for row in of_model)
    return (
        f"{model}: time × {time:.3f}, error × {error:.5f} (geometric means, head / base); "
        f"predictions bit-equal on {n_equal} of {len(of_model)} tables"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.base_head", description=__doc__)
    parser.add_argument("revision", help="commit, branch or tag to compare with")
    parser.add_argument("--models", type=names, default=["default"], help=", ".join(MODELS))
    parser.add_argument("--datasets", type=names, default=list(DATASETS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/base_head.csv")
    options = parser.parse_args(arguments)
    if unknown := set(options.models) - MODELS.keys():
        parser.error(f"models must be among {', '.join(MODELS)}; got {', '.join(sorted(unknown))}")
    if options.repeats < 1:
        parser.error(f"repeats must be an integer >= 1; got {options.repeats}")

    revisions = described(options.revision), described("--dirty")
    print(f"base {revisions[0]}, head {revisions[1]}: building both …", flush=True)
    rows: list[Comparison] = []
    with tempfile.TemporaryDirectory(prefix="calmgam-") as temporary:
        folders = {side: Path(temporary) / side for side in SIDES}
        unpack(options.revision, Path(temporary) / "base-tree")
        build_into(folders["base"], Path(temporary) / "base-tree")
        build_into(folders["head"], ROOT)
        for model, dataset in product(options.models, options.datasets):
            fits: dict[str, list[Fit]] = {side: [] for side in SIDES}
            for side in turns(options.repeats):
                fits[side].append(measure(folders[side], dataset, model, options.n_jobs))
            rows.append(compare(revisions, dataset, model, fits))
            write(options.out, rows)
            print(line(rows[-1]), flush=True)
    for model in options.models:
        print(summary(rows, model))


if __name__ == "__main__":
    main()
