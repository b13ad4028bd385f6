import copy
import math
import pickle
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam.model import Feature, Schema

NAN = math.nan


def learn_one(values):
    """Return the feature and codes of a table's only column called "a"."""
    table = values if hasattr(values, "columns") else pd.DataFrame({"a": values})
    schema = Schema.learn(table)
    encoded = schema.encode(table)
    assert encoded.flags.f_contiguous
    assert encoded.dtype == np.float64
    return schema["a"], encoded[:, 0].tolist()


def check(feature, codes, kind, levels, expected, has_missing=True):
    assert (feature.kind, feature.levels, feature.has_missing) == (kind, levels, has_missing)
    np.testing.assert_array_equal(codes, expected)


NUMBERS = {
    "pandas float": pd.DataFrame({"a": [1.5, NAN, -2.0]}),
    "pandas float32": pd.DataFrame({"a": np.array([1.5, NAN, -2.0], dtype=np.float32)}),
    "pandas Float64": pd.DataFrame({"a": pd.array([1.5, pd.NA, -2.0], dtype="Float64")}),
    "pandas object": pd.DataFrame({"a": pd.Series([1.5, None, -2], dtype=object)}),
    "pandas object NA": pd.DataFrame({"a": pd.Series([1.5, pd.NA, -2], dtype=object)}),
    "pandas sparse": pd.DataFrame({"a": pd.arrays.SparseArray([1.5, NAN, -2.0])}),
    "pandas arrow": pd.DataFrame({"a": pd.array([1.5, None, -2.0], dtype="double[pyarrow]")}),
    "polars": pl.DataFrame({"a": [1.5, None, -2.0]}),
    "polars NaN": pl.DataFrame({"a": [1.5, NAN, -2.0]}),
    "polars decimal": pl.DataFrame({"a": ["1.5", None, "-2"]}).cast(pl.Decimal(10, 2)),
    "pyarrow": pa.table({"a": [1.5, None, -2.0]}),
}


@pytest.mark.parametrize("table", NUMBERS.values(), ids=NUMBERS)
def test_numbers(table):
    feature, values = learn_one(table)
    check(feature, values, "numeric", (), [1.5, NAN, -2.0])
    assert (feature.low, feature.high) == (-2.0, 1.5)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": pd.array([3, pd.NA], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([3, pd.NA], dtype="UInt8")}),
        pl.DataFrame({"a": pl.Series([3, None], dtype=pl.UInt8)}),
        pa.table({"a": [3, None]}),
    ],
)
def test_nullable_integers(table):
    feature, values = learn_one(table)
    check(feature, values, "numeric", (), [3.0, NAN])


TEXTS = {
    "pandas object": pd.DataFrame({"a": pd.Series(["b", "a", None], dtype=object)}),
    "pandas object NaN": pd.DataFrame({"a": pd.Series(["b", "a", NAN], dtype=object)}),
    "pandas str": pd.DataFrame({"a": pd.Series(["b", "a", None])}),
    "pandas string": pd.DataFrame({"a": pd.array(["b", "a", pd.NA], dtype="string")}),
    "pandas category": pd.DataFrame({"a": pd.Categorical(["b", "a", None], categories=["b", "a"])}),
    "polars": pl.DataFrame({"a": ["b", "a", None]}),
    "polars category": pl.DataFrame({"a": pl.Series(["b", "a", None], dtype=pl.Categorical)}),
    "pyarrow": pa.table({"a": ["b", "a", None]}),
    "pyarrow dictionary": pa.table({"a": pa.array(["b", "a", None]).dictionary_encode()}),
}


@pytest.mark.parametrize("table", TEXTS.values(), ids=TEXTS)
def test_text(table):
    feature, codes = learn_one(table)
    check(feature, codes, "categorical", ("a", "b"), [1.0, 0.0, NAN])


BOOLEANS = {
    "pandas bool": pd.DataFrame({"a": [True, False, True]}),
    "pandas boolean": pd.DataFrame({"a": pd.array([True, False, None], dtype="boolean")}),
    "pandas object": pd.DataFrame({"a": pd.Series([True, False, None], dtype=object)}),
    "polars": pl.DataFrame({"a": [True, False, None]}),
    "pyarrow": pa.table({"a": [True, False, None]}),
}


@pytest.mark.parametrize("name", BOOLEANS)
def test_booleans(name):
    feature, codes = learn_one(BOOLEANS[name])
    has_missing = name != "pandas bool"
    last = NAN if has_missing else 1.0
    check(feature, codes, "boolean", ("False", "True"), [1.0, 0.0, last], has_missing)


def test_ordered_categories_keep_their_order():
    values, order = ["low", "high", "middle"], ["low", "middle", "high", "never seen"]
    for table in (
        pd.DataFrame({"a": pd.Categorical(values, categories=order, ordered=True)}),
        pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(order))}),
    ):
        feature, codes = learn_one(table)
        check(feature, codes, "categorical", ("low", "middle", "high"), [0, 2, 1], False)


def test_levels_are_sorted_as_numbers_when_all_are():
    assert learn_one(["10", "9", "1e1"])[0].levels == ("9", "10", "1e1")
    assert learn_one(["10", "9", "x"])[0].levels == ("10", "9", "x")
    assert learn_one(["10", "9", "nan"])[0].levels == ("10", "9", "nan")
    assert learn_one(pd.Categorical([10, 9, 2.5]))[0].levels == ("2.5", "9", "10")


def test_labels_of_large_numbers_are_short():
    large = Schema.learn(pd.DataFrame({"a": pd.Categorical([1e300, 1e15, -1e300])}))["a"]
    assert large.levels == ("-1e+300", "1000000000000000", "1e+300")
    assert [large.code(value) for value in (10**300, 10**15, "-1e300")] == [2, 1, 0]


def test_mixed_columns_go_by_label():
    mixed = pd.Series(["a", 3, 3.0, "3", 2.5, True, 1, None], dtype=object)
    feature, codes = learn_one(mixed)
    levels = ("1", "2.5", "3", "True", "a")
    check(feature, codes, "categorical", levels, [4, 2, 2, 2, 1, 3, 0, NAN])


def test_booleans_among_numbers_are_numbers():
    feature, values = learn_one(pd.Series([True, 2, None], dtype=object))
    check(feature, values, "numeric", (), [1.0, 2.0, NAN])


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": [NAN, NAN]}),
        pd.DataFrame({"a": pd.Categorical([None, None])}),
        pl.DataFrame({"a": [None, None]}),
        pa.table({"a": pa.nulls(2)}),
    ],
)
def test_a_column_without_values_is_numeric(table):
    feature, values = learn_one(table)
    check(feature, values, "numeric", (), [NAN, NAN])
    assert math.isnan(feature.low)


def test_rare_levels_share_a_slot():
    table = pd.DataFrame({"a": [*"aabbcccd", None]})
    schema = Schema.learn(table, max_levels=2)
    assert schema["a"].levels == ("a", "c")
    assert schema["a"].has_rare
    assert schema.encode(table)[:, 0].tolist()[:8] == [0, 0, 2, 2, 1, 1, 1, 2]
    assert not Schema.learn(table, max_levels=4)["a"].has_rare


def test_unseen_levels_and_other_types_at_predict_time():
    schema = Schema.learn(pd.DataFrame({"size": ["1", "2"], "flag": [True, False]}))
    codes = schema.encode(pl.DataFrame({"size": [2.0, 3.0], "flag": [0, 1]}))
    np.testing.assert_array_equal(codes, [[1, 0], [2, 1]])
    codes = schema.encode(np.array([[1, "True"], [None, 2]], dtype=object))
    np.testing.assert_array_equal(codes, [[0, 1], [NAN, 2]])
    codes = schema.encode(np.array([[1.0, NAN], [7.0, 1.0]]))
    np.testing.assert_array_equal(codes, [[0, NAN], [2, 1]])


def test_numbers_that_equal_a_level_are_that_level():
    sizes = Schema.learn(pd.DataFrame({"size": ["1", "2.50", "1e3", "x"]}))
    assert sizes["size"].levels == ("1", "1e3", "2.50", "x")
    for values, expected in [
        ([1, 2, 1000], [0, 4, 1]),
        ([1.0, 2.5, 1000.0], [0, 2, 1]),
        (["1.0", "2.5", "1000"], [0, 2, 1]),
        (["x", "1_000", "nan"], [3, 4, 4]),
    ]:
        assert sizes.encode(pd.DataFrame({"size": values}))[:, 0].tolist() == expected
    twice = Schema.learn(pd.DataFrame({"zone": ["7", "007", "8"]}))["zone"]
    assert [twice.levels[int(twice.code(v))] for v in ("7", "007", 7, 8.0)] == [
        "7",
        "007",
        "7",
        "8",
    ]
    assert twice.code("7.0") == twice.n_levels  # either could be meant
    flag = Schema.learn(pd.DataFrame({"flag": [True, False]}))["flag"]
    assert [flag.code(v) for v in (True, "True", 1, 0.0, "1.0")] == [1, 1, 1, 0, 1]
    assert [flag.is_known(v) for v in ("False", 1, None, "yes", 2)] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_column_without_any_known_value_is_named():
    table = pd.DataFrame({"flag": [True, False], "job": ["a", "b"], "n": [1.0, 2.0]})
    schema = Schema.learn(table)
    strange = pl.DataFrame({"flag": ["yes", None], "job": ["A", "B"], "n": [5.0, 6.0]})
    with pytest.warns(UserWarning, match="was seen in training") as caught:
        schema.encode(strange)
    assert str(caught[0].message) == (
        "no value of column 'flag' was seen in training; it holds values like 'yes', its levels "
        "are 'False', 'True'; no value of column 'job' was seen in training; it holds values like "
        "'A', its levels are 'a', 'b' (see docs/data.md#levels-that-training-has-not-seen)"
    )
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema.encode(table.assign(job=["a", "C"]))
        schema.encode(table.assign(job=[None, None]))
        schema.encode(table.iloc[:0])
        rare = Schema.learn(pd.DataFrame({"job": ["a", "a", "b"]}), max_levels=1)
        rare.encode(pd.DataFrame({"job": ["b"]}))


def test_masked_cells_are_missing():
    numbers = np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    texts = np.ma.masked_array(np.array([["a", "b"], ["c", "d"]]), mask=[[0, 1], [0, 0]])
    for table, expected in [(numbers, [[1, NAN], [3, 4]]), (texts, [[0, NAN], [1, 0]])]:
        schema = Schema.learn(table)
        assert [feature.has_missing for feature in schema.features] == [False, True]
        np.testing.assert_array_equal(schema.encode(table), expected)


def test_lazy_frames_are_collected():
    table = pl.DataFrame({"a": [1.0, None], "b": ["u", "v"]})
    schema = Schema.learn(table.lazy())
    assert schema == Schema.learn(table)
    np.testing.assert_array_equal(schema.encode(table.lazy()), schema.encode(table))


def test_integers_beyond_floats_are_refused_by_name():
    huge = pd.DataFrame({"a": pd.Series([1, 10**400], dtype=object)})
    with pytest.raises(ValueError, match=r"column 'a' must hold numbers that a float can hold"):
        Schema.learn(huge)
    with pytest.raises(ValueError, match=r"'a' .* got an integer of 1329 bits"):
        Schema.learn(pd.DataFrame({"a": [1.0]})).encode(huge)


def test_names_are_found_fast():
    names = [f"column {i}" for i in range(20_000)]
    start = time.process_time()
    schema = Schema(tuple(Feature(name, i, "numeric") for i, name in enumerate(names)))
    assert [schema.index(name) for name in names] == list(range(20_000))
    assert time.process_time() - start < 3  # about 0.1 s; it was minutes


def test_frames_are_matched_by_name():
    schema = Schema.learn(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    encoded = schema.encode(pl.DataFrame({"b": ["y"], "more": [0], "a": [5]}))
    np.testing.assert_array_equal(encoded, [[5.0, 1.0]])
    with pytest.raises(ValueError, match=r"missing: \['a', 'b'\]"):
        schema.encode(pl.DataFrame({"c": [1]}))


def test_numpy_is_matched_by_position():
    schema = Schema.learn(np.zeros((2, 3)))
    assert schema.names == ("x0", "x1", "x2")
    with pytest.raises(ValueError, match="3 columns; got 2"):
        schema.encode(np.zeros((2, 2)))
    for wrong in (np.zeros(3), np.zeros((1, 1, 3))):
        with pytest.raises(ValueError, match="2-D"):
            schema.encode(wrong)


def test_numpy_arrays_of_all_sorts():
    assert Schema.learn(np.array([[1, 2]]))["x0"].kind == "numeric"
    assert Schema.learn(np.array([[True]]))["x0"].kind == "boolean"
    assert Schema.learn(np.array([["a"]]))["x0"].kind == "categorical"
    mixed = Schema.learn(np.array([[1, "a", True], [None, "b", False]], dtype=object))
    assert [f.kind for f in mixed.features] == ["numeric", "categorical", "boolean"]
    assert [f.kind for f in Schema.learn([[1, "a"], [2, "b"]]).features] == [
        "numeric",
        "categorical",
    ]


def test_float_arrays_are_not_copied_if_they_need_not_be():
    columns = np.asfortranarray(np.random.default_rng(0).normal(size=(10_000, 3)))
    schema = Schema.learn(columns)
    assert schema.encode(columns) is columns
    rows = np.ascontiguousarray(columns)
    np.testing.assert_array_equal(schema.encode(rows), columns)
    assert schema.encode(rows.astype(np.float32)).dtype == np.float64


def test_no_rows():
    schema = Schema.learn(pd.DataFrame({"a": [1.0], "b": ["x"]}))
    assert schema.encode(pd.DataFrame({"a": [], "b": []})).shape == (0, 2)
    assert schema.encode(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    "values",
    [
        pd.to_datetime(["2020-01-01"]),
        pd.to_timedelta(["1h"]),
        pd.Series([pd.Timestamp("2020-01-01")], dtype=object),
        np.array([1 + 2j]),
        pd.Series([[1, 2]]),
        pd.Series([{"k": 1}]),
        pd.Series([(1, 2)]),
        pd.Series([np.zeros(2)]),
    ],
)
def test_unreadable_columns_are_named(values):
    with pytest.raises(ValueError, match=r"column 'when' .* convert it"):
        Schema.learn(pd.DataFrame({"when": values}))


def test_unreadable_tables():
    with pytest.raises(ValueError, match="column 'when'"):
        Schema.learn(pl.DataFrame({"when": [[1], [2]]}))
    with pytest.raises(ValueError, match="datetime64"):
        Schema.learn(np.zeros((2, 2), dtype="datetime64[ns]"))
    with pytest.raises(ValueError, match="complex"):
        Schema.learn(np.zeros((2, 2), dtype=complex))
    with pytest.raises(ValueError, match="at least one column"):
        Schema.learn(pd.DataFrame(index=[0, 1]))

    class Sparse:
        nnz = 0

        def toarray(self): ...

    with pytest.raises(TypeError, match="sparse"):
        Schema.learn(Sparse())


def test_infinite_values_are_refused_by_name():
    table = pd.DataFrame({"fine": [0.0, NAN], "speed": [0.0, math.inf]})
    with pytest.raises(ValueError, match="column 'speed' must be finite"):
        Schema.learn(table)
    schema = Schema.learn(table.iloc[:1])
    for wrong in (table, table.to_numpy(), pl.from_pandas(table)):
        with pytest.raises(ValueError, match="column 'speed' must be finite or missing; got inf"):
            schema.encode(wrong)


def test_text_is_no_number():
    schema = Schema.learn(pd.DataFrame({"speed": [1.0]}))
    with pytest.raises(ValueError, match="column 'speed' must hold numbers; got 'fast'"):
        schema.encode(pd.DataFrame({"speed": ["fast"]}))


def test_names():
    table = pd.DataFrame(np.zeros((2, 2)))
    assert Schema.learn(table).names == ("0", "1")
    assert Schema.learn(table).encode(table[[1, 0]]).shape == (2, 2)
    for names in (["a", "a"], [1, "1"]):
        with pytest.raises(ValueError, match=r"unique|distinct"):
            Schema.learn(pd.DataFrame(np.zeros((2, 2)), columns=names))
    schema = Schema.learn(pd.DataFrame({"a": [1], "b": [2]}))
    assert schema.index("b") == schema["b"].index == 1
    with pytest.raises(KeyError, match="no feature is called 'c'"):
        schema["c"]


def test_features_are_values():
    feature = Feature("a", 0, "categorical", ("u", "v"))
    for twin in (copy.deepcopy(feature), pickle.loads(pickle.dumps(feature))):  # NaN bounds
        assert twin == feature
        assert hash(twin) == hash(feature)
    assert feature != Feature("a", 0, "categorical", ("u", "w"))
    assert [feature.label(code) for code in range(3)] == ["u", "v", "other"]
    assert (feature.n_levels, feature.is_numeric) == (2, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", 0, "ordinal"), "kind of feature 'a'"),
        (("a", 0, "numeric", ("u",)), "no levels"),
        (("a", 0, "categorical"), "at least one"),
        (("a", 0, "categorical", ("u", "u")), "distinct"),
        (("a", 0, "boolean", ("no", "yes")), "boolean feature 'a'"),
    ],
)
def test_wrong_features_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Feature(*arguments)


def test_a_schema_numbers_its_features():
    with pytest.raises(ValueError, match="must have index 0; got 1"):
        Schema((Feature("a", 1, "numeric"),))


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.floats(-9, 9), st.text(max_size=2)
)


@given(st.lists(CELLS, min_size=1))
def test_every_training_value_is_known(values):
    table = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    schema = Schema.learn(table)
    codes = schema.encode(table)[:, 0]
    feature = schema["a"]
    np.testing.assert_array_equal(np.isnan(codes), [value is None for value in values])
    if not feature.is_numeric:
        assert not (codes >= feature.n_levels).any()
        assert feature.kind == "boolean" or len(set(codes[~np.isnan(codes)])) == feature.n_levels
    assert Schema.from_dict(schema.to_dict()) == schema


@pytest.mark.slow
def test_a_million_values_per_column_are_no_trouble():
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abcdef"), size=300_000)
    table = pd.DataFrame(
        {f"x{i}": rng.normal(size=300_000) for i in range(10)} | {"letter": letters}
    )
    start = time.perf_counter()
    Schema.learn(table).encode(table)
    assert time.perf_counter() - start < 4.0  # about 0.2 s


def test_only_ordered_columns_and_booleans_have_an_order():
    sizes = ["s", "l", "m"]
    table = pd.DataFrame(
        {
            "ordered": pd.Categorical(sizes, ["s", "m", "l"], ordered=True),
            "category": pd.Categorical(sizes, ["s", "m", "l"]),
            "text": sizes,
            "flag": [True, False, True],
            "number": [1.5, 2.0, 3.0],
        }
    )
    schema = Schema.learn(table)
    assert [f.has_order for f in schema.features] == [True, False, False, True, True]
    assert schema["ordered"].levels == ("s", "m", "l")
    assert Schema.from_dict(schema.to_dict()) == schema


def test_features_saved_without_order_and_wholeness_have_neither():
    plain = Feature("x", 0, "numeric", low=0.0, high=1.0, whole=True).to_dict()
    del plain["whole"], plain["ordered"]
    assert Feature.from_dict(plain, 0) == Feature("x", 0, "numeric", low=0.0, high=1.0)
