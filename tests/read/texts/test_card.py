from dataclasses import replace

import pytest
from reading_models import hand_model, wide_model

from calmgam.model.serialize import from_json, to_json
from calmgam.read.texts.card import N_FEATURES, card


def test_size_errors_and_features_are_on_the_card():
    model = hand_model("logit")
    shown = card(model, "Who & what")
    for words in (
        "<b>Who &amp; what</b>",
        "probability of yes · 100 rows",
        "3 features · 2 splits · 5 curves · 2 interacting pairs",
        "own GAM 10 → CALM 7 → reference 6  (75% of the way)",
    ):
        assert words in shown
    rows = [row.split("</td>") for row in shown.split("<tr>")[2:]]
    by_importance = sorted(model.terms, key=lambda term: -term.importance)
    assert [row[0] for row in rows] == [f"<td>{term.feature.name}" for term in by_importance]
    depends_on = {"hour": "flag", "job": "hour", "flag": ""}
    assert [row[3] for row in rows] == [f"<td>{depends_on[t.feature.name]}" for t in by_importance]
    widths = [float(row[1].partition("width: ")[2].partition("em")[0]) for row in rows]
    assert widths[1] / widths[0] == pytest.approx(
        by_importance[1].importance / by_importance[0].importance, abs=0.01
    )


def test_a_model_without_errors_has_a_card():
    assert "validation" not in card(replace(hand_model(), errors={}))


def test_large_models_stay_small():
    shown = card(wide_model())
    assert shown.count("<tr>") == N_FEATURES + 1
    assert f"and {40 - N_FEATURES} more" in shown


def test_names_are_escaped():
    text = to_json(hand_model()).replace('"job"', '"<script>alert(1)</script>"')
    shown = card(from_json(text))
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
