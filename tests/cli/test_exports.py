"""`calmgam export`: files in every language, and what it refuses."""

import sqlite3

import onnx
import pandas as pd
import pytest

import calmgam
from shell import refusal, run


def test_sql_is_printed_and_runs(folder):
    text = run(
        *("export", folder / "busy.json", "--to", "sql", "--dialect", "sqlite"),
        *("--table", "bikes", "--keep", "hour", "--reasons", 1, "--contributions"),
    ).stdout
    table = pd.read_csv(folder / "bikes.csv")
    with sqlite3.connect(":memory:") as connection:
        table.to_sql("bikes", connection)
        found = pd.read_sql_query(text, connection)
    model = calmgam.load(folder / "busy.json")
    assert found["score"].tolist() == pytest.approx(model.score(table).tolist(), abs=1e-9)
    assert {"hour", "contribution_hour", "reason_1", "probability"} <= set(found)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("python", "def score(row"),
        ("javascript", "export function"),
        ("c", "calm_score"),
        ("pmml", "<PMML"),
    ],
)
def test_texts_are_printed_or_written(folder, tmp_path, language, words):
    printed = run("export", folder / "rentals.json", "--to", language).stdout
    assert words in printed
    run("export", folder / "rentals.json", "--to", language, "--out", tmp_path / "model")
    assert (tmp_path / "model").read_text() == printed


def test_files_are_written(folder, tmp_path):
    for language in ("csv", "xlsx", "onnx"):
        out = tmp_path / f"model.{language}"
        run("export", folder / "rentals.json", "--to", language, "--out", out)
    assert (tmp_path / "model.xlsx").read_bytes()[:2] == b"PK"
    assert "intercept" in (tmp_path / "model.csv").read_text()
    onnx.checker.check_model(onnx.load(tmp_path / "model.onnx"))


def test_what_cannot_be_is_refused(folder, tmp_path):
    model = folder / "rentals.json"
    assert "--dialect is for --to sql" in refusal(
        "export", model, "--to", "c", "--dialect", "sqlite"
    )
    assert "--reasons is for --to sql" in refusal("export", model, "--to", "c", "--reasons", 2)
    assert "--to onnx needs --out" in refusal("export", model, "--to", "onnx")
    assert "must end in .csv" in refusal(
        "export", model, "--to", "csv", "--out", tmp_path / "a.txt"
    )
    assert "would overwrite the model" in refusal("export", model, "--to", "c", "--out", model)
