"""The one place where Python starts threads, and where libraries are told how many to use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Item = TypeVar("Item")
Result = TypeVar("Result")


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


def blas_threads(n_threads: int) -> Any:
    """Context in which matrix products use at most `n_threads`; with one, they have fixed bits."""
    return _controller().limit(limits=n_threads, user_api="blas")


@lru_cache(maxsize=1)
def _controller() -> Any:
    return ThreadpoolController()  # finding the loaded libraries takes milliseconds
