"""What an edit is: a small value that turns a model into another one.

An edit says in plain values what is to be done (which feature, which range, which region), never
which slots or leaves, so that a list of edits can be replayed on a model that was fitted again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model, Term
from calmgam.model.parsing import parse_region_of
from calmgam.model.plain import Document, Plain
from calmgam.model.regions import Mask, Region
from calmgam.model.shapes import ShapeFunction

EDITS: dict[str, type[Edit]] = {}


@dataclass(frozen=True)
class Edit:
    """Base of all edits; a subclass with a `name` is known to `read_edit` by it."""

    name: ClassVar[str] = ""
    keeps_score: ClassVar[bool] = False  # whatever the input, but for rounding

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.name:
            EDITS[cls.name] = cls

    @abstractmethod
    def apply(self, model: Model) -> Model:
        """Return the edited model; a ValueError says why it cannot be."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: the name and the settings that are not the default."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        asked = {
            field.name: _listed(settings[field.name])
            for field in fields(self)
            if field.default is MISSING or settings[field.name] != field.default
        }
        return {"edit": self.name, **asked}

    def __str__(self) -> str:
        settings = self.to_dict()
        del settings["edit"]
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"


def read_edit(plain: Document) -> Edit:
    """Return the edit that plain values describe; the inverse of `Edit.to_dict`."""
    plain = Plain.of(plain)
    if "edit" not in plain.entries():
        raise plain.error('have the field "edit"')
    kind = EDITS[plain["edit"].choice(EDITS)]
    required = [field.name for field in fields(kind) if field.default is MISSING]
    optional = [field.name for field in fields(kind) if field.default is not MISSING]
    plain.fields("edit", *required, optional=optional)
    settings = {name: _tupled(plain.value[name]) for name in plain.value if name != "edit"}
    return plain.make(lambda: kind(**settings))


def term_called(model: Model, feature: Any) -> Term:
    """Return the term of a feature."""
    names = model.schema.names
    if feature not in names:
        raise ValueError(f"feature must be one of {list(names[:20])}; got {feature!r}")
    return model.terms[model.schema.index(feature)]


def leaves_in(model: Model, term: Term, where: str | None) -> list[int]:
    """Return the leaves of a term whose regions lie inside the one that a text describes."""
    if where is None:
        return list(range(term.tree.n_leaves))
    region = region_called(model, where)
    leaves = [i for i, own in enumerate(term.tree.regions) if own.implies(region)]
    if not leaves:
        regions = "; ".join(map(str, term.tree.regions))
        raise ValueError(
            f"a region of {term.feature.name!r} must lie inside {where!r}; "
            f"its regions are: {regions}"
        )
    return leaves


def region_called(model: Model, text: str) -> Region:
    """Return the region that a text describes; texts are silent about missing values not seen."""
    return unspoken(parse_region_of(text, model))


def unspoken(region: Region) -> Region:
    """Return the region with the missing values of features of which training saw none."""
    return Region(
        tuple(
            condition if condition.feature.has_missing else replace(condition, missing=True)
            for condition in region.conditions
        )
    )


def with_terms(model: Model, *terms: Term, shift: Any = 0.0) -> Model:
    """Return the model with other terms for the same features, and the intercept moved."""
    by_index = {term.feature.index: term for term in terms}
    changed = tuple(by_index.get(index, term) for index, term in enumerate(model.terms))
    return replace(model, intercept=as_intercept(np.add(model.intercept, shift)), terms=changed)


def as_intercept(value: Any) -> Any:
    """Return an intercept as models hold it: a number, or a tuple of one for every class."""
    return tuple(value.tolist()) if np.ndim(value) else float(value)


def with_values(term: Term, change: Callable[[ShapeFunction], FloatArray], leaves: Any) -> Term:
    """Return the term with other heights of the curves of some leaves."""
    shapes = tuple(
        replace(shape, values=change(shape)) if leaf in leaves else shape
        for leaf, shape in enumerate(term.shapes)
    )
    return replace(term, shapes=shapes)


def refined(term: Term, cuts: Sequence[float | None]) -> Term:
    """Return the term with further edges; the heights stay."""
    finite = [float(cut) for cut in cuts if cut is not None and np.isfinite(cut)]
    if not set(finite) - set(term.edges.tolist()):
        return term
    return replace(term, shapes=tuple(shape.refined(finite) for shape in term.shapes))


def slots_between(term: Term, low: float | None, high: float | None) -> Mask:
    """Return the mask of the bins of low < x <= high, both of which are edges or None."""
    ends = np.append(term.edges, np.inf)
    starts = np.append(-np.inf, term.edges)
    inside = (starts >= (-np.inf if low is None else low)) & (
        ends <= (np.inf if high is None else high)
    )
    return np.append(inside, False)  # missing


def check_range(low: Any, high: Any) -> None:
    """Refuse ends of a range that are no numbers, or in the wrong order."""
    for name, end in (("low", low), ("high", high)):
        if end is not None and not is_finite(end):
            raise ValueError(f"{name} must be a number or None; got {end!r}")
    if low is not None and high is not None and not low < high:
        raise ValueError(f"low must be below high; got {low} and {high}")


def is_finite(value: Any) -> bool:
    """Tell whether a value is a finite number."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and bool(np.isfinite(value))


def _listed(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_listed(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
