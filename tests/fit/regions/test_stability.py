import numpy as np
import pandas as pd
import pytest

from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity, Joint
from calmgam.fit.regions.stability import COLUMNS, same_split
from calmgam.model.regions import Condition
from calmgam.model.schema import Feature

HOUR = Feature("hour", 0, "numeric", low=0.0, high=1.0)
KIND = Feature("kind", 1, "categorical", tuple("pqrs"))
COLUMN = np.append(np.linspace(0.005, 0.995, 100), np.nan)  # 100 of 101 rows have a value
NOT_MISSING = Condition(HOUR, "<=", np.inf)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (Condition(HOUR, "<=", 0.5), Condition(HOUR, "<=", 0.5, missing=True), True),
        (Condition(HOUR, "<=", 0.5), Condition(HOUR, "<=", 0.53), True),
        (Condition(HOUR, "<=", 0.54), Condition(HOUR, "<=", 0.5), False),
        (NOT_MISSING, NOT_MISSING, True),
        (NOT_MISSING, Condition(HOUR, "<=", 0.99), False),
        (Condition(HOUR, "=", 0.5), Condition(HOUR, "=", 0.5), True),
        (Condition(HOUR, "=", 0.5), Condition(HOUR, "=", 0.51), False),
        (Condition(HOUR, "=", 0.5), Condition(HOUR, "<=", 0.5), False),
        (Condition(KIND, "=", (0,)), Condition(KIND, "=", (0,), missing=True), True),
        (Condition(KIND, "=", (0,)), Condition(KIND, "=", (1,)), False),
        (Condition(KIND, "=", (0, 1)), Condition(KIND, "=", (2, 3)), True),
        (Condition(KIND, "=", (0, 1)), Condition(KIND, "=", (1, 2)), False),
        (Condition(KIND, "!=", ()), Condition(KIND, "!=", ()), True),
        (Condition(KIND, "!=", ()), Condition(KIND, "=", (0,)), False),
    ],
)
def test_what_counts_as_the_same_split(first, second, same):
    assert same_split(first, second, COLUMN, tolerance=0.031) == same
    assert same_split(second, first, COLUMN, tolerance=0.031) == same


def table(n_rows=600):
    """The effect of a depends on b > 0 and on kind in {p, r}; d is noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (n_rows, 4)), columns=list("abcd"))
    X["kind"] = rng.choice(list("pqrs"), n_rows)
    y = 4 * X["a"] * (X["b"] > 0) + 3 * X["a"] * X["kind"].isin(["p", "r"])
    return X, y + X["c"] + 0.5 * rng.normal(size=n_rows)


def fit(growth="joint", n_jobs=1, **options):
    curves = Boosting(n_bags=1, max_rounds=20)
    options = {"max_splits": 5, "curves": curves, "random_state": 0} | options
    return CALMRegressor(growth=growth, n_jobs=n_jobs, **options).fit(*table())


@pytest.mark.parametrize("growth", [Joint(), Heterogeneity(min_drop=0.02)])
def test_true_splits_come_back_and_accidents_do_not(growth):
    calm = fit(growth)
    stability = calm.stability(*table(), n_boot=10)
    assert tuple(stability.columns) == COLUMNS
    accepted = calm.ledger_.to_frame().query("accepted").reset_index(drop=True)
    pd.testing.assert_frame_equal(stability[list(COLUMNS[:4])], accepted[list(COLUMNS[:4])])
    assert (stability["frequency"] <= stability["pair_frequency"]).all()
    assert stability["pair_frequency"].between(0, 1).all()

    true = stability.query("feature == 'a' and region == 'everywhere'").iloc[0]
    assert true["frequency"] >= 0.8
    assert true["pair_frequency"] == 1


def test_splits_of_noise_seldom_come_back():
    X, _ = table(300)
    noise = np.random.default_rng(1).normal(size=300)
    curves = Boosting(n_bags=1, max_rounds=5)
    calm = CALMRegressor(max_splits=2, curves=curves, random_state=0, n_jobs=1)
    stability = calm.fit(X, noise).stability(X, noise, n_boot=10)
    assert len(stability) == 2
    assert stability["frequency"].max() <= 0.4


def test_stability_is_deterministic_for_any_number_of_threads(capsys):
    one, two = fit(), fit(n_jobs=2, verbose=True)
    pd.testing.assert_frame_equal(
        one.stability(*table(), n_boot=3), two.stability(*table(), n_boot=3)
    )
    assert "stability" in capsys.readouterr().err


def test_the_model_is_left_as_it_was():
    calm = fit()
    model, ledger = calm.model_, calm.ledger_
    calm.stability(*table(), n_boot=1)
    assert calm.model_ is model
    assert calm.ledger_ is ledger


def test_other_splits_of_the_path_can_be_asked_about():
    calm = fit().refit_splits(1, *table())
    assert len(calm.stability(*table(), n_boot=2)) == 1


def test_without_splits_there_is_nothing_to_repeat():
    stability = fit(max_splits=0).stability(*table())
    assert len(stability) == 0
    assert tuple(stability.columns) == COLUMNS


def test_classes_and_weights():
    X, y = table(1000)
    labels = np.where(y > y.median(), "high", "low")
    weights = np.random.default_rng(2).uniform(0.5, 2, len(y))
    options = {"curves": Boosting(n_bags=1, max_rounds=5), "random_state": 0, "n_jobs": 1}
    calm = CALMClassifier(max_splits=1, growth=Joint(split_features=["a"]), **options)
    calm.fit(X, labels, weights)
    (row,) = calm.stability(X, labels, 4, sample_weight=weights).to_dict("records")
    assert (row["feature"], row["condition_feature"]) == ("a", "b")
    assert row["frequency"] >= 0.5


def test_the_number_of_refits_is_checked():
    with pytest.raises(ValueError, match="n_boot must be an integer >= 1; got 0"):
        fit(max_splits=1).stability(*table(), n_boot=0)
