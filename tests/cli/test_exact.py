"""Commands about all inputs: range, compare, certify, verify."""

import json

import pandas as pd
import pytest

import calmgam
from calmgam.read import compare, score_range
from shell import QUICK, REGIONS, refusal, run, write


@pytest.fixture(scope="module")
def other(folder, tmp_path_factory):
    """Return a second model of the rentals, without wind."""
    path = tmp_path_factory.mktemp("other") / "other.json"
    drop = ("--drop", "busy", "--drop", "wind")
    fit = ("fit", folder / "bikes.csv", "--target", "rentals", *drop, *QUICK)
    run(*fit, "--set", REGIONS, "--seed", 3, "--out", path)
    return path


def test_range(folder):
    model = calmgam.load(folder / "busy.json")
    assert run("range", folder / "busy.json").stdout == f"{score_range(model)}\n"
    given = "hour = 7"
    plain = json.loads(run("range", folder / "busy.json", "--given", given, "--json").stdout)
    assert plain["high"] == score_range(model, given).high
    assert plain["highest"]["row"]["hour"] == 7
    assert "no feature 'hours'" in refusal("range", folder / "busy.json", "--given", "hours = 7")


def test_many_classes_are_asked_about_in_pairs(folder, tmp_path):
    text = "x,kind\n" + "".join(f"{k % 9},{'abc'[k % 9 // 3]}\n" for k in range(90))
    table, path = write(tmp_path / "t.csv", text), tmp_path / "m.json"
    fit = ("fit", table, "--target", "kind", *QUICK, "--set", "max_depth=0")
    run(*fit, "--out", path)
    pair = ("a", "c")
    expected = score_range(calmgam.load(path), between=pair)
    assert run("range", path, "--between", *pair).stdout == f"{expected}\n"
    assert expected.high > 0 > expected.low
    which = "--between must name two of the 3 classes, such as 'a' and 'b' ╰"
    for ask in (["range", path], ["compare", path, path], ["audit", path]):
        assert which in refusal(*ask)
    ask = ("slices", path, table, "--target", "kind")
    assert "--class must be one of the 3 classes, such as 'a' ╰" in refusal(*ask)
    assert "--reach must be one of the classes" in refusal(
        "explain", path, table, "--probability", 0.5
    )


def test_compare(folder, other):
    first, second = folder / "rentals.json", other
    rows = pd.read_csv(folder / "bikes.csv")
    expected = compare(calmgam.load(first), calmgam.load(second), rows, 20.0)
    data = ("--data", folder / "bikes.csv", "--threshold", 20)
    printed = run("compare", first, second, *data).stdout
    assert printed == f"{expected}\n"
    assert "wind (only in the first model)" in printed and "of 400 rows move by" in printed
    plain = json.loads(run("compare", first, second, "--json").stdout)
    assert (plain["low"], plain["rows"]) == (expected.low, None)
    assert "same link" in refusal("compare", first, folder / "busy.json")
    narrow = run("compare", first, first, "--given", "hour <= 7").stdout
    assert narrow == "the score is the same for every input\n"


def test_certify_and_verify(folder, tmp_path):
    model, path = folder / "rentals.json", tmp_path / "certificate.json"
    claims = ("--range", "--no-influence", "humidity", "--increasing", "wind")
    change = ("--at-most", "hour: 7 -> 8 <= 1e4", "--at-most", "season: winter -> summer")
    room = ("--tolerance", 1e6)
    assert run("certify", model, path, *claims, *change, *room).stdout == f"{path}\n"
    lines = run("verify", model, path).stdout.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("proved: every score lies in [")
    assert "proved: 'hour' from 7.0 to 8.0 changes the score by at most 10000.0" in lines
    run("certify", model, path, "--low", -1e6, "--high", 1e6)
    assert run("verify", model, path).stdout == (
        "proved: every score lies in [-1000000.0, 1000000.0]\n"
    )
    run("certify", model, path, *change)
    path.write_text(path.read_text().replace("10000.0", "1.0"))
    assert "refused: the certificate was changed" in refusal("verify", model, path, code=1)


def test_wrong_claims(folder, tmp_path):
    model, path = folder / "rentals.json", tmp_path / "certificate.json"
    assert "something to prove" in refusal("certify", model, path)
    assert "no feature is called 'wnd'" in refusal("certify", model, path, "--increasing", "wnd")
    assert "must be like 'age: 30" in refusal("certify", model, path, "--at-most", "hour 7 8")
    assert "a bound must be a number" in refusal(
        "certify", model, path, "--at-most", "hour: 7 -> 8 <= x"
    )
    refused = refusal("certify", model, path, "--at-most", "hour: 7 -> 8 <= -1e4", code=1)
    assert "cannot be certified" in refused
    assert not path.exists()
