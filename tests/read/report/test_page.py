"""The page as text: its size, its safety, its numbers and its sentences."""

import base64
import hashlib
import json
import re
import time
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from audit_models import big_model, hidden_jump_model, random_model
from reading_models import ROW, hand_model, wide_model
from reading_models import term as make_term
from report_contents import feature_contents, plain_contents

from calmgam.model import Condition, Feature, Model, PartitionTree, Region, Schema
from calmgam.model.ledger import Ledger, PathPoint, SplitRecord
from calmgam.read.report import report
from calmgam.read.report.page import safe_json
from calmgam.read.texts.card import card
from calmgam.read.texts.summary import explain, summary

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "src" / "calmgam" / "read" / "report" / "assets"
MEGABYTE = 1_000_000


def contents_of(page):
    """Return what the page's JSON says."""
    (text,) = re.findall(r'<script id="contents" type="application/json">(.*?)</script>', page)
    return json.loads(text)


def write(model, folder, **options):
    return report(model, folder / "page.html", **options).read_text(encoding="utf-8")


def test_the_path_is_returned_and_the_page_is_complete(tmp_path):
    path = report(hand_model(), tmp_path / "page.html", title="Night shifts")
    page = path.read_text(encoding="utf-8")
    assert path == tmp_path / "page.html"
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    assert "<title>Night shifts</title>" in page


def test_a_page_of_20_features_with_many_bins_and_splits_has_at_most_2_megabytes(tmp_path):
    model = big_model(n_features=20, n_bins=1024, n_splits=40, max_depth=2)
    assert model.n_curves == 60
    assert len(write(model, tmp_path).encode()) <= 2 * MEGABYTE


def test_a_page_of_60_features_and_40_splits_takes_less_than_two_seconds(tmp_path):
    model = big_model(n_features=60, n_bins=256, n_splits=40)
    start = time.process_time()  # not what other processes take
    report(model, tmp_path / "page.html")
    assert time.process_time() - start < 2  # about 0.7 s


def test_nothing_is_fetched_from_outside(tmp_path):
    page = write(wide_model(5), tmp_path)
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", page))
    assert addresses <= {"http://www.w3.org"}  # names of XML namespaces
    assert not re.search(r"<link|<img|<iframe|@import|url\((?!#)|\bsrc=", page)
    assert "default-src 'none'" in page


def test_the_policy_names_the_one_script_that_may_run(tmp_path):
    page = write(hand_model(), tmp_path)
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in page


@pytest.mark.parametrize(
    "text", ["</script><b>", "<!--", "]]>", "a\u2028b\u2029", "&amp;", "\\u003c"]
)
def test_text_stays_text_inside_the_json(text):
    written = safe_json({text: [text]})
    assert written.isascii() and not set("<>&") & set(written)
    assert json.loads(written) == {text: [text]}


def test_a_title_is_escaped(tmp_path):
    title = "<script>alert(1)</script>"
    assert f"<title>{escape(title)}</title>" in write(hand_model(), tmp_path, title=title)


@pytest.mark.parametrize(
    "model", [hand_model(), hand_model("logit"), random_model(4), wide_model()]
)
def test_the_page_holds_what_was_put_in(model, tmp_path):
    page = write(model, tmp_path, title="title")
    assert contents_of(page) == plain_contents(model)


@pytest.mark.parametrize("seed", range(5))
def test_packed_curves_are_the_models_to_the_last_bit(seed):
    model = random_model(seed)
    for term, packed in zip(model.terms, plain_contents(model)["model"]["terms"], strict=True):
        levels = np.arange(term.feature.n_levels)  # codes have edges, too
        edges = term.edges if term.feature.is_numeric else levels
        np.testing.assert_array_equal(unpacked(packed["edges"], "<f8"), edges)
        for shape, values in zip(term.shapes, packed["values"], strict=True):
            np.testing.assert_array_equal(unpacked(values, "<f8"), shape.values)
        for shape, counts in zip(term.shapes, packed["counts"], strict=True):
            np.testing.assert_array_equal(unpacked(counts, "<f4"), shape.counts)


def unpacked(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_rows_enter_the_page_only_as_a_sample(tmp_path):
    model, X = hand_model(), pd.DataFrame([ROW | {"hour": 12.345}, ROW])
    contents = plain_contents(model, X=X, y=[1.0, 2.0])
    assert contents["sample"] is None and "12.345" not in json.dumps(contents)
    assert set(contents["measures"]["performance"]) == {"R²", "RMSE"}
    assert plain_contents(model, sample=X[:1])["sample"] == [[12.345, 1.0, 1.0]]


def test_missing_values_of_a_sample_are_null():
    sample = pd.DataFrame([{"hour": None, "job": "astronaut", "flag": None}])
    assert plain_contents(hand_model(), sample=sample)["sample"] == [[None, 3.0, None]]


def test_the_ledger_shows_rounded_rules_and_the_path():
    hour = hand_model().schema["hour"]
    condition = Condition(hour, "<=", 6.123456)
    record = SplitRecord("job", Region(), condition, 0, 100, 40, 60, 1.0, 2.0, 0.25, True)
    refused = SplitRecord(
        "flag", Region((condition,)), None, 1, 40, 0, 0, 0.4, 0.0, float("nan"), False, "no"
    )
    ledger = Ledger(3, (record, refused), (PathPoint(0, 1.0, 0.1, True),))
    shown = plain_contents(replace(hand_model(), ledger=ledger))["ledger"]
    made, not_made = shown["splits"]
    assert (made["condition"], made["region"], made["drop"]) == ("hour <= 6.12", "everywhere", 0.25)
    assert (not_made["condition"], not_made["region"]) == ("", "hour <= 6.12")
    assert (not_made["drop"], not_made["reason"]) == (None, "no")
    assert shown["path"] == [{"n_splits": 0, "error": 1.0, "standard_error": 0.1, "chosen": True}]


def test_directions_and_evidence_are_sentences():
    features = feature_contents(hand_model())
    assert features["flag"]["verdict"] == (
        "The score can both rise and fall when flag turns from False to True."
    )
    down, up = features["flag"]["evidence"]
    assert up.startswith("Largest rise: +") and "flag: False → True where hour = " in up
    assert down.startswith("Largest fall: −")
    assert features["job"]["direction"] == "unordered"
    assert features["job"]["verdict"].startswith(
        "The levels of job have no order, so there is no direction; from one level to another "
        "the score changes by up to "
    )
    (change,) = features["job"]["evidence"]
    assert change.startswith("Largest change: +") and "job: " in change
    x2 = feature_contents(hidden_jump_model())["x2"]
    assert x2["verdict"] == "All else equal, the score does not change as x2 grows."
    assert x2["evidence"] == []


@pytest.mark.parametrize("odd", ["{x}", "{0}", "{", "}}", "%s", "{0.__class__}"])
def test_text_from_data_is_never_a_template(odd, tmp_path):
    feature = Feature(odd, 0, "categorical", (odd, odd + "2"), ordered=True)
    terms = (make_term(feature, PartitionTree.trivial(), [], [[0.0, 1.0, 0, 0]], [[1, 1, 0, 0]]),)
    model = Model(Schema((feature,)), 0.0, terms, "logit", (odd, "yes"))
    (shown,) = contents_of(write(model, tmp_path, title=odd))["features"]
    assert shown["verdict"] == (
        f"All else equal, the score never falls when {odd} turns from {odd} to {odd}2."
    )
    assert odd in summary(model) and odd in card(model, odd) and odd in explain(model, [odd])


def test_a_typical_change_is_a_sentence():
    features = feature_contents(hand_model())
    assert features["hour"]["move"].startswith("From its lower quartile 4")
    assert features["job"]["move"].startswith("From nurse to cook the score changes by −")
    assert features["flag"]["move"].startswith("From False to True the score changes by ")


def test_the_built_script_is_up_to_date():
    sources = ROOT / "report-page"
    digest = hashlib.sha256()
    for path in [*sorted((sources / "src").iterdir()), sources / "package-lock.json"]:
        digest.update(path.read_bytes())
    first_line = (ASSETS / "page.js").read_text(encoding="utf-8").split("\n")[0]
    assert f"sources {digest.hexdigest()[:16]};" in first_line, "run: make page"


def test_licences_of_bundled_packages_are_shipped():
    licences = (ASSETS / "LICENSES.txt").read_text(encoding="utf-8")
    bundled = json.loads((ROOT / "report-page" / "package.json").read_text())["dependencies"]
    assert all(f"{name} {version}\n" in licences for name, version in bundled.items())


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (ROOT / "report-page" / "package-lock.json").read_text()


def test_the_range_of_the_score_is_told_with_rows(tmp_path):
    told = contents_of(write(hidden_jump_model("logit"), tmp_path))["range"]
    scale = "(log-odds: probabilities of 0.130 to 0.870)"
    assert told[0] == f"Every score lies between -1.9 and 1.9 {scale}."
    assert told[1].startswith("Lowest for x2 = ") and told[1].endswith("(probability 0.130).")
