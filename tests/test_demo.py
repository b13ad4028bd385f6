import numpy as np
import pytest

import calmgam
from calmgam import Boosting, CALMRegressor, demo
from calmgam.demo import INTERACTIONS, interactions_found, simulate_bikes


def test_same_seed_same_table():
    X, y = simulate_bikes(200, random_state=3)
    again, y_again = simulate_bikes(200, random_state=3)
    other, _ = simulate_bikes(200, random_state=4)
    assert X.equals(again)
    assert np.array_equal(y, y_again)
    assert not X.equals(other)


def test_table_has_every_kind_of_column():
    X, y = simulate_bikes(500)
    assert [X.dtypes[name].kind for name in ("hour", "workingday", "temperature")] == [
        "i",
        "b",
        "f",
    ]
    assert set(X["weather"]) == {"dry", "drizzle", "rain"}
    assert 0 < X["temperature"].isna().mean() < 0.1
    assert y.min() >= 0


@pytest.fixture(scope="module")
def calm():
    X, y = simulate_bikes(3000)
    return CALMRegressor(curves=Boosting(n_bags=2), n_jobs=1, random_state=0).fit(X, y)


def test_interactions_of_the_simulation_are_found(calm):
    text = interactions_found(calm.model_)
    assert text.count("  found  ") == len(INTERACTIONS)
    assert calm.model_.terms[0].conditioned_on  # hour has several curves


def test_missed_interactions_are_said_to_be_missed():
    X, y = simulate_bikes(300)
    gam = CALMRegressor(max_depth=0, curves=Boosting(n_bags=1), n_jobs=1).fit(X, y)
    text = interactions_found(gam.model_)
    assert text.count("  missed  ") == len(INTERACTIONS)
    assert "other pairs in the model: none" in text


def test_demo_prints_what_it_found_and_shows_it(tmp_path, capsys):
    demo.run(1000, tmp_path / "new", n_features=2)
    printed = capsys.readouterr().out
    picture, page, saved = (tmp_path / "new" / f"bike_rentals.{k}" for k in ("png", "html", "json"))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert page.read_text().startswith("<!doctype html>")
    assert calmgam.load(saved).schema.names[0] == "hour"
    for word in ("held-out rows: own GAM", "CALM", "reference", "noise alone 25.0", "workingday"):
        assert word in printed
    for path in (picture, page, saved):
        assert f": {path}" in printed


def test_a_folder_that_cannot_be_made_is_said_before_the_fit(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    with pytest.raises(FileExistsError):
        demo.run(1000, tmp_path / "taken")
    assert not capsys.readouterr().out


def test_errors_are_ordered_as_the_structure_demands():
    X, y = simulate_bikes(3000)
    parts = X[:2400], y[:2400], X[2400:], y[2400:]
    calm = CALMRegressor(curves=Boosting(n_bags=2), n_jobs=1, random_state=0).fit(*parts[:2])
    errors = demo.held_out_errors(calm, *parts)
    assert errors["CALM"] < 0.75 * errors["own GAM"]
    assert errors["reference"] < 0.75 * errors["own GAM"]
    # 600 rows of noise alone have an error within three standard errors, 9 %, of its size
    assert 0.91 < errors["CALM"] / errors["noise alone"] < 1.2
