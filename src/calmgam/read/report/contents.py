"""What the page knows: one JSON-ready dict of the model, its views and its audit.

The model itself comes along as the program of `read/export`, so that the page can run it, curves as
base64 of little-endian floats (values and edges exact, the others in single precision). What a
view would repeat of the curves is left out: the page takes it from the model.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calmgam.model.glassbox import Model, Term
from calmgam.model.ledger import Ledger
from calmgam.model.regions import Region
from calmgam.model.trail import EditRecord
from calmgam.read.audit import monotonicity, score_range
from calmgam.read.export.program import Lookup, Program, plain_branch
from calmgam.read.report.sentences import (
    evidence,
    jump_sentence,
    move_sentence,
    range_sentences,
    verdict_sentence,
)
from calmgam.read.texts.summary import edit_text, origin_text
from calmgam.read.view_types import ImportanceView, ModelView
from calmgam.read.views import feature_view, model_view
from calmgam.read.words.wording import rule_text


def page_contents(
    model: Model,
    view: ModelView,
    *,
    sample: Any,
    title: str,
    measures: dict[str, Any] | None = None,
    filed: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return all that the page shows.

    Parameters
    ----------
    model : Model
    view : ModelView
        Of the model.
    sample, title
        As in `report`.
    measures : dict, optional
        As `page_measures` makes it.
    filed : dict, optional
        As `filing` makes it.
    """
    summary = view.to_dict() | {"standing": view.standing}
    for repeated in ("features", "performance", "calibration"):
        del summary[repeated]
    has_many = model.link == "softmax"
    contents = {
        "title": title,
        "version": version("calmgam"),
        "summary": summary,
        "features": [] if has_many else _features(model, view),
        "classes": [_one_class(model, label) for label in model.classes] if has_many else [],
        "model": packed_model(model),
        "ledger": _ledger(model.ledger) if model.ledger.splits else None,
        "origin": origin_text(model),
        "range": [] if has_many else range_sentences(score_range(model)),
        "trail": [_edit(record) for record in model.trail],
        "measures": measures,
        "filed": filed or {"facts": [], "parameters": [], "constraints": []},
        "sample": None if sample is None else model.schema.encode(sample).tolist(),
    }
    plain: dict[str, Any] = _plain(contents)
    return plain


def _features(model: Model, view: ModelView) -> list[dict[str, Any]]:
    return [_feature(model, feature) for feature in view.features]


def _one_class(model: Model, label: Any) -> dict[str, Any]:
    """Return what the page shows of one of many classes: its curves and their audit."""
    of_class = model.of_class(label)
    return {
        "intercept": of_class.intercept,
        "values": [[pack(s.values, "<f8") for s in term.shapes] for term in of_class.terms],
        "spreads": [[pack(s.spreads, "<f4") for s in term.shapes] for term in of_class.terms],
        "features": _features(of_class, model_view(of_class)),
    }


def packed_model(model: Model) -> dict[str, Any]:
    """Return a model as the page's scorer reads it.

    Parameters
    ----------
    model : Model
    """
    return {
        "intercept": model.intercept,
        "link": model.link,
        "classes": list(model.classes),
        "features": [feature.to_dict() for feature in model.schema.features],
        "terms": [
            _packed_term(term, lookup)
            for term, lookup in zip(model.terms, Program.of(model).lookups, strict=True)
        ],
    }


def pack(numbers: ArrayLike, dtype: str) -> str:
    """Return numbers as base64 text of their bytes.

    Parameters
    ----------
    numbers : array
    dtype : {"<f4", "<f8"}
    """
    return base64.b64encode(np.asarray(numbers, dtype=dtype).tobytes()).decode()


def _packed_term(term: Term, lookup: Lookup) -> dict[str, Any]:
    """Return what a term of the program looks up, and how sure its curves are."""
    shapes = term.shapes if term.n_outputs == 1 else ()  # many classes have their own
    return {
        "branches": list(map(plain_branch, lookup.branches)),
        "edges": pack(lookup.edges, "<f8"),
        "values": [pack(shape.values, "<f8") for shape in shapes],
        "spreads": [pack(shape.spreads, "<f4") for shape in shapes],
        "counts": [pack(shape.counts, "<f4") for shape in term.shapes],
    }


def _feature(model: Model, overview: ImportanceView) -> dict[str, Any]:
    name = overview.name
    feature, view = model.schema[name], feature_view(model, name)
    plain = view.to_dict()
    for region in plain["regions"]:
        for repeated in ("edges", "values", "spreads"):
            del region[repeated]
    verdict = monotonicity(model, name)
    return plain | {
        "index": feature.index,
        "title": view.title,
        "partition": overview.to_dict()["partition"],
        "direction": verdict.direction,
        "verdict": verdict_sentence(feature, verdict),
        "evidence": evidence(verdict),
        "move": move_sentence(model, feature),
        "jumps": [
            jump.to_dict() | {"sentence": jump_sentence(feature, jump)} for jump in view.jumps
        ],
    }


def _edit(record: EditRecord) -> dict[str, Any]:
    return {
        "date": record.date[:10],
        "what": edit_text(record.edit),
        "who": record.who,
        "why": record.why,
        "effect": record.effect.to_dict(),
    }


def _ledger(ledger: Ledger) -> dict[str, Any]:
    splits = [
        record.row()
        | {
            "region": rule_text(record.region),
            "condition": rule_text(Region((record.condition,))) if record.condition else "",
        }
        for record in ledger.splits
    ]
    return {"splits": splits, "path": [dict(vars(point)) for point in ledger.path]}


def _plain(value: Any) -> Any:
    """Replace numbers that JSON lacks: infinities by their names, NaN (no number) by None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
