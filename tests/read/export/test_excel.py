"""The workbook's formulas add up to the prediction; texts stay texts, titles stay apart."""

import math

import numpy as np
import openpyxl
import pytest
from export_models import golden_case, random_case
from reading_models import ROW, hand_model

from calmgam.read import to_table
from calmgam.read.export.excel import sheet_titles


def computed(path):
    """Return the example sheet with every formula computed by another program."""
    formulas = pytest.importorskip("formulas", reason="formulas is not installed")
    solution = formulas.ExcelModel().loads(str(path)).finish().calculate()
    found = {}
    for name, cell in solution.items():
        if "EXAMPLE'!" in str(name).upper() and ":" not in str(name).split("!")[1]:
            found[str(name).split("!")[1]] = np.asarray(cell.value).ravel()[0]
    return found


@pytest.mark.parametrize("link", ["identity", "logit"])
def test_formulas_add_up_to_the_prediction(link, tmp_path):
    model = hand_model(link)
    to_table(model, tmp_path / "rates.xlsx", row=ROW)
    cells = computed(tmp_path / "rates.xlsx")
    row = [list(ROW.values())]
    assert cells["E6"] == pytest.approx(model.score(row)[0], abs=1e-12)
    assert cells["E7"] == pytest.approx(model.predict(row)[0], abs=1e-12)


@pytest.mark.filterwarnings("ignore:no value of column")
@pytest.mark.parametrize("number", range(8))
def test_every_row_refers_to_its_band(number, tmp_path):
    case = golden_case(number)
    k = number  # a row of the case
    to_table(case.model, tmp_path / "rates.xlsx", row=case.X.iloc[k].to_dict())
    book = openpyxl.load_workbook(tmp_path / "rates.xlsx")
    sheet, n = book["example"], len(case.model.schema.names)
    for output in range(case.n_outputs):
        parts = []
        for line in range(3, n + 3):
            title, cell = sheet.cell(line, 5 + output).value.removeprefix("='").rsplit("'!", 1)
            parts.append(book[title.replace("''", "'")][cell].value)
        expected = case.contributions[k].reshape(n, -1)[:, output]
        assert parts == pytest.approx(expected.tolist(), abs=1e-14)  # 16 digits are written
        letter = openpyxl.utils.get_column_letter(5 + output)
        assert sheet.cell(n + 3, 5 + output).value == f"=SUM({letter}2:{letter}{n + 2})"


@pytest.mark.parametrize("seed", range(4))
def test_the_default_example_is_a_row_of_its_own_bands(seed, tmp_path):
    to_table(random_case(seed).model, tmp_path / "rates.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "rates.xlsx")["example"]
    assert sheet["A2"].value == "intercept" and math.isfinite(sheet["E2"].value)


def test_texts_that_look_like_formulas_stay_texts(tmp_path):
    case = next(c for c in map(random_case, range(50)) if "'=1+1'" in str(c.model.to_dict()))
    to_table(case.model, tmp_path / "rates.xlsx")
    book = openpyxl.load_workbook(tmp_path / "rates.xlsx")
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value == "=1+1"} == {"s"}


def test_titles_are_short_plain_and_different():
    names = ["a/b", "a:b", "A_B", "x" * 40, "x" * 41, "", "example", "History"]
    titles = sheet_titles(names)
    assert len({title.lower() for title in titles} | {"example", "history"}) == len(names) + 2
    assert all(0 < len(title) <= 31 and not set(title) & set("[]:*?/\\") for title in titles)
