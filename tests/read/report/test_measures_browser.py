"""Measures of given rows in a real Chromium: readers choose thresholds, slices and classes."""

import numpy as np
import pytest
from measured_models import (
    COLOURS,
    COUNTED,
    COUNTS,
    EXPOSURE,
    LABELS,
    MANY,
    NUMBERS,
    PAIR,
    X,
    Y,
    fitted_to,
)
from reading_models import scaled_model, term

from calmgam.model import Feature, Model, PartitionTree, Schema
from calmgam.model.serialize import from_json, to_json
from calmgam.read import confusion, slices

pytest.importorskip("selenium", reason="the browser tests need selenium")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


def text_of(driver, name):
    return driver.find_element(By.ID, name).text


def cells(driver, name):
    rows = driver.find_elements(By.CSS_SELECTOR, f"{name} tbody tr")
    return [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in rows]


def test_readers_choose_a_threshold(show):
    driver = show(PAIR, X=X, y=LABELS, origin="rows of spring")
    assert "300 rows (rows of spring), which are not" in text_of(driver, "measured-on")

    def check(threshold):
        (no, alarms), (misses, hits) = confusion(PAIR, X, LABELS, threshold).table
        assert cells(driver, "#confusion") == [
            [f"{hits:.0f}", f"{misses:.0f}"],
            [f"{alarms:.0f}", f"{no:.0f}"],
        ]

    assert text_of(driver, "threshold-value") == "0.5"
    check(0.5)
    driver.find_element(By.ID, "threshold").send_keys(Keys.ARROW_LEFT * 10)
    chosen = float(text_of(driver, "threshold-value"))
    assert chosen < 0.5
    check(chosen)


def test_readers_choose_what_to_slice_by(show):
    driver = show(fitted_to(NUMBERS, X, Y, estimator="CALMRegressor"), X=X, y=Y)
    assert "training rows, which the model has learned from" in text_of(driver, "measured-on")
    assert "rentals" in text_of(driver, "filing") and "random numbers" in text_of(driver, "filing")
    for name in ("job", "hour"):
        Select(driver.find_element(By.ID, "slice-by")).select_by_visible_text(name)
        shown = [int(row[0]) for row in cells(driver, "#slices")]
        assert shown == [one.n_rows for one in slices(NUMBERS, X, Y, name).slices]
    assert driver.find_elements(By.CSS_SELECTOR, "#residuals svg")
    assert "None of the 2 features" in text_of(driver, "correlations")


def test_every_class_has_measures_of_its_own(show):
    driver = show(MANY, X=X, y=COLOURS)
    for label in MANY.classes:
        Select(driver.find_element(By.ID, "class")).select_by_visible_text(label)
        assert f"mean probability of {label}" in text_of(driver, "calibration")
        assert text_of(driver, "decisions").split("\n")[1].startswith(f"{label} is decided for")
    table = [[int(n) for n in row[:-1]] for row in cells(driver, "#classes-confused")]
    assert table == [[int(n) for n in line] for line in confusion(MANY, X, COLOURS).table]


def test_counts_are_per_exposure(show):
    driver = show(COUNTS, X=X, y=COUNTED, offset=np.log(EXPOSURE))
    assert "per unit of exposure" in text_of(driver, "measured-on")
    assert "Poisson deviance" in text_of(driver, "slices")


def test_charts_read_probabilities_beside_log_odds(show):
    driver = show(PAIR)
    chart = driver.find_element(By.CSS_SELECTOR, "#feature-0 .chart")
    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    before, after = (100 / (1 + np.exp(-score)) for score in (0.1, 1.1))
    reading = chart.find_element(By.CLASS_NAME, "reading").text
    assert f"{before:.0f} % → {after:.0f} %" in reading


@pytest.mark.parametrize("width", [360, 800, 1280])
@pytest.mark.parametrize(("model", "y"), [(PAIR, LABELS), (NUMBERS, Y)])
def test_measures_fit_the_window(show, model, y, width):
    name = "hours since midnight, as the clock in the station hall shows them"
    driver = show(
        from_json(to_json(model).replace('"hour"', f'"{name}"')),
        X=X.rename(columns={"hour": name}),
        y=y,
    )
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(
    ("low", "high", "edges"),
    [
        (-1.7e308, 1.7e308, [-1e300, 0.0, 1e300]),
        (0.0, 1e300, [1e-300, 1.0, 1e299]),
        (0.0, 1e300, [float(f"1e{k}") for k in range(-290, 300, 30)]),
        (-1e-300, 1e-300, [0.0, 5e-301]),
        (-3e-308, 3e-308, [k * 1e-310 for k in range(-50, 50)]),
    ],
)
def test_edges_near_the_ends_of_the_floats_are_drawn(show, low, high, edges):
    wide = Feature("wide", 0, "numeric", low=low, high=high)
    n = len(edges) + 2
    curve = term(wide, PartitionTree.trivial(), edges, [np.arange(n)], [np.ones(n)])
    driver = show(Model(Schema((wide,)), 0.0, (curve,)))  # nothing is logged
    paths = driver.find_elements(By.CSS_SELECTOR, "#feature-0 .chart svg path")
    drawn = " ".join(path.get_attribute("d") or "" for path in paths)
    assert drawn and "NaN" not in drawn and "Infinity" not in drawn


@pytest.mark.parametrize("factor", [1e300, 1e-300])
def test_bands_far_beyond_the_curves_are_drawn(show, factor):
    driver = show(scaled_model(factor))  # spreads stay as they are; nothing is logged
    assert len(driver.find_elements(By.CSS_SELECTOR, "article .chart svg")) >= 3
