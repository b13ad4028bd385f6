import os
import threading
import time
from contextlib import contextmanager

import pytest
from threadpoolctl import threadpool_info

from calmgam.fit.support import threads
from calmgam.fit.support.threads import (
    Shared,
    effective_n_jobs,
    one_blas_thread,
    openmp_threads,
    parallel_map,
)


def test_jobs_are_counted_as_in_scikit_learn(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 4)
    asked = (None, 1, 2, 8, -1, -2, -4, -9)
    assert [effective_n_jobs(n) for n in asked] == [1, 1, 2, 8, 4, 3, 1, 1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_what_is_no_number_of_jobs_is_refused(n_jobs):
    with pytest.raises(ValueError, match=rf"n_jobs must be an integer .*; got {n_jobs!r}"):
        effective_n_jobs(n_jobs)


def test_usable_cores_respect_the_affinity_and_the_quota(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 2, 5, 7}, raising=False)
    monkeypatch.setattr(threads, "QUOTA", tmp_path / "cpu.max")
    assert threads.usable_cores() == 4
    for quota, cores in (("max 100000", 4), ("150000 100000", 2), ("900000 100000", 4)):
        threads.QUOTA.write_text(quota + "\n")
        assert threads.usable_cores() == cores
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert threads.usable_cores() == 3


@pytest.mark.parametrize("n_jobs", [1, 2, 8])
def test_results_come_in_the_order_of_the_items(n_jobs):
    def slow_first(item):
        time.sleep(0.02 if item == 0 else 0)
        return 10 * item

    assert list(parallel_map(slow_first, range(5), n_jobs)) == [0, 10, 20, 30, 40]
    assert list(parallel_map(slow_first, iter([]), n_jobs)) == []


def test_one_job_stays_in_the_calling_thread_and_waits_to_be_asked():
    seen = []
    results = parallel_map(lambda item: seen.append((item, threading.get_ident())), range(3), 1)
    assert seen == []
    next(results)
    assert seen == [(0, threading.get_ident())]


def test_no_more_threads_than_jobs():
    together = threading.Barrier(2, timeout=5)

    def meet(_):
        together.wait()  # breaks unless two run at the same time
        return threading.get_ident()

    threads = set(parallel_map(meet, range(4), 2))
    assert len(threads) == 2
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_reaches_the_caller(n_jobs):
    def work(item):
        if item == 1:
            raise ValueError("one")
        return item

    results = parallel_map(work, range(3), n_jobs)
    assert next(results) == 0
    with pytest.raises(ValueError, match="one"):
        next(results)


def test_openmp_is_limited_inside_the_context_only():
    import sklearn.ensemble  # noqa: F401  loads OpenMP

    def counts():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "openmp"]

    before = counts()
    with openmp_threads(1):
        assert set(counts()) == {1}
    assert counts() == before


def test_a_shared_context_ends_when_the_last_thread_leaves():
    """Two threads overlap, the first to come goes first; nothing of the limit stays behind."""
    limit, seen = {"threads": 8}, []

    @contextmanager
    def lowered():
        before, limit["threads"] = limit["threads"], 1
        yield
        limit["threads"] = before

    shared, inside, leave = Shared(lowered), threading.Barrier(2, timeout=5), threading.Event()

    def first():
        with shared:
            inside.wait()
        seen.append(limit["threads"])
        leave.set()

    def second():
        with shared:
            inside.wait()
            leave.wait(5)

    list(parallel_map(lambda work: work(), [first, second], 2))
    assert seen == [1]
    assert limit["threads"] == 8
    with shared:
        assert limit["threads"] == 1
    assert limit["threads"] == 8


def test_blas_has_its_threads_again_whichever_thread_comes_and_goes_last():
    before = blas_threads()
    first_is_in, second_is_out = threading.Event(), threading.Event()

    def stay_longest():
        with one_blas_thread:
            first_is_in.set()
            second_is_out.wait(5)

    for _ in range(20):
        first_is_in.clear(), second_is_out.clear()
        thread = threading.Thread(target=stay_longest)
        with one_blas_thread:
            thread.start()
            first_is_in.wait(5)
            assert set(blas_threads()) <= {1}
        second_is_out.set()
        thread.join(5)
        assert blas_threads() == before


def blas_threads():
    found = threadpool_info()
    return [library["num_threads"] for library in found if library["user_api"] == "blas"]
