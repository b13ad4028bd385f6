import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

from calmgam.model import datasets
from calmgam.model.datasets import batches_of, open_files, path_of

ROWS = pa.table({"a": [1.0, 2.0, 3.0], "kind": ["u", None, "v"]})


@pytest.fixture
def years(tmp_path):
    """Two folders of a year each, with files of one name."""
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        pyarrow.parquet.write_table(ROWS, tmp_path / f"year={year}" / "rows.parquet")
    return tmp_path


def table_of(dataset, names=None, n_rows=2):
    batches = [
        batch
        for fragment in dataset.get_fragments()
        for batch in batches_of(dataset, fragment, names, n_rows)
    ]
    assert batches[0].num_rows == 0 and max(batch.num_rows for batch in batches) <= n_rows
    return pa.Table.from_batches(batches)


def test_folders_are_columns(years):
    expected = [2023] * 3 + [2024] * 3
    dataset = open_files(years)
    assert table_of(dataset).column("year").to_pylist() == expected
    assert table_of(dataset, ["year", "a", "absent"]).column_names == ["year", "a"]
    of_users = pyarrow.dataset.dataset(years, partitioning="hive")
    assert table_of(of_users).column("year").to_pylist() == expected
    assert table_of(pyarrow.dataset.dataset(years)).column_names == ["a", "kind"]
    assert [path_of(one)[-22:] for one in dataset.get_fragments()] == [
        "year=2023/rows.parquet",
        "year=2024/rows.parquet",
    ]


def test_a_table_in_memory_has_no_path():
    dataset = pyarrow.dataset.dataset(ROWS)
    assert table_of(dataset, ["kind"]).column("kind").to_pylist() == ["u", None, "v"]
    assert path_of(next(dataset.get_fragments()), otherwise="0") == "0"


def test_text_files_say_what_is_missing(tmp_path):
    (tmp_path / "rows.csv").write_text("a,kind\n1,u\n,NA\n3,\n")
    assert table_of(open_files(tmp_path)).to_pydict() == {
        "a": [1, None, 3],
        "kind": ["u", None, None],
    }


def test_what_a_reader_cannot_read_names_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "CSV_BLOCK", 64)
    (tmp_path / "rows.csv").write_text("a\n" + "1\n" * 100 + "text\n")
    with pytest.raises(ValueError, match=r"cannot read .*rows.csv: .*invalid value 'text'.*16 MB"):
        table_of(open_files(tmp_path))
    (tmp_path / "rows.csv").unlink()
    pyarrow.parquet.write_table(ROWS, tmp_path / "rows.parquet")
    dataset = open_files(tmp_path)
    whole = (tmp_path / "rows.parquet").read_bytes()
    (tmp_path / "rows.parquet").write_bytes(whole[:20] + b"0" * 40 + whole[60:])
    with pytest.raises(OSError, match=r"cannot read .*rows.parquet: "):
        table_of(dataset)
