import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audit_models import random_model
from reading_models import ROW, flat_model, hand_model, scaled_model, wide_model

from calmgam.model.serialize import from_json, to_json
from calmgam.read.texts.card import card
from calmgam.read.texts.summary import N_COLUMNS, N_LINES, explain, summary


@pytest.mark.parametrize("model", [hand_model(), wide_model(40), wide_model(2), random_model(11)])
def test_a_summary_fits_one_screen(model):
    lines = summary(model).split("\n")
    assert len(lines) <= N_LINES
    assert max(map(len, lines)) <= N_COLUMNS
    assert all(line == line.rstrip() for line in lines)


def test_a_summary_says_size_standing_importance_jumps_and_trees():
    text = summary(hand_model())
    assert "3 features · 2 splits · 5 curves · 2 interacting pairs" in text
    assert "own GAM 10 → CALM 7 → reference 6  (75% of the way)" in text
    assert re.search(r"hour +█+\S* +1\.\d+ +2  flag\n", text)
    assert "    hour at 6.5: ↕ [-0.5, 9] from job\n" in text
    assert "job | hour\n    hour <= 6.5 or missing  40%\n    hour > 6.5  60%" in text


def test_a_summary_measures_given_data():
    X = pd.DataFrame([ROW, {**ROW, "hour": 1.0, "flag": False}])
    assert "on the given rows: R² 1, RMSE 0" in summary(hand_model(), X, hand_model().score(X))
    assert "AUC 1, log loss" in summary(hand_model("logit"), X, np.array(["yes", "no"]))


def test_features_that_do_not_fit_are_counted():
    assert "and 28 more, together" in summary(wide_model(40))


def test_many_features_without_effect_are_counted():
    few, many = summary(flat_model(5)), summary(flat_model(6))
    assert "flat 4" in few and "without effect" not in few
    assert "flat" not in many and "\nand 6 more, without effect\n" in many
    assert "flat 5" in summary(flat_model(6), n_features=None)
    steps = explain(flat_model(40), [1.0] * 41).split("\n")
    assert [line.split("  ")[0] for line in steps] == [
        "intercept",
        "steep = 1",
        "40 others",
        "score",
    ]


def test_printed_lines_add_up_to_the_printed_score():
    model = random_model(3)
    rng = np.random.default_rng(0)
    for _ in range(50):
        row = {
            f.name: rng.normal() * 3 if f.is_numeric else str(rng.choice(f.levels))
            for f in model.schema.features
        }
        numbers = [float(n) for n in re.findall(r"  +([+-][\d.]+)(?=  |\n|$)", explain(model, row))]
        assert len(numbers) == len(model.terms) + 2
        assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=1e-9)


def test_an_explanation_names_values_rules_and_the_probability():
    text = explain(hand_model("logit"), ROW)
    assert re.search(r"hour = 7 +\+2\.000  █{10}  flag = True\n", text)
    assert re.search(r"job = cook +\+1\.500  \S+ +hour > 6.5\n", text)
    assert text.endswith("probability of yes   98.0%")
    assert max(map(len, explain(wide_model(40), [1.0] * 39 + ["level 1"]).split("\n"))) <= N_COLUMNS


def test_small_contributions_to_a_large_score_can_be_seen():
    text = explain(scaled_model(0.5, 1234000.0), ROW)
    assert re.search(r"intercept +\+1234000\.050\n", text)
    assert re.search(r"hour = 7 +\+1\.000 ", text)
    assert text.endswith("+1234001.950")


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e-9, 1e15, 1e300])
def test_scores_of_any_size_fit_the_screen(factor):
    model = scaled_model(factor)
    for text in (summary(model), explain(model, ROW)):
        assert max(map(len, text.split("\n"))) <= N_COLUMNS
    assert len(card(model)) < len(card(hand_model())) + 40
    assert re.search(r"hour = 7 +\+2\.000", explain(model, ROW))


def test_a_model_beyond_its_reference_is_not_at_203_percent():
    errors = {"metric": "rmse", "gam": 10.0, "calm": 2.0, "reference": 6.0}
    better = replace(hand_model(), errors=errors)
    assert "reference 6  (better than the reference)" in summary(better)
    worse = replace(hand_model(), errors=errors | {"calm": 11.0})
    assert "(worse than the own GAM)" in summary(worse)


def test_errors_can_be_told_apart():
    errors = {"metric": "rmse", "gam": 1234007.5, "calm": 1234005.5, "reference": 1234000.0}
    text = summary(replace(hand_model(), errors=errors))
    assert "own GAM 1234007.5 → CALM 1234005.5 → reference 1234000" in text


def test_a_long_name_keeps_its_value():
    text = explain(wide_model(3), [1.0, 86556.5, "level 1"])
    assert "= 86556.5" in text
    assert "= level 1" in text


def test_a_summary_says_how_to_see_the_lines_it_leaves_out():
    model = wide_model(40)
    short, full = (summary(model, n_features=n).split("\n") for n in (12, None))
    assert short[-1] == f"all {len(full)} lines: summary(n_features=None)"
    assert sum(" | " in line for line in full) == 40  # a tree for every feature
    assert len({line.split("  ")[0] for line in full if " 2  measure" in line}) == 40
    assert not any("more" in line for line in full)
    assert "n_features" not in summary(hand_model(), n_features=3)
    assert summary(hand_model(), n_features=2).endswith("lines: summary(n_features=None)")
    assert len(summary(model, n_features=3).split("\n")) <= N_LINES
    with pytest.raises(ValueError, match="n_features must be at least 1, or None for all; got 0"):
        summary(model, n_features=0)


def test_text_from_data_does_not_reach_the_terminal_raw():
    text = to_json(hand_model()).replace('"cook"', '"\\u001b[31mcook\\n"')
    for name, odd in (("hour", "a\\u001b]0;x\\u0007"), ("flag", "  "), ("job", "\\u202eboj")):
        text = text.replace(f'"{name}"', f'"{odd}"')
    model = from_json(text)
    names = model.schema.names
    row = dict(zip(names, (7.0, "\x1b[31mcook\n", True), strict=True))
    for text in (summary(model), explain(model, row), card(model)):
        assert all(character.isprintable() for character in text.replace("\n", ""))
        assert r"a\x1b]0;x\x07" in text
        assert r"\u202eboj" in text
    assert r"\u202eboj = \x1b[31mcook\n " in explain(model, row)
    assert '"  " = True' in explain(model, row)
    assert explain(model, row).count("\n") == 4
