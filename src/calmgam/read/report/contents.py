"""What the page knows: one JSON-ready dict of the model, its views and its audit.

The model itself comes along, so that the page can run it: trees as in a saved model, curves as
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
from calmgam.read.audit import monotonicity
from calmgam.read.report.sentences import evidence, jump_sentence, move_sentence, verdict_sentence
from calmgam.read.text import origin_text
from calmgam.read.view_types import ImportanceView
from calmgam.read.views import feature_view, model_view
from calmgam.read.wording import rule_text


def page_contents(model: Model, *, X: Any, y: Any, sample: Any, title: str) -> dict[str, Any]:
    """Return all that the page shows.

    Parameters
    ----------
    model, X, y, sample, title
        As in `report`.
    """
    view = model_view(model, X, y)
    summary = view.to_dict() | {"standing": view.standing}
    del summary["features"]
    contents = {
        "title": title,
        "version": version("calmgam"),
        "summary": summary,
        "features": [_feature(model, feature) for feature in view.features],
        "model": packed_model(model),
        "ledger": _ledger(model.ledger) if model.ledger.splits else None,
        "origin": origin_text(model),
        "sample": None if sample is None else model.schema.encode(sample).tolist(),
    }
    plain: dict[str, Any] = _plain(contents)
    return plain


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
        "terms": [_packed_term(term) for term in model.terms],
    }


def pack(numbers: ArrayLike, dtype: str) -> str:
    """Return numbers as base64 text of their bytes.

    Parameters
    ----------
    numbers : array
    dtype : {"<f4", "<f8"}
    """
    return base64.b64encode(np.asarray(numbers, dtype=dtype).tobytes()).decode()


def _packed_term(term: Term) -> dict[str, Any]:
    return {
        "tree": term.tree.to_dict(),
        "edges": pack(term.edges, "<f8"),
        "values": [pack(shape.values, "<f8") for shape in term.shapes],
        "spreads": [pack(shape.spreads, "<f4") for shape in term.shapes],
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
