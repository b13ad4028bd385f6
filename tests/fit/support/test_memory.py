import subprocess
import sys

import numpy as np
import pytest

from calmgam import CALMRegressor
from calmgam.fit.support import memory

MEASURED = """
import sys
import numpy as np
from calmgam import CALMRegressor

def peak():  # in kB; ru_maxrss would begin with that of the process which started this one
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

rng = np.random.default_rng(0)
X = rng.normal(size=(int(sys.argv[1]), 20))
y = X[:, 0] * (X[:, 1] > 0)
before = peak()
CALMRegressor(max_depth=0, n_jobs=1, random_state=0, max_seconds=1e-9).fit(X, y)
print((peak() - before) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_estimate_is_within_a_factor_of_two():
    command = [sys.executable, "-W", "ignore", "-c", MEASURED]
    small, large = (
        int(subprocess.run([*command, str(n)], capture_output=True, text=True, check=True).stdout)
        for n in (1_000, 90_000)
    )
    grown = memory.estimate_memory(90_000, 20, 16) - memory.estimate_memory(1_000, 20, 16)
    assert 0.5 < grown / (large - small) < 2


def test_more_of_anything_takes_more():
    few = memory.estimate_memory(1000, 10, 8)
    for size in ((2000, 10, 8), (1000, 20, 8), (1000, 10, 16), (1000, 10, 8, 3)):
        assert memory.estimate_memory(*size) > few


def test_there_is_some_memory_or_nobody_knows():
    free = memory.available_memory()
    assert free is None or free > 2**20


def test_a_warning_gives_both_figures_and_a_way_out(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**20)
    calm = CALMRegressor(max_depth=0, n_jobs=1, random_state=0)
    with pytest.warns(UserWarning, match=r"about 0\.0 GB .* 0\.0 GB are free: .*docs/scale\.md"):
        calm.fit(np.arange(20.0)[:, None] % 7, np.arange(20.0))
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    memory.warn_of_memory(10**9, 1000, 16)
