import sys
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import calmgam
from calmgam import Boosting, CALMClassifier, CALMRegressor, datasets
from calmgam.datasets import tables

PAIRS = [
    (datasets.load_bikes, datasets.simulate_bikes),
    (datasets.load_credit, datasets.simulate_credit),
    (datasets.load_claims, datasets.simulate_claims),
]


@pytest.mark.parametrize(("load", "simulate"), PAIRS)
def test_a_bundled_table_is_the_first_draw_of_its_simulation(load, simulate):
    for bundled, drawn in zip(load(), simulate(), strict=True):
        if isinstance(bundled, pd.DataFrame):
            pd.testing.assert_frame_equal(bundled, drawn)
        else:
            pd.testing.assert_series_equal(bundled, drawn)


@pytest.mark.parametrize(("load", "simulate"), PAIRS)
def test_seeds_and_sizes_are_heeded(load, simulate):
    X, *_ = simulate(50, random_state=1)
    assert len(X) == 50
    assert X.equals(simulate(50, random_state=1)[0])
    assert not X.equals(simulate(50, random_state=2)[0])


def test_files_are_small_and_written_the_same_again(tmp_path):
    folder = files("calmgam.datasets")
    sizes = [
        len((folder / f"{name}.csv.gz").read_bytes()) for name in ("bikes", "credit", "claims")
    ]
    assert sum(sizes) < 300_000
    X, y = datasets.load_bikes()
    tables.write_table(X.assign(rentals=y), "bikes", tmp_path)
    assert pd.read_csv(tmp_path / "bikes.csv.gz").equals(X.assign(rentals=y))


def test_rentals_scatter_around_their_truth():
    X, y = datasets.load_bikes()
    truth = datasets.true_rentals(X)
    inside = (truth > 75) & X["temperature"].notna()  # 0 is three standard deviations away
    errors = y[inside] - truth[inside]
    assert abs(errors.mean()) < 4 * 25 / np.sqrt(inside.sum())
    assert errors.std() == pytest.approx(25, rel=0.05)
    assert np.isfinite(truth).all()


def test_defaults_and_claims_are_as_frequent_as_their_truth_says():
    X, y = datasets.load_credit()
    probability = 1 / (1 + np.exp(-datasets.true_log_odds(X)))
    variance = np.sum(probability * (1 - probability))
    assert abs(np.sum(y == "yes") - probability.sum()) < 4 * np.sqrt(variance)
    X, y, exposure = datasets.load_claims()
    expected = exposure * datasets.true_claim_rate(X)
    young = X["driver_age"] <= 30
    for rows in (young, ~young, exposure < 0.5):
        assert abs(y[rows].sum() - expected[rows].sum()) < 4 * np.sqrt(expected[rows].sum())


def test_risk_falls_with_income_and_does_not_know_sex():
    X, _ = datasets.load_credit()
    poorer = datasets.true_log_odds(X.assign(income=X["income"] * 0.9))
    truth = datasets.true_log_odds(X)
    assert (poorer >= truth).all()
    assert np.array_equal(datasets.true_log_odds(X.assign(sex="male")), truth)
    assert 0.02 < X["income"].isna().mean() < 0.1


@pytest.mark.slow
def test_default_fits_find_the_pairs_of_the_truth():
    X, y = datasets.load_credit()
    quick = {"curves": Boosting(n_bags=2), "n_jobs": 1, "random_state": 0}
    credit = CALMClassifier(**quick).fit(X, y).model_
    assert pairs(credit) >= {("employment", "debt_ratio"), ("late_payments", "history_years")}
    X, y, exposure = datasets.load_claims()
    fit = CALMRegressor(objective="poisson", **quick).fit(X, y, offset=np.log(exposure))
    assert pairs(fit.model_) == {("driver_age", "power")}


def pairs(model):
    names = model.schema.names
    found = {
        tuple(sorted((term.feature.index, j))) for term in model.terms for j in term.conditioned_on
    }
    return {(names[i], names[j]) for i, j in found}


def test_pandas_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"calmgam\.datasets needs pandas: pip install pandas"):
        calmgam.datasets.load_bikes()
