"""The page in a real, headless Chromium: it computes what Python computes, and only that."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audit_models import hidden_jump_model, random_model
from reading_models import ROW, hand_model, term, wide_model

from calmgam.model import Feature, Model, PartitionTree, Schema
from calmgam.read.report import report

selenium = pytest.importorskip("selenium", reason="the browser tests need selenium")
from selenium.webdriver import Chrome, ChromeOptions  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

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

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER),
    reason="no Chromium on this machine: install the packages chromium and chromium-driver",
)


@pytest.fixture(scope="module")
def driver():
    options = ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with Chrome(options, Service(CHROMEDRIVER)) as chrome:
        chrome.set_window_size(1280, 900)
        yield chrome


@pytest.fixture
def show(driver, tmp_path):
    """Open the page of a model; afterwards there must be no error and no request."""

    def open_page(model, **options):
        driver.get(report(model, tmp_path / "page.html", **options).as_uri())
        return driver

    driver.get_log("browser"), driver.get_log("performance")  # what earlier pages left
    yield open_page
    assert driver.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    requests = [m for m in messages if m["method"] == "Network.requestWillBeSent"]
    addresses = {m["params"]["request"]["url"].split(":")[0] for m in requests}
    assert addresses <= {"file", "data"}


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


@pytest.mark.parametrize(
    "model",
    [
        hand_model(),
        hand_model("logit"),
        wide_model(6, 40),
        *(random_model(seed) for seed in range(6)),
        replace(random_model(7), link="logit", classes=("no", "yes")),
    ],
    ids=str,
)
def test_what_if_equals_the_model_for_100_rows(show, model):
    rows = random_rows(model, 100)
    shown = what_if(show(model), rows)
    assert [line["score"] for line in shown] == model.score_encoded(rows).tolist()
    by_importance = np.argsort(-model.importances, kind="stable")
    parts = model.contributions_encoded(rows)[:, by_importance]
    assert [line["parts"] for line in shown] == parts.tolist()
    if model.link == "logit":
        probabilities = 1 / (1 + np.exp(-model.score_encoded(rows)))
        np.testing.assert_allclose([s["probability"] for s in shown], probabilities, atol=1e-12)


def control(driver, feature, kind):
    return driver.find_element(By.CSS_SELECTOR, f'.what-if tr[data-feature="{feature}"] {kind}')


def shown_number(driver, name):
    return float(driver.find_element(By.ID, name).get_attribute("value"))


def test_values_can_be_set_by_hand(show):
    model = hand_model()
    driver = show(model)
    before = shown_number(driver, "score")
    number = control(driver, "hour", "input[type=number]")
    number.send_keys(Keys.CONTROL, "a")
    number.send_keys("4.5", Keys.TAB)
    Select(control(driver, "job", "select")).select_by_visible_text("(a level not listed)")
    Select(control(driver, "flag", "select")).select_by_visible_text("True")
    (expected,) = model.score(pd.DataFrame([{"hour": 4.5, "job": "astronaut", "flag": True}]))
    assert shown_number(driver, "score") == expected != before
    number.send_keys(Keys.CONTROL, "a")
    number.send_keys(Keys.DELETE, Keys.TAB)
    (missing,) = model.score(pd.DataFrame([{"hour": None, "job": "astronaut", "flag": True}]))
    assert shown_number(driver, "score") == missing
    assert shown_number(driver, "change") == missing - expected
    rule = control(driver, "job", ".rule").text
    assert rule == "hour ≤ 6.5 or missing"


def test_a_slider_moves_by_keys_and_the_last_state_comes_back(show):
    driver = show(hand_model())
    before = shown_number(driver, "score")
    slider = control(driver, "hour", "input[type=range]")
    slider.send_keys(Keys.HOME)
    assert control(driver, "hour", "input[type=number]").get_attribute("value") == "0"
    assert shown_number(driver, "change") == shown_number(driver, "score") - before != 0
    driver.find_element(By.XPATH, "//button[.='Back to the last state']").click()
    assert shown_number(driver, "score") == before


def test_a_sample_row_can_be_picked(show):
    model, sample = hand_model(), pd.DataFrame([ROW, {"hour": None, "job": "pilot", "flag": False}])
    driver = show(model, sample=sample)
    for k, score in enumerate(model.score(sample), 1):
        Select(driver.find_element(By.ID, "sample-row")).select_by_visible_text(str(k))
        assert shown_number(driver, "score") == score


def test_names_and_levels_are_text(show):
    names = ("<script>document.title='broken'</script>", "a\u2028b", "</script><b>bold</b>")
    text = json.dumps(hand_model().to_dict())
    for old, new in zip(("hour", "job", "flag"), names, strict=True):
        text = text.replace(f'"{old}"', json.dumps(new))
    text = text.replace('"nurse"', json.dumps("<img src=x onerror=alert(1)>"))
    driver = show(Model.from_dict(json.loads(text)), title="<i>title</i>")
    assert driver.title == "<i>title</i>"
    assert driver.find_element(By.TAG_NAME, "h1").text == "<i>title</i>"
    assert not driver.find_elements(By.CSS_SELECTOR, "b, i, img")
    headings = [
        element.text.split(" |")[0]
        for element in driver.find_elements(By.CSS_SELECTOR, "article h3")
    ]
    assert {names[0], names[2]} < set(headings)


def test_the_hidden_jump_is_drawn_and_explained(show):
    driver = show(hidden_jump_model())
    article = driver.find_element(By.ID, "feature-0")
    assert "that alone changes the score by +4 for every input" in article.text
    assert article.find_elements(By.CSS_SELECTOR, "svg [stroke-dasharray='1 3']")
    rows = np.array([[-0.1, 0.0], [0.1, 0.0]])
    low, high = (line["score"] for line in what_if(driver, rows))
    assert high - low == pytest.approx(3.8)


def test_charts_answer_to_keys(show):
    driver = show(hand_model())
    chart = driver.find_element(By.CSS_SELECTOR, "#feature-0 .chart")
    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    reading = chart.find_element(By.CLASS_NAME, "reading").text
    assert "hour 3 to 6.5" in reading and "+1" in reading and "10 rows" in reading
    chart.send_keys(Keys.END)
    assert "hour missing" in chart.find_element(By.CLASS_NAME, "reading").text
    chart.send_keys(Keys.ESCAPE)
    assert not chart.find_elements(By.CLASS_NAME, "reading")


def test_curves_can_be_switched_off(show):
    driver = show(hand_model())
    curves = "#feature-0 .chart [aria-label=line]"
    assert len(driver.find_elements(By.CSS_SELECTOR, curves)) == 2
    driver.find_element(By.CSS_SELECTOR, "#feature-0 .curve").click()
    assert len(driver.find_elements(By.CSS_SELECTOR, curves)) == 1


def test_search_leaves_what_matches(show):
    driver = show(hand_model())
    driver.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("FLA")
    shown = [a for a in driver.find_elements(By.TAG_NAME, "article") if a.is_displayed()]
    assert [article.get_attribute("data-feature") for article in shown] == ["flag"]
    assert "1 of 3 features" in driver.find_element(By.CLASS_NAME, "found").text


@pytest.mark.parametrize("width", [400, 1280])
def test_the_page_fits_the_window(show, width):
    driver = show(wide_model(8))
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_features_without_training_values_are_no_obstacle(show):
    empty = Feature("empty", 0, "numeric", has_missing=True)
    unused = Feature("unused", 1, "categorical", ("a", "b"))
    always = PartitionTree.trivial()
    terms = (
        term(empty, always, [], [[0.0, 0.5]], [[0, 9]]),
        term(unused, always, [], [[1.0, 2.0, 0.0, 0.0]], [[0, 0, 0, 0]]),
    )
    driver = show(Model(Schema((empty, unused)), 0.0, terms))
    assert "No training rows" in driver.find_element(By.ID, "feature-1").text
    (line,) = what_if(driver, np.array([[3.0, 1.0]]))
    assert line["score"] == 2.0
