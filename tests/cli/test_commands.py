"""The commands as a user types them: what they print, write and refuse, and their exit codes."""

import gzip
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_poisson_deviance

import calmgam
from shell import QUICK, REGIONS, records, refusal, run, start, write


def test_fit_shows_columns_and_summary_and_writes_model_and_page(folder, tmp_path):
    out, page = tmp_path / "model.json", tmp_path / "page.html"
    done = run(
        *("fit", folder / "bikes.csv", "--target", "rentals", "--drop", "busy", *QUICK),
        *("--set", REGIONS, "--seed", 0, "--out", out, "--report", page),
    )
    assert "regression of rentals, 400 rows, 7 features" in done.stderr
    assert "season numeric" not in done.stderr
    for words in ("season categorical autumn, spring", "hour numeric 0 to 23", "some missing"):
        assert words in " ".join(done.stderr.split())
    assert done.stdout.startswith("Conditionally additive local model · regression · 400 rows")
    assert page.read_text().startswith("<!doctype html>")
    assert calmgam.load(out) == calmgam.load(folder / "rentals.json")  # same seed


def test_two_values_are_classes_unless_told_otherwise(folder, tmp_path):
    assert calmgam.load(folder / "busy.json").classes == ("no", "yes")
    table = write(tmp_path / "t.csv", "x,y\n" + "1,0\n2,1\n3,1\n4,0\n" * 10)
    classes = json.loads(run("fit", table, "--target", "y", *QUICK, "--json").stdout)
    numbers = run("fit", table, "--target", "y", "--task", "regression", *QUICK, "--json").stdout
    assert classes["classes"] == [0, 1]
    assert json.loads(numbers)["link"] == "identity"


def test_predictions_are_those_of_the_model(folder, tmp_path):
    model = calmgam.load(folder / "busy.json")
    probabilities = model.predict(pd.read_csv(folder / "bikes.csv"))
    printed = run("predict", folder / "busy.json", folder / "bikes.csv").stdout
    assert [float(row["probability_yes"]) for row in records(printed)] == probabilities.tolist()
    assert [row["prediction"] for row in records(printed)] == [
        "yes" if score > 0 else "no" for score in model.score(pd.read_csv(folder / "bikes.csv"))
    ]
    run("predict", folder / "busy.json", folder / "bikes.csv", "--out", tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == printed
    as_json = run("predict", folder / "busy.json", folder / "bikes.csv", "--json").stdout
    assert [row["probability_yes"] for row in json.loads(as_json)] == probabilities.tolist()


@pytest.mark.parametrize("kind", ["tsv", "semicolon", "gzip", "parquet", "stdin", "zipped stdin"])
def test_every_kind_of_file_says_the_same(folder, tmp_path, kind):
    plain = (folder / "bikes.csv").read_bytes()
    table, path = pd.read_csv(folder / "bikes.csv"), tmp_path / "table"
    stdin = {"stdin": plain, "zipped stdin": gzip.compress(plain)}.get(kind)
    if kind == "parquet":
        table.to_parquet(path)
    elif kind == "gzip":
        write(path, gzip.compress(plain))
    elif stdin is None:
        table.to_csv(path, index=False, sep="\t" if kind == "tsv" else ";")
    same = run("predict", folder / "rentals.json", "-" if stdin else path, stdin=stdin).stdout
    assert same == run("predict", folder / "rentals.json", folder / "bikes.csv").stdout


def test_awkward_table(tmp_path):
    rng = np.random.default_rng(0)
    lines = ['\ufeff"größe, cm";zone;"say ""hi""";[red];nothing;when;y']
    for k in range(120):
        size = "?" if k % 10 == 0 else "-9" if k % 10 == 1 else f"{rng.normal():.3f}"
        text = '"two\nlines; and more"' if k % 2 else "Ω"
        answer = "NA" if k == 5 else str(k % 2 + 1.5)
        lines.append(f"{size};00{k % 3};{text};{k % 4};;2020-01-0{k % 9 + 1};{answer}")
    table = write(tmp_path / "awkward.txt", "\r\n".join(lines) + "\r\n")
    fit = ["fit", table, "--target", "y", "--task", "regression", "--missing", "-9", *QUICK]
    assert "column 'when' holds dates" in refusal(*fit, code=1)
    out = tmp_path / "model.json"
    kinds = [
        "--drop",
        "when",
        "--feature-type",
        "zone=nominal",
        "--feature-type",
        "[red]=nominal",
        "--out",
        out,
    ]
    done = run(*fit, *kinds)
    assert "1 of 120 rows have no target" in done.stderr
    schema = calmgam.load(out).schema
    assert schema.names == ("größe, cm", "zone", 'say "hi"', "[red]", "nothing")
    assert schema["größe, cm"].kind == "numeric"
    assert schema["größe, cm"].has_missing
    assert schema["größe, cm"].low > -9
    assert schema["zone"].levels == ("000", "001", "002")
    assert schema['say "hi"'].levels[0] == "two\nlines; and more"
    assert schema["[red]"].levels == ("0", "1", "2", "3")
    assert "[red]" in done.stderr
    assert len(records(run("predict", out, table).stdout)) == 120
    assert "zone = 001" in run("explain", out, table, "--row", 2).stdout
    assert "[red]" in run("audit", out).stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "Empty CSV file"),
        ("x,y\n", "must have at least one row below its header"),
        ("x,y\n1,2\n3\n", "Expected 2 columns, got 1"),
        ("x,x,y\n1,2,3\n", "column names must be distinct; duplicated: ['x']"),
        ("é,y\n1,2\n".encode("latin-1"), "got byte 0xe9 at 0: say how it is written"),
        (b"\x1f\x8bnot gzip", "cannot read"),
        (b"\x1f\x8b\x08" + bytes(30), "cannot read"),
        (b"PAR1 not parquet", "t.csv: "),
        (b"PAR1" + bytes(30) + b"\x10\0\0\0PAR1", "t.csv: "),
        (b"PK\x03\x04 sheet", "t.csv: it is a spreadsheet or a zip archive; save it as CSV"),
        ("x,y\n1,\n2,NA\n", "all are missing"),
        (
            "x,y\n1,a\n2,b\n3,c\n",
            "must hold numbers or two or more classes to be a target; it holds 3",
        ),
    ],
)
def test_tables_that_cannot_be_fitted(tmp_path, content, words):
    assert words in refusal("fit", write(tmp_path / "t.csv", content), "--target", "y", code=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "rental"], "no column is called 'rental'; did you mean 'rentals'?"),
        (["--target", "BUSY"], "did you mean 'busy'?"),
        (["--target", "qqq"], "there are 'hour', 'workingday'"),
        (["--target", "busy", "--drop", "rentls"], "did you mean 'rentals'?"),
        (["--target", "busy", "--feature-type", "wnd=continuous"], "did you mean 'wind'?"),
        (["--target", "busy", "--weight", "wnd"], "did you mean 'wind'?"),
        (["--target", "busy", "--set", "max_dept=1"], "did you mean 'max_depth'?"),
        (["--target", "busy", "--set", "max_depth"], "--set must be NAME=VALUE; got 'max_depth'"),
        (["--target", "busy", "--out", "no/such/folder/m.json"], "there is no folder"),
        (["--target", "busy", "--task", "clustering"], "clustering"),
        ([], "--target"),
    ],
)
def test_wrong_calls_of_fit(folder, arguments, words):
    assert words in refusal("fit", folder / "bikes.csv", *arguments)


def test_settings_that_the_estimator_refuses_are_a_wrong_call(folder):
    fit = ["fit", folder / "bikes.csv", "--target", "busy", "--set"]
    assert "max_depth must be an integer from 0 to 100; got -1" in refusal(*fit, "max_depth=-1")
    assert "growth must be one of" in refusal(*fit, "growth=fast")
    assert "there is no feature 'huor'" in refusal(*fit, 'growth={"wind": ["huor > 1"]}')


def test_weights_count(folder, tmp_path):
    table = pd.DataFrame({"x": [0, 1] * 50, "y": np.arange(100) % 4 + 0.5, "w": [0, 1] * 50})
    table.to_csv(tmp_path / "t.csv", index=False)
    fit = ["fit", tmp_path / "t.csv", "--target", "y", "--weight", "w", "--json", *QUICK]
    view = json.loads(run(*fit).stdout)
    assert (view["n_rows"], view["n_features"]) == (50, 1)


def test_predict_says_what_the_table_lacks(folder, tmp_path):
    table = pd.read_csv(folder / "bikes.csv").rename(columns={"temperature": "temprature"})
    table.to_csv(tmp_path / "t.csv", index=False)
    message = refusal("predict", folder / "rentals.json", tmp_path / "t.csv", code=1)
    assert "must have a column called 'temperature'; did you mean 'temprature'?" in message
    table = pd.read_csv(folder / "bikes.csv").assign(hour="noon")
    table.to_csv(tmp_path / "t.csv", index=False)
    message = refusal("predict", folder / "rentals.json", tmp_path / "t.csv", code=1)
    assert "column 'hour' must hold numbers; got 'noon'" in message


def test_files_that_are_no_models(folder, tmp_path):
    assert "not JSON" in refusal("summary", folder / "bikes.csv", code=1)
    assert "does not exist" in refusal("summary", tmp_path / "none.json")
    assert "there is no file" in refusal("predict", folder / "busy.json", tmp_path / "none.csv")


def test_summary_measures_on_a_table(folder):
    assert run("summary", folder / "busy.json").stdout.startswith("Conditionally additive")
    measured = ["summary", folder / "busy.json", folder / "bikes.csv", "--target"]
    assert "on the given rows: AUC" in run(*measured, "busy").stdout
    assert json.loads(run(*measured, "busy", "--json").stdout)["performance"]["AUC"] > 0.8
    assert "is a feature of the model" in refusal(*measured, "hour")
    assert "must hold the classes ('no', 'yes')" in refusal(*measured, "rentals", code=1)
    assert "both TABLE and --target" in refusal(*measured[:3])


def test_explain_a_row_changed_by_hand(folder):
    explain = ["explain", folder / "rentals.json", folder / "bikes.csv", "--row", 3]
    model = calmgam.load(folder / "rentals.json")
    row = pd.read_csv(folder / "bikes.csv").iloc[2].to_dict()
    view = json.loads(run(*explain, "--json").stdout)
    assert view["score"] == model.score(pd.DataFrame([row]))[0]
    changed = run(*explain, "--with", "hour=8", "--with", "temperature=NA", "--reach", 500)
    plain = json.loads(run(*explain, "--with", "temperature=NA", "--json").stdout)
    values = {line["name"]: line["value"] for line in plain["lines"]}
    assert values == {**{name: row[name] for name in values}, "temperature": None}
    assert type(values["hour"]) is int
    assert "hour = 8 " in changed.stdout
    assert "temperature = missing" in changed.stdout
    assert "to 500: " in changed.stdout
    assert "at most 400; got 401" in refusal(*explain[:-1], 401)
    assert "did you mean 'summer'?" in refusal(*explain, "--with", "season=sumer")
    assert "hour must be a number; got 'eight'" in refusal(*explain, "--with", "hour=eight")
    assert "--reach must be a number; got 'high'" in refusal(*explain, "--reach", "high")
    assert "there is no value of 'workingday'" in refusal(*explain[:2], "--with", "hour=8")
    assert "'flip' for a classifier" in refusal(*explain, "--reach", "flip")


def test_explain_finds_what_flips_a_class(folder):
    flip = ["explain", folder / "busy.json", folder / "bikes.csv", "--reach", "flip", "--json"]
    found = json.loads(run(*flip).stdout)
    assert (found["score"] > 0) != (found["counterfactual"]["new_score"] > 0)


def test_audit_of_all_features_and_of_one(folder):
    audit = ["audit", folder / "rentals.json"]
    lines = run(*audit).stdout.splitlines()
    assert len([line for line in lines[1:] if line[0] != " "]) == 7
    (workingday,) = (line for line in lines if line.startswith("workingday"))
    assert "from hour" in workingday
    assert any("levels have no order" in line for line in lines if line.startswith("season"))
    verdicts = {each["feature"]: each for each in json.loads(run(*audit, "--json").stdout)}
    assert verdicts["workingday"]["jumps"]
    one = run(*audit, "hour", "--given", "workingday = True").stdout
    assert one.startswith("hour: neither increasing nor decreasing; as it grows the score\n  falls")
    change = json.loads(run(*audit, "hour", "--from", "3", "--to", "8", "--json").stdout)
    assert change["sensitivity"]["exact"]
    assert "missing → 8" in run(*audit, "temperature", "--from", "NA", "--to", "8").stdout
    assert "did you mean 'season'?" in refusal(*audit, "seasn")
    assert "both --from and --to" in refusal(*audit, "hour", "--from", "3")
    assert "need a feature" in refusal(*audit, "--from", "3", "--to", "8")
    assert "there is no feature 'seasn'" in refusal(*audit, "--given", "seasn = x")
    assert "there is no feature 'seasn'" in refusal(*audit, "hour", "--given", "seasn = x")
    assert "hour must be a number; got 'x'" in refusal(*audit, "hour", "--from", "x", "--to", "8")
    assert "never does" in refusal(*audit, "--given", "hour < 3 and hour > 4")


def test_report_lies_beside_the_model_unless_told(folder, tmp_path):
    model = write(tmp_path / "busy.json", (folder / "busy.json").read_bytes())
    assert run("report", model).stdout == f"{tmp_path / 'busy.html'}\n"
    out = tmp_path / "other.html"
    measured = [folder / "bikes.csv", "--target", "busy", "--title", "Busy", "--out", out]
    run("report", model, *measured)
    assert "<title>Busy</title>" in out.read_text()
    assert "AUC" in out.read_text()


def test_demo_and_version(tmp_path):
    assert "What the simulation put in" in run("demo", "--rows", 300, "--out", tmp_path).stdout
    assert (tmp_path / "bike_rentals.html").exists()
    assert run("--version").stdout == f"calmgam {calmgam.__version__}\n"


def test_a_real_process_reads_standard_input_and_keeps_streams_apart(folder):
    table = (folder / "bikes.csv").read_text()
    fit = ["fit", "-", "--target", "busy", "--drop", "rentals", *QUICK, "--json"]
    done = start(*fit, input=table)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["classes"] == ["no", "yes"]
    assert "classification of busy" in done.stderr
    assert start("predict", folder / "busy.json", "-", input="").returncode == 1
    assert start("predict", "--wrong").returncode == 2


def test_a_missing_package_is_named_with_the_command_that_brings_it():
    code = "import sys; sys.modules['typer'] = None; from calmgam.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "calmgam needs typer here: pip install 'calmgam[cli]'\n"


def test_a_score_of_zero_and_a_hair_has_the_class_of_the_estimator(folder, tmp_path):
    plain = json.loads((folder / "busy.json").read_text())
    tiny = {"link": "logit", "classes": ["no", "yes"], "intercept": 1e-17}
    (tmp_path / "m.json").write_text(json.dumps(flat(plain) | tiny))
    row = records(run("predict", tmp_path / "m.json", folder / "bikes.csv").stdout)[0]
    assert row == {"prediction": "yes", "probability_yes": "0.5"}


def flat(plain):
    """Return the model file's values with all heights at 0."""
    for term in plain["terms"]:
        for shape in term["shapes"]:
            shape["values"] = [0.0] * len(shape["values"])
    return plain


def test_columns_are_carried_through_as_they_are_written(folder, tmp_path):
    table = pd.read_csv(folder / "bikes.csv", dtype=str, keep_default_na=False)
    table["id"] = ["NA", "007", *map(str, range(len(table) - 2))]
    table.to_csv(tmp_path / "t.csv", index=False)
    predict = ["predict", folder / "busy.json", tmp_path / "t.csv", "--keep", "id"]
    rows = records(run(*predict, "--keep", "hour").stdout)
    assert list(rows[0]) == ["id", "hour", "prediction", "probability_yes"]
    assert [row["id"] for row in rows] == table["id"].tolist()
    assert [row["hour"] for row in rows] == table["hour"].tolist()
    run(*predict, "--json", "--out", tmp_path / "p.json")
    assert json.loads((tmp_path / "p.json").read_text())[1]["id"] == "007"
    assert "did you mean 'id'?" in refusal(*predict, "--keep", "idd")
    table.assign(prediction="x").to_csv(tmp_path / "t.csv", index=False)
    assert "has that name" in refusal(*predict, "--keep", "prediction")


def test_tables_come_through_pipes_and_predictions_leave_through_them(folder, tmp_path):
    expected = run("predict", folder / "busy.json", folder / "bikes.csv").stdout
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(pipe.write_bytes, (folder / "bikes.csv").read_bytes())
        assert run("predict", folder / "busy.json", pipe).stdout == expected
    done = start("predict", folder / "busy.json", folder / "bikes.csv", "--out", "/dev/stdout")
    assert (done.stdout, done.stderr) == (expected, "")


def test_closed_standard_input_is_an_error_of_one_line(folder):
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-c"]
    command = [*shell, "from calmgam.cli import main; main()", "predict", folder / "busy.json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: standard input is closed: nothing can be read from -\n"


def test_a_probability_can_be_reached(folder):
    row = [word for name in ("hour=8", "temperature=20") for word in ("--with", name)]
    asked = ["explain", folder / "busy.json", folder / "bikes.csv", *row, "--json"]
    found = json.loads(run(*asked, "--probability", "0.5").stdout)["counterfactual"]
    assert found["probabilities"]
    assert "must not both" in refusal(*asked, "--probability", "0.5", "--reach", "flip")


def test_counts_with_exposures_on_the_command_line(tmp_path):
    rng = np.random.default_rng(0)
    years, age = rng.uniform(0.5, 3.0, 200), rng.integers(18, 80, 200)
    claims = rng.poisson(years * np.where(age < 30, 1.5, 0.4))
    table = pd.DataFrame({"age": age, "years": years, "claims": claims})
    path, out = tmp_path / "claims.csv", tmp_path / "model.json"
    table.to_csv(path, index=False)
    exposed = ("--exposure", "years")
    fit = ("fit", path, "--target", "claims", *QUICK)
    run(*fit, "--objective", "poisson", *exposed, "--out", out)
    model = calmgam.load(out)
    assert (model.link, model.objective.name, model.schema.names) == ("log", "poisson", ("age",))
    printed = records(run("predict", out, path, *exposed).stdout)
    predicted = [float(row["prediction"]) for row in printed]
    np.testing.assert_allclose(predicted, years * model.predict(table[["age"]]))
    measured = run("summary", out, path, "--target", "claims", *exposed).stdout
    assert "Poisson deviance" in measured and "poisson, log link" in measured
    sized = tmp_path / "sized.json"
    run("calibrate", out, path, "--target", "claims", *exposed, "--out", sized)
    for row in records(run("predict", sized, path, *exposed, "--interval", 0.8).stdout):
        assert float(row["low"]) < float(row["prediction"]) < float(row["high"])
    edits = tmp_path / "edits.json"
    edits.write_text('[{"edit": "round"}]')
    edited = run("edit", out, edits, path, "--target", "claims", *exposed, "--out", sized)
    loss = calmgam.load(sized).trail[-1].effect.loss_before
    assert loss == pytest.approx(mean_poisson_deviance(claims, predicted)), edited.stdout
    assert "did you mean 'poisson'" in refusal(*fit, "--objective", "poison")
    assert "level must be a number in (0, 1)" in refusal(*fit, "--objective", "quantile:9")
    assert "one of --offset and --exposure" in refusal(*fit, *exposed, "--offset", "age")
    table.assign(years=0.0).to_csv(path, index=False)
    assert "must hold numbers above 0 to be the exposure" in refusal(*fit, *exposed, code=1)
