from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from reading_models import hand_model

from calmgam.model.objectives import Objective
from calmgam.read.measures.calibration import calibration_groups
from calmgam.read.measures.performance import measure
from calmgam.read.report import report
from calmgam.read.texts.summary import explain, summary

rng = np.random.default_rng(0)
N = 500
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, N),
        "job": rng.choice(["nurse", "cook"], N),
        "flag": rng.random(N) < 0.5,
    }
)
ROW = {"hour": 3.0, "job": "cook", "flag": True}


def counts():
    """A model with a log link, and the counts it is right about, with exposures."""
    model = replace(hand_model(), link="log", objective=Objective("poisson"))
    exposure = rng.uniform(0.1, 5.0, N)
    return model, rng.poisson(exposure * model.predict(X)).astype(float), exposure


def test_tenths_of_exposure():
    model, y, exposure = counts()
    offset = np.log(exposure)
    groups = calibration_groups(model, y, model.predict(X, offset), np.ones(N), offset)
    assert 2 < len(groups) <= 10 and sum(group.n_rows for group in groups) == N
    assert sum(group.share for group in groups) == pytest.approx(1)
    predicted = [group.predicted for group in groups]
    assert predicted == sorted(predicted)
    total = sum(group.share * group.observed for group in groups)
    assert total == pytest.approx(y.sum() / exposure.sum())
    for group in groups:
        assert group.observed == pytest.approx(group.predicted, rel=0.25)


def test_measures_of_counts_are_those_of_rates():
    model, y, exposure = counts()
    with_offset = measure(model, X, y, offset=np.log(exposure))
    rates = measure(model, X, y / exposure, sample_weight=exposure)
    assert list(with_offset.measures) == ["D²", "Poisson deviance", "MAE"]
    assert with_offset.measures["D²"] == pytest.approx(rates.measures["D²"])
    for one, other in zip(with_offset.calibration, rates.calibration, strict=True):
        assert vars(one) == pytest.approx(vars(other))


@pytest.mark.parametrize(
    ("objective", "names"),
    [
        (Objective("quantile", 0.9), ["D²", "pinball loss", "share below"]),
        (Objective("absolute_error"), ["D²", "MAE"]),
        (Objective("huber", 1.0), ["D²", "Huber loss", "MAE"]),
        (Objective("somebody's"), ["R²", "RMSE"]),
    ],
)
def test_measures_belong_to_the_objective(objective, names):
    model = replace(hand_model(), objective=objective)
    y = model.score(X) + rng.normal(size=N)
    known = measure(model, X, y)
    assert list(known.measures) == names
    if objective.name == "quantile":
        groups = known.calibration
        assert all(group.observed > group.predicted for group in groups)  # it predicts the mean
        assert known.measures["share below"] == pytest.approx(0.5, abs=0.1)


def test_weights_repeat_rows():
    model = hand_model()
    y, copies = model.score(X) + rng.normal(size=N), rng.integers(1, 4, N)
    weighted = measure(model, X, y, sample_weight=copies).measures
    repeated = measure(model, X.loc[X.index.repeat(copies)], np.repeat(y, copies)).measures
    assert weighted == pytest.approx(repeated)


@pytest.mark.parametrize("wrong", [np.ones(3), np.zeros(N), -np.ones(N), np.full(N, np.nan)])
def test_wrong_weights(wrong):
    with pytest.raises(ValueError, match="sample_weight must"):
        measure(hand_model(), X, np.zeros(N), sample_weight=wrong)


def test_texts_and_page_of_a_log_link(tmp_path):
    model, y, exposure = counts()
    text = summary(model, X, y, offset=np.log(exposure))
    assert "poisson, log link" in text and "Poisson deviance" in text and "D²" in text
    told = explain(model, ROW, offset=0.5)
    assert "\noffset" in told and "prediction, e to the score" in told
    score = model.score(pd.DataFrame([ROW]))[0] + 0.5
    assert f"{np.exp(score):.4g}"[:4] in told
    page = report(model, tmp_path / "page.html", X=X, y=y, offset=np.log(exposure)).read_text()
    assert '"calibration":[{' in page and '"link":"log"' in page


def test_reasons_add_up_with_an_offset():
    from calmgam.read.audit import reasons

    found = reasons(hand_model(), ROW, offset=2.0)
    parts = sum(reason.contribution for reason in found.reasons)
    assert found.intercept + parts + found.rest + found.offset == pytest.approx(found.score)
    assert "offset" in str(found)
    assert "offset" not in str(reasons(hand_model(), ROW))
