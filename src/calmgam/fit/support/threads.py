"""The one place where Python starts threads, and where libraries are told how many to use."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from threading import Lock, local
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Item = TypeVar("Item")
Result = TypeVar("Result")

QUOTA = Path("/sys/fs/cgroup/cpu.max")  # what a container may use: "200000 100000" is two cores


def effective_n_jobs(n_jobs: int | None) -> int:
    """Threads that `n_jobs` asks for: None means 1, -1 every usable core, -2 all but one."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be an integer other than 0, or None; got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, usable_cores() + 1 + int(n_jobs))


def usable_cores() -> int:
    """Cores that this process may use: of its affinity, at most the quota of its container."""
    mask = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    cores = len(mask) or os.cpu_count() or 1
    try:
        quota, period = map(int, QUOTA.read_text().split())
    except (OSError, ValueError):  # no such file, or "max": no limit
        return cores
    return min(cores, math.ceil(quota / period))


def parallel_map(
    work: Callable[[Item], Result], items: Iterable[Item], n_jobs: int
) -> Iterator[Result]:
    """Results of `work` in the order of the items, which up to `n_jobs` threads take up."""
    items = list(items)
    n_threads = min(n_jobs, len(items))
    if n_threads < 2:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(work, items)


def openmp_threads(n_threads: int) -> Any:
    """Context in which OpenMP loops use at most `n_threads`."""
    return _controller().limit(limits=n_threads, user_api="openmp")


class Shared:
    """A context that holds for the whole process and that several threads may be in.

    The first to come sets it up, the last to go takes it down; were each to restore what it found,
    the last would restore what another had set.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[Any]]) -> None:
        self._make, self._lock, self._n_inside = make, Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                self._context = self._make()
                self._context.__enter__()
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside:
                self._context.__exit__(None, None, None)


@lru_cache(maxsize=1)
def _controller() -> Any:
    return ThreadpoolController()  # finding the loaded libraries takes milliseconds


class _OneBlasThread:
    """Context in which matrix products run in one thread, so that they have fixed bits.

    Where a library has one pool for the process, only the thread that has limited it may lift the
    limit (threadpoolctl 3.8): a thread that lives as long as anyone is inside does both. Where
    every thread has a pool of its own, each limits its own, too.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside, self._own = Lock(), 0, local()

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                self._keeper = ThreadPoolExecutor(1)
                self._limit = self._keeper.submit(self._make).result()
            self._n_inside += 1
        self._stack.append(self._make())

    def __exit__(self, *_: object) -> None:
        self._stack.pop().__exit__(None, None, None)
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside:
                self._keeper.submit(self._limit.__exit__, None, None, None).result()
                self._keeper.shutdown()

    @property
    def _stack(self) -> list[Any]:
        """The limits of this thread; it may come in more than once."""
        if not hasattr(self._own, "limits"):
            self._own.limits = []
        return self._own.limits

    @staticmethod
    def _make() -> Any:
        return _controller().limit(limits=1, user_api="blas").__enter__()


one_blas_thread = _OneBlasThread()
