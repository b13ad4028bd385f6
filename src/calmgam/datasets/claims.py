"""Motor policies: counts to predict, with years at risk, and one interaction to find."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.datasets.tables import needed_pandas, read_table

N_ROWS = 10_000
RISK_OF_REGION = {"city": 0.35, "suburb": 0.1, "country": -0.1}


def load_claims() -> tuple[Any, Any, Any]:
    """Return the bundled motor claims: 10,000 policies.

    One draw of `simulate_claims`; `true_claim_rate` is what is to be found. The logarithm of the
    rate is additive but for one pair: up to an age of 30 the power of the car counts ten times
    as much. ``colour`` does nothing, and 3 % of the distances are missing. Claims are Poisson:
    fit ``CALMRegressor(objective="poisson")`` with ``offset=np.log(exposure)``.

    Returns
    -------
    X : pandas data frame
        ``driver_age``, ``power`` (kW), ``vehicle_age`` (years), ``region``, ``bonus`` (claim-free
        years, up to 10), ``distance`` (thousand km a year), ``colour``.
    y : pandas series
        Number of claims.
    exposure : pandas series
        Years at risk, from 0.05 to 1.

    Examples
    --------
    >>> X, y, exposure = load_claims()
    >>> 0.05 <= exposure.min() <= exposure.max() <= 1
    True
    """
    table = read_table("claims")
    return table.drop(columns=["claims", "exposure"]), table["claims"], table["exposure"]


def simulate_claims(n_rows: int = N_ROWS, random_state: int = 0) -> tuple[Any, Any, Any]:
    """Simulate motor policies, as `load_claims` describes them.

    Parameters
    ----------
    n_rows, random_state : int

    Returns
    -------
    X : pandas data frame
    y : pandas series
    exposure : pandas series
    """
    pd = needed_pandas()
    rng = np.random.default_rng(random_state)
    age = np.clip(18 + rng.gamma(2.2, 12, n_rows).round(), 18, 90).astype(int)
    distance = rng.gamma(5, 2.6, n_rows).round(1)
    X = pd.DataFrame(
        {
            "driver_age": age,
            "power": np.clip(rng.gamma(9, 10, n_rows).round(), 40, 220).astype(int),
            "vehicle_age": np.minimum(rng.exponential(7, n_rows), 30).astype(int),
            "region": rng.choice(list(RISK_OF_REGION), n_rows, p=[0.3, 0.4, 0.3]),
            "bonus": np.minimum(rng.integers(0, 21, n_rows), np.minimum(age - 18, 10)),
            "distance": np.where(rng.random(n_rows) < 0.03, np.nan, distance),
            "colour": rng.choice(["black", "blue", "red", "silver", "white"], n_rows),
        }
    )
    whole_year = rng.random(n_rows) < 0.5
    exposure = np.where(whole_year, 1.0, rng.uniform(0.05, 1, n_rows).round(2))
    claims = rng.poisson(exposure * true_claim_rate(X))
    return X, pd.Series(claims, name="claims"), pd.Series(exposure, name="exposure")


def true_claim_rate(X: Any) -> np.ndarray:
    """Return the claims a year that the simulation expects of every row.

    Parameters
    ----------
    X : pandas data frame
        As `load_claims` gives it; a missing distance counts as 13 thousand km.

    Returns
    -------
    array of shape (n_rows,)
    """
    age, power = X["driver_age"].to_numpy(), X["power"].to_numpy()
    by_age = 0.7 * np.exp(-(age - 18) / 7) + 0.015 * np.maximum(age - 65, 0)
    by_power = np.where(age <= 30, 0.02, 0.002) * (power - 90)
    by_vehicle = -0.03 * np.minimum(X["vehicle_age"].to_numpy(), 15)
    by_region = np.array([RISK_OF_REGION[label] for label in X["region"]])
    by_bonus = -0.06 * X["bonus"].to_numpy()
    driven = np.nan_to_num(X["distance"].to_numpy(float), nan=13.0)
    by_distance = 0.5 * np.log(np.clip(driven, 2, 40) / 13)
    return np.exp(-1.0 + by_age + by_power + by_vehicle + by_region + by_bonus + by_distance)
