import csv

import numpy as np
import pandas as pd
import pytest

from benchmarks import datasets, run, targets, worker

LISTED = """name,task,categorical_columns,exposure,weight
deaths,rate,sex,years,
cost,nonnegative,,,
cars,multiclass,,,
votes,classification,,,w
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng, n = np.random.default_rng(0), 60
    (tmp_path / "datasets.csv").write_text(LISTED)
    a, years, w = rng.normal(size=n), rng.uniform(1, 5, n), rng.uniform(0.1, 9, n)
    tables = {
        "deaths": {"a": a, "sex": rng.choice(["f", "m"], n), "years": years, "target": a > 0},
        "cost": {"a": a, "target": np.maximum(a, 0)},
        "cars": {"a": a, "target": rng.choice(["bus", "van", "car"], n)},
        "votes": {"a": a, "w": w, "target": rng.choice(["no", "yes"], n)},
    }
    for name, columns in tables.items():
        table = pd.DataFrame(columns)
        table.loc[3, "a"] = np.nan
        table["target"] = table["target"].astype(int) if name == "deaths" else table["target"]
        table.to_csv(tmp_path / f"{name}.csv.gz", index=False)
    monkeypatch.setenv("CALMGAM_DATA", str(tmp_path))
    monkeypatch.setenv("CALMGAM_TARGETS", str(tmp_path))
    return tmp_path


def test_rates_are_events_by_exposure_which_weighs_them(folder):
    X, y, task = datasets.load("deaths")
    weights = datasets.weights("deaths")
    assert (task, list(X)) == ("rate", ["a", "sex"])
    assert set(np.round(y * weights, 9)) == {0.0, 1.0}
    assert np.isnan(X["a"]).sum() == 1


def test_classes_are_codes_and_survey_weights_no_feature(folder):
    X, y, task = datasets.load("cars")
    assert (task, sorted(set(y)), datasets.weights("cars")) == ("multiclass", [0, 1, 2], None)
    X, y, task = datasets.load("votes")
    assert (task, list(X), sorted(set(y))) == ("classification", ["a"], [0, 1])
    assert len(datasets.weights("votes")) == 60


def test_amounts_above_zero_are_a_table_of_their_own(folder):
    whole, above = datasets.load("cost"), datasets.load("cost-positive")
    assert (whole[2], above[2]) == ("nonnegative", "positive")
    np.testing.assert_array_equal(above[1], whole[1][whole[1] > 0])


def test_errors_are_weighted_deviances_and_log_losses():
    y, predicted, weights = np.array([0.0, 2.0]), np.array([1.0, 1.0]), np.array([1.0, 3.0])
    poisson = 2 * np.array([1.0, 2 * np.log(2) - 1])
    found = worker.scores("count", y, predicted, weights)
    assert found["deviance"] == pytest.approx(np.average(poisson, weights=weights))
    probabilities = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    found = worker.scores("multiclass", np.array([1, 0]), probabilities)
    assert found == pytest.approx(
        {"accuracy": 0.5, "log_loss": -np.log([0.5, 0.1]).mean(), "error": found["log_loss"]}
    )


def test_slow_models_have_fold_0_and_glms_two_tables():
    cells = targets.plan(["insurance", "letter"], ["calm", "glm", "ebm"])
    assert [c for c in cells if c.model == "ebm"] == [
        run.Cell("insurance", "ebm", "0"),
        run.Cell("letter", "ebm", "0"),
    ]
    assert {c.dataset for c in cells if c.model == "glm"} == {"insurance"}
    assert len([c for c in cells if c.model == "calm"]) == 10
    assert [c.fold for c in cells] == sorted(c.fold for c in cells)


def test_a_whole_run_of_fast_models_and_its_report(folder, tmp_path, capsys):
    pytest.importorskip("lightgbm")
    out = tmp_path / "targets.csv"
    names = ["--datasets", "deaths,cars,votes,cost-positive", "--models", "own_gam,lightgbm"]
    plan = targets.plan
    targets.plan = lambda *given: [cell for cell in plan(*given) if cell.fold == "0"]
    try:
        targets.main([*names, "--in-process", "--n-jobs", "1", "--out", str(out)])
    finally:
        targets.plan = plan
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["ok"] * 8
    assert all(float(row["cpu_seconds"]) >= 0 for row in rows)
    votes = next(row for row in rows if row["dataset"] == "votes")
    text = out.with_suffix(".md").read_text()
    assert "Deviance or log loss, fold 0" in text
    assert f"{float(votes['log_loss']):.4g}" in text


def test_the_folder_must_be_named(monkeypatch):
    monkeypatch.delenv("CALMGAM_TARGETS", raising=False)
    with pytest.raises(RuntimeError, match="CALMGAM_TARGETS must name the folder"):
        targets.folder()
