import pandas as pd
import pytest

from benchmarks import datasets, fetch, registry
from benchmarks.registry import DATASETS, Dataset


def test_there_are_25_datasets_and_only_one_without_a_home():
    assert len(DATASETS) == 25
    assert [name for name, data in DATASETS.items() if not data.home] == ["mimic2"]
    for data in DATASETS.values():
        assert data.home.partition(":")[0] in {*fetch.CLIENTS, ""}


def test_labels_become_classes_and_the_target_comes_last():
    data = Dataset("uci:0", "income", 3, 1, positive=">50K", drop=("id",))
    raw = pd.DataFrame({"income": ["<=50K", ">50K.", " >50K"], "id": [1, 2, 3], "age": [4, 5, 6]})
    table = data.prepared(raw)
    assert list(table.columns) == ["age", "target"]
    assert list(table["target"]) == [0, 1, 1]


def test_a_home_that_gives_another_table_is_found_out():
    data = Dataset("uci:0", "y", 3, 2)
    with pytest.raises(
        ValueError, match=r"uci:0 must give \(3, 2\) rows and features; got \(2, 1\)"
    ):
        data.prepared(pd.DataFrame({"x": [1, 2], "y": [3, 4]}))


def test_compas_keeps_the_rows_of_propublica():
    good = {
        **dict.fromkeys(registry.COMPAS_FEATURES, 1),
        "days_b_screening_arrest": 30,
        "is_recid": 0,
        "c_charge_degree": "F",
        "score_text": "Low",
        "c_charge_desc": "Battery",
        "two_year_recid": 0,
        "id": 7,
    }
    bad = [
        {"days_b_screening_arrest": 31},
        {"is_recid": -1},
        {"c_charge_degree": "O"},
        {"score_text": "N/A"},
        {"c_charge_desc": None},
    ]
    table = registry.screened(pd.DataFrame([good, *({**good, **change} for change in bad)]))
    assert len(table) == 1
    assert list(table.columns) == [*registry.COMPAS_FEATURES, "two_year_recid"]


def test_dates_become_numbers():
    bikes = pd.DataFrame({"Date": ["01/12/2017", "02/12/2017"], "Functioning Day": ["Yes", "No"]})
    (row,) = registry.functioning_days(bikes)[["day", "month", "weekday"]].to_numpy().tolist()
    assert row == [1, 12, 4]  # a Friday
    energy = pd.DataFrame({"date": ["2016-01-11 17:00:00", "2016-01-1117:10:05"]})
    assert list(registry.seconds_since_midnight(energy)["nsm"]) == [61200, 61805]


def test_a_fetched_table_can_be_loaded(tmp_path, monkeypatch):
    small = Dataset("fake:tiny", "y", 3, 2, categorical=("code",))
    raw = pd.DataFrame({"y": [1.5, 2.5, 3.5], "code": [1, 2, 1], "size": [0.1, 0.2, 0.3]})
    monkeypatch.setitem(registry.DATASETS, "tiny", small)
    monkeypatch.setitem(fetch.CLIENTS, "fake", {"tiny": raw}.get)
    for _ in range(2):  # a second time replaces the first
        fetch.main(["--datasets", "tiny", "--out", str(tmp_path)])
    monkeypatch.setenv("CALMGAM_DATA", str(tmp_path))
    assert list(datasets.catalogue().index) == ["tiny"]
    X, y, task = datasets.load("tiny")
    assert task == "regression"
    assert list(y) == [1.5, 2.5, 3.5]
    assert list(X["code"]) == ["1", "2", "1"]
    assert list(X["size"]) == [0.1, 0.2, 0.3]


def test_one_dataset_that_fails_does_not_stop_the_others(tmp_path, capsys):
    fetch.main(["--datasets", "mimic2,mimic2", "--out", str(tmp_path)])
    assert capsys.readouterr().out.count("mimic2: ValueError: this dataset has no public home") == 2
