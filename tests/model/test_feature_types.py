import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calmgam import Boosting, CALMRegressor, date_parts, load
from calmgam.model.schema import Schema

TABLE = {
    "zip": [10110, 10120, 20110, 10110],
    "grade": ["B", "A", "C", "B"],
    "age": ["30", "41", None, "28"],
}
TYPES = {"zip": "nominal", "grade": ["C", "B", "A"], "age": "continuous"}
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
def test_what_is_said_overrules_the_guess(frame):
    schema = Schema.learn(frame(TABLE), feature_types=TYPES)
    place, grade, age = schema.features
    assert (place.kind, place.levels, place.ordered) == (
        "categorical",
        ("10110", "10120", "20110"),
        False,
    )
    assert (grade.levels, grade.ordered, grade.has_order) == (("C", "B", "A"), True, True)
    assert (age.kind, age.low, age.high, age.has_missing, age.whole) == (
        "numeric",
        28.0,
        41.0,
        True,
        True,
    )
    encoded = schema.encode(frame(TABLE))
    np.testing.assert_array_equal(
        encoded, [[0, 1, 30], [1, 2, 41], [2, 0, np.nan], [0, 1, 28]], strict=False
    )


def test_columns_of_arrays_go_by_position_and_booleans_may_be_levels():
    X = np.array([[1.0, 5.0], [2.0, np.nan]])
    schema = Schema.learn(X, feature_types={0: "nominal", 1: [7, 5]})
    assert [feature.levels for feature in schema.features] == [("1", "2"), ("5",)]
    assert schema.features[1].has_missing
    flags = Schema.learn(pd.DataFrame({"a": [True, False]}), feature_types={"a": "nominal"})
    assert flags["a"].kind == "categorical"
    numbers = Schema.learn(pd.DataFrame({"a": [True, False]}), feature_types={"a": "continuous"})
    assert (numbers["a"].kind, numbers["a"].two_valued) == ("numeric", True)


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"zap": "nominal"}, "feature_types must name columns of the table; got 'zap'"),
        ({7: "nominal"}, "feature_types must name columns of the table; got 7"),
        ({"zip": "ordinal"}, r"feature_types\['zip'\] must be \"nominal\", .*; got 'ordinal'"),
        ({"zip": []}, r"feature_types\['zip'\] must be .*; got \[\]"),
        ({"grade": ["A", "B"]}, r"feature_types\['grade'\] must list every level .* lacks 'C'"),
        ({"grade": ["A", "B", "C", "A"]}, r"feature_types\['grade'\] must list every level once"),
        ({"grade": "continuous"}, "column 'grade' must hold numbers; got 'B'"),
        ("nominal", "feature_types must map columns to types"),
    ],
)
def test_errors_name_column_rule_and_value(types, message):
    with pytest.raises(ValueError, match=message):
        Schema.learn(pd.DataFrame(TABLE), feature_types=types)


@pytest.fixture(scope="module")
def graded():
    """A slope that turns between the third and the fourth of five grades, whose names mislead."""
    rng = np.random.default_rng(0)
    order = ["low", "fair", "mid", "good", "high"]
    grade = rng.integers(0, 5, 1500)
    x = rng.normal(size=1500)
    y = np.where(grade <= 2, 1, -1) * x + 0.1 * rng.normal(size=1500)
    X = pd.DataFrame({"x": x, "grade": np.array(order)[grade], "zip": rng.integers(0, 3, 1500)})
    X.loc[:30, "grade"] = None
    types = {"grade": order, "zip": "nominal"}
    calm = CALMRegressor(feature_types=types, curves=Boosting(n_bags=2), n_jobs=1, random_state=0)
    return calm.fit(X, y), X, y


def test_ordered_levels_have_thresholds(graded):
    calm, *_ = graded
    (term,) = (term for term in calm.model_.terms if term.feature.name == "x")
    text = str(term.tree.regions[0])
    assert text.startswith("grade in {low, fair, mid}") or "not in {low, fair, mid}" in text
    for split in calm.path_:
        condition = split.record.condition
        if condition.feature.name == "grade" and condition.codes:
            assert condition.codes == tuple(range(len(condition.codes)))


def test_types_are_in_provenance_and_file(graded, tmp_path):
    calm, X, _ = graded
    calm.model_.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    parameters = loaded.provenance.settings["parameters"]
    assert parameters["feature_types"]["zip"] == "nominal"
    assert list(parameters["feature_types"]["grade"]) == ["low", "fair", "mid", "good", "high"]
    assert loaded.schema == calm.model_.schema
    np.testing.assert_array_equal(loaded.score(X), calm.predict(X))


def test_files_give_the_same_schema(graded, tmp_path):
    calm, X, y = graded
    pa_table = pa.Table.from_pandas(X.assign(y=y), preserve_index=False)
    import pyarrow.parquet as parquet

    parquet.write_table(pa_table, tmp_path / "t.parquet")
    types = {**calm.feature_types, "x": "continuous"}
    again = CALMRegressor(feature_types=types, max_depth=0, n_jobs=1, random_state=0)
    again.fit(str(tmp_path / "t.parquet"), "y")
    assert again.model_.schema == calm.model_.schema


DATES = [datetime.datetime(2024, 2, 29, 17, 30), None, datetime.datetime(2023, 1, 2)]


@pytest.mark.parametrize("frame", FRAMES)
def test_dates_are_refused_with_a_way_out_that_works(frame):
    X = frame({"when": DATES, "price": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"column 'when' .*calmgam\.date_parts\(X\)"):
        Schema.learn(X)
    schema = Schema.learn(date_parts(X))
    parts = ["when_year", "when_month", "when_day", "when_weekday", "when_hour", "price"]
    assert list(schema.names) == parts
    np.testing.assert_array_equal(
        schema.encode(date_parts(X)),
        [[2024, 2, 29, 4, 17, 1], [np.nan] * 5 + [2], [2023, 1, 2, 1, 0, 3]],
    )


def test_dates_without_time_have_no_hour_and_columns_can_be_chosen():
    days = [datetime.date(2024, 2, 29)]
    X = pl.DataFrame({"day": days, "other": days})
    parts = date_parts(X, columns=["day"], parts=["hour", "weekday"])
    assert parts.columns == ["day_weekday", "other"]
    with pytest.raises(ValueError, match="columns must name columns of dates, which are"):
        date_parts(X, columns=["price"])
    with pytest.raises(ValueError, match="parts must be among"):
        date_parts(X, parts=["century"])


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(lambda dates: dates.dt.date.astype(object), id="objects"),
        pytest.param(lambda dates: dates.dt.date.astype("category"), id="category of dates"),
        pytest.param(lambda dates: dates.astype("category"), id="category"),
        pytest.param(lambda dates: dates.dt.to_period("D"), id="periods"),
        pytest.param(lambda dates: dates.dt.to_period("D").astype(object), id="period objects"),
    ],
)
def test_dates_of_pandas_in_other_clothes_are_dates(column):
    dates = pd.to_datetime(pd.Series(["2024-02-29", None, "2023-01-02"], index=[5, 3, 5]))
    X = pd.DataFrame({"when": column(dates), "kind": pd.Categorical(["a", None, "b"])})
    with pytest.raises(ValueError, match=r"column 'when' .*calmgam\.date_parts\(X\)"):
        Schema.learn(X)
    parts = date_parts(X, parts=["year", "weekday"])
    assert list(Schema.learn(parts).names) == ["when_year", "when_weekday", "kind"]
    np.testing.assert_array_equal(
        parts[["when_year", "when_weekday"]], [[2024, 4], [np.nan, np.nan], [2023, 1]]
    )
    assert parts.index.tolist() == [5, 3, 5]


def test_a_period_counts_as_its_start_and_python_dates_have_no_hour():
    hours = pd.period_range("2024-02-29 17:30", periods=2, freq="h")
    days = pd.Series([datetime.date(2024, 2, 29)] * 2, dtype=object)
    parts = date_parts(pd.DataFrame({"hours": hours, "day": days}), parts=["day", "hour"])
    np.testing.assert_array_equal(parts, [[29, 17, 29], [29, 18, 29]])
    assert parts.columns.tolist() == ["hours_day", "hours_hour", "day_day"]
    arrow = pa.table({"when": pa.array(days.tolist()).dictionary_encode()})
    assert date_parts(arrow, parts=["month", "hour"]).to_pydict() == {"when_month": [2.0, 2.0]}
