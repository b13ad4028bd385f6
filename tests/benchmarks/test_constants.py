import pandas as pd
import pytest

from benchmarks import constants
from benchmarks.shapes import Truth
from calmgam import Joint
from calmgam.fit.regions.joint import path


@pytest.mark.parametrize(
    ("value", "factor", "expected"),
    [(20, 0.5, 10), (1, 0.5, 1), (5.0, 2.0, 10.0), (0.3, 0.5, 0.15), (0.75, 2.0, 1.0)],
)
def test_a_constant_stays_what_it_is(value, factor, expected):
    changed = constants.changed(value, factor)
    assert changed == expected
    assert type(changed) is type(value)


def test_a_setting_of_the_part_is_given_to_it():
    with constants.growth_with("ridge", 10.0) as growth:
        assert growth == Joint(ridge=10.0)


def test_a_constant_elsewhere_is_changed_for_a_while():
    before = path.CROWDING
    with constants.growth_with("memory", 0.2):
        assert path.CROWDING.memory == 0.2
    assert path.CROWDING is before


def test_a_run_compares_every_value_with_the_default(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "SMALL", (Truth(300, 4), Truth(300, 4, ())))
    out = tmp_path / "results" / "constants.csv"
    constants.main(["--constants", "ridge", "--out", str(out)])
    written = pd.read_csv(out)
    assert written["value"].dropna().tolist() == [2.5, 2.5, 10.0, 10.0]
    table = constants.summary(written)
    assert table["value"].tolist() == ["", "2.5 (5)", "10 (5)"]
    assert table["truths"].tolist() == [2, 2, 2]
    assert table["found"][0] == 1
    assert "all as they are" in out.with_suffix(".md").read_text()
