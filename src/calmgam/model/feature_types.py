"""What users say of columns whose kind would be guessed wrongly.

    {"zip": "nominal", "grade": ["A", "B", "C"], "age": "continuous"}

A column and what is said of it come in; the column as it is to be read goes out: levels without an
order, levels in the given order, or numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calmgam.model.columns import Column, label
from calmgam.model.fields import name_of
from calmgam.model.pages import see

NOMINAL, CONTINUOUS = "nominal", "continuous"
RULE = 'be "nominal", "continuous" or the list of its levels in their order'

Asked = str | tuple[str, ...]  # a word, or the labels of levels in their order


def read_feature_types(feature_types: Any, names: Sequence[str]) -> dict[str, Asked]:
    """Read what users write, columns by name or position.

    Parameters
    ----------
    feature_types : mapping from str or int to str or list, optional
    names : sequence of str
        Of all columns.
    """
    if feature_types is None:
        return {}
    if not isinstance(feature_types, Mapping):
        raise ValueError(
            'feature_types must map columns to types, such as {"zip": "nominal"}; '
            f"got {feature_types!r}"
        )
    rule = "feature_types must name columns of the table"
    return {name_of(one, names, rule): _asked(one, said) for one, said in feature_types.items()}


def as_asked(column: Column, asked: Asked | None) -> Column:
    """Return a column as users want it to be read."""
    if asked is None:
        return column
    if asked == CONTINUOUS:
        return Column(column.name, column.floats())
    values = column.values
    levels = values.tolist() if isinstance(values, np.ndarray) else values
    order = () if isinstance(asked, str) else asked
    column = replace(column, values=levels, is_category=True, order=order)
    if order:
        check_listed(column.name, order, column.labels())
    return column


def check_listed(name: str, order: Collection[str], seen: Collection[str]) -> None:
    """Refuse a list of levels that lacks one of the column's."""
    absent = sorted(set(seen) - set(order))
    if absent:
        raise ValueError(
            f"feature_types[{name!r}] must list every level of the column; "
            f"{list(order)} lacks {absent[0]!r}{see('data#what-columns-are')}"
        )


def _asked(one: Any, said: Any) -> Asked:
    if isinstance(said, str):
        if said not in (NOMINAL, CONTINUOUS):
            raise ValueError(f"feature_types[{one!r}] must {RULE}; got {said!r}")
        return said
    if not isinstance(said, Sequence) or not said:
        raise ValueError(f"feature_types[{one!r}] must {RULE}; got {said!r}")
    labels = tuple(map(label, said))
    if len(set(labels)) < len(labels):
        raise ValueError(f"feature_types[{one!r}] must list every level once; got {list(said)}")
    return labels
