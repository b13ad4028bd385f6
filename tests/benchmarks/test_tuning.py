"""The page of tuned numbers is complete and says why."""

import pytest

from benchmarks import tuning


def test_the_page_is_up_to_date():
    assert tuning.PAGE.read_text() == tuning.page(), "run python -m benchmarks.tuning"


def test_every_number_says_why():
    reasons = [*tuning.settings_of_stages(), *tuning.constants(), *tuning.kernel_constants()]
    assert len(reasons) > 160
    assert [row[:2] for row in reasons if not row[3].strip()] == []


@pytest.mark.parametrize(
    "name", ["Boosting.learning_rate", "JointSettings.ridge", "TreeSettings.max_rounds"]
)
def test_settings_are_found(name):
    assert name in [row[1] for row in tuning.settings_of_stages()]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_BINS", "MAX_CELLS - 1"),
        ("LAYERS", "100, 100, 10"),
        ("RobustLoss.n_newton_steps", "30"),
        ("BOOSTING", "{'n_estimators': 300, 'learning_rate': 0.1}"),
        ("N_ERRORS", "2"),
    ],
)
def test_constants_are_found(name, value):
    assert (name, value) in [row[1:3] for row in tuning.constants()]


def test_constants_of_kernels_are_found():
    assert ("LANES", "8") in [row[1:3] for row in tuning.kernel_constants()]


def test_a_reason_stands_behind_a_constant_or_right_above_it():
    lines = ["A = 1  # one", "# of two", "# lines", "B = 2", "C = 3"]
    assert [tuning.comment(lines, at, at, "#") for at in (1, 4, 5)] == ["one", "of two lines", ""]
