import threading

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet
import pytest

from calmgam import CALMRegressor
from calmgam.fit.scale.arrow import Columns
from calmgam.fit.scale.engines.regrouping import regrouped
from calmgam.fit.scale.engines.threads import read_ahead
from calmgam.fit.scale.profile import ProfilePass
from calmgam.fit.scale.sources import engine_of
from fit_scale import batches_of, simulated

FRAME = simulated(300).drop(columns=["w", "o"])
WRITERS = {
    "parquet": pyarrow.parquet.write_table,
    "feather": pyarrow.feather.write_feather,
    "csv": pyarrow.csv.write_csv,
}


@pytest.fixture(params=WRITERS)
def folder(request, tmp_path):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    for k in range(3):
        WRITERS[request.param](table.slice(100 * k, 100), str(tmp_path / f"{k}.{request.param}"))
    return tmp_path


def digest(engine, progress=None):
    columns = Columns.of(engine.schema, "y")
    profile = engine.map_reduce(ProfilePass(columns), columns.names, progress)
    profile.check()
    return profile.table_sha256(columns), profile.n_rows


def test_files_and_batches_are_the_same_rows(folder):
    seen = []
    from_files = digest(engine_of(folder), lambda *at: seen.append(at))
    assert from_files == digest(engine_of(batches_of(FRAME, 70)))
    assert from_files[1] == 300
    assert seen[0] == (0, 3) and seen[-1] == (3, 3)


def test_an_arrow_dataset_is_an_engine(folder):
    kind = next(folder.iterdir()).suffix[1:]
    dataset = pyarrow.dataset.dataset(folder, format=kind)
    assert digest(engine_of(dataset)) == digest(engine_of(str(folder)))


def test_what_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(TypeError, match="a Dask or Spark data frame; got generator and a name"):
        engine_of(one for one in ())
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        engine_of(tmp_path / "nothing")
    with pytest.raises(ValueError, match="must hold files of one format"):
        engine_of(tmp_path)
    with pytest.raises(ValueError, match="at least one record batch"):
        _ = engine_of([]).schema


def readers():
    return [one for one in threading.enumerate() if one.name == "calmgam-reader"]


def test_whatever_ends_a_pass_ends_its_reader():
    def endless():
        while True:
            yield 1

    parts = read_ahead(endless())
    assert next(parts) == 1 and len(readers()) == 1
    with pytest.raises(KeyboardInterrupt):
        parts.throw(KeyboardInterrupt)
    assert not readers()


def test_an_error_of_the_reader_is_the_callers():
    def broken():
        yield 1
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(read_ahead(broken()))
    assert not readers()


def test_small_batches_are_joined_and_large_ones_cut(monkeypatch):
    from calmgam.fit.scale.engines import regrouping

    monkeypatch.setattr(regrouping, "ROWS_PER_BATCH", 100)
    small = [one.num_rows for one in regrouped(batches_of(FRAME, 40), ["a", "kind"])]
    assert sum(small) == 300 and max(small) <= 100 and len(small) <= 5
    large = list(regrouped(batches_of(FRAME, 1000), ["a", "kind", "z"]))
    assert [one.num_rows for one in large] == [100, 100, 100]
    assert large[0].schema.names == ["a", "kind"]
    nothing = batches_of(FRAME, 1000)[0].slice(0, 0)
    assert [one.num_rows for one in regrouped([nothing, nothing], ["a"])] == [0]


def test_an_interrupt_in_the_middle_changes_nothing():
    """The second pass over the batches is stopped; the estimator keeps its first model."""

    class Stopped:
        n_passes = 0

        def __iter__(self):
            self.n_passes += 1
            yield from batches_of(FRAME, 100)
            if self.n_passes > 1:  # the first look is for the schema
                raise KeyboardInterrupt

    model = CALMRegressor(max_depth=0, n_jobs=1, random_state=0).fit(batches_of(FRAME, 100), "y")
    before = model.model_
    with pytest.raises(KeyboardInterrupt):
        model.fit(Stopped(), "y")
    assert model.model_ is before and not readers()
