"""Lies here so that tests can import the oracles and the browser beside it."""

import pytest

from chromium import browser


@pytest.fixture(scope="session")
def driver():
    """A headless Chromium, or a skipped test where there is none."""
    pytest.importorskip("selenium", reason="the browser tests need selenium")
    try:
        with browser() as chrome:
            yield chrome
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
