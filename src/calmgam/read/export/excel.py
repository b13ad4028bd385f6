"""The rating table as a workbook: a sheet per feature, and a prediction worked out by formulas."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from calmgam.model.exact.rows import UserRow, read_row
from calmgam.model.files import new_file
from calmgam.model.glassbox import Model
from calmgam.read.export.program import Program
from calmgam.read.export.table import INTERCEPT, Band, amounts
from calmgam.read.words.wording import shown

MAX_TITLE = 31
FIRST_ROW = 2
HEADINGS = ("rule", "band", "above", "up to")
EXAMPLE = "example"


def write_workbook(
    path: str | os.PathLike[str],
    model: Model,
    program: Program,
    bands: Sequence[Band],
    row: Any,
) -> None:
    """Write the sheets.

    Parameters
    ----------
    path : path
    model : Model
    program : Program
    bands : sequence of Band
    row : mapping, sequence or one-row table, optional
        Of the example.
    """
    from openpyxl import Workbook

    book = Workbook()
    titles = sheet_titles([column.name for column in program.inputs])
    example = book.active
    example.title = EXAMPLE
    by_feature: dict[str, list[Band]] = {}
    for band in bands:
        if band.kind != INTERCEPT:
            by_feature.setdefault(band.feature, []).append(band)
    for column, title in zip(program.inputs, titles, strict=True):
        _write_feature(book.create_sheet(title), by_feature[column.name], program)
    user_row = read_row(model.schema, row) if row is not None else None
    _write_example(example, model, program, by_feature, titles, user_row)
    with new_file(path, "wb") as file:
        book.save(file)


def sheet_titles(names: Sequence[str]) -> list[str]:
    """Return names as Excel allows them for sheets: short, without its own signs, all different.

    Parameters
    ----------
    names : sequence of str
    """
    taken, titles = {EXAMPLE}, []
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\']", "_", shown(name)).strip()[:MAX_TITLE] or "feature"
        title, number = plain, 1
        while title.lower() in taken or title.lower() == "history":
            number += 1
            suffix = f" {number}"
            title = plain[: MAX_TITLE - len(suffix)] + suffix
        taken.add(title.lower())
        titles.append(title)
    return titles


def _write_feature(sheet: Any, bands: Sequence[Band], program: Program) -> None:
    names = list(amounts(bands[0], program))
    _write(sheet, 1, [*HEADINGS, *names, "share of rows"])
    for number, band in enumerate(bands, start=FIRST_ROW):
        values = amounts(band, program)
        ends = [end if math.isfinite(end) else None for end in (band.above, band.up_to)]
        _write(sheet, number, [band.rule, band.text, *ends, *values.values(), band.share])
    sheet.freeze_panes = "A2"


def _write_example(
    sheet: Any,
    model: Model,
    program: Program,
    by_feature: dict[str, list[Band]],
    titles: Sequence[str],
    row: UserRow | None,
) -> None:
    """Refer to the band of every feature, and add up."""
    encoded = _common_row(model) if row is None else row.encoded
    user_row = UserRow(model.schema, encoded) if row is None else row
    first_amount = len(HEADINGS) + 1
    names = (
        [f"score of {label}" for label in program.classes] if program.n_outputs > 1 else ["score"]
    )
    _write(sheet, 1, ["feature", "value", "rule", "band", *names])
    _write(sheet, 2, [INTERCEPT, None, None, None, *program.intercepts])
    for term, title in zip(model.terms, titles, strict=True):
        bands = by_feature[term.feature.name]
        leaf = int(term.tree.leaf_of(np.asfortranarray(encoded[None]))[0])
        place = next(k for k, band in enumerate(bands) if _holds(band, leaf, term.feature, encoded))
        number = term.feature.index + 3
        cell = FIRST_ROW + place
        value = user_row.value(term.feature.index)
        _write(sheet, number, [term.feature.name, value, bands[place].rule, bands[place].text])
        for k in range(program.n_outputs):
            letter = _letter(first_amount + k)
            sheet.cell(number, 5 + k).value = f"='{title}'!{letter}{cell}"
    last = len(program.inputs) + 2
    _write(sheet, last + 1, ["score"])
    _write(sheet, last + 2, [_prediction_name(program)])
    letters = [_letter(5 + k) for k in range(program.n_outputs)]
    for k, letter in enumerate(letters):
        sheet.cell(last + 1, 5 + k).value = f"=SUM({letter}2:{letter}{last})"
        formula = _prediction(program, letter, letters, last + 1)
        sheet.cell(last + 2, 5 + k).value = formula


def _holds(band: Band, leaf: int, feature: Any, encoded: Any) -> bool:
    value = float(encoded[feature.index])
    if band.leaf != leaf:
        return False
    if math.isnan(value):
        return band.kind == "missing"
    if feature.is_numeric:
        return band.kind == "range" and band.above < value <= band.up_to
    if value == feature.n_levels:
        return band.kind == "other"
    return band.kind == "level" and band.level == feature.levels[int(value)]


def _prediction_name(program: Program) -> str:
    if program.link == "logit":
        return f"probability of {program.classes[1]}"
    return "probability" if program.link == "softmax" else "prediction"


def _prediction(program: Program, letter: str, letters: Sequence[str], row: int) -> str:
    if program.link == "logit":
        return f"=1/(1+EXP(-{letter}{row}))"
    if program.link == "log":
        return f"=EXP({letter}{row})"
    if program.link == "softmax":
        first, last = letters[0], letters[-1]
        return f"=EXP({letter}{row})/SUMPRODUCT(EXP({first}{row}:{last}{row}))"
    return f"={letter}{row}"


def _common_row(model: Model) -> Any:
    """Return an encoded row in the most common slot of every feature."""
    encoded = np.empty(len(model.terms))
    for term in model.terms:
        counts = np.sum([shape.counts for shape in term.shapes], axis=0)
        slot = int(counts.argmax())
        if slot == term.n_slots - 1:
            encoded[term.feature.index] = math.nan
        elif not term.feature.is_numeric:
            encoded[term.feature.index] = slot
        else:
            ends = [-math.inf, *term.edges.tolist(), math.inf]
            above, up_to = ends[slot], ends[slot + 1]
            value = up_to if math.isfinite(up_to) else term.feature.high
            if term.feature.whole and math.isfinite(value) and math.floor(value) > above:
                value = math.floor(value)
            inside = math.isfinite(value) and above < value
            encoded[term.feature.index] = value if inside else math.nextafter(above, math.inf)
    return encoded


def _write(sheet: Any, row: int, values: Sequence[Any]) -> None:
    """Write plain values; a text that begins with "=" stays a text."""
    for column, value in enumerate(values, start=1):
        if value is None:
            continue
        cell = sheet.cell(row, column)
        cell.value = shown(value) if isinstance(value, str) else value
        if isinstance(value, str):
            cell.data_type = "s"


def _letter(column: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column))
