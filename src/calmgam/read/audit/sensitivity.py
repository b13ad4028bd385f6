"""Sensitivity: what happens to the score if one feature changes from one value to another.

The answer depends on the two values only, not on the way between them: one change per curve of the
feature, and, where other trees put the two values on different sides, the exact range of the total
over all inputs (or those that agree with `given`, or the rows of a table).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from calmgam.model.columns import read_table
from calmgam.model.exact.changes import Extreme, Move, extremes, taking_part, total_change
from calmgam.model.exact.inputs import Given, Indexes, Inputs, agrees
from calmgam.model.exact.rows import decode_value, encode_value, unseen_labels
from calmgam.model.glassbox import Model, Term
from calmgam.model.links import SCALES
from calmgam.model.schema import Feature, FloatArray, Schema
from calmgam.read.audit.findings import Range, Report, change_text, make_range
from calmgam.read.outputs import Between, pair_of
from calmgam.read.words.wording import value_text

RangeOf = Callable[[Sequence[Term]], tuple[Extreme, Extreme]]


@dataclass(frozen=True, repr=False)
class CurveChange(Report):
    """What one of the feature's own curves says: its region and the change along it."""

    region: str
    change: float

    def __str__(self) -> str:
        return f"own curve, {self.region}: {change_text(self.change)}"


@dataclass(frozen=True, repr=False)
class Switch(Range):
    """A term whose curve may be switched, the conditions that change sides, and the change."""

    term: str
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        crossed = ", ".join(self.conditions)
        return f"jump across {crossed}: curves of {self.term} add {self.range_text}"


@dataclass(frozen=True, repr=False)
class Sensitivity(Range):
    """The range of the change of the score when a feature, and nothing else, changes.

    Attributes
    ----------
    feature : str
    start, stop : number, label or None
    curves : tuple of CurveChange
        One for every own curve that some input reaches.
    switches : tuple of Switch
        The hidden jumps between the two values.
    link : str
        Of the model: what the score is.
    """

    feature: str
    start: Any
    stop: Any
    curves: tuple[CurveChange, ...]
    switches: tuple[Switch, ...]
    link: str = "identity"

    @property
    def scale_text(self) -> str:
        """What the numbers are: a change of the score, and on which scale that is."""
        return f"change of the score{SCALES[self.link]}"

    def __str__(self) -> str:
        start, stop = value_text(self.start), value_text(self.stop)
        ends = [f"  lowest for {self.low_pair}", f"  highest for {self.high_pair}"]
        example = [f"  for example {self.low_pair}"]
        what = f"changes the score{SCALES[self.link]}"
        return "\n".join(
            [
                f"{self.feature}: {start} → {stop} {what} by {self.range_text}",
                *(f"  {part}" for part in (*self.curves, *self.switches)),
                *(ends if self.low < self.high else example),
            ]
        )


def sensitivity(
    model: Model,
    feature: str,
    start: Any,
    stop: Any,
    given: Given = None,
    over: Any = "all",
    between: Between = None,
) -> Sensitivity:
    """Bound the change of the score when a feature changes, exactly.

    Parameters
    ----------
    model : Model
    feature : str
    start, stop : number, label or None
        None stands for missing.
    given : mapping, Region or str, optional
        Only inputs that agree: ``{"workingday": "yes"}`` or ``"hour <= 7 and workingday = yes"``.
        What it says about `feature` itself does not matter.
    over : "all" or table
        All inputs, or the rows of a data frame or array.
    between : (label, label), optional
        The score is the log-odds of one class against another; needed if there are many.
    """
    model = pair_of(model, between)
    moved = model.schema[feature]
    ends = np.array([encode_value(moved, start), encode_value(moved, stop)])
    inputs = Inputs.of(model, given, {moved.index: ends})
    move = Move.between(moved.index, 0, 1)
    terms = taking_part(inputs, move)
    own = terms[0]
    if isinstance(over, str):
        _check_over(over)
        range_of: RangeOf = partial(extremes, inputs, move)
        leaves = inputs.reachable(own)
    else:
        rows = _agreeing(model, over, given, moved)
        range_of = partial(_row_extremes, rows, moved, ends)
        leaves = np.unique(own.tree.leaf_of(rows.encoded))

    def change_of(*terms: Term) -> Range:
        return make_range(model, moved, *range_of(terms), terms)

    changes = [np.diff(shape(ends)).item() for shape in own.shapes]
    curves = (CurveChange(str(own.tree.regions[leaf]), changes[leaf]) for leaf in leaves)
    names = [(term, term.feature.name, _crossed(term, moved, ends)) for term in terms[1:]]
    switched = (Switch(**vars(change_of(t)), term=name, conditions=c) for t, name, c in names)
    return Sensitivity(
        **vars(change_of(*terms)),
        feature=feature,
        start=decode_value(moved, ends[0]),
        stop=decode_value(moved, ends[1]),
        curves=tuple(curves),
        switches=tuple(switched),
        link=model.link,
    )


def _check_over(over: str) -> None:
    if over != "all":
        raise ValueError(f"over must be 'all' or a table; got {over!r}")


def _crossed(term: Term, feature: Feature, ends: FloatArray) -> tuple[str, ...]:
    """Return the term's conditions on the feature that hold at one of the ends only."""
    conditions = dict.fromkeys(node.condition for node in term.tree.nodes if node.condition)
    return tuple(
        str(condition)
        for condition in conditions
        if condition.feature.index == feature.index and condition.holds(ends).sum() == 1
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a table that count: encoded, and how to look up what the user wrote."""

    encoded: FloatArray
    places: Indexes  # in the table
    schema: Schema
    table: Any

    def unseen(self, moved: FloatArray, at: np.intp) -> dict[int, str]:
        """Return the texts of a moved row's values that are no known levels, by feature index."""
        codes = moved[at]
        features = [f for f in self.schema.features if not f.is_numeric]
        if not any(codes[f.index] == f.n_levels for f in features):
            return {}
        columns, has_names = read_table(self.table)
        if has_names:
            by_name = {column.name: column for column in columns}
            columns = [by_name[name] for name in self.schema.names]
        raw = [column.values[self.places[at]] for column in columns]
        return unseen_labels(self.schema, codes, raw)


def _agreeing(model: Model, table: Any, given: Given, moved: Feature) -> _Rows:
    """Return the rows that agree with `given`, but for the moved feature."""
    rows = model.schema.encode(table)
    mask = agrees(model, rows, given, moved.index)
    if not mask.any():
        raise ValueError(f"some row must agree with given; none of {len(rows)} does: {given}")
    return _Rows(rows[mask], np.flatnonzero(mask), model.schema, table)


def _row_extremes(
    rows: _Rows, moved: Feature, ends: FloatArray, terms: Sequence[Term]
) -> tuple[Extreme, Extreme]:
    """Return the smallest and the largest change over rows."""
    before, after = rows.encoded.copy(), rows.encoded.copy()
    before[:, moved.index], after[:, moved.index] = ends
    changes = total_change(terms, before, after)
    low, high = (
        Extreme(
            float(changes[at]), float(changes[at]), before[at], after[at], rows.unseen(before, at)
        )
        for at in (changes.argmin(), changes.argmax())
    )
    return low, high
