import re

import pandas as pd
import pytest

from benchmarks import joint
from benchmarks.rivals.calm import SEEDS
from benchmarks.run import COLUMNS, Cell


@pytest.fixture
def folder(tmp_path):
    rows = [
        ("no2", "calm", "0", 1.0, 2.0, 4),
        ("no2", "calm", "1", 3.0, 4.0, 6),
        ("no2", "own_gam", "0", 2.0, 1.0, 0),
        ("no2", "own_gam", "1", 4.0, 1.0, 0),
        ("wine", "calm", "0", 1.0, 1.0, 1),
        ("wine", "eb2m", "0", 2.0, 100.0, 5),
    ]
    earlier = [
        ("no2", "eb2m", "0", 1.005, None, None),
        ("wine", "eb2m", "0", 9.0, None, None),
        ("bank", "eb2m", "0", 9.0, None, None),
    ]
    named = ["dataset", "model", "fold", "error", "fit_seconds", "n_interactions"]
    steps = [("wine", "calm_paper", "0", 3.0, 1.0, 2), ("wine", "step_auto", "0", 3.0, 1.0, 2)]
    for name, part in (("joint", rows), ("steps", steps), ("earlier", earlier)):
        table = pd.DataFrame(part, columns=named).assign(status="ok").reindex(columns=COLUMNS)
        table.assign(r2=0.5).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def measured(folder):
    names = ("joint.csv", "steps.csv", "earlier.csv")
    return joint.measured_or_earlier(*(folder / name for name in names))


def test_the_paper_s_cells_are_those_of_the_steps(measured):
    assert set(measured["model"]) == {"calm", "own_gam", "eb2m", "calm_paper"}


def test_earlier_cells_stand_in_where_nothing_newer_is(measured):
    eb2m = measured[measured["model"] == "eb2m"].set_index("dataset")
    assert dict(eb2m["error"]) == {"wine": 2.0, "no2": 1.005}


def test_folds_become_mean_and_standard_error(measured):
    table = joint.mean_and_se(measured, "error").set_index("dataset")
    assert list(table.columns) == ["own_gam", "calm", "calm_paper", "eb2m"]
    assert table.loc["no2", "calm"] == "2 ± 1"
    assert table.loc["wine", "calm"] == "1"


def test_the_last_row_is_the_mean_over_datasets(measured):
    table = joint.means(measured, "n_interactions").set_index("dataset")
    assert table.loc["no2", "calm"] == 5
    assert table.loc["mean", "calm"] == 3


def test_report_counts_verdicts(measured):
    text = joint.report(measured)
    assert "## calm against own_gam: better 1, level 0, worse 0 (of 1)" in text
    assert "calm against eb2m on fold 0, without appendicitis: better 1, level 1, worse 0" in text


def test_seeds_are_averaged_where_all_are_there(measured):
    """Of no2 one seed is missing; wine has an error of 1 with seed 0 and 2 with the others."""
    cells = [("wine", seed, 2.0) for seed in SEEDS] + [("no2", seed, 5.0) for seed in [*SEEDS][1:]]
    seeds = pd.DataFrame(cells, columns=["dataset", "model", "error"]).assign(fold="0")
    mean = joint.errors_by_seed(measured, seeds).mean(axis=1)
    fold = joint.with_errors(measured, mean).set_index(["dataset", "model"])
    errors = {"calm": pytest.approx(1.8), "calm_paper": 3.0, "eb2m": 2.0}
    assert fold["error"].to_dict() == {("wine", name): error for name, error in errors.items()}
    text = joint.report(measured, seeds)
    assert re.search(r"\| calm +\| better 1, level 0, worse 0 \(of 1\)", text)
    assert re.search(r"\| calm_seed1 +\| better 0, level 1, worse 0 \(of 1\)", text)
    assert "calm, mean of 5 seeds, against eb2m: better 1, level 0, worse 0 (of 1)" in text


def test_slow_rivals_come_last_and_on_one_fold():
    cells = joint.planned(["no2", "wine"])
    assert len(cells) == 2 * (5 * len(joint.FAST) + len(joint.SLOW))
    assert cells[-1] == Cell("wine", "calm_additive", "0")
    assert {cell.model for cell in cells[: 10 * len(joint.FAST)]} == set(joint.FAST)
