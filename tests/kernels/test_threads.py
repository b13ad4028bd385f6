"""Threads of kernels when memory or threads run out."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits on a process's memory are Linux's"
)

LIMITED = """
import resource
import sys
import numpy as np
from calmgam import CALMRegressor, _kernels

def limit(megabytes):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 2**20,) * 2)

def gains(n_points, n_conditions, n_threads):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_conditions, (100, 500)).astype(np.uint16)
    sizes = [n_conditions] * 100, [True] * 100
    return _kernels.curve_split_gains(
        np.ones((500, n_points)), np.ones(500), codes, *sizes, 1, n_threads
    )
"""


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED + program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_memory_that_runs_out_in_threads_is_a_memory_error():
    program = """
limit(400)
try:
    gains(4000, 1000, 64)  # 32 MB in each thread
except MemoryError:
    print("MemoryError")
print(gains(2, 3, 1).shape)
"""
    assert run(program) == "MemoryError\n(400, 2)"


def test_memory_for_a_few_threads_is_enough():
    """A stack takes 8 MB: of 64 threads only a few start, and those do the work."""
    program = """
expected = gains(2, 3, 1)
limit(60)
np.testing.assert_array_equal(gains(2, 3, 64), expected)
print("the same")
"""
    assert run(program) == "the same"


@pytest.mark.slow
def test_a_fit_with_too_little_memory_is_a_memory_error():
    program = """
rng = np.random.default_rng(0)
X = rng.normal(size=(30_000, 100))
y = X[:, 0] * X[:, 1] + rng.normal(size=30_000)
limit(400)
try:
    CALMRegressor(random_state=0, n_jobs=64, max_depth=1).fit(X, y)
    print("fitted")
except MemoryError:
    print("MemoryError")
"""
    assert run(program) in ("fitted", "MemoryError")
