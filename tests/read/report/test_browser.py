"""The page in a real, headless Chromium: it computes what Python computes, and only that."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audit_models import random_model
from export_models import GOLDEN, golden_case
from reading_models import ROW, flat_model, hand_model, plain_model, term, wide_model

from calmgam.model import Feature, Model, PartitionTree, Schema
from calmgam.model.serialize import from_json, to_json
from chromium import random_rows, what_if

pytest.importorskip("selenium", reason="the browser tests need selenium")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait


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


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_what_if_says_what_the_golden_vectors_say(show, number):
    case = golden_case(number)
    model, offset = case.model, case.offset if case.n_outputs == 1 else 0
    rows = model.schema.encode(case.X)
    if case.n_outputs > 1:  # the page begins with the first class
        scores, parts = case.score[:, 0], case.contributions[:, :, 0]
        model = model.of_class(model.classes[0])
    else:
        scores, parts = case.score - offset, case.contributions
    shown = what_if(show(case.model), rows)
    np.testing.assert_allclose([line["score"] for line in shown], scores, rtol=0, atol=1e-12)
    by_importance = np.argsort(-model.importances, kind="stable")
    assert [line["parts"] for line in shown] == parts[:, by_importance].tolist()


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


def test_features_beyond_the_first_hundreds_are_drawn_when_chosen_or_searched_for(show):
    driver = show(plain_model(260))

    def articles():
        found = driver.find_elements(By.TAG_NAME, "article")
        return [a.get_attribute("data-feature") for a in found if a.is_displayed()]

    assert len(articles()) == 200
    assert len(driver.find_elements(By.CSS_SELECTOR, "table.what-if tr[data-feature]")) == 200
    driver.find_element(By.CSS_SELECTOR, "#folded summary").click()
    names = driver.find_elements(By.CSS_SELECTOR, "#folded li button")
    assert len(names) == 60
    chosen = names[3].text
    names[3].click()
    wait = WebDriverWait(driver, 10)
    wait.until(lambda _: chosen in articles())
    assert len(articles()) == 201
    assert len(driver.find_elements(By.CSS_SELECTOR, "#folded li")) == 59
    other = driver.find_element(By.CSS_SELECTOR, "#folded li button").text
    driver.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys(other)
    wait.until(lambda _: other in articles())
    assert all(name.startswith(other) for name in articles())


@pytest.mark.parametrize(("n_flat", "n_drawn"), [(5, 6), (6, 1)])
def test_many_features_without_effect_are_a_list(show, n_flat, n_drawn):
    driver = show(flat_model(n_flat))
    assert len(driver.find_elements(By.CSS_SELECTOR, "article.feature")) == n_drawn
    if n_drawn == 1:
        folded = driver.find_element(By.CSS_SELECTOR, "#folded summary").text
        assert folded == "6 features without effect"


@pytest.mark.parametrize("width", [360, 400, 1280])
@pytest.mark.parametrize("space", [" ", "_"])
def test_the_page_fits_the_window(show, width, space):
    text = to_json(wide_model(8))
    for words in ("of the long list of measurements", "measurement number"):
        text = text.replace(words, words.replace(" ", space))
    driver = show(from_json(text))
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for details in driver.find_elements(By.TAG_NAME, "details"):
            driver.execute_script("arguments[0].open = true", details)
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
