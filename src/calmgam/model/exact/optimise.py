"""Exact minimum of a sum of small tables that share variables, by variable elimination.

    minimum over v, w, ... of   A[v, w] + B[w, u] + C[u] + ...

A variable is eliminated by adding up the tables that hold it and taking the minimum over it; the
cheapest variable goes first, and the argument is found on the way back. Where a sum would have more
than MAX_ENTRIES entries, its tables are added in groups, each minimised on its own: the result is
then still a sound lower bound, and the assignment one that need not attain it (mini-buckets).
Forbidden combinations are infinite entries.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from calmgam.model.columns import FloatArray

# The work limit: the largest table that may be built.
MAX_ENTRIES = 2**22


@dataclass(frozen=True, eq=False)
class Factor:
    """A table with one axis per variable."""

    variables: tuple[int, ...]
    table: FloatArray

    def without(self, single: Collection[int]) -> Factor:
        """Drop the variables that have a single value."""
        kept = tuple(v for v in self.variables if v not in single)
        return Factor(kept, self.table.squeeze())

    def along(self, variable: int, assignment: dict[int, int]) -> FloatArray:
        """Return the entries for all values of one variable, the others being assigned."""
        at = tuple(slice(None) if v == variable else assignment[v] for v in self.variables)
        entries: FloatArray = self.table[at]
        return entries


def minimise(factors: Sequence[Factor]) -> tuple[float, dict[int, int]]:
    """Return the minimum (a lower bound if the work limit was hit) and an assignment."""
    sizes = {v: n for f in factors for v, n in zip(f.variables, f.table.shape, strict=True)}
    assignment = {variable: 0 for variable, size in sizes.items() if size == 1}
    open_factors, buckets = [factor.without(assignment) for factor in factors], []
    for _ in range(len(sizes) - len(assignment)):
        variable = cheapest(open_factors, sizes)
        bucket = [factor for factor in open_factors if variable in factor.variables]
        open_factors = [factor for factor in open_factors if variable not in factor.variables]
        open_factors += [_eliminate(group, variable) for group in groups_within(bucket, sizes)]
        buckets.append((variable, bucket))
    for variable, bucket in reversed(buckets):
        total = sum(factor.along(variable, assignment) for factor in bucket)
        assignment[variable] = int(np.argmin(total))
    return float(sum(factor.table.item() for factor in open_factors)), assignment


def cheapest(factors: Iterable[Factor], sizes: dict[int, int]) -> int:
    """Return the variable whose tables add up to the smallest one."""
    neighbours: dict[int, set[int]] = {}
    for factor in factors:
        for variable in factor.variables:
            neighbours.setdefault(variable, set()).update(factor.variables)
    return min(neighbours, key=lambda v: math.prod(sizes[w] for w in neighbours[v]))


def groups_within(
    bucket: list[Factor], sizes: dict[int, int], limit: int | None = None
) -> list[list[Factor]]:
    """Divide tables into groups whose sums are within the limit, the largest tables first."""
    groups: list[tuple[set[int], list[Factor]]] = []
    for factor in sorted(bucket, key=lambda factor: -factor.table.size):
        for variables, group in groups:
            joint = variables.union(factor.variables)
            if math.prod(sizes[v] for v in joint) <= (limit or MAX_ENTRIES):
                variables.update(joint)
                group.append(factor)
                break
        else:
            groups.append((set(factor.variables), [factor]))
    return [group for _, group in groups]


def _eliminate(group: list[Factor], variable: int) -> Factor:
    """Add tables up and take the minimum over one variable."""
    kept = tuple(sorted({v for factor in group for v in factor.variables} - {variable}))
    axes = (*kept, variable)
    total = sum(spread(factor, axes) for factor in group)
    return Factor(kept, np.min(total, axis=-1))


def spread(factor: Factor, axes: tuple[int, ...]) -> FloatArray:
    """Return the table with its axes in the given order, and of length one where it has none."""
    order = sorted(range(len(factor.variables)), key=lambda i: axes.index(factor.variables[i]))
    lengths = dict(zip(factor.variables, factor.table.shape, strict=True))
    return factor.table.transpose(order).reshape([lengths.get(v, 1) for v in axes])
