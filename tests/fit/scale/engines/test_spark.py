import os
import shutil
import signal
import sys
import threading
import time

import numpy as np
import pytest

import calmgam.fit.pipeline as pipeline
from calmgam import CALMRegressor
from fit_scale import batches_of, dying_at, plain, simulated

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


@pytest.mark.parametrize("n_passes", [0, 1])
def test_a_worker_killed_in_the_middle_changes_nothing(parts, expected, frame, tmp_path, n_passes):
    """Its process ends itself in the stream of a task's batches, in the first or second pass."""
    dying = dying_at(str(tmp_path), float(frame.a[4500]), n_passes)
    dangerous = parts.mapInArrow(lambda batches: map(dying, batches), parts.schema)
    model = CALMRegressor(**QUICK).fit(dangerous, "y").model_
    assert len(list(tmp_path.iterdir())) == 3  # two passes, and the task that was done again
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
