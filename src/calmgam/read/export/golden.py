"""Golden vectors: models, awkward rows, and what every implementation has to say of them.

They ship with the package, so that whoever writes a scorer of their own can test it, too.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def golden_vectors() -> list[dict[str, Any]]:
    """Return the cases of ``golden.json``.

    Returns
    -------
    list of dict
        ``model`` (a saved model), ``program`` (infinite ends of intervals are the texts "inf" and
        "-inf"), ``rows`` (missing values are None) and ``offsets``; for every row ``scores``,
        ``contributions``, ``predictions`` and ``reasons`` (feature, contribution, rule).
    """
    text = (files("calmgam.read.export") / "golden.json").read_text(encoding="utf-8")
    cases: list[dict[str, Any]] = json.loads(text)
    return cases
