import numpy as np
import pandas as pd
import pytest

from benchmarks import settings
from calmgam import Backfitting
from calmgam.fit.data import bags


def test_settings_are_where_they_are_said_to_be():
    assert all(settings.as_it_is(setting) > 0 for setting in settings.TRIALS)


def test_a_setting_of_a_part_is_given_to_it():
    case = settings.TRIALS["Backfitting.resolution"][0]
    with settings.parts_with(case, "Backfitting.resolution", 4.0) as parts:
        assert parts["curves"] == Backfitting(resolution=4.0)


def test_a_setting_elsewhere_is_changed_for_a_while():
    before = bags.BAGS
    with settings.parts_with(settings.Case(settings.lines(20, 3)), "BagSettings.min_rows", 15):
        assert bags.BAGS.min_rows == 15
    assert bags.BAGS is before


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_events_have_their_share(share):
    table = settings.lines(20_000, 3, 2, "events", share=share)
    _, probabilities, _ = table.draw(np.random.default_rng(1), table.n_rows)
    assert probabilities[:, 1].mean() == pytest.approx(share, abs=0.01)


def test_truth_itself_diverges_by_nothing():
    class Oracle:
        classes_ = (0, 1)

        def predict_proba(self, X):
            return X

    truth = np.array([[0.2, 0.8], [0.5, 0.5]])
    assert settings.divergence(truth, Oracle(), truth) == 0
    assert settings.divergence(truth, Oracle(), truth[::-1]) > 0.1


def test_a_run_compares_halved_and_doubled_with_the_default(tmp_path):
    out = tmp_path / "settings.csv"
    settings.main(["--settings", "Backfitting.resolution", "--out", str(out)])
    written = pd.read_csv(out)
    assert sorted(written["value"].unique()) == [1.0, 2.0, 4.0]
    table = settings.summary(written)
    assert table["setting"].unique().tolist() == ["Backfitting.resolution = 2"]
    assert table["found"].tolist()[1] == "3 / 3 / 3"
    assert "CPU s" in out.with_suffix(".md").read_text()
