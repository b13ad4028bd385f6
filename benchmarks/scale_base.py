"""Rows in memory, this tree (head) against a revision (base): time, memory and error.

    python -m benchmarks.scale_base 0e0ff50 --rows 1000000,300000 --truths 3

Simulated rows of `benchmarks.scale`, 20 features. Truth 0 has round thresholds, which fits prefer
where they can; those of the others are drawn. Both sides are compiled by the same tools (builds are
kept in build/revisions), and each fit has a process of its own; who goes first alternates. RMSE is
on 200,000 new rows. Writes results/scale_base.csv, whose cells are kept, and its table.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.base_head import SIDES, described, turns, unpack
from benchmarks.environments import ROOT, build_into, searching, source_digest
from benchmarks.run import names
from benchmarks.scale import NOISE, TEST_ROWS, TEST_SEED, clocks, simulate
from benchmarks.tables import markdown, publish

OUT = ROOT / "benchmarks/results/scale_base.csv"
BUILDS = ROOT / "build/revisions"
N_FEATURES = 20


def built(name: str, revision: str | None = None) -> Path:
    """Return the folder, called so, of a compiled revision; of this tree, if none is given."""
    folder = BUILDS / name
    if not folder.exists():
        with tempfile.TemporaryDirectory(prefix="calmgam-") as temporary:
            if revision is not None:
                unpack(revision, Path(temporary))
            build_into(folder, ROOT if revision is None else Path(temporary))
    return folder


def fit_here(n_rows: str, truth: str, n_jobs: str, folder: str) -> None:
    """Print what a fit of the calmgam in a folder measures, in a process of its own."""
    import calmgam

    if Path(folder) not in Path(calmgam.__file__).parents:
        raise RuntimeError(f"calmgam must come from {folder}; got {calmgam.__file__}")
    columns, y = simulate(int(n_rows), N_FEATURES, int(truth), int(truth))
    X, y = columns.T.astype(float), y.astype(float)
    start = clocks()
    model = calmgam.CALMRegressor(random_state=0, n_jobs=int(n_jobs)).fit(X, y)
    seconds = clocks() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    columns, y = simulate(TEST_ROWS, N_FEATURES, TEST_SEED, int(truth))
    rmse = np.sqrt(np.mean((model.predict(columns.T.astype(float)) - y) ** 2))
    found = {
        "fit_seconds": round(float(seconds[0]), 1),
        "processor_seconds": round(float(seconds[1]), 1),
        "peak_memory_mb": round(peak),
        "over_noise": round(float(rmse) / NOISE, 5),
        "n_interactions": model.model_.n_interactions,
    }
    print(json.dumps(found))


def measure(folder: Path, n_rows: int, truth: int, n_jobs: int) -> dict[str, float]:
    """Fit with the calmgam that is installed in a folder."""
    work = "import sys; from benchmarks.scale_base import fit_here; fit_here(*sys.argv[1:])"
    job = [str(n_rows), str(truth), str(n_jobs), str(folder)]
    command = [sys.executable, "-S", "-c", work, *job]
    environment = searching(folder, ROOT)
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def summary(measured: pd.DataFrame) -> pd.DataFrame:
    """Return base beside head, one line per size and truth."""
    keys = ["n_rows", "truth"]
    base, head = (measured[measured["side"] == side].set_index(keys) for side in SIDES)
    table = pd.DataFrame(index=head.index)
    for name in ("fit_seconds", "processor_seconds", "peak_memory_mb", "over_noise"):
        for side, found in zip(SIDES, (base, head), strict=True):
            table[f"{name} {side}"] = found[name]
    for name, clock in (("times faster", "fit_seconds"), ("in CPU", "processor_seconds")):
        table[name] = (base[clock] / head[clock]).round(2)
    table["error ratio"] = (head["over_noise"] / base["over_noise"]).round(4)
    return table.reset_index()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_base", description=__doc__)
    parser.add_argument("revision", help="commit, branch or tag to compare with")
    parser.add_argument("--rows", type=names, default=["1000000", "300000"])
    parser.add_argument("--truths", type=int, default=3)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--build", action="store_true", help="compile both, and measure nothing")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    revisions = dict(zip(SIDES, (described(options.revision), described("--dirty")), strict=True))
    base, head = built(revisions["base"], options.revision), built(source_digest())
    folders = dict(zip(SIDES, (base, head), strict=True))
    if options.build:
        return
    lines = pd.read_csv(options.out).to_dict("records") if options.out.exists() else []
    known = {(line["side"], line["n_rows"], line["truth"]) for line in lines}
    cells = [(int(n_rows), truth) for n_rows in options.rows for truth in range(options.truths)]
    for (n_rows, truth), side in zip(
        [cell for cell in cells for _ in SIDES], turns(len(cells)), strict=True
    ):
        if (side, n_rows, truth) in known:
            continue
        size = {"n_rows": n_rows, "n_features": N_FEATURES, "truth": truth}
        found = measure(folders[side], n_rows, truth, options.n_jobs)
        lines.append({"side": side, "revision": revisions[side], **size, **found})
        print(lines[-1], flush=True)
        pd.DataFrame(lines).to_csv(options.out, index=False)
    text = markdown(summary(pd.DataFrame(lines)))
    publish(options.out, parser.prog, text)


if __name__ == "__main__":
    main()
