"""Borrowers: a yes or no to predict, a monotone truth in income, and an attribute to protect."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.datasets.tables import needed_pandas, read_table

N_ROWS = 8000
GRADES = ("A", "B", "C", "D", "E")  # best first
POSTCODES = tuple(range(10110, 10190, 10)) + tuple(range(20110, 20270, 10))  # city, country
RISK_OF_GRADE = {"A": -0.5, "B": -0.3, "C": 0.0, "D": 0.4, "E": 0.9}
RISK_OF_EMPLOYMENT = {"salaried": 0.0, "self-employed": 0.2, "retired": -0.2, "unemployed": 0.6}
RISK_OF_NO_INCOME_STATED = 0.4


def load_credit() -> tuple[Any, Any]:
    """Return the bundled loans: 8,000 borrowers, of whom about a fifth default.

    One draw of `simulate_credit`; `true_log_odds` is what is to be found. It falls with income,
    whatever the other features; ``sex`` has no effect of its own, though women earn less in this
    table; two pairs interact: debt ratio with employment, late payments with years of history.
    Income is not stated by 5 % (one in five of the self-employed), and newcomers, 7 %, have no
    history. ``postcode`` is a number that names a place, and ``grade`` is ordered: see
    ``feature_types``.

    Returns
    -------
    X : pandas data frame
        ``income`` (thousands a year), ``age``, ``sex``, ``postcode``, ``employment``, ``grade``
        (A is best), ``debt_ratio`` (debt over income), ``late_payments`` (in two years),
        ``history_years``.
    y : pandas series
        ``"yes"`` for a default, or ``"no"``.

    Examples
    --------
    >>> X, y = load_credit()
    >>> sorted(y.unique())
    ['no', 'yes']
    """
    table = read_table("credit")
    return table.drop(columns="default"), table["default"]


def simulate_credit(n_rows: int = N_ROWS, random_state: int = 0) -> tuple[Any, Any]:
    """Simulate borrowers, as `load_credit` describes them.

    Parameters
    ----------
    n_rows, random_state : int

    Returns
    -------
    X : pandas data frame
    y : pandas series
    """
    pd = needed_pandas()
    rng = np.random.default_rng(random_state)
    age = np.clip(rng.gamma(7, 6.2, n_rows).round(), 18, 85).astype(int)
    sex = rng.choice(["female", "male"], n_rows)
    working = rng.choice(["salaried", "self-employed", "unemployed"], n_rows, p=[0.76, 0.16, 0.08])
    employment = np.where(age >= 66, "retired", working)
    lower = (
        0.35 * (employment == "retired")
        + 0.6 * (employment == "unemployed")
        + 0.2 * (sex == "female")
    )
    income = np.exp(3.6 - lower + 0.45 * rng.normal(size=n_rows))
    silent = rng.random(n_rows) < np.where(employment == "self-employed", 0.2, 0.03)
    history = np.maximum(age - 18 - rng.gamma(2, 3, n_rows), 0)
    newcomer = rng.random(n_rows) < 0.07
    late = rng.poisson(0.6, n_rows)
    # a grade follows late payments, but not closely
    shifted = late - 0.6 + 1.2 * rng.normal(size=n_rows)
    grade = np.array(GRADES)[np.searchsorted([-1.0, -0.2, 0.6, 1.6], shifted)]
    X = pd.DataFrame(
        {
            "income": np.where(silent, np.nan, income.round(1)),
            "age": age,
            "sex": sex,
            "postcode": rng.choice(POSTCODES, n_rows),
            "employment": employment,
            "grade": grade,
            "debt_ratio": rng.beta(2, 4, n_rows).round(2),
            "late_payments": late,
            "history_years": np.where(newcomer, np.nan, history.round(1)),
        }
    )
    defaults = rng.random(n_rows) < 1 / (1 + np.exp(-true_log_odds(X)))
    return X, pd.Series(np.where(defaults, "yes", "no"), name="default")


def true_log_odds(X: Any) -> np.ndarray:
    """Return the log-odds of a default that the simulation gives every row.

    Parameters
    ----------
    X : pandas data frame
        As `load_credit` gives it; the truth is about what is recorded, missing values included.

    Returns
    -------
    array of shape (n_rows,)
    """
    income, history = X["income"].to_numpy(float), X["history_years"].to_numpy(float)
    employment = X["employment"].to_numpy()
    by_income = np.where(
        np.isnan(income), RISK_OF_NO_INCOME_STATED, -1.1 * np.log(np.maximum(income, 5) / 35)
    )
    by_age = 0.6 * np.exp(-(X["age"].to_numpy() - 18) / 8)
    by_postcode = np.where(X["postcode"].to_numpy() < 20000, 0.4, 0.0)
    by_employment = np.array([RISK_OF_EMPLOYMENT[label] for label in employment])
    by_grade = np.array([RISK_OF_GRADE[label] for label in X["grade"]])
    # debt weighs more on those without a salary; of newcomers nothing is known
    by_debt = np.where(employment == "salaried", 1.0, 6.0) * (X["debt_ratio"].to_numpy() - 0.33)
    known_long = np.nan_to_num(history) > 10
    by_late = np.minimum(X["late_payments"].to_numpy(), 4) * np.where(known_long, 0.1, 0.9)
    by_history = np.where(np.isnan(history), 0.5, -0.02 * np.nan_to_num(history))
    parts = (by_income, by_age, by_postcode, by_employment, by_grade, by_debt, by_late, by_history)
    return -1.9 + np.sum(parts, axis=0)
