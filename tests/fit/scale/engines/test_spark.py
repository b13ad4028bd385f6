import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import calmgam.fit.pipeline as pipeline
from calmgam import CALMRegressor
from fit_scale import batches_of, plain, simulated

pytest.importorskip("pyspark", reason="Spark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

QUICK = {"random_state": 0, "n_jobs": 1, "max_splits": 2}
COLUMNS = ["a", "b", "c", "kind", "y"]
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    monkeypatch.setattr(pipeline, "SAMPLE_ROWS", 2000)


@pytest.fixture(scope="module")
def frame():
    frame = simulated(8000)[COLUMNS]
    return frame.astype({"kind": object})


@pytest.fixture(scope="module")
def session():
    """Two threads of tasks, which may fail twice, on this machine alone."""
    from pyspark.sql import SparkSession

    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master("local[2,3]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
    if before is None:
        del os.environ["PYSPARK_PYTHON"]


@pytest.fixture(scope="module")
def parts(session, frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    frame.to_parquet(folder / "rows.parquet", index=False)
    return session.read.parquet(str(folder)).repartition(10)


@pytest.fixture(scope="module")
def expected(frame):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "SAMPLE_ROWS", 2000)
        return CALMRegressor(**QUICK).fit(batches_of(frame, 1000), "y").model_


def test_two_workers_give_the_model_of_threads(parts, expected):
    model = CALMRegressor(**QUICK).fit(parts, "y")
    assert plain(model.model_) == plain(expected)
    assert model.model_.provenance.table_sha256 == expected.provenance.table_sha256
    predicted = model.predict(parts).toPandas()
    assert predicted.columns.tolist() == [*COLUMNS, "prediction"]
    np.testing.assert_array_equal(predicted.prediction, model.predict(predicted[COLUMNS[:-1]]))


def test_many_sums_are_added_in_a_tree(parts, expected, monkeypatch):
    from calmgam.fit.scale.engines import spark

    monkeypatch.setattr(spark, "BRANCHES", 2)
    assert plain(CALMRegressor(**QUICK).fit(parts, "y").model_) == plain(expected)


def test_a_worker_killed_in_the_middle_changes_nothing(parts, expected):
    killed = []

    def kill():
        while not killed and not done.wait(0.05):
            found = subprocess.run(
                ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
            ).stdout
            own = {str(os.getpid())}
            lines = [line.split(None, 2) for line in found.splitlines()[1:]]
            for _ in range(4):  # children of children
                own |= {pid for pid, parent, _ in lines if parent in own}
            workers = [
                pid
                for pid, parent, text in lines
                if pid in own and "pyspark.daemon" in text and parent in own
            ]
            if len(workers) > 1:  # the daemon, and workers that it has forked
                os.kill(int(workers[-1]), signal.SIGKILL)
                killed.append(workers[-1])

    done = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        model = CALMRegressor(**QUICK).fit(parts, "y").model_
    finally:
        done.set()
        killer.join()
    assert killed
    assert plain(model) == plain(expected)


def test_a_partition_with_a_fault_is_named(session, frame):
    rows = frame.copy()
    rows.loc[rows.index[-1], "y"] = np.nan
    parts = session.createDataFrame(rows).repartition(1)
    with pytest.raises(ValueError, match="partition 0: column 'y' must have no missing values"):
        CALMRegressor(**QUICK).fit(parts, "y")


def test_an_interrupt_cancels_the_jobs(session, parts):
    def slow(batches):
        import time

        for batch in batches:
            time.sleep(30)
            yield batch

    endless = parts.mapInArrow(slow, parts.schema)
    model = CALMRegressor(**QUICK)
    ringer = threading.Timer(3.0, signal.raise_signal, (signal.SIGINT,))
    ringer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(endless, "y")
    ringer.join()
    tracker = session.sparkContext.statusTracker()
    while tracker.getActiveJobsIds() and time.monotonic() < start + 25:
        time.sleep(0.1)
    assert not list(tracker.getActiveJobsIds())
    assert not hasattr(model, "model_")
