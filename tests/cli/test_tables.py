"""Files of all kinds become tables."""

import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from calmgam.cli.tables import NO_DELIMITER, Spelling, guess_delimiter, read_table
from shell import QUICK, notes, records, refusal, run, write


def read(path, **how):
    table = read_table(path, Spelling(**how))
    return table.with_numbers(table.names).columns.to_pydict()


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ('"a, b, c";d\n1;2\n', ";"),
        ('x;"a ""quoted, long, name""";y\n1;2;3\n', ";"),
        ("width, cm;height, cm, outside\n1,5;2\n1;2\n", ";"),
        ("name;price, EUR\nx;1,50\n", ";"),
        ('"two\nlines, three"\ty\n1\t2\n', "\t"),
        ("a|b|c,d\r1|2|3\r", "|"),
        ('size 5",b,c\n1,2,3\n', ","),
        ('a,b\n1,"x;y;z"\n2,"x;y"\n', ","),
        ("price\n70,15\n", NO_DELIMITER),
        ("", NO_DELIMITER),
    ],
)
def test_the_delimiter_stands_outside_of_quotes_and_in_every_line(content, delimiter):
    assert guess_delimiter(content) == delimiter


def test_a_line_that_the_sample_cuts_does_not_count():
    assert guess_delimiter("a;b, c\n" + "1;" + "2, " * 50_000) == ";"


@pytest.mark.parametrize(
    ("content", "how"),
    [
        ("größe,y\r\n1,é\r\n".encode("utf-8-sig"), {}),
        ("größe\ty\n1\té\n".encode("utf-16"), {}),
        ("größe,y\n1,é\n".encode("latin-1"), {"encoding": "latin-1"}),
        (gzip.compress("größe;y\n1;é\n".encode("cp1252"), mtime=0), {"encoding": "cp1252"}),
        ("größe,y\n1,é\n".encode("utf-8-sig"), {"encoding": "utf-8"}),
        ("größe,y\r1,é\r".encode(), {}),
    ],
)
def test_text_is_read_as_it_is_written(tmp_path, content, how):
    assert read(write(tmp_path / "t", content), **how) == {"größe": [1], "y": ["é"]}


def test_an_encoding_that_does_not_exist_is_a_wrong_call(folder):
    predict = ["predict", folder / "busy.json", folder / "bikes.csv", "--encoding"]
    assert "no encoding of text called 'latin-one'" in refusal(*predict, "latin-one")
    assert "no encoding of text called 'hex'" in refusal(*predict, "hex")


def test_spellings_of_missing_values(tmp_path):
    words = ["NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?", "", "  ", "-9"]
    table = write(tmp_path / "t.csv", "x,z\n" + "".join(f"{w},{w}\n" for w in words) + "1,a\n")
    found = read(table, missing=("-9",))
    assert found["x"] == [None] * len(words) + [1.0]
    assert found["z"] == [None] * len(words) + ["a"]


def test_missing_words_count_in_parquet_too(tmp_path):
    frame = pd.DataFrame({"x": [1, -9], "z": ["a", "none"], "f": [-9.0, 2.5]})
    frame.to_parquet(tmp_path / "t")
    assert read(tmp_path / "t", missing=("-9", "none")) == {
        "x": [1, None],
        "z": ["a", None],
        "f": [None, 2.5],
    }


def test_row_numbers_that_pandas_wrote_into_parquet_are_no_column(tmp_path):
    pd.DataFrame({"x": [1, 2]}, index=[1, 0]).to_parquet(tmp_path / "t")
    assert read(tmp_path / "t") == {"x": [1, 2]}


def test_a_header_without_delimiter_is_one_column(tmp_path):
    with pytest.warns(UserWarning, match="decimal commas"):
        assert read(write(tmp_path / "t", "price\n70,15\n3\n")) == {"price": [70.15, 3.0]}


def test_columns_of_parquet_have_many_types(tmp_path):
    frame = pd.DataFrame({"level": ["a", "b"] * 10, "cost": range(20), "none": None})
    frame["level"] = frame["level"].astype("category")
    frame["cost"] = [Decimal(k) / 4 for k in range(20)]
    frame["short"] = np.arange(20, dtype=np.float32) / np.float32(10)
    frame["when"], frame["y"] = pd.date_range("2020", periods=20), range(20)
    frame.to_parquet(tmp_path / "t")
    out = tmp_path / "m.json"
    fit = ["fit", tmp_path / "t", "--target", "y", "--drop", "when", *QUICK, "--out", out]
    said = notes(*fit)
    for words in (
        "level categorical a, b",
        "cost numeric 0 to 4.75",
        "short numeric 0 to 1.9",
        "none numeric none",
    ):
        assert words in said
    kept = ["--keep", "when", "--keep", "level", "--keep", "cost"]
    rows = records(run("predict", out, tmp_path / "t", *kept).stdout)
    assert (rows[1]["when"], rows[1]["level"], rows[1]["cost"]) == (
        *("2020-01-02 00:00:00", "b", "0.25"),
    )
    as_json = run("predict", out, tmp_path / "t", *kept, "--json").stdout
    assert '"when": "2020-01-02 00:00:00"' in as_json
