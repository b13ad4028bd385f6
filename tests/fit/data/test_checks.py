import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calmgam.fit.data.checks import (
    check_target,
    decoder,
    frame_like,
    idle_rows,
    is_frame,
    match_columns,
    warn_of_columns,
    weigh_rows,
)
from calmgam.model.schema import Schema

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_frames_are_told_from_arrays(make):
    assert is_frame(make({"a": [1]}))
    assert not is_frame(np.ones((2, 2)))
    assert not is_frame([[1, 2]])


# ---- results as frames ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [
        [5, 3, 9],
        ["b", "b", "a"],
        pd.date_range("2024-01-01", periods=3),
        pd.MultiIndex.from_tuples([(1, "x"), (1, "x"), (2, "y")]),
    ],
    ids=["numbers", "duplicates", "dates", "levels"],
)
def test_result_keeps_the_index(index):
    X = pd.DataFrame({"a": [1, 2, 3], "b": ["p", "q", "r"]}, index=index)
    values = np.arange(6.0).reshape(3, 2)
    result = frame_like(X, ("a", "b"), values)
    pd.testing.assert_frame_equal(result, pd.DataFrame(values, columns=["a", "b"], index=X.index))


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_result_is_of_the_same_kind(make):
    X = make({"a": [1, 2], "b": [3, 4]})
    result = frame_like(X, ("a", "b"), np.array([[0.5, 1.0], [2.0, -1.0]]))
    assert type(result) is type(X)
    np.testing.assert_array_equal(np.column_stack([result["a"], result["b"]]), [[0.5, 1], [2, -1]])


# ---- columns at predict --------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_columns_are_found_by_name(convert):
    X = convert(pd.DataFrame({"b": [1], "more": [0], "a": [2], "c": [3]}))
    for by_name in (True, False):
        found = nw.from_native(match_columns(X, ("a", "b", "c"), by_name=by_name))
        assert found.to_dict(as_series=False) == {"a": [2], "b": [1], "c": [3]}
    absent = match_columns(X, ("a", "d"), by_name=True)
    assert absent is X


def test_without_names_columns_go_by_position():
    X = pd.DataFrame({"p": [1.0], "q": [2.0]})
    renamed = match_columns(X, ("x0", "x1"), by_name=False)
    assert list(renamed.columns) == ["x0", "x1"]
    numbered = X.set_axis([1, 0], axis=1)
    assert list(match_columns(numbered, ("0", "1"), by_name=False).columns) == [0, 1]


# ---- targets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (pd.Series([True, False], dtype="boolean"), "b"),
        (pd.Series([1, 0], dtype="Int64", index=[7, 7]), "i"),
        (pd.Series(["u", "v"], dtype="category"), "O"),
        (pl.Series([1, 0]), "i"),
        (pa.chunked_array([[True, False]]), "b"),
        ([1.5, 2.0], "f"),
    ],
)
def test_targets_keep_their_kind(y, kind):
    checked = check_target(y, 2)
    assert checked.shape == (2,)
    assert checked.dtype.kind == kind


@pytest.mark.parametrize(
    "y",
    [
        [1.0, np.nan],
        np.array(["a", None], dtype=object),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(["a", None], dtype="string"),
        pl.Series([1, None]),
    ],
)
def test_missing_targets_are_refused(y):
    with pytest.raises(ValueError, match="y contains NaN"):
        check_target(y, 2)


def test_targets_too_large_to_add_up_are_refused():
    message = r"y must lie between -1e\+300 and 1e\+300; got -1\.5e\+308 in row 1"
    with pytest.raises(ValueError, match=message):
        check_target([0.0, -1.5e308], 2, is_number=True)
    assert check_target([0.0, -1e300], 2, is_number=True)[1] == -1e300


# ---- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], r"sample_weight must be >= 0 and not all zero; its smallest is -1"),
        ([0.0, 0.0], r"sample_weight must be >= 0 and not all zero; .* its sum 0"),
        ([1.0], r"sample_weight must have 2 values; got shape \(1,\)"),
        ([1.0, np.nan], "sample_weight must be finite; got nan in row 1"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        weigh_rows(np.ones((2, 1)), np.zeros(2), weights)


@pytest.mark.parametrize(
    "make", [np.asarray, *(lambda X, k=k: k({"a": X[:, 0]}) for k in KINDS.values())]
)
def test_rows_of_weight_zero_are_left_out_and_small_tables_repeat_rows(make):
    X, y = np.arange(4.0)[:, None], np.array([5, 6, 7, 8])
    whole, y_whole, ones, _ = weigh_rows(make(X), y, [2, 0, 1, 3])
    column = whole["a"] if is_frame(whole) else whole[:, 0]
    np.testing.assert_array_equal(column, [0, 0, 2, 3, 3, 3])
    np.testing.assert_array_equal(y_whole, [5, 5, 7, 8, 8, 8])
    np.testing.assert_array_equal(ones, 1)
    _, y_kept, kept, _ = weigh_rows(make(X), y, [0.5, 0, 1, 3])
    np.testing.assert_array_equal(y_kept, [5, 7, 8])
    np.testing.assert_array_equal(kept, [0.5, 1, 3])


def test_weights_of_larger_tables_stay():
    X, y, weights = np.ones((50, 1)), np.arange(50), np.full(50, 2)
    same, _, kept, _ = weigh_rows(X, y, weights)
    assert same is X
    np.testing.assert_array_equal(kept, 2)


# ---- identifiers ---------------------------------------------------------------------------------


def identifiers(**columns):
    X = pd.DataFrame(columns)
    schema = Schema.learn(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_columns(schema.encode(X), schema)
    return [str(one.message).split("'")[1] for one in caught]


@pytest.mark.parametrize("n_rows", [50, 200, 5000])
def test_identifiers_are_named(n_rows):
    rng = np.random.default_rng(0)
    number = np.arange(n_rows)
    found = identifiers(
        counter=number,
        shuffled=rng.permutation(number) + 10_000.0,
        some_of_them=rng.choice(2 * n_rows, n_rows, replace=False),
        code=[f"customer {i}" for i in number],
        nearly=[f"name {i if i % 20 else i + 1}" for i in number],
        value=rng.normal(size=n_rows),
    )
    assert found == ["counter", "shuffled", "some_of_them", "code", "nearly"]


@pytest.mark.parametrize("n_rows", [50, 60, 200, 5000])
@pytest.mark.parametrize("seed", range(5))
def test_ordinary_columns_are_not_identifiers(n_rows, seed):
    rng = np.random.default_rng(seed)
    assert not identifiers(
        continuous=rng.normal(size=n_rows),
        rounded=np.round(rng.lognormal(10, 1, n_rows)),
        year=rng.integers(1950, 2025, n_rows),
        count=rng.poisson(30, n_rows),
        price=rng.integers(0, 20 * n_rows, n_rows),
        level=rng.choice(list("abc"), n_rows),
        postcode=[f"{code}" for code in rng.integers(0, n_rows // 3, n_rows)],
        sometimes=np.where(rng.random(n_rows) < 0.5, None, "yes"),
        remark=["only one", *[None] * (n_rows - 1)],
        constant=np.ones(n_rows),
        nothing=np.full(n_rows, np.nan),
    )


def warned(X, said=()):
    schema = Schema.learn(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_columns(schema.encode(X), schema, said)
    return [str(one.message) for one in caught]


def test_numbers_in_text_are_warned_of():
    rng = np.random.default_rng(0)
    prices = [f"{price:.2f}" for price in rng.lognormal(3, 1, 200)]
    blank = [*prices[:-1], " "]
    messages = warned(pd.DataFrame({"price": prices, "blank": blank}))
    assert [message.split("'")[1] for message in messages] == ["price", "blank"]
    assert "(but" not in messages[0] and "(but ' ' is none)" in messages[1]
    assert "feature_types={'price': \"nominal\"}" in messages[0]
    assert "identifier" in warned(pd.DataFrame({"price": prices}), said=["price"])[0]


def test_codes_of_digits_are_levels():
    rng = np.random.default_rng(0)
    assert not warned(
        pd.DataFrame(
            {
                "postcode": [f"{code:04d}" for code in rng.integers(0, 60, 200)],
                "grade": rng.choice(["1.5", "2.0", "2.5"], 200),
                "section": [f"{i % 5}.{i % 3}.{i % 2}" for i in range(200)],
            }
        )
    )


def test_tiny_tables_have_no_identifiers():
    assert not identifiers(number=range(20), name=[f"{i}x" for i in range(20)])


# ---- back to the user's table --------------------------------------------------------------------

LEVELS = ["low", "mid", None, "high", "low", "mid"]
PANDAS_COLUMNS = {
    "text": pd.Series(LEVELS, dtype=object),
    "string": pd.Series(LEVELS, dtype="string"),
    "category": pd.Series(LEVELS, dtype=pd.CategoricalDtype(["unused", "high", "mid", "low"])),
    "ordered": pd.Series(LEVELS, dtype=pd.CategoricalDtype(["low", "mid", "high"], ordered=True)),
    "numbers as levels": pd.Series([3, 1, None, 3, 1, 2], dtype="Int64").astype("category"),
    "bool": pd.Series([True, False, True, True, False, True]),
    "nullable bool": pd.Series([True, None, False, True, None, True], dtype="boolean"),
    "mixed": pd.Series(["a", 1, "b", 1, None, True], dtype=object),
}
SOME_ROWS = np.array([4, 0, 0, 2])


def decoded(X, rows=SOME_ROWS):
    schema = Schema.learn(X)
    encoded = schema.encode(X)
    return decoder(X, encoded, schema)(encoded[rows])


@pytest.mark.parametrize("name", PANDAS_COLUMNS)
def test_pandas_levels_come_back_with_their_type(name):
    X = pd.DataFrame({"number": np.arange(6.0), name: PANDAS_COLUMNS[name]})
    X.index = list("uvwxyz")
    expected = X.iloc[SOME_ROWS].reset_index(drop=True)
    pd.testing.assert_frame_equal(decoded(X), expected)
    one_level = decoded(X, np.array([0]))  # the other categories must not be lost
    pd.testing.assert_frame_equal(one_level, X.iloc[[0]].reset_index(drop=True))


def test_pandas_numbers_come_back_as_floats():
    X = pd.DataFrame({"whole": [1, 2, 3], "nullable": pd.Series([1, None, 3], dtype="Int64")})
    expected = pd.DataFrame({"whole": [3.0, 1.0], "nullable": [3.0, 1.0]})
    pd.testing.assert_frame_equal(decoded(X, np.array([2, 0])), expected)


def test_pandas_names_may_be_numbers():
    X = pd.DataFrame({0: LEVELS, 1: np.arange(6.0)})
    pd.testing.assert_frame_equal(decoded(X), X.iloc[SOME_ROWS].reset_index(drop=True))


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["low", "mid", "high"])])
def test_polars_levels_come_back_with_their_type(dtype):
    flags = [True, False, None, True, False, True]
    X = pl.DataFrame({"a": np.arange(6.0), "b": pl.Series(LEVELS, dtype=dtype), "c": flags})
    assert decoded(X).equals(X[SOME_ROWS])
    assert decoded(X).schema == X.schema


def test_arrow_levels_come_back_with_their_type():
    X = pa.table({"a": np.arange(6.0), "b": LEVELS, "c": pa.array(LEVELS).dictionary_encode()})
    back = decoded(X)
    assert back.schema == X.schema
    assert back.to_pylist() == X.take(SOME_ROWS).to_pylist()


def test_object_arrays_come_back():
    X = np.array([[1.5, "a", True], [2.0, None, False], [np.nan, "b", True]], dtype=object)
    back = decoded(X, np.array([1, 2, 0, 0]))
    assert back.dtype == object
    assert back[:, 1:].tolist() == [[None, False], ["b", True], ["a", True], ["a", True]]
    np.testing.assert_array_equal(back[:, 0].astype(float), [2.0, np.nan, 1.5, 1.5])


def test_rare_levels_come_back_as_one_of_them():
    names = [f"level {i}" for i in range(6)]
    X = pd.DataFrame({"a": [*names, *names[:2]]})
    schema = Schema.learn(X, max_levels=2)
    encoded = schema.encode(X)
    assert decoder(X, encoded, schema)(encoded)["a"].tolist() == [
        *names[:2], *[names[2]] * 4, *names[:2]
    ]  # fmt: skip


def test_plain_matrices_need_no_decoder():
    X = np.ones((3, 2))
    assert decoder(X, X, Schema.learn(X)) is None


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_nothing_is_said_of_the_target_of_idle_rows(kind):
    idle = idle_rows([0, 2, 1, 0], 4)
    y = check_target(kind([np.nan, 3.0, 4.0, np.inf]), 4, is_number=True, idle=idle)
    assert y[[1, 2]].tolist() == [3, 4]
    assert np.isfinite(y).all()
    with pytest.raises(ValueError, match="in row 1"):
        check_target(kind([np.nan, np.nan, 4.0, np.inf]), 4, is_number=True, idle=idle)
    assert not idle_rows(None, 4).any()
