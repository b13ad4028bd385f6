"""Files are written where they can be, and never over what is read."""

import os

import pytest

from shell import QUICK, refusal, run, write


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "t.csv", "x,y\n" + "1,2.5\n2,3\n3,1\n" * 5)


@pytest.mark.parametrize("kind", ["itself", "link", "hard link", "roundabout"])
def test_the_table_is_not_overwritten(folder, tmp_path, table, kind):
    out, content = tmp_path / "other.csv", table.read_text()
    if kind == "link":
        out.symlink_to(table)
    elif kind == "hard link":
        os.link(table, out)
    else:
        out = table if kind == "itself" else tmp_path / ".." / tmp_path.name / "t.csv"
    words = "would overwrite the table"
    for option in ("--out", "--report"):
        assert words in refusal("fit", table, "--target", "y", *QUICK, option, out)
    assert words in refusal("predict", folder / "busy.json", table, "--out", out)
    measured = ["--target", "y", "--out", out]
    assert words in refusal("report", folder / "busy.json", table, *measured)
    assert table.read_text() == content


def test_the_model_is_not_overwritten(folder, tmp_path):
    model = write(tmp_path / "busy.html", (folder / "busy.json").read_bytes())
    words = "would overwrite the model"
    assert words in refusal("predict", model, folder / "bikes.csv", "--out", model)
    assert words in refusal("report", model, "--out", model)
    assert words in refusal("report", model)  # its page would have the same name
    assert model.read_bytes() == (folder / "busy.json").read_bytes()


@pytest.mark.parametrize("names", [("a", "a"), ("a", "A"), ("a", "./a"), ("a", "link")])
def test_two_outputs_are_two_files(tmp_path, table, names):
    (tmp_path / "link").symlink_to(tmp_path / "a")
    out, report = (f"{tmp_path}/{name}" for name in names)
    fit = ["fit", table, "--target", "y", *QUICK]
    assert "must be two files" in refusal(*fit, "--out", out, "--report", report)
    assert sorted(os.listdir(tmp_path)) == ["link", "t.csv"]


def test_a_device_may_be_written_to_twice(table):
    run("fit", table, "--target", "y", *QUICK, "--out", os.devnull, "--report", os.devnull)


def test_what_cannot_be_written_is_refused_before_the_fit(tmp_path, table):
    fit = ["fit", table, "--target", "y", "--set", "max_depth=-1", "--out"]  # a fit would say so
    assert "is a folder" in refusal(*fit, tmp_path)
    assert "there is no folder" in refusal(*fit, tmp_path / "none" / "m.json")
    (tmp_path / "link").symlink_to(tmp_path / "none" / "m.json")
    assert "there is no folder" in refusal(*fit, tmp_path / "link")
    assert "must name a file" in refusal(*fit, "-")
    assert "no file can be written into" in refusal(*fit, "/proc/m.json")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk_does_not_cost_the_summary(tmp_path, table):
    fit = ["fit", table, "--target", "y", *QUICK]
    done = run(*fit, "--out", "/dev/full", code=1)
    assert done.stdout == run(*fit).stdout
    assert "No space left on device" in done.stderr
