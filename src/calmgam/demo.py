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
from calmgam.datasets.bikes import INTERACTIONS, NOISE, simulate_bikes
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.model.files import new_file

TEST_SHARE = 0.2


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
