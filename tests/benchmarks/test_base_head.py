import csv
import shutil
from pathlib import Path

import pytest

import calmgam
from benchmarks import base_head
from benchmarks.base_head import Fit, compare, measure, ratio, summary, turns, write
from calmgam import _kernels

REVISIONS = ("aaaa", "bbbb")
BASE = [Fit(2.0, 0.5, "x"), Fit(4.0, 0.5, "x")]


def test_ratios_are_of_the_best_times_head_over_base():
    row = compare(REVISIONS, "wine", "paper", {"base": BASE, "head": [Fit(3.0, 0.4, "y")]})
    assert row[:4] == ("aaaa", "bbbb", "wine", "paper")
    assert (row.base_seconds, row.head_seconds, row.time_ratio) == (2.0, 3.0, 1.5)
    assert (row.base_error, row.head_error, row.error_ratio) == (0.5, 0.4, 0.8)
    assert row.predictions == "differ"


def test_predictions_are_equal_only_if_every_repeat_is():
    other = Fit(3.0, 0.5, "y")
    same = compare(REVISIONS, "wine", "default", {"base": BASE, "head": BASE})
    assert same.predictions == "bit-equal"
    wavering = compare(REVISIONS, "wine", "default", {"base": BASE, "head": [BASE[0], other]})
    assert wavering.predictions == "differ between repeats"


def test_an_error_of_zero_has_a_ratio():
    assert [ratio(0.0, 0.0), ratio(1.0, 0.0), ratio(0.0, 1.0)] == [1.0, float("inf"), 0.0]


def test_sides_take_turns():
    assert list(turns(3)) == ["base", "head", "head", "base", "base", "head"]


def test_the_summary_has_geometric_means_of_its_model(tmp_path):
    fits = [
        ("default", [Fit(1.0, 1.0, "x")]),
        ("default", [Fit(4.0, 0.25, "y")]),
        ("paper", [Fit(99.0, 9.0, "y")]),
    ]
    base = [Fit(1.0, 1.0, "x")]
    rows = [compare(REVISIONS, "t", m, {"base": base, "head": head}) for m, head in fits]
    assert summary(rows, "default").startswith("default: time × 2.000, error × 0.50000 ")
    assert summary(rows, "default").endswith("bit-equal on 1 of 2 tables")
    write(tmp_path / "new" / "out.csv", rows)
    with (tmp_path / "new" / "out.csv").open() as file:
        assert [r["time_ratio"] for r in csv.DictReader(file)] == ["1.0", "4.0", "99.0"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that holds a copy of this calmgam, as a build would leave it."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(Path(calmgam.__file__).parent, folder / "calmgam")
    shutil.copy(_kernels.__file__, folder / "calmgam")
    return folder


def test_a_fit_runs_in_a_process_of_its_own_with_the_calmgam_of_the_folder(installed):
    first, second = (measure(installed, "case1-seed0", "own_gam", 1) for _ in range(2))
    assert first.digest == second.digest
    assert first.error == second.error > 0
    assert first.seconds > 0


def test_another_calmgam_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"calmgam must come from .*; got "):
        measure(tmp_path, "case1-seed0", "own_gam", 1)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--models=default,ebm", "models must be among default, paper, own_gam; got ebm"),
        ("--repeats=0", "repeats must be an integer >= 1; got 0"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_built(option, message, capsys):
    with pytest.raises(SystemExit):
        base_head.main(["HEAD", option])
    assert message in capsys.readouterr().err


def test_a_revision_is_written_as_it_was(tmp_path):
    if not (base_head.ROOT / ".git").exists():
        pytest.skip("needs the history of the project: a git clone")
    base_head.unpack("HEAD", tmp_path)
    assert (tmp_path / "pyproject.toml").exists()
    assert not (tmp_path / ".git").exists()
