"""The rating table: a row per band and region, enough to work a prediction out by hand.

The first row is the intercept. Of every feature take the row whose rule and band hold; the sum of
the contributions is the score.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calmgam.model.files import new_file
from calmgam.model.glassbox import Model
from calmgam.model.ledger import frame_of
from calmgam.model.regions import Region, between, number_text, quote
from calmgam.model.schema import Feature
from calmgam.model.value_sets import Support
from calmgam.read.export.program import Lookup, Program

INTERCEPT = "intercept"
LINKS_WITH_FACTORS = ("log", "logit", "softmax")


@dataclass(frozen=True)
class Band:
    """What one feature adds in one region and band.

    Attributes
    ----------
    feature : str
    rule : str
        The region; "" if the feature has one only.
    kind : {"intercept", "range", "level", "other", "missing"}
        A range holds above < value <= up_to; "other" are labels that are no levels.
    above, up_to : float
    level : str
    contributions : tuple of float
        One per output.
    share : float
        Of the training rows.
    leaf : int
        Number of the region.
    whole : bool
        Training saw whole numbers only, and words are about them.
    """

    feature: str
    rule: str
    kind: str
    above: float = -math.inf
    up_to: float = math.inf
    level: str = ""
    contributions: tuple[float, ...] = (0.0,)
    share: float = 1.0
    leaf: int = 0
    whole: bool = False

    @property
    def text(self) -> str:
        """The band in words."""
        if self.kind != "range":
            return self.level or self.kind
        ends = [
            f"{word} {number_text(float(math.floor(end)) if self.whole else end)}"
            for word, end in (("above", self.above), ("up to", self.up_to))
            if math.isfinite(end)
        ]
        return ", ".join(ends) or "any number"


def to_table(model: Model, path: str | os.PathLike[str] | None = None, row: Any = None) -> Any:
    """Return a model as a rating table: a row per feature, region and band.

    Parameters
    ----------
    model : Model
    path : path, optional
        Also write it: ``.csv``, or ``.xlsx`` with a sheet per feature and a worked example.
    row : mapping, sequence or one-row table, optional
        The row of the worked example; by default one in the most common bands.

    Returns
    -------
    pandas data frame, or list of dict where there is no pandas
        Columns ``feature``, ``rule``, ``kind``, ``above``, ``up_to``, ``level``,
        ``contribution``, ``factor`` (unless the link is the identity: what the mean or the odds
        are multiplied by) and ``share`` of the training rows. Of several classes there is a
        contribution and a factor for each.
    """
    program = Program.of(model)
    bands = rating_bands(model, program)
    rows = [_plain(band, program) for band in bands]
    if path is not None:
        suffix = Path(path).suffix.lower()
        if suffix == ".csv":
            _write_csv(path, rows)
        elif suffix == ".xlsx":
            from calmgam.read.export.excel import write_workbook

            write_workbook(path, model, program, bands, row)
        else:
            raise ValueError(f"path of a rating table must end in .csv or .xlsx; got {path}")
    return frame_of(rows)


def rating_bands(model: Model, program: Program) -> list[Band]:
    """Return the intercept and all bands; neighbours that add the same in a region are one band.

    Parameters
    ----------
    model : Model
    program : Program
        Of the model.
    """
    bands = [Band("", "", INTERCEPT, contributions=program.intercepts)]
    for term, lookup in zip(model.terms, program.lookups, strict=True):
        rules = list(map(full_rule, term.tree.regions))
        for leaf, rule in enumerate(rules):
            found = _bands(program, lookup, leaf, rule if len(rules) > 1 else "")
            bands += (replace(band, whole=term.feature.whole) for band in found)
    return bands


def full_rule(region: Region) -> str:
    """Write a region so that nothing is left open: all ends of intervals, missing values, too.

    Parameters
    ----------
    region : Region
    """
    features = {c.feature.index: c.feature for c in region.conditions}
    texts = [_alternatives(features[i], support) for i, support in region.supports.items()]
    return " and ".join(texts)


def _alternatives(feature: Feature, support: Support) -> str:
    name = quote(feature.name, is_name=True)
    if feature.is_numeric:
        texts = [_between(feature, low, high) for low, high in support.intervals]
    else:
        codes = support.codes(feature.n_levels)
        inverse = feature.n_levels in codes  # unseen labels belong to it: name those outside
        labels = [quote(x) for k, x in enumerate(feature.levels) if (k in codes) != inverse]
        is_any = inverse and not labels
        texts = [f"{name} {'not in' if inverse else 'in'} {{{', '.join(labels)}}}"]
        texts = [f"{name} is present"] if is_any else texts * bool(labels)
    texts += [f"{name} is missing"] if support.missing else []
    return texts[0] if len(texts) == 1 else f"({' or '.join(texts)})"


def _between(feature: Feature, low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return f"{quote(feature.name, is_name=True)} is present"
    return between(feature, low, high)


def _bands(program: Program, lookup: Lookup, leaf: int, rule: str) -> Iterator[Band]:
    column = program.inputs[lookup.input]
    n_rows = float(lookup.counts.sum()) or 1.0
    waiting: Band | None = None
    for slot in range(lookup.n_slots):
        band = Band(
            column.name,
            rule,
            **_place(lookup, slot, column.labels),
            contributions=tuple(lookup.values[leaf, slot].tolist()),
            share=float(lookup.counts[leaf, slot]) / n_rows,
            leaf=leaf,
        )
        if (
            waiting
            and waiting.kind == band.kind == "range"
            and (waiting.contributions == band.contributions)
        ):
            band = replace(band, above=waiting.above, share=waiting.share + band.share)
        elif waiting:
            yield waiting
        waiting = band
    if waiting:
        yield waiting


def _place(lookup: Lookup, slot: int, labels: tuple[str, ...]) -> dict[str, Any]:
    if slot == lookup.n_slots - 1:
        return {"kind": "missing"}
    if labels:
        known = slot < len(labels)
        return {"kind": "level", "level": labels[slot]} if known else {"kind": "other"}
    ends = [-math.inf, *lookup.edges.tolist(), math.inf]
    return {"kind": "range", "above": ends[slot], "up_to": ends[slot + 1]}


def _plain(band: Band, program: Program) -> dict[str, Any]:
    plain = {
        "feature": band.feature,
        "rule": band.rule,
        "kind": band.kind,
        "above": band.above,
        "up_to": band.up_to,
        "level": band.level,
    }
    for name, values in amounts(band, program).items():
        plain[name] = values
    return plain | {"share": band.share}


def amounts(band: Band, program: Program) -> dict[str, float]:
    """Return a band's contributions and factors by the names of their columns.

    Parameters
    ----------
    band : Band
    program : Program
    """
    names = [""] if program.n_outputs == 1 else [f"_{label}" for label in program.classes]
    pairs = list(zip(names, band.contributions, strict=True))
    columns = {f"contribution{name}": part for name, part in pairs}
    if program.link in LINKS_WITH_FACTORS:
        with np.errstate(over="ignore"):
            columns |= {f"factor{name}": float(np.exp(part)) for name, part in pairs}
    return columns


def _write_csv(path: str | os.PathLike[str], rows: list[dict[str, Any]]) -> None:
    with new_file(path, newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
