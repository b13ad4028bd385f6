"""The trail of a model: which edits it has been through, who made them and why, what they did.

A record holds an edit as plain values, and what the edit replaced, as a *patch*: a nested dict
along the model's document in which a list of one element is the value that was there before.
`patch(document, patch_between(before, after))` turns `after` into `before`, exactly.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from calmgam.model.plain import Document, Plain
from calmgam.model.provenance import check_date

EFFECT = ("largest_change", "exact", "metric", "loss_before", "loss_after", "n_rows")


@dataclass(frozen=True)
class Effect:
    """What an edit did to the scores.

    Attributes
    ----------
    largest_change : float
        The largest absolute change of the score over all inputs.
    exact : bool
        Some input attains it; otherwise no input exceeds it.
    metric : str
        Name of the loss, if rows were given.
    loss_before, loss_after : float or None
        Mean loss on the given rows.
    n_rows : int
        How many rows were given.
    """

    largest_change: float
    exact: bool = True
    metric: str = ""
    loss_before: float | None = None
    loss_after: float | None = None
    n_rows: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, plain: Document) -> Effect:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*EFFECT)
        before, after = (
            None if plain[name].value is None else plain[name].number()
            for name in ("loss_before", "loss_after")
        )
        return cls(
            plain["largest_change"].number(),
            plain["exact"].flag(),
            plain["metric"].text(),
            before,
            after,
            plain["n_rows"].integer(),
        )


@dataclass(frozen=True)
class EditRecord:
    """One edit that a model has been through.

    Attributes
    ----------
    edit : mapping
        The edit as plain values: its name under "edit", and its settings.
    who, why : str
        As the user gave them.
    date : str
        UTC: "2026-01-31T23:59:59Z".
    effect : Effect
    replaced : mapping
        Patch that leads back to the model before.
    """

    edit: Mapping[str, Any] = field(hash=False)
    who: str
    why: str
    date: str
    effect: Effect
    replaced: Mapping[str, Any] = field(hash=False, repr=False)

    def __post_init__(self) -> None:
        plain = Plain({"edit": self.edit, "who": self.who, "why": self.why, "date": self.date})
        plain["edit"].entries()
        Plain(self.edit).fields("edit", optional=self.edit)
        plain["who"].text()
        plain["why"].text()
        check_date(plain["date"])

    @property
    def name(self) -> str:
        """What kind of edit it was."""
        return str(self.edit["edit"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dict(vars(self)) | {"effect": self.effect.to_dict()}

    @classmethod
    def from_dict(cls, plain: Document) -> EditRecord:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*(one.name for one in fields(cls)))
        for name in ("edit", "replaced"):
            plain[name].entries()
        return plain.make(
            cls,
            plain.value["edit"],
            plain.value["who"],
            plain.value["why"],
            plain.value["date"],
            Effect.from_dict(plain["effect"]),
            plain.value["replaced"],
        )


def edits_of(
    before: Iterable[dict[str, Any]], trail: Iterable[EditRecord], features: Collection[str]
) -> list[dict[str, Any]]:
    """Return the edits of some features, and of all, as plain values with who, why and when.

    Those that were made before an earlier fit come first.
    """
    made = ({**one.edit, "who": one.who, "why": one.why, "date": one.date} for one in trail)
    return [edit for edit in (*before, *made) if edit.get("feature") in (None, *features)]


def patch_between(before: Any, after: Any) -> Any:
    """Return the patch that turns one document into the one before it; None if they are equal."""
    if json.dumps(before) == json.dumps(after):  # bit by bit: 1 is not 1.0, nor 0.0 -0.0
        return None
    old, new = _parts(before), _parts(after)
    if old is None or new is None or old.keys() != new.keys():
        return [before]
    patches = {key: patch_between(old[key], new[key]) for key in old}
    return {key: patch for key, patch in patches.items() if patch is not None}


def patched(document: Any, patch: Any) -> Any:
    """Return the document before the one that a patch was made for."""
    if patch is None:
        return document
    if isinstance(patch, list):
        return patch[0]
    parts = _parts(document)
    if parts is None or not isinstance(patch, Mapping) or not patch.keys() <= parts.keys():
        raise ValueError("what an edit replaced must be parts of the model; it was changed since")
    whole = {key: patched(part, patch.get(key)) for key, part in parts.items()}
    return whole if isinstance(document, Mapping) else list(whole.values())


def _parts(value: Any) -> dict[str, Any] | None:
    """Return the parts that a patch can name: fields, or items of a list of objects or lists."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list) and value and all(isinstance(v, dict | list) for v in value):
        return {str(position): part for position, part in enumerate(value)}
    return None
