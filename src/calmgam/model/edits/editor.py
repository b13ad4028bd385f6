"""Editing with a trail: every edit gives a new model that remembers it.

    model.edit(who="Ada").flatten("age", low=75, to="left", why="few rows").done()

An editor holds a model and what was edited so far; its methods return editors. The model in the end
knows each edit with its reason, its effect and what it replaced, so that `undo` gives the model
before, exactly, and the list of edits can be replayed on a model that was fitted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calmgam.model.edits.bands import Bands
from calmgam.model.edits.edit import Edit, read_edit
from calmgam.model.edits.effect import effect_of
from calmgam.model.edits.heights import Clamp, Flatten, Monotone, Round, Smooth
from calmgam.model.edits.naming import RenameLevels, Rescale, SetReference
from calmgam.model.edits.regions import DropSplit, DropTerm, MergeRegions
from calmgam.model.glassbox import Model
from calmgam.model.provenance import utc_now
from calmgam.model.trail import EditRecord, patch_between, patched

REASONS = ("who", "why")
# what undoing leaves alone
HISTORY = ("provenance", "trail")


@dataclass(frozen=True, eq=False)
class Editor:
    """A model that is being edited.

    Attributes
    ----------
    model : Model
        As it is now.
    who : str
        Who edits, unless an edit says otherwise.
    rows : (X, y, offset), optional
        Encoded rows, on which the loss before and after every edit is measured.
    """

    model: Model
    who: str = ""
    rows: tuple[Any, Any, Any] | None = None

    def apply(self, edit: Edit, why: str = "", who: str | None = None) -> Editor:
        """Make an edit and record it."""
        after = edit.apply(self.model)
        effect = effect_of(self.model, after, edit.keeps_score, self.rows)
        if after.intervals is not None:  # on the scale of the score alone a change is known
            widened = after.intervals.widened(effect.largest_change)
            stay = after.link == "identity" or effect.largest_change == 0
            after = replace(after, intervals=widened if stay else None)
        record = EditRecord(
            edit.to_dict(),
            self.who if who is None else who,
            why,
            utc_now(),
            effect,
            patch_between(_document(self.model), _document(after)) or {},
        )
        return replace(self, model=replace(after, trail=(*self.model.trail, record)))

    def done(self) -> Model:
        """Return the edited model."""
        return self.model

    @property
    def last(self) -> EditRecord:
        """The record of the last edit."""
        return self.model.trail[-1]

    def flatten(
        self, feature: str, low: float | None = None, high: float | None = None, **how: Any
    ) -> Editor:
        """Give a range one height; `how` are settings of `Flatten`, `why` and `who`."""
        return self._apply(Flatten, how, feature=feature, low=low, high=high)

    def clamp(
        self, feature: str, lowest: float | None = None, highest: float | None = None, **how: Any
    ) -> Editor:
        """Keep heights between two numbers; `how` are settings of `Clamp`, `why` and `who`."""
        return self._apply(Clamp, how, feature=feature, lowest=lowest, highest=highest)

    def monotone(self, feature: str, direction: str = "increasing", **how: Any) -> Editor:
        """Make curves monotone; `how` are settings of `Monotone`, `why` and `who`."""
        return self._apply(Monotone, how, feature=feature, direction=direction)

    def smooth(self, feature: str, span: float = 0.1, **how: Any) -> Editor:
        """Smooth curves; `how` are settings of `Smooth`, `why` and `who`."""
        return self._apply(Smooth, how, feature=feature, span=span)

    def bands(self, feature: str, cuts: Sequence[float] = (), **how: Any) -> Editor:
        """Join values into bands of one height; `how` are settings of `Bands`, `why` and `who`."""
        return self._apply(Bands, how, feature=feature, cuts=cuts)

    def round(self, step: float = 0.01, feature: str | None = None, **how: Any) -> Editor:
        """Round heights to multiples of a number; `how` are `why` and `who`."""
        return self._apply(Round, how, step=step, feature=feature)

    def merge_regions(self, feature: str, regions: Sequence[str], **how: Any) -> Editor:
        """Give two regions of a feature one curve; `how` are `why` and `who`."""
        return self._apply(MergeRegions, how, feature=feature, regions=regions)

    def drop_split(
        self, feature: str, condition: str, where: str | None = None, **how: Any
    ) -> Editor:
        """Drop a split and those below it; `how` are `why` and `who`."""
        return self._apply(DropSplit, how, feature=feature, condition=condition, where=where)

    def drop_term(self, feature: str, **how: Any) -> Editor:
        """Let a feature contribute nothing; `how` are `why` and `who`."""
        return self._apply(DropTerm, how, feature=feature)

    def set_reference(self, feature: str, value: Any, **how: Any) -> Editor:
        """Let a feature contribute 0 at a value, moving the intercept; `how` are `why`, `who`."""
        return self._apply(SetReference, how, feature=feature, value=value)

    def rename_levels(self, feature: str, names: Mapping[str, str], **how: Any) -> Editor:
        """Call levels otherwise; `how` are `why` and `who`."""
        return self._apply(RenameLevels, how, feature=feature, names=tuple(names.items()))

    def rescale(self, slope: float = 1.0, shift: float = 0.0, **how: Any) -> Editor:
        """Multiply every score and add a constant; `how` are `why` and `who`."""
        return self._apply(Rescale, how, slope=slope, shift=shift)

    def replay(self, edits: Iterable[Any]) -> Editor:
        """Make edits again: records of a trail, or plain values as in a file of edits.

        Parameters
        ----------
        edits : iterable of EditRecord, Edit or mapping
            A mapping is an edit's `to_dict`, and may have "who" and "why".
        """
        editor = self
        for number, one in enumerate(edits, start=1):
            try:
                edit, reasons = _read(one)
                editor = editor.apply(edit, **reasons)
            except (ValueError, KeyError) as error:
                what = one.get("edit", "?") if isinstance(one, Mapping) else str(_name(one))
                message = error.args[0] if error.args else error
                raise ValueError(f"edit {number} ({what}) cannot be made: {message}") from error
        return editor

    def _apply(self, kind: type[Edit], how: dict[str, Any], **settings: Any) -> Editor:
        reasons = {name: how.pop(name) for name in REASONS if name in how}
        plain = {
            name: list(value) if isinstance(value, tuple | list) else value
            for name, value in (settings | how).items()
        }
        known = set(kind.__dataclass_fields__)
        unknown = [name for name in how if name not in known]
        if unknown:
            raise TypeError(f"{kind.name} has no setting {unknown[0]!r}; it has {sorted(known)}")
        return self.apply(read_edit({"edit": kind.name, **_listed(plain)}), **reasons)


def undo(model: Model, n_edits: int = 1) -> Model:
    """Return the model before its last edits, exactly."""
    if not 0 <= n_edits <= len(model.trail):
        raise ValueError(
            f"n_edits must be in 0..{len(model.trail)}, the length of the trail; got {n_edits}"
        )
    document = _document(model)
    for record in reversed(model.trail[len(model.trail) - n_edits :]):
        document = patched(document, record.replaced)
    before = Model.from_dict({**document, "provenance": None, "trail": []})
    n_left = len(model.trail) - n_edits
    return replace(before, provenance=model.provenance, trail=model.trail[:n_left])


def _document(model: Model) -> dict[str, Any]:
    """Return the model's plain values but its history."""
    return {key: part for key, part in model.to_dict().items() if key not in HISTORY}


def _read(one: Any) -> tuple[Edit, dict[str, str]]:
    """Return an edit, and who made it and why as far as that is known."""
    if isinstance(one, EditRecord):
        return read_edit(one.edit), {"who": one.who, "why": one.why}
    if isinstance(one, Edit):
        return one, {}
    plain = dict(one)
    reasons = {name: plain.pop(name) for name in REASONS if name in plain}
    return read_edit(plain), reasons


def _name(one: Any) -> str:
    return one.name if isinstance(one, Edit | EditRecord) else repr(one)


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, list | tuple) else value
