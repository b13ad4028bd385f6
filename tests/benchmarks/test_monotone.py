import pandas as pd

from benchmarks.monotone import cells, record, summary
from benchmarks.switches import cells as cells_of_switches


def test_the_product_has_seeds_and_tables_have_one():
    assert len(cells(["product"], ["calm", "ebm"])) == 13
    assert cells(["heloc"], ["ebm"]) == [("heloc", 0, "ebm")]
    assert cells_of_switches(["adult"])[0] == ("adult", 0, "never")


def test_a_run_goes_on_where_it_stopped(tmp_path):
    measured = []

    def measure(table, seed, model):
        measured.append((table, seed, model))
        keys = {"table": table, "seed": seed, "model": model}
        found = {"free": 2.0, "monotone": 3.0, "r2_free": 0.9, "r2_monotone": 0.7, "pairs": None}
        return keys | found

    out = tmp_path / "out.csv"
    wanted = [("product", 0, "calm"), ("product", 1, "calm"), ("heloc", 0, "ebm")]
    record(wanted[:2], measure, summary, out, "python -m this")
    record(wanted, measure, summary, out, "python -m this")
    assert measured == wanted
    assert len(pd.read_csv(out)) == 3
    text = out.with_suffix(".md").read_text()
    assert text.startswith("Made by `python -m this`.")
    assert "| product | calm  |    2 |        3 |   1.5 |          0.2 |    2 |" in text
