"""Models as versioned JSON: text in, model out, and back, bit for bit.

Numbers are written in their shortest exact form, so every float comes back as it was; NaN and the
infinities, which JSON lacks, are the texts "nan", "inf" and "-inf". Nothing is ever executed on
reading: whatever is not a model of a known version is refused with a ValueError.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

from calmgam.model.files import write_text
from calmgam.model.glassbox import Model
from calmgam.model.ledger import Ledger
from calmgam.model.objectives import NATURAL, Objective
from calmgam.model.plain import Plain

FORMAT, VERSION = "calmgam", 3


def to_json(model: Model) -> str:
    """Write a model as text."""
    document = {"format": FORMAT, "version": VERSION, **model.to_dict()}
    return json.dumps(plain_values(document), allow_nan=False)


def fingerprint(model: Model) -> str:
    """Return the SHA-256 of a model's file in canonical form: sorted fields, no spaces, ASCII.

    A file that is only written differently (spaces, order of fields) has the same one.
    """
    return canonical_digest(json.loads(to_json(model)))


def canonical_digest(document: Any) -> str:
    """Return the SHA-256 of plain values as canonical JSON."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def from_json(text: str) -> Model:
    """Read a model from text; anything wrong with it is a ValueError."""
    try:
        document = json.loads(
            text, object_pairs_hook=_without_doubles, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise ValueError('not a calmgam model: it does not say "format": "calmgam"')
    version = Plain({"version": document.pop("version", None)})["version"].integer(low=1)
    if version > VERSION:
        raise ValueError(
            f"model file version {version} is newer than this calmgam (reads up to {VERSION}): "
            "upgrade calmgam"
        )
    return Model.from_dict(_upgraded(document, version))


def _upgraded(document: dict[str, Any], version: int) -> dict[str, Any]:
    """Return a document of any version in the form of the newest."""
    later: dict[str, Any] = {}
    if version < 2:
        later |= {"ledger": Ledger().to_dict(), "path": [], "provenance": None}
    if version < 3:
        name = NATURAL.get(str(document.get("link")), "custom")
        later |= {"objective": Objective(name).to_dict(), "intervals": None, "trail": []}
    unknown = [field for field in later if field in document]
    if unknown:
        raise ValueError(f'a model of version {version} must not have the field "{unknown[0]}"')
    return document | later


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, which is either complete or not there."""
    write_text(path, to_json(model))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file."""
    try:
        return from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"cannot load a model from {os.fspath(path)}: {error}") from error


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f'an object must not have the field "{name}" more than once')
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f'{name} is no number of JSON; it is written as text, such as "nan"')


def plain_values(value: Any) -> Any:
    """Replace the numbers that JSON lacks by their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain_values(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        if set(map(type, value)) == {float} and all(map(math.isfinite, value)):
            return value
        return [plain_values(part) for part in value]
    return value
