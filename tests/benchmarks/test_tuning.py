"""The page of tuned numbers is complete and says why."""

import pytest

from benchmarks import tuning


def test_the_page_is_up_to_date():
    assert tuning.PAGE.read_text() == tuning.page(), "run python -m benchmarks.tuning"


def test_every_number_says_why():
    reasons = [*tuning.settings_of_stages(), *tuning.constants()]
    assert len(reasons) > 60
    assert [row[:2] for row in reasons if not row[3].strip()] == []


@pytest.mark.parametrize(
    "name", ["Boosting.learning_rate", "JointSettings.ridge", "TreeSettings.max_rounds"]
)
def test_settings_are_found(name):
    assert name in [row[1] for row in tuning.settings_of_stages()]
