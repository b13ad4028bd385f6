import numpy as np
import pytest

from calmgam.demo import simulate_bikes
from shell import QUICK, REGIONS, run


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Return a folder with a table, and models of its rentals and of its busy hours."""
    folder = tmp_path_factory.mktemp("cli")
    X, rentals = simulate_bikes(400)
    table = X.assign(rentals=rentals, busy=np.where(rentals > 200, "yes", "no"))
    table.to_csv(folder / "bikes.csv", index=False)
    fit = ["fit", folder / "bikes.csv", *QUICK, "--set", REGIONS]
    run(*fit, "--target", "rentals", "--drop", "busy", "--out", folder / "rentals.json")
    run(*fit, "--target", "busy", "--drop", "rentals", "--out", folder / "busy.json")
    return folder
