"""Commands that make a model from a model, and intervals of predictions."""

import json

import pandas as pd

import calmgam
from calmgam.model.edits import count_steps
from shell import records, refusal, run, write


def test_edits_come_from_a_file_and_leave_a_trail(folder, tmp_path):
    edits = write(
        tmp_path / "edits.json",
        json.dumps(
            [
                {"edit": "flatten", "feature": "hour", "low": 20, "why": "night"},
                {"edit": "round", "step": 0.5, "who": "Bob"},
            ]
        ),
    )
    out = tmp_path / "new.json"
    done = run(
        *("edit", folder / "rentals.json", edits, folder / "bikes.csv", "--target", "rentals"),
        *("--out", out, "--who", "Ada"),
    )
    first, second = done.stdout.splitlines()
    assert "flatten(hour, low=20) by Ada: night (score changed by up to" in first
    assert "on 400 rows" in first
    assert " by Bob " in second
    edited = calmgam.load(out)
    assert edited.undo(2) == calmgam.load(folder / "rentals.json")
    assert "edited" in run("summary", out).stdout


def test_an_edit_that_cannot_be_made_is_named(folder, tmp_path):
    out = tmp_path / "new.json"
    plain = [{"edit": "drop_term", "feature": "snow"}]
    edits = write(tmp_path / "edits.json", json.dumps({"edits": plain}))
    said = refusal("edit", folder / "rentals.json", edits, "--out", out, code=1)
    assert "edit 1 (drop_term) cannot be made: feature must be one of" in said
    assert not out.exists()
    edits = write(tmp_path / "edits.json", "[1]")
    said = refusal("edit", folder / "rentals.json", edits, "--out", out, code=1)
    assert "it must hold a list of objects" in said
    edits = write(tmp_path / "edits.json", "{")
    assert "not JSON" in refusal("edit", folder / "rentals.json", edits, "--out", out, code=1)


def test_simplify(folder, tmp_path):
    out = tmp_path / "simple.json"
    done = run(
        *("simplify", folder / "rentals.json", folder / "bikes.csv", "--target", "rentals"),
        *("--out", out, "--tolerance", 0.01, "--why", "shorter", "--json"),
    )
    said = json.loads(done.stdout)
    simple = calmgam.load(out)
    assert said["steps_after"] == count_steps(simple) < said["steps_before"]
    assert said["record"]["why"] == "shorter"


def test_intervals_are_two_more_columns(folder):
    model = calmgam.load(folder / "rentals.json")
    table = pd.read_csv(folder / "bikes.csv")
    printed = run("predict", folder / "rentals.json", folder / "bikes.csv", "--interval", 0.8)
    ends = model.predict_interval(table, 0.8)
    rows = records(printed.stdout)
    assert [float(row["low"]) for row in rows] == ends[:, 0].tolist()
    assert [float(row["high"]) for row in rows] == ends[:, 1].tolist()
    classifier = folder / "busy.json"
    said = refusal("predict", classifier, folder / "bikes.csv", "--interval", 0.8)
    assert "intervals are of numbers" in said


def test_undo_takes_edits_back(folder, tmp_path):
    edits = write(tmp_path / "edits.json", '[{"edit": "round"}, {"edit": "rescale", "shift": 1}]')
    new, before = tmp_path / "new.json", tmp_path / "before.json"
    run("edit", folder / "rentals.json", edits, "--out", new)
    assert "1 edit taken back, 1 left" in run("undo", new, "--out", before).stdout
    assert [record.name for record in calmgam.load(before).trail] == ["round"]
    run("undo", new, "--edits", 2, "--out", before)
    assert calmgam.load(before) == calmgam.load(folder / "rentals.json")
    said = refusal("undo", new, "--edits", 3, "--out", before)
    assert "n_edits must be in 0..2" in said


def test_calibrate_measures_intervals_or_scales_probabilities(folder, tmp_path):
    out, rows = tmp_path / "new.json", folder / "bikes.csv"
    done = run("calibrate", folder / "rentals.json", rows, "--target", "rentals", "--out", out)
    assert "intervals measured again" in done.stdout
    assert calmgam.load(out).intervals.n_rows == 400
    skewed = tmp_path / "skewed.json"
    calmgam.load(folder / "busy.json").edit().rescale(9.0, 3.0).done().save(skewed)
    done = run("calibrate", skewed, rows, "--target", "busy", "--out", out, "--who", "Ada")
    assert "rescale(" in done.stdout and "by Ada" in done.stdout
    assert [record.name for record in calmgam.load(out).trail] == ["rescale", "rescale"]
