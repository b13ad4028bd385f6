import pandas as pd
import pytest

from benchmarks import paper, rivals
from benchmarks.run import Cell


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [("no2", "regression", 500, 7), ("magic", "classification", 19020, 10)]
    named = ["name", "task", "n_rows", "n_features"]
    pd.DataFrame(rows, columns=named).to_csv(tmp_path / "datasets.csv", index=False)
    monkeypatch.setenv("CALMGAM_DATA", str(tmp_path))
    return tmp_path


def test_plan_runs_networks_on_one_fold_and_slow_models_on_one_of_small_datasets(folder):
    cells = paper.planned(["no2", "magic"])
    on_one_fold = 2 * len(paper.NETWORKS) + len(paper.SLOW)
    on_others = 4 * len(paper.RIVALS)  # no2 is small enough
    assert len(cells) == len(set(cells)) == 10 * len(paper.FAST) + on_one_fold + on_others
    assert {cell.fold for cell in cells if cell.model == "eb2m"} == set(paper.FOLDS)
    assert {cell.dataset for cell in cells if cell.model == "eb2m"} == {"no2"}
    assert {cell.dataset for cell in cells if cell.model == "nam"} == {"no2", "magic"}
    shap = {cell for cell in cells if "shap" in cell.model}
    assert shap == {Cell("no2", "calm-xgb-shap-boosting", "0")}


def test_plan_holds_every_configuration_of_the_paper():
    planned = {*paper.FAST, *paper.NETWORKS, *paper.SLOW}
    assert {name for name in paper.CALM if "shap" not in name} <= planned
    for model in planned:
        assert rivals.find(model)


def test_a_part_is_every_chosen_model_on_every_chosen_fold():
    cells = paper.chosen(["no2"], ["nam", "spline"], ["0", "3"])
    assert cells[0] == Cell("no2", "nam", "0")
    assert len(cells) == 4


def test_cells_of_an_earlier_paper_stand_in_for_models_without_others(tmp_path):
    def written(name, *cells):
        rows = [dict(zip(("dataset", "model", "fold"), cell, strict=True)) for cell in cells]
        pd.DataFrame(rows).assign(status="ok").to_csv(tmp_path / name, index=False)
        return tmp_path / name

    now = written("paper.csv", ("no2", "nam", 0))
    steps = written("steps.csv", ("no2", "calm_paper", 0), ("no2", "step_auto", 0))
    old = [("no2", "calm_paper", 1), ("wine", "calm_paper", 0), ("no2", "calm-rf-pdp-spline", 0)]
    measured = paper.read(now, written("before.csv", *old), steps)
    found = {Cell(*row[:3]): row[3] for row in measured[[*Cell._fields, "is_before"]].to_numpy()}
    assert found == {
        Cell("no2", "nam", "0"): False,
        Cell("no2", "calm_paper", "0"): False,  # and fold 1 of it is not mixed in
        Cell("wine", "calm_paper", "0"): True,
        Cell("no2", "calm-rf-pdp-spline", "0"): True,
    }


def test_folds_need_models(folder, capsys):
    with pytest.raises(SystemExit):
        paper.main(["--folds", "0"])
    assert "--folds must come with --models" in capsys.readouterr().err
