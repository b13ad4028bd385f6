"""What columns are for: features, target, weights."""

from calmgam import load
from shell import QUICK, refusal, run, write


def test_roles_of_columns_must_fit_together(folder, tmp_path):
    fit = ["fit", folder / "bikes.csv", "--target", "busy"]
    assert "--drop 'busy' would drop the target" in refusal(*fit, "--drop", "busy")
    assert "both --target and --weight" in refusal(*fit, "--weight", "busy")
    both = ["--feature-type", "hour=continuous", "--feature-type", "hour=nominal"]
    assert "cannot be both 'continuous' and 'nominal'" in refusal(*fit, *both)
    alone = write(tmp_path / "t.csv", "y\n1\n2\n")
    assert "a column beside 'y'" in refusal("fit", alone, "--target", "y")
    text = ["--task", "regression"]
    assert "must hold finite numbers" in refusal(*fit, *text, code=1)


def test_errors_say_the_row_of_the_table(tmp_path):
    text = "x,n,w\n1,,1\n2,,1\n3,0,1\n4,-1,2\n5,2,\n6,1,1\n"
    fit = ["fit", write(tmp_path / "t.csv", text), "--target", "n", *QUICK]
    poisson = [*fit, "--drop", "w", "--objective", "poisson"]
    assert "poisson: y must be >= 0; got -1 in row 4" in refusal(*poisson, code=1)
    assert "sample_weight must be finite; got nan in row 5" in refusal(
        *fit, "--weight", "w", code=1
    )


def test_labels_of_classes_may_look_like_numbers(tmp_path):
    table = write(tmp_path / "t.csv", "x,y\n" + "1,00\n2,01\n3,01\n4,00\n" * 10)
    out = tmp_path / "m.json"
    run("fit", table, "--target", "y", "--feature-type", "y=nominal", *QUICK, "--out", out)
    assert "on the given rows" in run("summary", out, table, "--target", "y").stdout


def test_levels_can_be_given_in_their_order(folder, tmp_path):
    out = tmp_path / "m.json"
    types = ["--feature-type", "weather=rain,drizzle,dry", "--feature-type", "hour=nominal"]
    fit = ["fit", folder / "bikes.csv", "--target", "rentals", "--drop", "busy", *QUICK]
    run(*fit, *types, "--out", out)
    schema = load(out).schema
    assert (schema["weather"].levels, schema["weather"].ordered) == (
        ("rain", "drizzle", "dry"),
        True,
    )
    assert schema["hour"].kind == "categorical"
    short = ["--feature-type", "weather=rain,dry"]
    assert "lacks 'drizzle'" in refusal(*fit, *short, code=1)
    assert "must be nominal, continuous or levels" in refusal(*fit, "--feature-type", "hour=x")
    assert "must be COLUMN=TYPE" in refusal(*fit, "--feature-type", "hour")
