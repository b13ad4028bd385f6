import sys

import pytest

from benchmarks import run, tables
from benchmarks.processes import run_limited

MEAN = "tests.benchmarks.mean_rival"


def command(out, *options):
    run.main(["--datasets", "case1-seed0", "--models", MEAN, "--out", str(out), *options])


def test_a_cell_becomes_a_row_and_is_kept(tmp_path, capsys):
    out = tmp_path / "results.csv"
    command(out, "--folds", "0")
    command(out, "--folds", "0,1")
    assert "[1/1] case1-seed0" in capsys.readouterr().out.splitlines()[-1]
    measured = tables.read(out)
    assert tuple(measured.columns) == run.COLUMNS
    assert list(measured["fold"]) == ["0", "1"]
    assert measured["error"].equals(measured["rmse"])
    assert (measured["r2"].abs() < 0.1).all()
    assert (measured["peak_memory_mb"] > 20).all()
    assert set(measured["n_rows"]) == {1000}
    assert measured["versions"].str.contains("scikit-learn").all()


def test_in_process_nothing_is_started(tmp_path, monkeypatch):
    out, here = tmp_path / "apart.csv", tmp_path / "here.csv"
    command(out, "--folds", "0")
    monkeypatch.setattr(run, "run_limited", None)
    monkeypatch.setattr(run, "python_for", None)
    command(here, "--folds", "0", "--in-process")
    assert tables.read(here)["error"].tolist() == tables.read(out)["error"].tolist()


def test_a_failure_is_recorded_and_can_be_tried_again(tmp_path):
    out = tmp_path / "results.csv"
    command(out, "--folds", "0", "--n-jobs", "13")
    (row,) = run.read(out).values()
    assert row["status"] == "ValueError: n_jobs must not be unlucky; got 13"
    command(out, "--folds", "0")
    (row,) = run.read(out).values()
    assert row["status"] != "ok"
    command(out, "--folds", "0", "--again", "failed")
    (row,) = run.read(out).values()
    assert row["status"] == "ok"


@pytest.mark.parametrize(
    ("code", "limits", "reason"),
    [
        ("while True: pass", {"max_seconds": 0.2}, "needed more than 0.2 s"),
        ("a = bytearray(10**9)\nwhile True: pass", {"max_memory_mb": 500}, "more than 500 MB"),
    ],
)
def test_limits_stop_a_process(code, limits, reason, tmp_path):
    if "max_memory_mb" in limits and sys.platform != "linux":
        pytest.skip("memory is watched on Linux only")
    limits = {"max_seconds": 20, "max_memory_mb": 2000, **limits}
    command = [sys.executable, "-c", code]
    finished = run_limited(command, folder=tmp_path, environment=None, **limits)
    assert reason in finished.stopped


def test_estimate_uses_each_models_own_mean():
    todo = [run.Cell("wine", "slow", "0"), run.Cell("wine", "new", "0")]
    assert run.remaining(todo, {"slow": [10, 20], "fast": [0]}) == pytest.approx(15 + 10)
