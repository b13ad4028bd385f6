import os
import time

import numpy as np
import pytest

import calmgam.fit.pipeline as pipeline
from calmgam import CALMRegressor
from calmgam.fit.scale.arrow import Columns
from calmgam.fit.scale.profile import ProfilePass
from calmgam.fit.scale.sources import engine_of
from fit_scale import batches_of, dying_at, plain, simulated

pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("distributed", reason="Dask's distributed is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask's data frames are not installed")

QUICK = {"random_state": 0, "n_jobs": 1, "max_splits": 2}
COLUMNS = ["a", "b", "c", "kind", "y"]


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    monkeypatch.setattr(pipeline, "SAMPLE_ROWS", 2000)


@pytest.fixture(scope="module")
def frame():
    return simulated(8000)[COLUMNS]


@pytest.fixture
def client():
    """Two worker processes on this machine, which end with the test."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def by_threads(frame):
    return CALMRegressor(**QUICK).fit(batches_of(frame, 1000), "y").model_


@pytest.mark.slow
def test_two_workers_give_the_model_of_threads(frame, client):
    shuffled = dd.from_pandas(frame.sample(frac=1, random_state=3), npartitions=8, sort=False)
    model = CALMRegressor(**QUICK).fit(shuffled, "y")
    expected = by_threads(frame)
    assert plain(model.model_) == plain(expected)
    assert model.model_.provenance.table_sha256 == expected.provenance.table_sha256
    predicted = model.predict(shuffled)
    assert isinstance(predicted, dd.Series)
    np.testing.assert_array_equal(predicted.compute(), model.predict(shuffled.compute()))
    assert client.futures == {}  # nothing is left running or held


@pytest.mark.slow
@pytest.mark.parametrize("n_passes", [0, 1])
def test_a_worker_killed_in_the_middle_changes_nothing(frame, client, tmp_path, n_passes):
    """Its process ends itself between the partitions of a chain, in the first or second pass."""
    before = set(client.run(os.getpid).values())
    dying = dying_at(str(tmp_path), float(frame.a[4500]), n_passes)
    parts = dd.from_pandas(frame, npartitions=10, sort=False).map_partitions(dying, meta=frame[:0])
    model = CALMRegressor(**QUICK).fit(parts, "y").model_
    assert len(list(tmp_path.iterdir())) >= 3  # two passes, and what was done again
    assert len(before & set(client.run(os.getpid).values())) == 1  # the other worker is new
    assert plain(model) == plain(by_threads(frame))


def test_without_a_client_dask_uses_its_own_threads(frame):
    parts = dd.from_pandas(frame, npartitions=5, sort=False)
    assert plain(CALMRegressor(**QUICK).fit(parts, "y").model_) == plain(by_threads(frame))


def test_all_passes_of_a_log_link_add_up_in_any_division(frame):
    counts = frame.assign(y=np.random.default_rng(0).poisson(np.exp(0.5 * frame.y)))
    settings = {**QUICK, "max_splits": 0, "objective": "poisson"}
    parts = dd.from_pandas(counts, npartitions=5, sort=False)
    model = CALMRegressor(**settings).fit(parts, "y")
    assert model.predict(counts).sum() == pytest.approx(counts.y.sum(), rel=1e-9)
    again = CALMRegressor(**settings).fit(batches_of(counts, 1000), "y")
    assert plain(model.model_) == plain(again.model_)


def test_a_partition_with_a_fault_is_named(frame):
    from dask import delayed

    good, bad = frame[:1000], frame[1000:2000].assign(a="text")
    parts = dd.from_delayed([delayed(good), delayed(bad)], meta=frame[:0], verify_meta=False)
    with pytest.raises(ValueError, match="partition 1: column 'a' must be numeric"):
        CALMRegressor(**QUICK).fit(parts, "y")
    empty = dd.from_delayed([delayed(good), delayed(frame[:0])], meta=frame[:0])
    with pytest.raises(ValueError, match="partition 1: has no rows"):
        CALMRegressor(**QUICK).fit(empty, "y")


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_running(frame, client):
    engine = engine_of(dd.from_pandas(frame, npartitions=6, sort=False))
    columns = Columns.of(engine.schema, "y")
    with pytest.raises(KeyboardInterrupt):
        engine.map_reduce(ProfilePass(columns), columns.names, interrupted)
    for _ in range(100):
        if not client.futures and not any(client.processing().values()):
            break
        time.sleep(0.1)
    assert not client.futures and not any(client.processing().values())
