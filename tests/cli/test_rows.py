"""What columns are for: features, target, weights."""

from shell import QUICK, refusal, run, write


def test_roles_of_columns_must_fit_together(folder, tmp_path):
    fit = ["fit", folder / "bikes.csv", "--target", "busy"]
    assert "--drop 'busy' would drop the target" in refusal(*fit, "--drop", "busy")
    assert "both --target and --weight" in refusal(*fit, "--weight", "busy")
    both = ["--numeric", "hour", "--categorical", "hour"]
    assert "both --numeric and --categorical" in refusal(*fit, *both)
    alone = write(tmp_path / "t.csv", "y\n1\n2\n")
    assert "a column beside 'y'" in refusal("fit", alone, "--target", "y")
    text = ["--task", "regression"]
    assert "must hold finite numbers" in refusal(*fit, *text, code=1)


def test_labels_of_classes_may_look_like_numbers(tmp_path):
    table = write(tmp_path / "t.csv", "x,y\n" + "1,00\n2,01\n3,01\n4,00\n" * 10)
    out = tmp_path / "m.json"
    run("fit", table, "--target", "y", "--categorical", "y", *QUICK, "--out", out)
    assert "on the given rows" in run("summary", out, table, "--target", "y").stdout
