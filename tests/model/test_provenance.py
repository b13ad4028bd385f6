import math
import time
from dataclasses import replace
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from model_strategies import provenances

from calmgam.model.provenance import Provenance, table_digest, utc_now

NAN = math.nan
PANDAS = pd.DataFrame({"n": [1, 2, 3], "text": ["b", None, "a"], "flag": [True, False, True]})
Y = [0.5, 1.5, 2.5]
PROVENANCE = Provenance("0.1.0", {}, 1, 10, False, "2026-01-31T23:59:59Z", "0a" * 32)


def digest(table=PANDAS, y=Y, weights=None):
    return table_digest(table, y, weights)


def test_the_kind_of_frame_does_not_matter():
    tables = [
        PANDAS.astype({"n": float}),
        PANDAS.astype({"n": "Int64", "text": "string", "flag": "boolean"}),
        PANDAS.astype({"n": object}),
        pl.from_pandas(PANDAS),
        pl.from_pandas(PANDAS).with_columns(pl.col("n").cast(pl.UInt8)),
        pa.Table.from_pandas(PANDAS, preserve_index=False),
        PANDAS.set_index(pd.Index([7, 8, 9])),
    ]
    assert {digest(table) for table in tables} == {digest()}
    numbers = np.array([[1, 2], [3, 4]])
    named = pd.DataFrame(numbers, columns=["x0", "x1"])
    arrays = (numbers, numbers.astype(float), np.asfortranarray(numbers), numbers.astype(object))
    assert {digest(array, [0, 1]) for array in arrays} == {digest(named, [0, 1])}


def test_targets_and_weights_of_any_kind():
    for y in (np.array(Y), pd.Series(Y), pl.Series(Y), pa.chunked_array([Y]), np.array([Y]).T):
        assert digest(y=y) == digest()
    whole = digest(y=[1, 2, 3], weights=[1, 1, 2])
    assert digest(y=[1.0, 2.0, 3.0], weights=np.array([1.0, 1.0, 2.0])) == whole
    assert digest(y=["no", "yes", "no"]) == digest(y=pd.Series(["no", "yes", "no"]))


def test_every_change_is_seen():
    changed = [
        PANDAS.rename(columns={"n": "m"}),
        PANDAS[["text", "n", "flag"]],
        PANDAS[["n", "text"]],
        PANDAS.iloc[[1, 0, 2]],
        PANDAS.iloc[:2],
        PANDAS.assign(n=[1, 2, 4]),
        PANDAS.assign(n=[1, 2, None]),
        PANDAS.assign(n=["1", "2", "3"]),
        PANDAS.assign(text=["b", "", "a"]),
        PANDAS.assign(text=["c", None, "a"]),
        PANDAS.assign(flag=[1, 0, 1]),
    ]
    digests = [digest(), *(digest(table, Y[: len(table)]) for table in changed)]
    digests += [digest(y=[0.5, 1.5, 3.5]), digest(y=["a", "b", "c"])]
    digests += [digest(weights=[1, 1, 1]), digest(weights=[1, 1, 2])]
    assert len(set(digests)) == len(digests)


def test_bits_that_mean_nothing_do_not_matter():
    quiet = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    one, other = (np.array([[zero, nan]]) for zero, nan in [(0.0, NAN), (-0.0, quiet)])
    assert one.tobytes() != other.tobytes()
    assert digest(one, [0]) == digest(other, [0])


def test_the_digest_is_what_the_docs_say():
    # X, "n" (1 byte), numbers 1 and 2; X, "t", two labels a and b, codes 1 and NaN; y
    import hashlib

    count, floats = lambda n: n.to_bytes(8, "little"), lambda *v: np.array(v, "<f8").tobytes()
    text = lambda t: count(len(t)) + t  # noqa: E731
    expected = b"X" + text(b"n") + b"n" + floats(1, 2)
    expected += b"X" + text(b"t") + b"l" + count(1) + text(b"b") + floats(0, NAN)
    expected += b"y" + text(b"") + b"n" + floats(5, 6)
    table = pd.DataFrame({"n": [1, 2], "t": ["b", None]})
    assert digest(table, [5, 6]) == hashlib.sha256(expected).hexdigest()


@pytest.mark.slow
def test_a_million_rows_are_no_trouble():
    table = np.random.default_rng(0).normal(size=(1_000_000, 20))
    start = time.process_time()  # not what other processes take
    table_digest(table, table[:, 0])
    assert time.process_time() - start < 4.0  # about 0.5 s


@given(provenances())
def test_records_come_back_from_plain_values(provenance):
    reread = Provenance.from_dict(provenance.to_dict())
    assert reread == provenance
    assert hash(reread) == hash(provenance)


def test_what_made_the_random_numbers_is_said():
    for parameters, said in (
        ({"random_state": 0}, "random_state=0"),
        ({"random_state": None}, "seed 1"),
        ({}, "seed 1"),
        (3, "seed 1"),
    ):
        assert replace(PROVENANCE, settings={"parameters": parameters}).randomness == said


def test_settings_become_plain():
    settings = {
        "n": np.int64(3), "t": (1, np.float32(0.5)), "s": {"b", "a"}, "f": math.sqrt, "c": dict,
        "inf": math.inf, 1: np.arange(2), "other": pd.Timedelta(0),
    }  # fmt: skip
    assert replace(PROVENANCE, settings=settings).settings == {
        "n": 3, "t": [1, 0.5], "s": ["a", "b"], "f": "math.sqrt", "c": "builtins.dict",
        "inf": "inf", "1": [0, 1], "other": "Timedelta('0 days 00:00:00')",
    }  # fmt: skip
    deep = []
    for _ in range(50):
        deep = [deep]
    with pytest.raises(ValueError, match="at most 20 deep"):
        replace(PROVENANCE, settings={"deep": deep})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("library_version", 1, "library_version must be text; got 1"),
        ("seed", -1, "seed must be a whole number from 0; got -1"),
        ("seed", True, "seed must be a whole number"),
        ("n_rows", 0, "n_rows must be a whole number from 1; got 0"),
        ("weighted", 1, "weighted must be true or false; got 1"),
        ("date", "2026-01-32T00:00:00Z", "date must be a UTC date such as"),
        ("date", "2026-01-31", "date must be a UTC date such as"),
        ("table_sha256", "0A" * 32, "table_sha256 must be a SHA-256"),
    ],
)
def test_wrong_records_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        replace(PROVENANCE, **{name: value})


def test_dates_are_utc():
    assert datetime.strptime(utc_now(), "%Y-%m-%dT%H:%M:%SZ")
    assert replace(PROVENANCE, date=utc_now())
