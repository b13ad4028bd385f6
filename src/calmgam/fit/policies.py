"""Policies: which features may stand together in a curve and its conditions.

In: what the user allows and forbids, features by name or position. Out: a `Policy` that answers one
question: may these features interact? A curve's feature and the conditions of one of its regions
count together, as the questions on a path of a tree do in XGBoost's interaction constraints.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from calmgam.model.fields import name_of
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree

KEYS = ("allowed", "forbidden")
Group = frozenset[int]


@dataclass(frozen=True)
class Policy:
    """What may interact.

    Attributes
    ----------
    condition_features : tuple of int
        Features that conditions may be about.
    allowed : tuple of frozenset of int, optional
        Features interact within one of these groups only; a feature in none of them with no other.
        None allows everything.
    forbidden : frozenset of frozenset of int
        Pairs that never stand together.
    """

    condition_features: tuple[int, ...]
    allowed: tuple[Group, ...] | None = None
    forbidden: frozenset[Group] = frozenset()

    @property
    def is_open(self) -> bool:
        """Whether any features may interact."""
        return self.allowed is None and not self.forbidden

    def allows(self, features: Collection[int]) -> bool:
        """Whether features may stand together."""
        together = frozenset(features)
        is_alone = self.allowed is None or len(together) < 2
        if not (is_alone or any(together <= group for group in self.allowed or ())):
            return False
        return not any(pair <= together for pair in self.forbidden)

    def check(self, trees: Iterable[PartitionTree], schema: Schema) -> None:
        """Refuse trees that break the policy: the proof that it was kept."""
        names = schema.names
        for i, tree in enumerate(trees):
            for j in tree.condition_features:
                if j not in self.condition_features:
                    raise ValueError(
                        f"regions of {names[i]!r} must not ask about {names[j]!r}, which "
                        "condition_features, never_condition_on or monotone rule out"
                    )
            for region in tree.regions:
                together = {i, *(c.feature.index for c in region.conditions)}
                if not self.allows(together):
                    listed = ", ".join(repr(names[k]) for k in sorted(together))
                    raise ValueError(f"interactions must not join {listed}; got '{region}'")


def read_policy(
    condition_features: Iterable[str | int] | None,
    never_condition_on: Iterable[str | int] | None,
    interactions: Any,
    schema: Schema,
) -> Policy:
    """Read what users write.

    Parameters
    ----------
    condition_features, never_condition_on : iterable of str or int, optional
        Features that conditions may, and may not, be about.
    interactions : list of groups or mapping, optional
        Groups that may interact; or ``{"allowed": groups, "forbidden": pairs}``.
    schema : Schema
    """
    may = set(positions_of(condition_features, schema, "condition_features"))
    if never_condition_on is not None:
        may -= set(positions_of(never_condition_on, schema, "never_condition_on"))
    asked = interactions if isinstance(interactions, Mapping) else {"allowed": interactions}
    unknown = [key for key in asked if key not in KEYS]
    if unknown:
        raise ValueError(
            f"interactions must be groups, or have the keys 'allowed' and 'forbidden'; "
            f"got {unknown[0]!r}"
        )
    allowed = _groups(asked.get("allowed"), schema, "interactions")
    forbidden = _groups(asked.get("forbidden"), schema, "forbidden interactions") or ()
    for group in forbidden:
        if len(group) < 2:
            raise ValueError(
                "forbidden interactions must have at least two features each; "
                f"got {[schema.names[j] for j in sorted(group)]}"
            )
    pairs = {frozenset(pair) for group in forbidden for pair in combinations(sorted(group), 2)}
    return Policy(tuple(sorted(may)), allowed, frozenset(pairs))


def positions_of(
    chosen: Iterable[str | int] | None, schema: Schema, parameter: str
) -> tuple[int, ...]:
    """Sorted positions of features given by name or position; None means all."""
    if chosen is None:
        return tuple(range(schema.n_features))
    if isinstance(chosen, str):
        raise ValueError(f"{parameter} must be a list of features; got {chosen!r}")
    rule = f"{parameter} must name features"
    return tuple(sorted({schema.index(name_of(one, schema.names, rule)) for one in chosen}))


def _groups(groups: Any, schema: Schema, parameter: str) -> tuple[Group, ...] | None:
    """Read groups of features."""
    if groups is None:
        return None
    if isinstance(groups, str) or not isinstance(groups, Collection):
        raise ValueError(f"{parameter} must be a list of groups of features; got {groups!r}")
    return tuple(frozenset(positions_of(group, schema, parameter)) for group in groups)
