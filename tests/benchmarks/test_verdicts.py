import pandas as pd
import pytest

from benchmarks import verdicts

ROWS = [  # dataset, fold, errors of ours and of the rival
    ("wine", "0", 1.0, 2.0),
    ("wine", "1", 1.0, 2.2),
    ("magic", "0", 3.0, 2.0),
    ("magic", "1", 1.0, 2.1),
    ("heloc", "0", 2.0, 1.0),
    ("heloc", "1", 2.1, 1.0),
    ("spectf", "0", 1.005, 1.0),
    ("bank", "0", 1.0, 1.0),
    ("bank", "1", 2.0, 2.0),
]


@pytest.fixture
def measured():
    wide = pd.DataFrame(ROWS, columns=["dataset", "fold", "ours", "rival"])
    return wide.melt(["dataset", "fold"], var_name="model", value_name="error")


def test_a_difference_counts_beyond_one_standard_error_of_the_folds(measured):
    table = verdicts.over_folds(measured, "ours", "rival").set_index("dataset")
    assert dict(table["verdict"]) == {
        "wine": "better",
        "magic": "level",  # +1.0 and -1.1
        "heloc": "worse",
        "bank": "level",  # the same errors
    }
    assert table.loc["wine", "difference"] == pytest.approx(-1.1)
    assert table.loc["wine", "se"] == pytest.approx(0.1)
    assert verdicts.counts(table) == "better 1, level 2, worse 1 (of 4)"


@pytest.mark.parametrize("difference", [0.1, 0.3, 0.00026123])
def test_a_single_fold_that_differs_is_no_difference(difference):
    """The mean of 0, 0, 0, 0 and d is as large as its standard error, whatever d is."""
    rows = [
        {"dataset": "adult", "fold": str(fold), "model": model, "error": error}
        for fold in range(5)
        for model, error in (("ours", 0.07 + difference * (fold == 0)), ("rival", 0.07))
    ]
    table = verdicts.over_folds(pd.DataFrame(rows), "ours", "rival")
    assert list(table["verdict"]) == ["level"]


def test_on_one_fold_a_difference_counts_beyond_the_tolerance(measured):
    table = verdicts.on_fold(measured, "ours", "rival").set_index("dataset")
    assert list(table.index) == ["wine", "magic", "heloc", "spectf", "bank"]
    assert list(table["verdict"]) == ["better", "worse", "worse", "level", "level"]
    assert table.loc["wine", "ratio"] == 0.5
    strict = verdicts.on_fold(measured, "ours", "rival", tolerance=0.001).set_index("dataset")
    assert strict.loc["spectf", "verdict"] == "worse"


def test_cells_that_only_one_model_finished_do_not_count(measured):
    lacking = measured[~((measured["model"] == "rival") & (measured["dataset"] == "wine"))]
    assert "wine" not in set(verdicts.over_folds(lacking, "ours", "rival")["dataset"])


def test_a_model_that_was_not_measured_has_no_verdicts(measured):
    assert verdicts.over_folds(measured, "ours", "absent").empty
    assert verdicts.counts(verdicts.on_fold(measured, "absent", "rival")).endswith("(of 0)")
    assert set(verdicts.against_everyone(measured, "ours")["rival"]) == {"rival"}
