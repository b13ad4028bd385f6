"""Hours of a bike-rental service: a number to predict, and three interactions to find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calmgam.datasets.tables import needed_pandas, read_table

N_ROWS = 5000
NOISE = 25.0
INTERACTIONS = {
    ("hour", "workingday"): "two rush hours on working days, one broad hump on others",
    ("temperature", "season"): "warmth brings riders, but in summer heat costs some",
    ("weather", "hour"): "rain costs 110 rentals by day and 10 at night",
}
TYPICAL = {"winter": 4, "spring": 14, "summer": 23, "autumn": 13}  # degrees at 9 and at 21
WETNESS = {"dry": 0, "drizzle": 0.4, "rain": 1}


def load_bikes() -> tuple[Any, Any]:
    """Return the bundled bike rentals: 5,000 hours.

    One draw of `simulate_bikes`; `true_rentals` is what is to be found. The mean is additive but
    for three pairs: hour and working day, temperature and season, weather and hour. Humidity does
    nothing. The noise has a standard deviation of 25 rentals, and 4 % of the temperatures are
    missing.

    Returns
    -------
    X : pandas data frame
        ``hour`` (0 to 23), ``workingday`` (bool), ``season``, ``temperature`` (degrees Celsius),
        ``weather``, ``wind`` (km/h), ``humidity`` (percent).
    y : pandas series
        Rentals in the hour.

    Examples
    --------
    >>> X, y = load_bikes()
    >>> X.shape
    (5000, 7)
    """
    table = read_table("bikes")
    return table.drop(columns="rentals"), table["rentals"]


def simulate_bikes(n_rows: int = N_ROWS, random_state: int = 0) -> tuple[Any, Any]:
    """Simulate hours of a bike-rental service, as `load_bikes` describes them.

    Parameters
    ----------
    n_rows, random_state : int

    Returns
    -------
    X : pandas data frame
    y : pandas series
        Rentals in the hour.
    """
    pd = needed_pandas()
    rng = np.random.default_rng(random_state)
    hour = rng.integers(0, 24, n_rows)
    workingday = rng.random(n_rows) < 5 / 7
    season = rng.choice(list(TYPICAL), n_rows)
    weather = rng.choice(list(WETNESS), n_rows, p=[0.70, 0.18, 0.12])
    wind = rng.gamma(4, 4, n_rows)
    humidity = np.clip(rng.normal(62, 15, n_rows), 15, 100)
    temperature = _usual_temperature(season, hour) + rng.normal(0, 5, n_rows)
    mean = _mean(hour, workingday, season, temperature, weather, wind)
    rentals = np.maximum(mean + rng.normal(0, NOISE, n_rows), 0).round()
    X = pd.DataFrame(
        {
            "hour": hour,
            "workingday": workingday,
            "season": season,
            "temperature": np.where(rng.random(n_rows) < 0.04, np.nan, temperature.round(1)),
            "weather": weather,
            "wind": wind.round(1),
            "humidity": humidity.round(),
        }
    )
    return X, pd.Series(rentals, name="rentals")


def true_rentals(X: Any) -> np.ndarray:
    """Return the mean of the simulation for every row, before rentals below 0 become 0.

    Parameters
    ----------
    X : pandas data frame
        As `load_bikes` gives it. A missing temperature counts as what is usual at that hour and
        season. Temperature and wind are recorded to a tenth, so that the mean is known to half a
        rental.

    Returns
    -------
    array of shape (n_rows,)
    """
    hour, season = X["hour"].to_numpy(), X["season"].to_numpy()
    recorded = X["temperature"].to_numpy()
    temperature = np.where(np.isnan(recorded), _usual_temperature(season, hour), recorded)
    others = (X[name].to_numpy() for name in ("weather", "wind"))
    return _mean(hour, X["workingday"].to_numpy(), season, temperature, *others)


def _usual_temperature(season: Any, hour: Any) -> Any:
    return _look_up(season, TYPICAL) + 3 * np.sin((hour - 9) * np.pi / 12)


def _mean(
    hour: Any, workingday: Any, season: Any, temperature: Any, weather: Any, wind: Any
) -> Any:
    def rush(peak: float, width: float) -> Any:
        return np.exp(-0.5 * ((hour - peak) / width) ** 2)

    commuting = 220 * rush(8, 1.3) + 260 * rush(17.5, 1.8) + 60 * rush(13, 3)
    by_hour = np.where(workingday, commuting, 190 * rush(14, 3.5))
    by_warmth = np.where(season == "summer", 23 - temperature, temperature - 12)
    by_weather = _look_up(weather, WETNESS) * np.where(hour <= 6, -10, -110)
    return 150 + by_hour + 4 * by_warmth + by_weather - 1.5 * wind


def _look_up(labels: Any, values: Mapping[str, float]) -> Any:
    return np.array([values[label] for label in labels])
