import pandas as pd

from benchmarks import reading, tables
from benchmarks.figures import paper_model


def test_an_audit_counts_jumps_and_directions():
    measured = reading.measure_audit("paper", paper_model())
    assert (measured["features"], measured["curves"], measured["jumps"]) == (3, 6, 3)
    assert measured["monotone"] == 2  # x1 and x2 rise
    assert measured["exact"] and measured["seconds"] > 0
    assert "  True |" in tables.markdown(pd.DataFrame([measured]))


def test_a_page_is_loaded_and_scored(driver, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "N_ROWS", 20)
    measured = reading.measure_page(driver, "paper", paper_model(), tmp_path)
    assert measured["bytes"] == (tmp_path / "page.html").stat().st_size
    assert measured["load_seconds"] > 0
    assert (measured["rows_scored"], measured["largest_difference"]) == (20, 0.0)
