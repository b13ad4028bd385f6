"""What the commands print: exact facts, and no sign that steers a terminal."""

import numpy as np
import pandas as pd

from calmgam.cli.printing import exact_number, json_text, visible
from shell import QUICK, notes, run, write


def test_numbers_have_all_their_digits():
    assert [exact_number(value) for value in (2003.0, 86556179.0, 0.1, -0.0, 1e-7, 1e20)] == [
        *("2003", "86556179", "0.1", "0", "1e-07", "100000000000000000000"),
    ]


def test_json_is_json():
    assert json_text({"a": [float("nan"), float("inf")], "b": "\x9b\n"}) == (
        '{\n "a": [\n  null,\n  null\n ],\n "b": "\\u009b\\n"\n}\n'
    )


def test_line_breaks_stay():
    assert visible("one\ntwo\x1b[0m\tthree") == "one\ntwo\\x1b[0m\\tthree"


def test_column_facts_are_exact(tmp_path):
    lines = [f"{2003 + k % 7},{k / 7:.4f},{k * 1000001},key{k},{k % 10}" for k in range(1200)]
    table = write(tmp_path / "t.csv", "year,share,account,key,y\n" + "\n".join(lines))
    facts = notes("fit", table, "--target", "y", "--set", "max_depth=0", *QUICK)
    assert "1,200 rows, 4 features" in facts
    assert "year numeric 2003 to 2009" in facts
    assert "share numeric 0 to 171.2857" in facts
    assert "account numeric 0 to 1199001199" in facts
    assert "key categorical 1,200: key0, key1, key10" in facts


def test_names_and_labels_cannot_steer_the_terminal(tmp_path):
    rng = np.random.default_rng(0)
    red, label = "\x1b[31mred", "a\x1b]0;title\x07"
    table = pd.DataFrame({red: rng.normal(size=80), "[bold]:smile:": [label, "\x9b31m"] * 40})
    table["y"] = rng.choice(["\u202eno", "yes"], 80)
    table.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "m.json"
    asked = [
        run("fit", tmp_path / "t.csv", "--target", "y", *QUICK, "--out", out),
        *(run(*words, out) for words in (["summary"], ["audit"], ["audit", "--json"])),
        run("audit", out, "[bold]:smile:"),
        run("explain", out, tmp_path / "t.csv", "--json"),
        run("explain", out, tmp_path / "t.csv"),
        run("fit", tmp_path / "t.csv", "--target", "y", "--drop", "rred", code=2),
        run(
            "fit",
            tmp_path / "t.csv",
            "--target",
            "y",
            "--feature-type",
            "[bold]:smile:=continuous",
            code=1,
        ),
    ]
    text = "".join(result.output for result in asked)
    assert not set(text) & set("\x1b\x07\x9b\u202e")
    assert "\\x1b[31mred" in text
    assert "[bold]:smile:" in asked[0].stderr
