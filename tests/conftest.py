"""Lies here so that tests can import the oracles and the browser beside it."""

import os

import pytest
from hypothesis import HealthCheck, settings

from chromium import browser

# A busy machine is no failure; what hangs is ended by pytest's timeout.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# Waiting OpenMP threads sleep: on a machine with other work they would spin for most of the time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def pytest_collection_modifyitems(items):
    """Let builds of the package come first: they take longest, and one process makes them all."""
    items.sort(key=lambda item: item.path.name != "test_packaging.py")


@pytest.fixture(scope="session")
def driver():
    """A headless Chromium, or a skipped test where there is none."""
    pytest.importorskip("selenium", reason="the browser tests need selenium")
    try:
        with browser() as chrome:
            yield chrome
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
