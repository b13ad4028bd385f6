import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from calmgam import CALMRegressor
from calmgam.cli.commands import app
from calmgam.read.predictions import is_dataset
from fit_scale import simulated

FEATURES = ["a", "b", "c", "kind"]


@pytest.fixture(scope="module")
def model():
    frame = simulated(300)
    return CALMRegressor(max_splits=1, random_state=0, n_jobs=1).fit(frame[FEATURES], frame.y)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    table = pa.Table.from_pandas(simulated(100, seed=2), preserve_index=False)
    pyarrow.parquet.write_table(table.slice(0, 60), folder / "first.parquet")
    pyarrow.parquet.write_table(table.slice(60), folder / "second.parquet")
    return folder


def test_files_are_predicted_batch_by_batch(model, folder):
    expected = model.predict(simulated(100, seed=2)[FEATURES])
    np.testing.assert_array_equal(model.predict(folder), expected)
    assert is_dataset(str(folder)) and not is_dataset(simulated(3))


def test_a_folder_goes_into_a_folder(model, folder, tmp_path):
    model.model_.save(tmp_path / "model.json")
    arguments = ["predict", str(tmp_path / "model.json"), str(folder), "--keep", "y"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    written = pyarrow.parquet.read_table(tmp_path / "out" / "second.parquet")
    assert written.column_names == ["y", "prediction"]
    expected = model.predict(simulated(100, seed=2)[FEATURES])
    np.testing.assert_allclose(written.column("prediction"), expected[60:])
    assert CliRunner().invoke(app, arguments).exit_code != 0  # where to?


def test_files_of_one_name_stay_apart(model, folder, tmp_path):
    """Those of folders such as year=2024 have the same name; what fails leaves no half a file."""
    for k, name in enumerate(["first", "second"]):
        (folder / f"part={k}").mkdir()
        (folder / f"{name}.parquet").rename(folder / f"part={k}" / "rows.parquet")
    model.model_.save(tmp_path / "model.json")
    arguments = ["predict", str(tmp_path / "model.json"), str(folder), "--keep", "part"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    written = [
        pyarrow.parquet.read_table(
            tmp_path / "out" / f"part={k}" / "rows.parquet", partitioning=None
        )
        for k in range(2)
    ]
    assert [table.column("part").to_pylist() for table in written] == [[0] * 60, [1] * 40]
    expected = model.predict(simulated(100, seed=2)[FEATURES])
    both = pa.concat_tables(written).column("prediction")
    np.testing.assert_allclose(both, expected)
    bad = pa.Table.from_pandas(simulated(10), preserve_index=False).drop_columns(["b"])
    pyarrow.parquet.write_table(bad, folder / "part=1" / "rows.parquet")
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "again")])
    assert result.exit_code != 0 and "must have the column 'b'" in result.output
    assert [p.name for p in (tmp_path / "again").rglob("*") if p.is_file()] == ["rows.parquet"]


def test_files_that_are_not_there_are_named(model, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        model.predict(tmp_path / "nothing")
    with pytest.raises(ValueError, match="must hold files of one format"):
        model.predict(tmp_path)


def test_an_offset_is_a_column_or_a_number(model, folder):
    rows = simulated(100, seed=2)
    expected = model.predict(rows[FEATURES])
    np.testing.assert_allclose(model.predict(folder, offset="o"), expected + rows.o)
    np.testing.assert_allclose(model.predict(folder, offset=2.0), expected + 2.0)
    with pytest.raises(TypeError, match=r"offset must be the name of a column .*; got ndarray"):
        model.predict(folder, offset=np.zeros(100))
    with pytest.raises(ValueError, match=r"offset must be a column of the dataset: .*; got 'x'"):
        model.predict(folder, offset="x")
