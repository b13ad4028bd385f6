"""Calibration helps where it must, and stays away where it does not."""

from dataclasses import replace

import numpy as np
import pytest

from calmgam.model.edits.calibration import log_losses, platt
from tests.model.edits.example import MODEL, ROWS

CLASSIFIER = replace(
    MODEL, intercept=0.0, link="logit", classes=("no", "yes"), intervals=None, objective=None
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = ROWS[rng.integers(len(ROWS), size=4000)]
    happened = rng.random(len(X)) < 1 / (1 + np.exp(-CLASSIFIER.score_encoded(X)))
    table = X.astype(object)
    table[:, 2] = np.array(["nurse", "cook", "smith"])[X[:, 2].astype(int)]
    return table, np.where(happened, "yes", "no")


def test_overconfident_scores_are_scaled_back(rows):
    X, y = rows
    wrong = CLASSIFIER.edit().rescale(2.5, 0.5).done()
    right = wrong.calibrated(X, y, who="Ada")
    assert [record.name for record in right.trail] == ["rescale", "rescale"]
    record = right.trail[-1]
    assert record.edit["slope"] == pytest.approx(0.4, abs=0.03)
    assert record.edit["shift"] == pytest.approx(-0.2, abs=0.1)
    assert record.effect.loss_after < record.effect.loss_before
    assert record.who == "Ada"
    assert "lower on rows left out" in record.why
    assert right.undo() == wrong


def test_calibrated_scores_stay(rows):
    assert CLASSIFIER.calibrated(*rows) is CLASSIFIER
    X, _ = rows
    assert CLASSIFIER.calibrated(X, ["no"] * len(X)) is CLASSIFIER
    with pytest.raises(ValueError, match="calibration is of probabilities"):
        MODEL.calibrated(X, np.zeros(len(X)))


def test_an_offset_stays_as_it_is(rows):
    """What is wrong is the model's score; the offset is known."""
    X, _ = rows
    rng = np.random.default_rng(3)
    offset = rng.normal(0, 2, len(X))
    right = CLASSIFIER.score(X, offset)
    y = np.where(rng.random(len(X)) < 1 / (1 + np.exp(-right)), "yes", "no")
    assert CLASSIFIER.calibrated(X, y, offset=offset) is CLASSIFIER
    wrong = CLASSIFIER.edit().rescale(2.5, 0.5).done()
    back = wrong.calibrated(X, y, offset=offset)
    assert back.trail[-1].edit["slope"] == pytest.approx(0.4, abs=0.04)
    assert back.trail[-1].effect.loss_after < back.trail[-1].effect.loss_before


@pytest.mark.parametrize("spread", [0, 2])
def test_platt_finds_the_smallest_loss(spread):
    rng = np.random.default_rng(1)
    score, offset = rng.normal(size=500), spread * rng.normal(size=500)
    positive = rng.random(500) < 1 / (1 + np.exp(-2 * score + 1 - offset))
    slope, shift = platt(score, positive, offset)
    best = log_losses(slope * score + shift + offset, positive).mean()
    for change in (-0.05, 0.05):
        assert best < log_losses((slope + change) * score + shift + offset, positive).mean()
        assert best < log_losses(slope * score + shift + change + offset, positive).mean()
