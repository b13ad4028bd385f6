"""What a filed report must say of a model: target, dates, parameters, seed, digests, constraints.

In: a model. Out: plain texts from its provenance. What the model does not know is left out. A
constraint on directions is checked again here, by the audit, on the model as it is now.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from calmgam.model.columns import series_name
from calmgam.model.glassbox import Model
from calmgam.model.provenance import utc_now
from calmgam.model.serialize import fingerprint
from calmgam.read.audit import monotonicity
from calmgam.read.words.wording import listed

CONSTRAINTS = ("monotone", "condition_features", "never_condition_on", "interactions")
DIRECTIONS = {"increasing": ("increasing", "constant"), "decreasing": ("decreasing", "constant")}


def filing(model: Model, target: str | None, y: Any = None) -> dict[str, Any]:
    """Return the facts that identify a model and its fit.

    Parameters
    ----------
    model : Model
    target : str or None
        Name of the target; by default that of `y`, or of the fit.
    y : array, optional
        May have a name.
    """
    origin = model.provenance
    settings = origin.settings if origin else {}
    parameters = settings.get("parameters") or {}
    facts: list[tuple[str, str]] = [
        ("target", target or series_name(y) or str(settings.get("target") or "")),
        ("report written on", utc_now()[:10]),
        ("model's SHA-256", fingerprint(model)),
    ]
    if origin:
        rows = f"{origin.n_rows:,} {'weighted ' if origin.weighted else ''}training rows"
        facts += [
            ("fitted", f"on {origin.date[:10]} by calmgam {origin.library_version}, to {rows}"),
            ("training table's SHA-256", origin.table_sha256),
            ("random numbers", origin.randomness),
            ("estimator", str(settings.get("estimator") or "")),
        ]
    return {
        "facts": [[name, text] for name, text in facts if text],
        "parameters": [[name, _text(value)] for name, value in parameters.items()],
        "constraints": list(_constraints(model, parameters)),
    }


def _constraints(model: Model, parameters: Mapping[str, Any]) -> Iterator[str]:
    given = {name: parameters.get(name) for name in CONSTRAINTS}
    for one, direction in _entries(given["monotone"]):
        feature = _name(model, one)
        yield f"{feature}: {direction}{_checked(model, feature, direction)}"
    for name, words in (
        ("condition_features", "Conditions are about {} alone."),
        ("never_condition_on", "No condition is about {}."),
    ):
        if names := given[name]:
            yield words.format(listed([_name(model, one) for one in names]))
    if given["interactions"] is not None:
        named = _named(model, given["interactions"])
        yield f"Features interact only as allowed: {_text(named)}"


def _name(model: Model, one: Any) -> str:
    """Return the name of a feature that is given by name or position.

    Provenance keeps the keys of mappings as texts: one that is no name is a position.
    """
    names, text = model.schema.names, str(one)
    is_position = isinstance(one, int) or (text not in names and text.lstrip("-").isdecimal())
    position = int(text) if is_position else len(names)
    return names[position] if -len(names) <= position < len(names) else text


def _named(model: Model, groups: Any) -> Any:
    """Return groups of features with names instead of positions."""
    if isinstance(groups, Mapping):
        return {key: _named(model, part) for key, part in groups.items()}
    if isinstance(groups, list):
        return [_named(model, part) for part in groups]
    return _name(model, groups) if isinstance(groups, str | int) else groups


def _entries(monotone: Any) -> list[tuple[str, str]]:
    return [(str(k), str(v)) for k, v in monotone.items()] if isinstance(monotone, Mapping) else []


def _checked(model: Model, feature: str, direction: str) -> str:
    """Say whether the model as it is keeps to a direction."""
    if feature not in model.schema.names or direction not in DIRECTIONS or model.link == "softmax":
        return ""
    verdict = monotonicity(model, feature)
    if verdict.direction in DIRECTIONS[direction]:
        return ", for all inputs" + ("; proved" if verdict.proved else "; not proved")
    return "; the model as it is now does NOT keep to this"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
