import pandas as pd
import pytest

from benchmarks import tables
from benchmarks.run import COLUMNS


@pytest.fixture
def results(tmp_path):
    rows = [
        ("wine", "ours", 0, 1.0, 1.0, "ok"),
        ("wine", "ours", 1, 3.0, 3.0, "ok"),
        ("wine", "rival", 0, 2.0, 10.0, "ok"),
        ("wine", "rival", 1, 2.0, 70.0, "ok"),
        ("magic", "ours", 0, 1.0, 2.0, "ok"),
        ("magic", "rival", 0, 4.0, 10.0, "ok"),
        ("heloc", "ours", 0, 1.0, 2.0, "ok"),
        ("heloc", "rival", 0, None, None, "needed more than 3600 s"),
    ]
    named = ["dataset", "model", "fold", "error", "fit_seconds", "status"]
    path = tmp_path / "results.csv"
    pd.DataFrame(rows, columns=named).reindex(columns=COLUMNS).to_csv(path, index=False)
    return path


def test_comparison_averages_folds_and_takes_geometric_means(results):
    table = tables.compare(tables.read(results), "ours", "rival").set_index("dataset")
    assert list(table.index) == ["wine", "magic", "geometric mean"]  # heloc has no rival
    assert list(table["error ratio"]) == pytest.approx([1, 0.25, 0.5])
    assert list(table["times faster"]) == pytest.approx([20, 5, 10])


def test_wide_table_keeps_the_order_of_datasets(results):
    table = tables.wide(tables.read(results), "fit_seconds")
    assert list(table["dataset"]) == ["wine", "magic", "heloc"]
    assert list(table["ours"]) == [2, 2, 2]


def test_markdown_is_aligned_and_short():
    table = pd.DataFrame({"dataset": ["wine", "mean"], "seconds": [12345.678, None]})
    assert tables.markdown(table).splitlines() == [
        "| dataset | seconds |",
        "| ------- | ------: |",
        "| wine    |   12346 |",
        "| mean    |         |",
    ]


def test_command_writes_markdown_with_its_own_command(results, capsys):
    out = results.with_suffix(".md")
    tables.main([str(results), "--compare", "ours:rival", "--wide", "error", "--out", str(out)])
    text = out.read_text()
    assert text.startswith("Made by `python -m benchmarks.tables ")
    assert capsys.readouterr().out.strip() in text
    assert "## ours against rival" in text


def test_summary_has_a_line_per_comparison(results):
    out = results.with_name("summary.md")
    tables.main([str(results), "--compare", "ours:rival", "--summary", str(out)])
    line = [part.strip() for part in out.read_text().splitlines()[-1].split("|")[1:-1]]
    assert line == ["ours", "rival", "2", "0.5", "1", "10"]
