"""Report pages in a real, headless Chromium, for tests and measurements (needs selenium)."""

import math
import shutil
from contextlib import contextmanager

import numpy as np

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def browser():
    """Yield a driver that logs what pages print and request."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    if not (CHROMIUM and CHROMEDRIVER):
        raise FileNotFoundError(
            "no Chromium on this machine: install the packages chromium and chromium-driver"
        )
    options = ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with Chrome(options, Service(CHROMEDRIVER)) as driver:
        driver.set_window_size(1280, 900)
        yield driver


def random_rows(model, n_rows, seed=0):
    """Return encoded rows: edges and thresholds themselves, beside them, missing, unseen levels."""
    rng = np.random.default_rng(seed)
    columns = []
    for feature, curves in zip(model.schema.features, model.terms, strict=True):
        if feature.is_numeric:
            near = np.array([*curves.edges, -2.0, -1.0, 0.0, 1.0, 6.5, 1e9])
            values = np.array([*near, *np.nextafter(near, np.inf), *rng.normal(size=9), np.nan])
        else:
            values = np.array([*range(feature.n_levels + 1), np.nan])
        columns.append(rng.choice(values, n_rows))
    return np.column_stack(columns)


def what_if(driver, rows):
    """Show every row in the page; return the scores, probabilities and contributions it shows."""
    plain = [[None if math.isnan(value) else value for value in row] for row in rows.tolist()]
    driver.set_script_timeout(60)
    return driver.execute_async_script(
        """
        const [rows, done] = arguments;
        const value = (element) => (element ? Number(element.value) : null);
        (async () => {
          const shown = [];
          for (const row of rows) {
            window.whatIf.set(row);
            await new Promise((ready) => setTimeout(ready));
            const lines = document.querySelectorAll("table.what-if tr[data-feature]");
            shown.push({
              score: value(document.getElementById("score")),
              probability: value(document.getElementById("probability")),
              parts: Array.from(lines, (line) => value(line.querySelector("data"))),
            });
          }
          done(shown);
        })();
        """,
        plain,
    )
