"""Slices and reports on the command line."""

import json

import pandas as pd
import pytest

import calmgam
from calmgam.read import slices
from shell import refusal, run


def test_slices_are_those_of_the_library(folder):
    model, table = folder / "rentals.json", folder / "bikes.csv"
    ask = ["slices", model, table, "--target", "rentals", "--by", "season"]
    rows, (found,) = pd.read_csv(table), json.loads(run(*ask, "--json").stdout)
    expected = slices(calmgam.load(model), rows, rows["rentals"], "season").to_dict()
    assert found["by"] == "season"
    for one, other in zip(found["slices"], expected["slices"], strict=True):
        assert one.pop("values") == other.pop("values")
        assert one == pytest.approx(other)
    assert run(*ask).stdout.startswith("400 rows by season")


def test_all_features_are_sliced_by_default_and_unknown_ones_refused(folder):
    ask = ["slices", folder / "rentals.json", folder / "bikes.csv", "--target", "rentals"]
    assert run(*ask).stdout.count(" rows by ") == 7
    assert "no feature is called 'seasn'" in refusal(*ask, "--by", "seasn")


def test_the_page_says_what_the_table_is_and_what_is_predicted(folder, tmp_path):
    page = tmp_path / "page.html"
    ask = ["report", folder / "rentals.json", "--target", "rentals", "--out", page]
    run(*ask, folder / "bikes.csv", "--origin", "rows of spring")
    text = page.read_text()
    assert '"facts":[["target","rentals"]' in text
    assert '"origin":"training rows"' in text  # which they are
    pd.read_csv(folder / "bikes.csv")[:50].to_csv(tmp_path / "some.csv", index=False)
    run(*ask, tmp_path / "some.csv", "--origin", "rows of spring")
    assert '"origin":"rows of spring"' in page.read_text()
    run(*ask, tmp_path / "some.csv")
    assert '"origin":"some.csv"' in page.read_text()
    model = calmgam.load(folder / "rentals.json")
    assert model.provenance.settings["target"] == "rentals"
