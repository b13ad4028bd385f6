"""The rating table adds up to every prediction, from the CSV alone."""

import csv
import math
import re

import numpy as np
import pytest
from export_models import case_of, each_case, random_case

from calmgam.read import to_table

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def unquoted(text):
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text.startswith('"') else text


def pieces(text, separator):
    """Split a text at a separator, but not inside quotes."""
    hidden = QUOTED.sub(lambda match: "\0" * len(match.group()), text)
    starts = [0, *(match.end() for match in re.finditer(re.escape(separator), hidden))]
    ends = [*(match.start() for match in re.finditer(re.escape(separator), hidden)), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def holds(rule, row):
    """Tell whether a rule of the table holds for a row of texts and numbers; None: missing."""
    if not rule:
        return True
    return all(
        any(alternative_holds(one, row) for one in pieces(part.strip("()"), " or "))
        for part in pieces(rule, " and ")
    )


def alternative_holds(text, row):
    hidden = QUOTED.sub(lambda match: "\0" * len(match.group()), text)
    match = re.search(r" (<=|>|in|not in|is) ", hidden)
    left, operator, right = text[: match.start()], match.group(1), text[match.end() :]
    low, _, name = left.rpartition(" < ") if re.match(r"[-\d.e+]+ < ", hidden) else ("", "", left)
    value = row[unquoted(name)]
    if operator == "is":
        return (value is None) == (right == "missing")
    if value is None:
        return False
    if operator in ("in", "not in"):
        labels = [unquoted(label) for label in pieces(right[1:-1], ", ")]
        return (value in labels) == (operator == "in")
    if operator == "<=":
        return value <= float(right) and (not low or float(low) < value)
    return value > float(right)


def band_holds(line, row, levels):
    value = row[line["feature"]]
    if line["kind"] == "missing" or value is None:
        return line["kind"] == "missing" and value is None
    if line["kind"] == "range":
        return float(line["above"]) < value <= float(line["up_to"])
    if line["kind"] == "other":
        return value not in levels[line["feature"]]
    return line["level"] == value


def by_hand(lines, rows):
    """Add the table up for every row: one line per feature, and the intercept."""
    levels = {}
    for line in lines:
        if line["kind"] == "level":
            levels.setdefault(line["feature"], set()).add(line["level"])
    names, scores = [name for name in lines[0] if name.startswith("contribution")], []
    for row in rows:
        found = [
            line for line in lines[1:] if band_holds(line, row, levels) and holds(line["rule"], row)
        ]
        assert [line["feature"] for line in found] == list(row)
        used = lines[0], *found
        scores.append([sum(float(line[name]) for line in used) for name in names])
    return np.array(scores)


def plain_rows(case, n_rows):
    """Return rows of numbers, and of labels as the model knows them."""
    rows = []
    for record in case.X.head(n_rows).to_dict("records"):
        row = {}
        for feature in case.model.schema.features:
            value = record[feature.name]
            if value is None or value != value:
                row[feature.name] = None
            elif feature.is_numeric:
                row[feature.name] = value
            else:
                code = feature.code(value)
                known = code < feature.n_levels
                row[feature.name] = feature.levels[int(code)] if known else "none of them"
        rows.append(row)
    return rows


@each_case
def test_summing_the_csv_by_hand_gives_every_prediction(seed, n_rows, tmp_path):
    case = case_of(seed, n_rows)
    n_rows = min(len(case.X), 200)
    to_table(case.model, tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    scores = by_hand(lines, plain_rows(case, n_rows))
    expected = case.model.score(case.X)[:n_rows]
    np.testing.assert_allclose(scores.reshape(expected.shape), expected, rtol=0, atol=1e-9)
    for line in lines:
        for name in line:
            if name.startswith("factor"):
                part = float(line[name.replace("factor", "contribution")])
                assert float(line[name]) == pytest.approx(math.exp(part))


def test_shares_of_a_feature_add_up_to_one():
    table = to_table(random_case(3).model)
    shares = table[table.kind != "intercept"].groupby("feature").share.sum()
    assert shares.to_numpy() == pytest.approx(1.0)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.csv or \.xlsx"):
        to_table(random_case(0).model, tmp_path / "table.ods")
