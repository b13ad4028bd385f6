import re

import numpy as np
import pandas as pd
import pytest
from audit_models import random_model
from hypothesis import given
from hypothesis import strategies as st
from reading_models import ROW, hand_model, wide_model

from calmgam.read.text import N_COLUMNS, N_LINES, explain, round_to_sum, summary


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


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.integers(0, 4))
def test_rounded_numbers_add_up_and_stay_close(values, n_decimals):
    rounded = round_to_sum(values, n_decimals)
    unit = 10.0**-n_decimals
    assert sum(rounded) == pytest.approx(sum(values), abs=0.51 * unit)
    assert np.abs(np.array(rounded) - values).max() <= unit * (1 + 1e-6)


def test_the_largest_remainders_go_up():
    assert round_to_sum([0.2, 0.9, 0.9], 0) == [0, 1, 1]
    assert round_to_sum([0.14, 0.19, -0.07], 1) == [0.2, 0.2, -0.1]
