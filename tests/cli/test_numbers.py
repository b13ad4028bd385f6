"""Numbers as people write them, and words between numbers."""

import pandas as pd
import pytest

from calmgam import load
from calmgam.cli.tables import Spelling, read_table
from shell import QUICK, notes, records, refusal, run, write


def read(path, content, **how):
    table = read_table(write(path / "t.csv", content), Spelling(**how))
    return table.with_numbers(table.names).columns.to_pydict()


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("x;y\n70,15;a\n3;b\n-,5;c\n", [70.15, 3.0, -0.5]),
        ("x;y\n1.234,50;a\n12;b\n", [1234.5, 12.0]),
        ("x;y\n1 234,5;a\n12;b\n", [1234.5, 12.0]),
        ("x;y\n1\u202f234;a\n12;b\n", [1234.0, 12.0]),
        ("x;y\n1'234.5;a\n12;b\n", [1234.5, 12.0]),
        ("x;y\n1.234.567;a\n12;b\n", [1234567.0, 12.0]),
        ('x,y\n"1,234",a\n12,b\n', [1234.0, 12.0]),
        ('x,y\n"1,234,567.5",a\n-12e3,b\n', [1234567.5, -12000.0]),
        ('x,y\n"70,15",a\n12,b\n', [70.15, 12.0]),
        ("x;y\n0,125;a\n12;b\n", [0.125, 12.0]),
        ("x;y\n1,234;0.5\n12;1.5\n", [1234.0, 12.0]),  # the other column has points
        ("x;y\n1,234;0,5\n12;1,5\n", [1.234, 12.0]),  # the other column has commas
        ("x;y\n1.234;0,5\n12.500;1,5\n", [1234.0, 12500.0]),
        ("x;y\n0.5;0,5\n1.234;1,5\n", [0.5, 1.234]),  # one has points, one commas
        ('x,y\n"$1,200.50",a\n-$3,b\n', [1200.5, -3.0]),
        ("x,y\n13.5%,a\n7 %,b\n", [13.5, 7.0]),
        ("x;y\n1,234.5;0,5\n12;1,5\n", [1234.5, 12.0]),
    ],
)
def test_marks_are_told_from_the_file(tmp_path, content, numbers):
    with pytest.warns(UserWarning, match="read as"):
        assert read(tmp_path, content)["x"] == numbers


@pytest.mark.parametrize("text", ["1.2.3", "01.02.2020", "1,23,4", "1,,5", "A1", "5 %%"])
def test_what_is_no_number_stays_text(tmp_path, text):
    assert read(tmp_path, f"x;y\n{text};1\n{text};2\n")["x"] == [text, text]


def test_what_may_mean_two_things_is_refused_until_users_say(tmp_path):
    table = "x;y\n1,234;a\n5;b\n"
    with pytest.raises(ValueError, match=r"'1,234', which may be 1234 or 1\.234: say --decimal"):
        read(tmp_path, table)
    assert read(tmp_path, table, decimal=",")["x"] == [1.234, 5.0]
    with pytest.warns(UserWarning, match="'1,234' is read as 1234"):
        assert read(tmp_path, table, decimal=".")["x"] == [1234.0, 5.0]


def test_a_decimal_mark_that_users_say_holds_for_all_columns(tmp_path):
    with pytest.warns(UserWarning, match="'1.500' is read as 1500"):
        assert read(tmp_path, "x;y\n1.500;a\n2.000;b\n", decimal=",")["x"] == [1500.0, 2000.0]
    assert read(tmp_path, "x;y\n70,15;a\n", decimal=".")["x"] == ["70,15"]


@pytest.fixture
def prices():
    return pd.DataFrame({"price": [k * 1.5 + 0.25 for k in range(40)], "y": range(40)})


def test_commands_take_decimal_commas_with_a_note(tmp_path, prices):
    prices.to_csv(tmp_path / "point.csv", index=False)
    prices.to_csv(tmp_path / "comma.csv", index=False, sep=";", decimal=",")
    point, comma = ("fit", tmp_path / "point.csv"), ("fit", tmp_path / "comma.csv")
    out, fit = tmp_path / "m.json", ["--target", "y", *QUICK, "--out"]
    said = notes(*comma, *fit, out)
    assert "note: numbers have decimal commas: '0,25' in column 'price' is read as 0.25" in said
    assert "price numeric 0.25 to 58.75" in said
    assert "note" not in notes(*comma, *fit, out, "--decimal", ",")
    run(*point, *fit, tmp_path / "same.json")
    assert load(out) == load(tmp_path / "same.json")
    rows = run("predict", out, tmp_path / "comma.csv", "--keep", "price").stdout
    assert records(rows)[0]["price"] == "0,25"
    assert "is not one of" in refusal(*comma, *fit, out, "--decimal", "x")


def test_columns_that_are_dropped_or_labels_are_not_read_as_numbers(tmp_path):
    lines = "".join(f"1,{k}34;1,{k}00;{k}\n" for k in range(10))
    table = write(tmp_path / "t.csv", "a;b;y\n" + lines)
    fit = ["fit", table, "--target", "y", *QUICK]
    assert "which may be" in refusal(*fit, "--feature-type", "a=nominal", code=1)
    said = notes(*fit, "--feature-type", "a=nominal", "--feature-type", "b=nominal")
    assert "a categorical 10: 1,034, 1,134" in said
    assert "note: numbers" not in said


def test_words_between_numbers_are_named_with_what_to_do(tmp_path, prices):
    prices["price"] = ["unknown", "not yet", "unknown", *prices["price"].astype(str)[3:]]
    prices.to_csv(tmp_path / "t.csv", index=False)
    fit = ["fit", tmp_path / "t.csv", "--target", "y", *QUICK]
    message = refusal(*fit, code=1)
    assert "column 'price' holds numbers, but also 'unknown' (2 rows), 'not yet' (1 row)" in message
    assert "--missing unknown --missing 'not yet'" in message
    assert "--feature-type price=nominal" in message
    out = ["--out", tmp_path / "m.json"]
    said = notes(*fit, "--missing", "unknown", "--missing", "not yet", *out)
    assert "price numeric 4.75 to 58.75, some missing" in said
    assert "price categorical 39: " in notes(*fit, "--feature-type", "price=nominal")
    message = refusal("predict", tmp_path / "m.json", tmp_path / "t.csv", code=1)
    assert "column 'price' must hold numbers; got 'unknown' (2 rows), 'not yet' (1 row)" in message
    message = refusal(*fit, "--feature-type", "price=continuous", code=1)
    assert "column 'price' must hold numbers; got 'unknown' (2 rows)" in message


def test_levels_that_are_numbers_but_for_one_are_labels(tmp_path):
    table = write(tmp_path / "t.csv", "x,y\n" + "0,1\n1,2\n2,5\n3+,4\n" * 10)
    assert "x categorical 0, 1, 2, 3+" in notes("fit", table, "--target", "y", *QUICK)


def test_types_are_those_of_whole_columns(tmp_path):
    rows = "".join(f"{k},{k}\n" for k in range(200_000))  # more than one block of a reader
    table = write(tmp_path / "long.csv", f"x,y\n{rows}many,3\n")
    assert "but also 'many' (1 row)" in refusal("fit", table, "--target", "y", code=1)
