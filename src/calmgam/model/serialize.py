"""Models as versioned JSON: text in, model out, and back, bit for bit.

Numbers are written in their shortest exact form, so every float comes back as it was; NaN and the
infinities, which JSON lacks, are the texts "nan", "inf" and "-inf". Nothing is ever executed on
reading: whatever is not a model of a known version is refused with a ValueError.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from calmgam.model.files import write_text
from calmgam.model.glassbox import Model

FORMAT, VERSION = "calmgam", 1


def to_json(model: Model) -> str:
    """Write a model as text."""
    document = {"format": FORMAT, "version": VERSION, **model.to_dict()}
    return json.dumps(_plain(document), allow_nan=False)


def from_json(text: str) -> Model:
    """Read a model from text; anything wrong with it is a ValueError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError('not a calmgam model: it does not say "format": "calmgam"')
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"version must be a whole number from 1; got {version!r}")
    if version > VERSION:
        raise ValueError(
            f"model file version {version} is newer than this calmgam (reads up to {VERSION}): "
            "upgrade calmgam"
        )
    try:
        return Model.from_dict(document)
    except ValueError:
        raise
    except Exception as error:  # whatever a damaged document makes the constructors stumble over
        raise ValueError(f"damaged model: {type(error).__name__}: {error}") from error


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, which is either complete or not there."""
    write_text(path, to_json(model))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file."""
    try:
        return from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"cannot load a model from {os.fspath(path)}: {error}") from error


def _plain(value: Any) -> Any:
    """Replace the numbers that JSON lacks by their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
