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
    assert len(cells) == len(set(cells)) == 10 * len(paper.FAST) + 5 + on_one_fold
    assert {cell for cell in cells if cell.model == "eb2m"} == {Cell("no2", "eb2m", "0")}
    assert {cell.dataset for cell in cells if cell.model == "nam"} == {"no2", "magic"}
    assert {cell.dataset for cell in cells if cell.model == paper.RESPONSE} == {"magic"}


def test_plan_holds_every_configuration_of_the_paper():
    planned = {*paper.FAST, *paper.NETWORKS, *paper.SLOW}
    assert {name for name in paper.CALM if "shap" not in name} <= planned
    for model in planned:
        assert rivals.find(model)


def test_a_part_is_every_chosen_model_on_every_chosen_fold():
    cells = paper.chosen(["no2"], ["nam", "spline"], ["0", "3"])
    assert cells[0] == Cell("no2", "nam", "0")
    assert len(cells) == 4


def test_folds_need_models(folder, capsys):
    with pytest.raises(SystemExit):
        paper.main(["--folds", "0"])
    assert "--folds must come with --models" in capsys.readouterr().err
