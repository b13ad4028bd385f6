"""What the page says of given rows, and what it files: as numbers, and in a real Chromium."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from reading_models import hand_model, scaled_model, term

from calmgam import Boosting, CALMRegressor
from calmgam.model import Feature, Model, PartitionTree, Schema
from calmgam.model.objectives import Objective
from calmgam.model.provenance import Provenance, table_digest
from calmgam.model.serialize import fingerprint
from calmgam.read import confusion, slices
from calmgam.read.report.filing import filing
from calmgam.read.report.measures import page_measures
from class_models import with_classes

rng = np.random.default_rng(0)
N = 300
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, N),
        "job": rng.choice(["nurse", "cook"], N),
        "flag": rng.random(N) < 0.5,
    }
)
NUMBERS, PAIR = hand_model(), hand_model("logit")
MANY = with_classes(hand_model(), ("red", "green", "blue"))
COUNTS = replace(hand_model(), link="log", objective=Objective("poisson"))
Y = pd.Series(NUMBERS.predict(X) + rng.normal(size=N), name="rentals")
LABELS = np.where(rng.random(N) < PAIR.predict(X), "yes", "no")
COLOURS = np.array([rng.choice(MANY.classes, p=p) for p in MANY.predict(X)])
EXPOSURE = rng.uniform(0.2, 3, N)
COUNTED = rng.poisson(EXPOSURE * COUNTS.predict(X)).astype(float)


def fitted_to(model, X, y, **settings):
    origin = Provenance(
        "0.1.0", settings, 7, len(X), False, "2026-01-31T23:59:59Z", table_digest(X, y)
    )
    return replace(model, provenance=origin)


def test_training_rows_are_called_so_whatever_users_call_them():
    model = fitted_to(NUMBERS, X, Y)
    own = page_measures(model, X, Y, origin="test rows")
    assert own["is_training"] and own["origin"] == "training rows"
    other = page_measures(model, X[1:], Y[1:], origin="test rows")
    assert not other["is_training"] and other["origin"] == "test rows"
    assert (own["n_rows"], other["n_rows"]) == (N, N - 1)
    assert page_measures(model, None, None) is None


@pytest.mark.parametrize(
    ("model", "y", "offset"),
    [(NUMBERS, Y, None), (PAIR, LABELS, None), (MANY, COLOURS, None), (COUNTS, COUNTED, True)],
)
def test_only_sums_over_five_rows_enter_the_page(model, y, offset):
    offset = np.log(EXPOSURE) if offset else None
    for n in (300, 17, 6, 5, 4, 1):
        part = None if offset is None else offset[:n]
        found = page_measures(model, X[:n], y[:n], offset=part)
        for output in found["outputs"]:
            groups = [*output["calibration"], *(s for o in output["slices"] for s in o["slices"])]
            assert all(group["n_rows"] >= 5 for group in groups)
            assert bool(groups) == (n >= 5)
        if found["residuals"]:
            assert all(group["n_rows"] >= 5 for group in found["residuals"]["groups"])
        hours = {f"{hour!r}"[:10] for hour in X["hour"][:n]}
        assert not any(hour in json.dumps(found) for hour in hours)


def test_the_filing_knows_the_fit_and_the_digest():
    model = fitted_to(
        NUMBERS,
        X,
        Y,
        estimator="CALMRegressor",
        target="count",
        parameters={"max_depth": 3, "monotone": {"flag": "increasing"}, "growth": "joint"},
    )
    filed = filing(model, None)
    facts = dict(filed["facts"])
    assert facts["model's SHA-256"] == fingerprint(model)
    assert (facts["target"], facts["seed"]) == ("count", "7")
    assert facts["training table's SHA-256"] == table_digest(X, Y)
    assert ["max_depth", "3"] in filed["parameters"]
    (constraint,) = filed["constraints"]
    assert constraint == "flag: increasing; the model as it is now does NOT keep to this"
    assert dict(filing(model, None, Y)["facts"])["target"] == "rentals"
    assert dict(filing(model, "rides", Y)["facts"])["target"] == "rides"
    assert "seed" not in dict(filing(NUMBERS, None)["facts"])


def test_the_digest_is_that_of_the_file_in_canonical_form(tmp_path):
    NUMBERS.save(tmp_path / "model.json")
    plain = json.loads((tmp_path / "model.json").read_text())
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert dict(filing(NUMBERS, None)["facts"])["model's SHA-256"] == digest


def test_a_fit_remembers_the_name_of_its_target():
    quick = {"curves": Boosting(n_bags=1, max_rounds=5), "max_depth": 0}
    calm = CALMRegressor(**quick, n_jobs=1, random_state=0).fit(X, Y)
    assert calm.model_.provenance.settings["target"] == "rentals"
    assert page_measures(calm.model_, X, Y)["is_training"]
    assert "target" not in calm.fit(X, Y.to_numpy()).model_.provenance.settings


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
    assert "300 rows: rows of spring. They are not" in text_of(driver, "measured-on")

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
    assert "rentals" in text_of(driver, "filing") and "seed" in text_of(driver, "filing")
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


@pytest.mark.parametrize("width", [360, 1280])
def test_measures_fit_the_window(show, width):
    driver = show(PAIR, X=X, y=LABELS)
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
