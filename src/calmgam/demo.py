"""A demonstration: simulated bike rentals with known structure come in, a read model goes out.

    calmgam demo --out demo_output

Prints what the model found beside what the simulation put in, with errors on held-out rows, and
draws the curves.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from calmgam import CALMRegressor, Model
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.model.files import new_file

N_ROWS = 5000
TEST_SHARE = 0.2
NOISE = 25.0
INTERACTIONS = {
    ("hour", "workingday"): "two rush hours on working days, one broad hump on others",
    ("temperature", "season"): "warmth brings riders, but in summer heat costs some",
    ("weather", "hour"): "rain costs 110 rentals by day and 10 at night",
}


def simulate_bikes(n_rows: int = N_ROWS, random_state: int = 0) -> tuple[Any, np.ndarray]:
    """Simulate hours of a bike-rental service.

    The mean is additive but for `INTERACTIONS`; wind costs 1.5 rentals per km/h, humidity does
    nothing, and 4 % of the temperatures are missing.

    Parameters
    ----------
    n_rows, random_state : int

    Returns
    -------
    X : pandas data frame
    y : array
        Rentals in the hour.
    """
    import pandas as pd

    rng = np.random.default_rng(random_state)
    hour = rng.integers(0, 24, n_rows)
    workingday = rng.random(n_rows) < 5 / 7
    season = rng.choice(["winter", "spring", "summer", "autumn"], n_rows)
    weather = rng.choice(["dry", "drizzle", "rain"], n_rows, p=[0.70, 0.18, 0.12])
    wind = rng.gamma(4, 4, n_rows)
    humidity = np.clip(rng.normal(62, 15, n_rows), 15, 100)
    typical = _look_up(season, {"winter": 4, "spring": 14, "summer": 23, "autumn": 13})
    temperature = typical + 3 * np.sin((hour - 9) * np.pi / 12) + rng.normal(0, 5, n_rows)

    def rush(peak: float, width: float) -> np.ndarray:
        return np.exp(-0.5 * ((hour - peak) / width) ** 2)

    commuting = 220 * rush(8, 1.3) + 260 * rush(17.5, 1.8) + 60 * rush(13, 3)
    by_hour = np.where(workingday, commuting, 190 * rush(14, 3.5))
    by_warmth = np.where(season == "summer", 23 - temperature, temperature - 12)
    wetness = _look_up(weather, {"dry": 0, "drizzle": 0.4, "rain": 1})
    by_weather = wetness * np.where(hour <= 6, -10, -110)
    mean = 150 + by_hour + 4 * by_warmth + by_weather - 1.5 * wind
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
    return X, rentals


def _look_up(labels: np.ndarray, values: dict[str, float]) -> np.ndarray:
    return np.array([values[label] for label in labels])


def held_out_errors(
    calm: CALMRegressor, X_train: Any, y_train: np.ndarray, X_test: Any, y_test: np.ndarray
) -> dict[str, float]:
    """Return the RMSE of the GAM, the CALM, a reference like its own and the simulation."""
    gam = CALMRegressor(max_depth=0, random_state=0).fit(X_train, y_train)
    schema, mean, scale = calm.model_.schema, y_train.mean(), y_train.std()
    reference = BoostedTrees(schema, SquaredError())
    reference.fit(schema.encode(X_train), (y_train - mean) / scale)
    predictions = {
        "own GAM": gam.predict(X_test),
        "CALM": calm.predict(X_test),
        "reference": mean + scale * reference.predict(schema.encode(X_test)),
    }
    errors = {
        name: float(np.sqrt(np.mean((y_test - predicted) ** 2)))
        for name, predicted in predictions.items()
    }
    return {**errors, "noise alone": NOISE}


def interactions_found(model: Model) -> str:
    """Return what the simulation put in, whether the model has it, and what else it has."""
    names = model.schema.names
    found = {frozenset((t.feature.name, names[j])) for t in model.terms for j in t.conditioned_on}
    lines = [
        f"  {'found' if frozenset(pair) in found else 'missed'}  {' × '.join(pair)}: {meaning}"
        for pair, meaning in INTERACTIONS.items()
    ]
    others = found - set(map(frozenset, INTERACTIONS))
    extra = ", ".join(" × ".join(sorted(pair)) for pair in others) or "none"
    return "\n".join([*lines, f"  other pairs in the model: {extra}"])


def run(n_rows: int, folder: Path, n_features: int | None = None) -> None:
    """Run the demonstration.

    Parameters
    ----------
    n_rows : int
        Rows to simulate.
    folder : Path
        For the picture and the page.
    n_features : int, optional
        Draw only the most important ones.
    """
    folder.mkdir(parents=True, exist_ok=True)  # or it fails before the work
    X, y = simulate_bikes(n_rows)
    n_train = round((1 - TEST_SHARE) * len(X))
    X_train, X_test, y_train, y_test = X[:n_train], X[n_train:], y[:n_train], y[n_train:]
    start = time.perf_counter()
    calm = CALMRegressor(random_state=0).fit(X_train, y_train)
    seconds = time.perf_counter() - start

    print(f"Rentals per hour, {n_train} simulated rows, fitted in {seconds:.1f} s\n")
    print(calm.summary())
    errors = held_out_errors(calm, X_train, y_train, X_test, y_test)
    texts = (f"{name} {error:.1f}" for name, error in errors.items())
    print(f"\nrmse on {len(X_test)} held-out rows: {', '.join(texts)}")
    print("\nWhat the simulation put in")
    print(interactions_found(calm.model_))
    picture, page, saved = (folder / f"bike_rentals.{kind}" for kind in ("png", "html", "json"))
    calm.model_.save(saved)
    calm.report(page, X_test, y_test, title="Bike rentals per hour")
    print(f"\nModel: {saved}\nPage, to open in a browser: {page}")
    with new_file(picture, "wb") as file:
        calm.plot_model(n_features).savefig(file, format="png")
    print(f"Curves: {picture}")
